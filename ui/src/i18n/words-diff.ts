// English texts of diffs.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/diff.ftl'], { query: '?raw', import: 'default', eager: true }),
);
