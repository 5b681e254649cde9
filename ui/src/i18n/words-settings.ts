// English texts of settings, of connecting clients and of the doctor.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(
    ['../../locales/en/settings.ftl', '../../locales/en/clients.ftl', '../../locales/en/doctor.ftl'],
    { query: '?raw', import: 'default', eager: true },
  ),
);
