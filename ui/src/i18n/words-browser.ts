// English texts of the page in a browser.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/browser.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
