// English texts of sessions, and of what is said of one beside its conversation.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/sessions.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
