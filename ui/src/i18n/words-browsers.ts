// English texts of the browsers that are signed in.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>('../../locales/en/browsers.ftl', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
