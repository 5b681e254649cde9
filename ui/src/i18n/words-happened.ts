// English texts of what happened to a request.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/happened.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
