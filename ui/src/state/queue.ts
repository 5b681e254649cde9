// The order of waiting requests, as pure functions. Mirrors the gate's: urgent first, then oldest first.
import type { RequestId } from '../generated/RequestId';
import type { RequestSummary } from '../generated/RequestSummary';

export type Queue = readonly RequestSummary[];

function before(a: RequestSummary, b: RequestSummary): number {
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

/** The neighbour `step` places on, around the end. From outside the queue, its first. */
export function neighbour(queue: Queue, id: RequestId | undefined, step: 1 | -1): RequestSummary | undefined {
  const place = placeOf(queue, id);
  if (place < 0) return queue[0];
  return queue[(place + step + queue.length) % queue.length];
}

/** What to show after the request that stood at `place` is gone: urgent ones, then whatever moved up. */
export function successor(queue: Queue, place: number): RequestSummary | undefined {
  if (queue[0]?.urgent) return queue[0];
  return queue[place] ?? queue[0];
}
