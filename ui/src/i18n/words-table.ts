// English texts of what the gate names in windows: settings and their choices.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/setting.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
