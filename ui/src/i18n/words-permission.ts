// English texts of permission questions.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/permission.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
