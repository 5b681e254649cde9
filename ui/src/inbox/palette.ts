// The requests that wait, for the palette.
import { uncoded } from '../components/coded';
import type { PaletteGroup } from '../palette/entries';
import { whose } from '../sessions/session-list';
import type { Main } from '../state/main.svelte';

export default (main: Main): PaletteGroup => ({
  name: 'palette-requests',
  entries: main.inbox.queue.map((request) => ({
    key: `request ${request.request_id}`,
    label: uncoded(request.title),
    hint: whose(request),
    icon: 'inbox',
    words: request.excerpt,
    act: () => {
      main.answer(request.request_id);
      main.inbox.reading.inside = true;
    },
  })),
});
