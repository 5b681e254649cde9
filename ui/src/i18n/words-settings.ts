// English texts of settings and of connecting clients.
import { teach } from './text.svelte';
import './words-client';
import './words-table';

teach(
  import.meta.glob<string>(['../../locales/en/settings.ftl', '../../locales/en/clients.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
