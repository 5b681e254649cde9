import type { PageRow } from '../state/pages';

export default {
  order: 30,
  icon: 'history',
  label: 'main-history',
  letter: 'h',
  digit: '3',
  keys: async () => (await import('./key-group')).default,
  load: () => import('./HistoryPage.svelte'),
  begin: (main) => main.history.start(),
  open: ({ history }, id) => {
    history.select(id);
    history.reading.inside = true;
  },
  narrowed: ({ history }) => history.address,
  narrow: ({ history }, address) => history.goTo(address),
  list: ({ history }) => ({ rows: history.entries, reading: history.reading }),
} satisfies PageRow;
