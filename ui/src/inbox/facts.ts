// What is worth a word about a waiting request, beside its title.
import type { RequestSummary } from '../generated/RequestSummary';
import type { SessionSummary } from '../generated/SessionSummary';

export interface Fact {
  id: 'permission' | 'more' | 'round' | 'snoozed' | 'waits' | 'gone' | 'options' | 'files';
  /** The id of its text; with a count or a time in it. */
  text: string;
  n: number;
  until: string | null;
}

/** Whether an agent at work says how far it is or what it does. */
export function isTall({ progress }: SessionSummary): boolean {
  return Boolean(
    progress && (progress.progress_percent !== null || progress.status_message || progress.step_name),
  );
}

/** An agent that waits longer than this, in milliseconds, presses nobody; the request itself says how long. */
const PRESSING = 3_600_000;

function waitsLong(request: RequestSummary): boolean {
  return Date.parse(request.waits_until ?? '') - Date.parse(request.created_at) > PRESSING;
}

/** The facts in order, with how many `more` permission questions its session has; none for a plain question whose agent waits without an end. */
export function factsOf(request: RequestSummary, more = 0): Fact[] {
  const facts: Fact[] = [];
  const add = (id: Fact['id'], text: string, n = 0, until: string | null = null) =>
    facts.push({ id, text, n, until });
  if (request.permission) {
    add('permission', 'main-permission');
    if (more > 0) add('more', 'main-permission-more', more);
    if (request.snoozed) add('snoozed', 'main-back-open');
    return facts;
  }
  if (request.round) add('round', 'main-round', request.round.round);
  if (request.snoozed) add('snoozed', 'main-back-open');
  // Nobody holds a call open for a round.
  if (request.round) return facts;
  if (!request.caller_waiting) add('gone', 'main-not-waiting');
  else if (request.waits_until && !waitsLong(request)) add('waits', 'main-waits', 0, request.waits_until);
  if (request.options) add('options', 'main-options', request.options);
  if (request.files) add('files', 'main-files', request.files);
  return facts;
}
