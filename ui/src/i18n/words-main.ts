// English texts of the main window and of the browser.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(
    ['../../locales/en/main.ftl', '../../locales/en/sessions.ftl', '../../locales/en/browser.ftl'],
    { query: '?raw', import: 'default', eager: true },
  ),
);
