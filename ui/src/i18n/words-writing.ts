// English texts of what is needed around a reply once a request was read.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/writing.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
