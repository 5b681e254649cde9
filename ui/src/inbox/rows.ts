// The rows of the inbox: what waits, what is put off, who is at work, what was answered lately. Pure.
import type { RequestId } from '../generated/RequestId';
import type { RequestStatus } from '../generated/RequestStatus';
import type { RequestSummary } from '../generated/RequestSummary';
import type { SessionSummary } from '../generated/SessionSummary';
import type { SessionUuid } from '../generated/SessionUuid';
import { awake, isSnoozed, type Queue } from '../review/queue';

/** A request that was closed while this window looked on. */
export interface Answered {
  request: RequestSummary;
  status: Exclude<RequestStatus, 'pending'>;
  /** When, as this window's clock says. */
  at: string;
}

/** No session was opened. */
const NONE: ReadonlySet<SessionUuid> = new Set();

/** Of the answered ones, so many are kept. */
export const LATELY = 30;

export type InboxRow =
  /** `more` of the same session ask for a permission as well, and stand below it where it was opened. */
  | { kind: 'request'; key: string; request: RequestSummary; more: number }
  | { kind: 'later'; key: 'later'; count: number; open: boolean }
  | { kind: 'heading'; key: string; of: 'working' | 'answered' }
  | { kind: 'session'; key: string; session: SessionSummary }
  | { kind: 'answered'; key: string; answered: Answered };

export interface Contents {
  queue: Queue;
  /** Active sessions, in their order. */
  working: readonly SessionSummary[];
  /** The latest first. */
  answered: readonly Answered[];
}

export const requestKey = (id: RequestId) => `request ${id}`;
export const sessionKey = (id: string) => `session ${id}`;

/** Whether every one of the words stands in one of the texts. */
function holds(words: readonly string[], ...texts: string[]): boolean {
  const all = texts.join('\n').toLowerCase();
  return words.every((word) => all.includes(word));
}

/**
 * The rows in order. With something in `text`, only those that hold all its words, and what is put off
 * unfolded among them; `name` says how a person calls the workspace of a request or session. Permission questions of one
 * session stand in one row, and all of them where that is among those `opened`.
 */
export function inboxRows(
  { queue, working, answered }: Contents,
  laterOpen: boolean,
  text: string,
  name: (of: RequestSummary | SessionSummary) => string,
  opened: ReadonlySet<SessionUuid> = NONE,
): InboxRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const requests = queue.filter((each) => holds(words, each.title, each.excerpt ?? '', name(each)));
  const rows = grouped(awake(requests), words.length > 0 ? null : opened);
  const later = requests.filter(isSnoozed);
  if (later.length > 0) {
    const open = laterOpen || words.length > 0;
    rows.push({ kind: 'later', key: 'later', count: later.length, open });
    if (open) rows.push(...later.map((request) => requestRow(request)));
  }
  // Who asks is above already.
  const busy = working.filter(
    (each) => each.pending === 0 && holds(words, each.title, name(each), each.progress?.status_message ?? ''),
  );
  if (busy.length > 0) rows.push({ kind: 'heading', key: 'working', of: 'working' });
  for (const session of busy) rows.push({ kind: 'session', key: sessionKey(session.session_uuid), session });
  const past = answered.filter(({ request }) => holds(words, request.title, name(request)));
  if (past.length > 0) rows.push({ kind: 'heading', key: 'answered', of: 'answered' });
  for (const each of past)
    rows.push({ kind: 'answered', key: `answered ${each.request.request_id}`, answered: each });
  return rows;
}

function requestRow(request: RequestSummary, more = 0): InboxRow {
  return { kind: 'request', key: requestKey(request.request_id), request, more };
}

/** The rows of what waits; with null every request has one of its own. */
function grouped(queue: Queue, opened: ReadonlySet<SessionUuid> | null): InboxRow[] {
  if (!opened) return queue.map((request) => requestRow(request));
  const asked = new Map<SessionUuid, RequestSummary[]>();
  for (const each of queue)
    if (each.permission) asked.set(each.session_uuid, [...(asked.get(each.session_uuid) ?? []), each]);
  return queue.flatMap((request) => {
    if (!request.permission) return requestRow(request);
    const [first = request, ...others] = asked.get(request.session_uuid) ?? [];
    if (first !== request) return [];
    const below = opened.has(request.session_uuid) ? others : [];
    return [requestRow(request, others.length), ...below.map((each) => requestRow(each))];
  });
}

/** How many of what waits ask for a permission. */
export const permissionsIn = (queue: Queue) => queue.filter((each) => each.permission).length;

/** The latest closed first, each request once. */
export function withAnswered(list: readonly Answered[], one: Answered): Answered[] {
  const others = list.filter((each) => each.request.request_id !== one.request.request_id);
  return [one, ...others].slice(0, LATELY);
}

/** The requests that no call waits for and whose agents are gone, as the gate tells it of sessions. */
export function abandoned(queue: Queue, sessions: readonly SessionSummary[]): Queue {
  const there = new Set(sessions.filter((each) => !each.gone).map((each) => each.session_uuid));
  return queue.filter((request) => !request.caller_waiting && !there.has(request.session_uuid));
}
