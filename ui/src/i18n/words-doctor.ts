// English texts of the doctor: its page, its checks and what they find.
import { teach } from './text.svelte';
import './words-client';

teach(
  import.meta.glob<string>(
    ['../../locales/en/doctor.ftl', '../../locales/en/check.ftl', '../../locales/en/finding.ftl'],
    { query: '?raw', import: 'default', eager: true },
  ),
);
