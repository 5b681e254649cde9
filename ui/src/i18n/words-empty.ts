// English texts of the review window where nothing waits.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/empty.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
