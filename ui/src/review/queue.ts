// The order of waiting requests, as pure functions. Mirrors the gate's: urgent first, then oldest first,
// and what is snoozed behind everything else.
import type { RequestId } from '../generated/RequestId';
import type { RequestSummary } from '../generated/RequestSummary';

export type Queue = readonly RequestSummary[];

/** Whether a request is put off for now. */
export function isSnoozed(request: RequestSummary): boolean {
  return (request.snoozed ?? null) !== null;
}

/** The requests that wait for the person now, in their order. */
export function awake(queue: Queue): Queue {
  return queue.filter((request) => !isSnoozed(request));
}

function before(a: RequestSummary, b: RequestSummary): number {
  if (isSnoozed(a) !== isSnoozed(b)) return isSnoozed(a) ? 1 : -1;
  if (a.urgent !== b.urgent) return a.urgent ? -1 : 1;
  const byTime = Date.parse(a.created_at) - Date.parse(b.created_at);
  if (byTime !== 0) return byTime;
  return a.request_id < b.request_id ? -1 : 1;
}

/** The queue in its order. */
export function ordered(requests: Queue): Queue {
  return [...requests].sort(before);
}

/** The queue with this request new or renewed in it. */
export function withRequest(queue: Queue, request: RequestSummary): Queue {
  return ordered([...queue.filter((other) => other.request_id !== request.request_id), request]);
}

/** The queue without this request. */
export function withoutRequest(queue: Queue, id: RequestId): Queue {
  return queue.filter((other) => other.request_id !== id);
}

/** The place of a request, from 0; −1 when it doesn't wait. */
export function placeOf(queue: Queue, id: RequestId | undefined): number {
  return queue.findIndex((request) => request.request_id === id);
}

/**
 * The neighbour `step` places on among those that aren't snoozed, around the end. From a snoozed one or
 * from outside the queue, the first of them.
 */
export function neighbour(queue: Queue, id: RequestId | undefined, step: 1 | -1): RequestSummary | undefined {
  const waiting = awake(queue);
  const place = placeOf(waiting, id);
  if (place < 0) return waiting[0];
  return waiting[(place + step + waiting.length) % waiting.length];
}

/**
 * What to show after a request is gone from the list that was `before`: an urgent one, then what stood behind it
 * there, then what stood in front of it.
 */
export function successor(before: Queue, id: RequestId, queue: Queue): RequestSummary | undefined {
  const waiting = awake(queue);
  if (waiting[0]?.urgent) return waiting[0];
  const list = awake(before);
  const place = placeOf(list, id);
  const near = [...list.slice(place + 1), ...list.slice(0, Math.max(0, place)).reverse()];
  const next = near.find((request) => placeOf(waiting, request.request_id) >= 0);
  return waiting[placeOf(waiting, next?.request_id)] ?? waiting[0];
}
