// English texts of what is odd in a text.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/shown.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
