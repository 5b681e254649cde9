// English texts of the list of what waits.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/queue.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
