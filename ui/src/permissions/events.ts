// What a window does about permission questions that are over, or that are asked anew.
import type { Event } from '../generated/Event';
import type { RequestId } from '../generated/RequestId';
import { answeringOf } from './answering.svelte';
import type { Review } from '../review/review.svelte';

/** How long a question that is over stands before somebody's eyes with the reason, in milliseconds. */
export const MOMENT = 5_000;

type PermissionEvent = Extract<Event, { event: 'permission_over' | 'permission_replaced' }>;

/** Hears why a question is over before it is closed, and shows the one that takes its place. */
export function hear(review: Review, event: PermissionEvent): void {
  const reply = review.draftOf(event.request_id);
  if (!reply) return;
  if (event.event === 'permission_over') reply.over = event.why;
  else if (review.reply === reply && review.chosen) void replace(review, event.request_id, event.by);
}

/** Nothing can be done any more with what is open: the next one comes up. */
export function goOn(review: Review): void {
  if (review.waiting.length > 0) void review.step(1, true);
  else review.leave(null);
}

/** What was written by then goes along: the gate has what was saved of it. */
async function replace(review: Review, id: RequestId, by: RequestId): Promise<void> {
  const written = review.draftOf(id);
  const { text = '', selected = [], touched = false } = written ?? {};
  await review.show(by, true);
  const { reply } = review;
  if (reply?.id !== by) return;
  reply.replaces = true;
  if (!touched || reply.text === text) return;
  for (const label of selected) if (!reply.selected.includes(label)) reply.toggle(label);
  reply.write(text);
  if (reply.view.permission) answeringOf(reply, reply.view.permission).restore();
}
