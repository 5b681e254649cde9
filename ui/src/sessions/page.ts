import type { PageRow } from '../state/pages';

export default {
  order: 20,
  icon: 'sessions',
  label: 'main-sessions',
  counted: 'main-sessions-counted',
  count: (main) => main.sessions.active.length,
  letter: 's',
  digit: '2',
  palette: async (main) => (await import('./palette')).default(main),
  load: () => import('./SessionsPage.svelte'),
  open: ({ sessions }, id) => {
    sessions.select(id);
    sessions.reading.inside = true;
  },
  list: ({ sessions }) => ({ rows: sessions.list, reading: sessions.reading }),
} satisfies PageRow;
