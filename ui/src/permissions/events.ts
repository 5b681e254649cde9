// What a window does about permission questions that are over, or that are asked anew.
import type { Event } from '../generated/Event';
import type { RequestId } from '../generated/RequestId';
import { answeringOf } from './answering.svelte';
import type { Review } from '../review/review.svelte';

type PermissionEvent = Extract<Event, { event: 'permission_over' | 'permission_replaced' }>;

/** Hears why a question is over before it is closed, and shows the one that takes its place. */
export function hear(review: Review, event: PermissionEvent): void {
  const reply = review.draftOf(event.request_id);
  if (!reply) return;
  if (event.event === 'permission_over') reply.over = event.why;
  else if (review.reply === reply) void replace(review, event.request_id, event.by);
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
