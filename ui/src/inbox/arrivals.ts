// A request that comes while the person is on another page of the main window, said where they are.
import type { RequestId } from '../generated/RequestId';
import { t } from '../i18n/text.svelte';
import { agentName } from '../state/format';
import { command } from '../state/keys';
import type { Main } from '../state/main.svelte';
import { pageOf } from '../state/pages';

/** How long it is said, in milliseconds: a sentence can be finished first. */
export const ARRIVAL = 15_000;

/** Whether the person is at this window; in a browser, where no other one comes up, whether they see it. */
function isHere(main: Main): boolean {
  return main.port.inBrowser ? main.seen : document.hasFocus();
}

/** Says that a request came, with the way there. The inbox shows it by itself. */
export function tellArrival(main: Main, id: RequestId): void {
  const request = main.inbox.waiting.find((each) => each.request_id === id);
  if (!request || main.page === 'inbox' || !isHere(main)) return;
  if (main.presence.told.quiet && !request.urgent) return;
  const told = t('main-told', { client: agentName(request.client), title: request.title });
  const dismiss = main.toasts.show(told, {
    milliseconds: ARRIVAL,
    action: {
      label: t('main-told-go', { keys: `${command} ${pageOf('inbox').digit}` }),
      act: () => main.answer(id),
    },
    gone: () => {
      if (main.told?.id === id) main.told = null;
    },
  });
  main.told = { id, dismiss };
}
