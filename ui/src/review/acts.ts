// What the person does with requests beside answering them: putting off, taking up again, taking back, and not holding
// back any longer. Nobody does so at once, so it is loaded when it is first done.
import type { ReplyDraft } from '../reply/reply-draft.svelte';
import type { Undoable } from '../reply/undoables.svelte';
import { ask, toFault } from '../state/port';
import { NOTE } from '../state/toasts.svelte';
import { placeOf, successor, withRequest, type Queue } from './queue';
import type { Review } from './review.svelte';

/** Puts a request off until then, and goes on to what stood behind it in the list `before`. */
export async function snooze(
  review: Review,
  reply: ReplyDraft,
  until: string | null,
  before: Queue,
): Promise<void> {
  try {
    await ask(review.port, { command: 'snooze', request_id: reply.id, until });
  } catch (thrown) {
    reply.fault = toFault(thrown);
    return;
  }
  const summary = { ...reply.summary, snoozed: { until } };
  reply.summary = summary;
  if (placeOf(review.queue, reply.id) >= 0) review.queue = withRequest(review.queue, summary);
  const done = { kind: 'snoozed', request: summary, decision: null, reply: null } as const;
  review.undoables.add({ ...done, until, lasts: NOTE });
  if (review.reply !== reply) return;
  const next = successor(before, reply.id, review.queue);
  if (next) await review.show(next.request_id, true);
  else review.leave(reply);
}

/** Takes a request up again before its time. */
export async function wake(review: Review, reply: ReplyDraft): Promise<void> {
  try {
    await ask(review.port, { command: 'wake', request_id: reply.id });
    reply.summary = { ...reply.summary, snoozed: null };
    review.queue = withRequest(review.queue, reply.summary);
  } catch (thrown) {
    reply.fault = toFault(thrown);
  }
}

/** Takes back what was done: its request is open again, with its draft. */
export async function takeBack(review: Review, item: Undoable): Promise<void> {
  const { request_id } = item.request;
  try {
    if (item.kind === 'snoozed') {
      await ask(review.port, { command: 'wake', request_id });
      review.queue = withRequest(review.queue, { ...item.request, snoozed: null });
      review.undoables.remove(item);
      await review.show(request_id);
      return;
    }
    const { request } = await ask(review.port, { command: 'undo_reply', request_id });
    review.gone.delete(request_id);
    review.queue = withRequest(review.queue, request.summary);
    review.undoables.remove(item);
    await review.show(request_id, false, request, item.reply);
  } catch (thrown) {
    review.undoables.fail(item, toFault(thrown));
  }
}

/** Lets a reply that is held go to its agent at once. */
export async function sendNow(review: Review, item: Undoable): Promise<void> {
  try {
    await ask(review.port, { command: 'send_now', request_id: item.request.request_id });
    review.undoables.remove(item);
  } catch (thrown) {
    review.undoables.fail(item, toFault(thrown));
  }
}
