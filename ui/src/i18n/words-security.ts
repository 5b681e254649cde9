// English texts of the security keys.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>('../../locales/en/security.ftl', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
