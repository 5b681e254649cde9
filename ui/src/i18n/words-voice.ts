// English texts of voice.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/voice.ftl'], { query: '?raw', import: 'default', eager: true }),
);
