// English texts of a conversation that is read.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>(['../../locales/en/conversation.ftl'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
