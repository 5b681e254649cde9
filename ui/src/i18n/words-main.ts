// English texts that the main window begins with.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/main.ftl', '../../locales/en/status.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
