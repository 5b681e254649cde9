// English texts of the History page.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/history.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
