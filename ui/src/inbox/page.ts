import type { PageRow } from '../state/pages';

export default {
  order: 10,
  icon: 'inbox',
  label: 'main-inbox',
  counted: 'main-inbox-counted',
  count: (main) => main.inbox.waiting.length,
  asks: true,
  letter: 'i',
  digit: '1',
  keys: () =>
    Promise.resolve({
      name: 'keys-inbox',
      keys: [
        [['S'], 'keys-snooze'],
        [['A'], 'keys-away'],
        [['D'], 'keys-quiet'],
        [['1', '…', '9', '0'], 'keys-option'],
        [['R'], 'keys-write'],
      ],
    }),
  palette: async (main) => (await import('./palette')).default(main),
  load: () => import('./InboxPage.svelte'),
  begin: (main) => main.inbox.start(),
  // Which request stands there is the queue's to say.
  open: () => undefined,
  list: ({ inbox }) => inbox,
} satisfies PageRow;
