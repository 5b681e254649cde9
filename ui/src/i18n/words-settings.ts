// English texts of settings, of connecting clients and of the doctor.
import { teach } from './text.svelte';
import './words-table';

teach(
  import.meta.glob<string>(
    [
      '../../locales/en/settings.ftl',
      '../../locales/en/clients.ftl',
      '../../locales/en/client.ftl',
      '../../locales/en/doctor.ftl',
      '../../locales/en/check.ftl',
    ],
    { query: '?raw', import: 'default', eager: true },
  ),
);
