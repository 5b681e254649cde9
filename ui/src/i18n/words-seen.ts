// English texts of what wasn't on the screen yet.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/seen.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
