import type { RequestId } from '../generated/RequestId';
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
  hears: (main) => {
    const tell = async (id: RequestId) => (await import('./arrivals')).tellArrival(main, id);
    return {
      request_added: ({ request, again }) => void (again || tell(request.request_id)),
      request_due: ({ request_id: id }) => void tell(id),
      request_closed: ({ request_id: id }) => main.told?.id === id && main.told.dismiss(),
    };
  },
  begin: (main) => main.inbox.start(),
  // Which request stands there is the queue's to say.
  open: () => undefined,
  list: ({ inbox }) => inbox,
} satisfies PageRow;
