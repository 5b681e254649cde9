// English texts of the sheets of keys.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/keys.ftl'], { query: '?raw', import: 'default', eager: true }),
);
