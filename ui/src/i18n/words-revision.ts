// English texts of what changed in a message.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/revision.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
