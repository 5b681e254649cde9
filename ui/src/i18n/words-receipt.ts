// English texts of a receipt that is looked at.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/receipt.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
