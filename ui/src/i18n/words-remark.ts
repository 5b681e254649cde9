// English texts of comments on passages.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/remark.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
