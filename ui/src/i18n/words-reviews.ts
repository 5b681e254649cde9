// English texts of the reviews.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/reviews.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
