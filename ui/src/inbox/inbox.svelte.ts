// The inbox: what waits, who works, what was answered lately, and which of them the person looks at. The
// request view is the review window's, over the main window's own connection to the gate.
import type { Event } from '../generated/Event';
import type { RequestId } from '../generated/RequestId';
import type { RequestView } from '../generated/RequestView';
import type { SessionUuid } from '../generated/SessionUuid';
import type { Snapshot } from '../generated/Snapshot';
import type { ReplyDraft } from '../reply/reply-draft.svelte';
import { EmbeddedPort } from '../state/embedded-port';
import { inboxRows, requestKey, sessionKey, withAnswered, type Answered, type InboxRow } from './rows';
import type { Port } from '../state/port';
import { permissions } from '../permissions/permissions';
import { awake, isSnoozed, ordered, withoutRequest, withRequest, type Queue } from '../review/queue';
import { Reading, REST } from '../conversation/reading.svelte';
import { Review } from '../review/review.svelte';
import { whose } from '../sessions/session-list';
import type { Sessions } from '../sessions/sessions.svelte';
import { loadEyes } from '../seen/eyes';
import { marking } from '../shown/marking.svelte';
import type { Toasts } from '../state/toasts.svelte';

/** The request view in the main window: it tells the inbox what comes onto its reply. */
class InboxReview extends Review {
  readonly #shown: (id: RequestId, byItself: boolean) => boolean;
  readonly #rows: () => Queue;
  readonly #chosen: () => boolean;

  /**
   * `shown` hears which request is to come up and answers whether it may; `rows` are those of the list; `chosen` says
   * whether the open one is chosen there.
   */
  constructor(
    port: Port,
    shown: (id: RequestId, byItself: boolean) => boolean,
    rows: () => Queue,
    chosen: () => boolean,
  ) {
    super(port, Date.now, 'inbox');
    this.#shown = shown;
    this.#rows = rows;
    this.#chosen = chosen;
    this.prepare = (view) => {
      const asks = view.permission && !permissions.parts ? permissions.load() : null;
      const needed = [marking.load(), loadEyes(this, view.summary), asks].filter((each) => each !== null);
      return needed.length > 0 ? Promise.all(needed).then(() => undefined) : null;
    };
  }

  override get chosen(): boolean {
    return this.#chosen();
  }

  override get listed(): Queue {
    return this.#rows();
  }

  override async show(
    id: RequestId,
    byItself = false,
    view: RequestView | null = null,
    before: ReplyDraft | null = null,
  ): Promise<void> {
    if (this.#shown(id, byItself)) await super.show(id, byItself, view, before);
  }
}

export class Inbox {
  /** What is typed into the search. */
  text = $state('');
  laterOpen = $state(false);
  answered = $state.raw<readonly Answered[]>([]);
  /** The key of the row that is chosen. */
  selected = $state<string | null>(null);
  /** Grows with each request that comes; the latest of them for those who hear the page. */
  arrival = $state.raw<{ title: string; client: string; count: number } | null>(null);
  readonly review: Review;
  readonly reading: Reading;

  #snapshot: Snapshot | null = null;
  #queue = $state.raw<Queue>([]);
  #started = $state(false);
  readonly queue: Queue;
  readonly waiting: Queue;
  readonly rows: InboxRow[];
  readonly place: number;
  readonly current: InboxRow | null;

  /** Sessions whose permission questions stand in a row each: one of them was chosen. */
  #opened = $state.raw<ReadonlySet<SessionUuid>>(new Set());
  #port: EmbeddedPort;
  #sessions: Sessions;
  #starting: Promise<void> | null = null;
  #resting: ReturnType<typeof setTimeout> | undefined;
  /** Whether the person chose what is chosen; else whatever comes may take its place. */
  #byHand = false;

