// English texts of the palette.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/palette.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
