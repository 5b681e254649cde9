// English texts of the Prompts page.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/prompts.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
