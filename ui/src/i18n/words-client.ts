// English texts of what the person does in a client: where it is connected, and in what the doctor finds.
import { teach } from './text.svelte';

teach(
  import.meta.glob<string>('../../locales/en/client.ftl', { query: '?raw', import: 'default', eager: true }),
);
