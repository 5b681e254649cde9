// English texts of drawing on pictures.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/annotate.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
