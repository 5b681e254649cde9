// What the keys of the request view do, in each window that shows it.
import { intentionOf, takesKeys, takesText, type Intention } from '../state/keys';
import type { Review } from './review.svelte';

/** What only a reply takes. */
const REPLIES: readonly Intention['kind'][] = [
  'approve',
  'request_changes',
  'reply',
  'option',
  'write',
  'snippets',
];

/** What a key means to the request view; null where it means nothing, or is the field's own. */
export function meantFor(review: Review, event: KeyboardEvent): Intention | null {
  const intention = intentionOf(event, !takesKeys(event.target));
  // Nothing is allowed by a key that approves other requests.
  if (intention && review.reply?.view.permission && REPLIES.includes(intention.kind)) return null;
  if (intention?.kind !== 'undo') return intention;
  return review.undoables.last && !undoesItself(review, event.target) ? intention : null;
}

/** Whether a field has something of its own to undo: not a reply that nobody has touched yet. */
function undoesItself(review: Review, target: EventTarget | null): boolean {
  if (!takesText(target)) return false;
  return !(target instanceof HTMLElement && target.id === 'reply-text' && review.reply?.touched === false);
}

/** Closes what stands on top of the request; answers whether anything did. */
export function closeTopmost(review: Review): boolean {
  const open = review.sheetOpen || review.listOpen || review.snippetsOpen || review.snoozeOpen;
  review.sheetOpen = review.listOpen = review.snippetsOpen = review.snoozeOpen = false;
  return open;
}

/** Goes out of the text that the keys are in, back to the request; answers whether they were in one. */
export function leaveText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || !takesText(target)) return false;
  target.blur();
  document.querySelector<HTMLElement>('[data-keys] main')?.focus({ preventScroll: true });
  return true;
}

/** Does what a key means to the open request. Escape is the window's own. */
export function perform(
  review: Review,
  intention: Exclude<Intention, { kind: 'escape' }>,
  event: KeyboardEvent,
): void {
  switch (intention.kind) {
    case 'approve':
      if (review.guard?.lets(event)) void review.send('approved');
      break;
    case 'request_changes':
      if (review.guard?.lets(event)) void review.send('changes_requested');
      break;
    case 'reply':
      if (review.guard?.lets(event)) void review.send(null);
      break;
    case 'next':
      void review.step(1);
      break;
    case 'previous':
      void review.step(-1);
      break;
    case 'list':
      review.listOpen = review.reply !== null && !review.listOpen;
      break;
    case 'write':
      document.getElementById('reply-text')?.focus();
      break;
    case 'history':
      review.openPage('history');
      break;
    case 'help':
      review.sheetOpen = true;
      break;
    case 'undo':
      void review.undo();
      break;
    case 'snippets':
      review.snippetsOpen = (review.reply?.open ?? false) && !review.snippetsOpen;
      break;
    case 'snooze':
      review.snoozeOpen = review.reply?.open ?? false;
      break;
    case 'option': {
      const option = review.reply?.view.options[intention.index];
      if (!option || !review.guard?.writes(event)) break;
      review.reply?.toggle(option.label);
      document
        .querySelector(`[data-testid="option-${intention.index + 1}"]`)
        ?.scrollIntoView?.({ block: 'nearest' });
    }
  }
}