  constructor(port: EmbeddedPort, sessions: Sessions, toasts: Toasts) {
    this.#port = port;
    this.#sessions = sessions;
    this.review = new InboxReview(
      port,
      (id, byItself) => this.#comesUp(id, byItself),
      () => this.rows.flatMap((row) => (row.kind === 'request' ? [row.request] : [])),
      () => this.answering,
    );
    this.reading = new Reading(port, toasts);
    this.queue = $derived(this.#started ? this.review.queue : this.#queue);
    this.waiting = $derived(awake(this.queue));
    this.rows = $derived(
      inboxRows(
        { queue: this.queue, working: this.#sessions.active, answered: this.answered },
        this.laterOpen,
        this.text,
        whose,
        this.#opened,
      ),
    );
    this.place = $derived(this.rows.findIndex((row) => row.key === this.selected));
    this.current = $derived(this.rows[this.place] ?? null);
  }

  /** Whether the request view is what the person looks at, and on the request that is chosen. */
  get answering(): boolean {
    const { reply } = this.review;
    return reply !== null && this.selected === requestKey(reply.id);
  }

  /** Whether the person has gone into what is chosen; where there is room for one column only, it is this one. */
  get inside(): boolean {
    return this.reading.inside;
  }

  /** Takes everything as it is now. */
  async set(snapshot: Snapshot): Promise<void> {
    this.#snapshot = snapshot;
    this.#queue = ordered(snapshot.requests);
    if (!this.#started) return;
    this.#port.know(snapshot);
    await this.review.reload();
    this.settle();
  }

  /** The page stands for the first time: its first request comes up. */
  async start(): Promise<void> {
    if (this.#starting || !this.#snapshot) return this.#starting ?? undefined;
    this.#port.know({ ...this.#snapshot, requests: [...this.#queue], sessions: [...this.#sessions.list] });
    this.#starting = this.review.start().then(() => {
      this.#started = true;
      this.settle();
    });
    await this.#starting;
  }

  apply(event: Event): void {
    const before = this.queue;
    if (event.event === 'request_added' || event.event === 'request_changed') {
      this.#queue = withRequest(this.#queue, event.request);
      const { request_id: id, title, client } = event.request;
      if (event.event === 'request_added') {
        this.answered = this.answered.filter((each) => each.request.request_id !== id);
        this.arrival = { title, client, count: (this.arrival?.count ?? 0) + 1 };
      }
    } else if (event.event === 'request_due') {
      const due = before.find((each) => each.request_id === event.request_id);
      if (due) {
        this.#queue = withRequest(this.#queue, { ...due, snoozed: null });
        this.arrival = { title: due.title, client: due.client, count: (this.arrival?.count ?? 0) + 1 };
      }
    } else if (event.event === 'request_closed') {
      const { request_id: id, status } = event;
      // What this window has just sent is out of its queue already.
      const request =
        before.find((each) => each.request_id === id) ?? this.#queue.find((each) => each.request_id === id);
      this.#queue = withoutRequest(this.#queue, id);
      if (request && status !== 'pending')
        this.answered = withAnswered(this.answered, { request, status, at: new Date().toISOString() });
    } else if (event.event === 'requests_closed') {
      const { request_ids: ids } = event;
      this.#queue = this.#queue.filter((each) => !ids.includes(each.request_id));
    } else if (event.event === 'settings_changed' && this.#snapshot) {
      this.#snapshot = { ...this.#snapshot, settings: event.settings };
    }
    this.#port.deliver(event);
    this.settle();
  }

  /** Chooses a row. `passing` while the person moves through the list. */
  select(row: InboxRow, passing = false): void {
    if (row.kind === 'heading') return;
    clearTimeout(this.#resting);
    this.selected = row.key;
    this.#byHand = true;
    if (row.kind === 'request') {
      this.#unfold(row.request.request_id);
      this.#rest(passing, () => {
        this.reading.show(null);
        void this.review.show(row.request.request_id);
      });
    } else if (row.kind === 'session') this.#read(row.session.session_uuid, passing);
    else if (row.kind === 'answered') this.#read(row.answered.request.session_uuid, passing);
  }

  /** Chooses a request, or whichever comes first, wherever it is in the list. */
  choose(id: RequestId | null): void {
    const request = this.queue.find((each) => each.request_id === id) ?? this.waiting[0] ?? this.queue[0];
    if (!request) return;
    if (isSnoozed(request)) this.laterOpen = true;
    this.text = '';
    this.select({ kind: 'request', key: requestKey(request.request_id), request, more: 0 });
  }

  /** Moves the choice by so many rows; stops at both ends. */
  move(step: number): void {
    const rows = this.rows.filter((row) => row.kind !== 'heading');
    const here = rows.findIndex((row) => row.key === this.selected);
    const from = here < 0 ? (step > 0 ? -1 : rows.length) : here;
    const row = rows[Math.min(rows.length - 1, Math.max(0, from + step))];
    if (row && row.key !== this.selected) this.select(row, true);
  }

  fold(): void {
    this.laterOpen = !this.laterOpen;
  }

  search(text: string): void {
    this.text = text;
  }

  /** Something is chosen wherever there is something: what waits first, then who works. */
  settle(): void {
    const { review } = this;
    if (!this.#started || this.current || this.inside || this.text) return;
    // The agent that is read asks now.
    const asks = this.waiting.find((each) => this.selected === sessionKey(each.session_uuid));
    if (!asks && (review.reply || review.farewell.standing)) return;
    this.#byHand = false;
    const first = asks ?? this.waiting[0];
    const session = this.#sessions.active.find((each) => each.pending === 0);
    if (first) void review.show(first.request_id, true);
    else if (session) {
      this.selected = sessionKey(session.session_uuid);
      this.#read(session.session_uuid, false);
    } else {
      this.selected = null;
      this.reading.show(null);
    }
  }

  #read(id: string, passing: boolean): void {
    void this.review.reply?.flush();
    this.reading.show(id, passing);
  }

  /** Nothing folds by itself again: rows don't move from under the eye. */
  #unfold(id: RequestId): void {
    const request = this.queue.find((each) => each.request_id === id);
    if (request?.permission && !this.#opened.has(request.session_uuid))
      this.#opened = new Set([...this.#opened, request.session_uuid]);
  }

  #rest(passing: boolean, act: () => void): void {
    if (passing) this.#resting = setTimeout(act, REST);
    else act();
  }

  /** A request is to come onto the reply: not by itself where the person reads something else. */
  #comesUp(id: RequestId, byItself: boolean): boolean {
    const chosen = this.current?.kind;
    if (byItself && this.#byHand && (chosen === 'session' || chosen === 'answered')) return false;
    clearTimeout(this.#resting);
    this.selected = requestKey(id);
    this.#unfold(id);
    this.#byHand ||= !byItself;
    if (chosen !== 'request') this.reading.show(null);
    return true;
  }
}
