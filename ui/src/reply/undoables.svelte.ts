// What the person has just done and can still take back: replies that the gate holds for some seconds,
// and requests that were put off. Each goes by itself when its time is over.
import type { Decision } from '../generated/Decision';
import type { Fault } from '../generated/Fault';
import type { RequestId } from '../generated/RequestId';
import type { RequestSummary } from '../generated/RequestSummary';
import type { ReplyDraft } from './reply-draft.svelte';
import { FAILURE, NOTE } from '../state/toasts.svelte';

/** What is left of a hold whose end this clock can't tell, in milliseconds. */
const UNKNOWN_HOLD = NOTE;

/** A reply that this window gave: from which reply, and what is known of it so far. */
export interface Sent {
  reply: ReplyDraft;
  decision: Decision | null;
  taken: boolean;
  /** Until when it can be taken back; absent before the gate has said it. */
  undoUntil?: string | null;
}

export class Undoable {
  readonly kind: 'sent' | 'snoozed';
  readonly request: RequestSummary;
  /** Of a reply: what it decides; null for nothing. */
  readonly decision: Decision | null;
  /** The reply that it was sent from: it knows what the gate doesn't store. */
  readonly reply: ReplyDraft | null;
  /** When a request that was put off comes back; null for one that waits until it is taken up. */
  readonly until: string | null;
  /** When it was done and for how long it can be taken back, in milliseconds of this window's clock. */
  readonly since: number;
  readonly lasts: number;
  /** Whether something is being done about it. */
  busy = $state(false);
  /** Why it couldn't be taken back. */
  fault = $state.raw<Fault | null>(null);

  constructor(what: Pick<Undoable, 'kind' | 'request' | 'decision' | 'reply' | 'until' | 'since' | 'lasts'>) {
    this.kind = what.kind;
    this.request = what.request;
    this.decision = what.decision;
    this.reply = what.reply;
    this.until = what.until;
    this.since = what.since;
    this.lasts = what.lasts;
  }
}

/**
 * How long a reply is still held, in milliseconds. The gate's clock may not be this one's (a browser on
 * another machine): what can't be is taken for the whole time that the settings name.
 */
export function holdLeft(undoUntil: string, now: number, undoSeconds: number | undefined): number {
  const most = undoSeconds ? undoSeconds * 1000 : UNKNOWN_HOLD;
  const left = Date.parse(undoUntil) - now;
  return left > 0 && left <= most ? left : most;
}

export class Undoables {
  list = $state.raw<readonly Undoable[]>([]);
  #ends = new Map<Undoable, { at: number; timer: ReturnType<typeof setTimeout> }>();
  #now: () => number;
  #changed: () => void;

  /** Calls `changed` whenever one comes, goes or fails. */
  constructor(now: () => number, changed: () => void) {
    this.#now = now;
    this.#changed = changed;
  }

  add(what: Omit<ConstructorParameters<typeof Undoable>[0], 'since'>): void {
    const item = new Undoable({ ...what, since: this.#now() });
    this.list = [...this.list.filter((each) => each.request.request_id !== item.request.request_id), item];
    this.#endIn(item, item.lasts);
    this.#changed();
  }

  /** The one that was done last and can still be taken back. */
  get last(): Undoable | undefined {
    return this.list.findLast((item) => !item.busy && !item.fault);
  }

  /** What was done about this request, where it can still be taken back or that failed. */
  of(id: RequestId): Undoable | undefined {
    return this.list.find((item) => item.request.request_id === id);
  }

  /** How long the last of them stands, in milliseconds; 0 where there is none. */
  get remaining(): number {
    const ends = this.list.map((item) => this.#ends.get(item)?.at ?? 0);
    return Math.max(0, ...ends.map((at) => at - this.#now()));
  }

  /** Something is being done about it: it neither goes nor is done twice. */
  begin(item: Undoable): boolean {
    if (item.busy || item.fault || !this.list.includes(item)) return false;
    item.busy = true;
    clearTimeout(this.#ends.get(item)?.timer);
    return true;
  }

  /** It failed, and says so for as long as a failure stands. */
  fail(item: Undoable, fault: Fault): void {
    item.busy = false;
    item.fault = fault;
    this.#endIn(item, FAILURE);
    this.#changed();
  }

  remove(item: Undoable): void {
    clearTimeout(this.#ends.get(item)?.timer);
    this.#ends.delete(item);
    this.list = this.list.filter((each) => each !== item);
    this.#changed();
  }

  #endIn(item: Undoable, milliseconds: number): void {
    clearTimeout(this.#ends.get(item)?.timer);
    const timer = setTimeout(() => this.remove(item), milliseconds);
    this.#ends.set(item, { at: this.#now() + milliseconds, timer });
  }
}
