// English texts of finding words in what is read.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/find.ftl'], { query: '?raw', import: 'default', eager: true }),
);
