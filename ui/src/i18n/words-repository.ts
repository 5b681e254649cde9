// English texts of what of a repository is shown.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/repository.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
