// English texts of requests whose agents are gone.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/inbox.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
