// English texts of what an approval takes.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>('../../locales/en/level.ftl', { query: '?raw', import: 'default', eager: true }),
);
