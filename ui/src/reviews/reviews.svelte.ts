// The reviews' list: what it is narrowed down to, the pages that have come, what is chosen and read beside it.
import type { Fault } from '../generated/Fault';
import type { RequestId } from '../generated/RequestId';
import type { ReviewId } from '../generated/ReviewId';
import type { ReviewStatus } from '../generated/ReviewStatus';
import type { ReviewSummary } from '../generated/ReviewSummary';
import { kept } from '../state/kept.svelte';
import type { Main } from '../state/main.svelte';
import { ask, toFault } from '../state/port';
import { Opened } from './opened.svelte';
import { DECIDED, GROUPS, reviewRows, STATUSES, type ReviewRow } from './rows';

/** More is asked for when fewer than these rows are left below the view. */
export const AHEAD = 30;
/** How long the person must rest on one while moving through the list, in milliseconds. */
const REST = 90;

const OPEN = STATUSES.filter((status) => status !== 'approved' && status !== 'closed');
const CLOSED: readonly ReviewStatus[] = ['approved', 'closed'];

export class Reviews {
  status = $state<ReviewStatus | null>(null);
  decidedOpen = $state(false);
  /** Whether the first pages have come. */
  loaded = $state(false);
  fault = $state.raw<Fault | null>(null);
  selected = $state<string | null>(null);
  /** Whether the person has gone into what is chosen; where there is room for one column only, it is this one. */
  inside = $state(false);
  opened = $state.raw<Opened | null>(null);

  readonly main: Main;
  #all = $state.raw<ReadonlyMap<ReviewId, ReviewSummary>>(new Map());
  /** Where each kind goes on: null at its end, absent where nothing of it has come. */
  #next = $state.raw<ReadonlyMap<ReviewStatus, string | null>>(new Map());
  readonly rows: readonly ReviewRow[] = $derived.by(() => {
    const { status, decidedOpen } = this;
    const shown = [...this.#all.values()].filter((each) => status === null || each.status === status);
    return reviewRows(shown, {
      decidedOpen,
      folds: status === null,
      more: (group) =>
        GROUPS.some((each) => each.group === group && each.of.some((one) => this.#next.get(one))),
    });
  });

  #turn = 0;
  #loading = new Set<ReviewStatus>();
  /** Kinds of which nothing was missed since they were loaded. */
  #current = new Set<ReviewStatus>();
  #resting: ReturnType<typeof setTimeout> | undefined;
  /** Those with words that aren't sent, or were thrown away just now, stay as they are. */
  #unsent = new Map<ReviewId, Opened>();
  /** The request that the person is to decide, which hasn't come yet. */
  #awaited: RequestId | null = null;

  constructor(main: Main) {
    this.main = main;
    main.hears({
      review_changed: ({ review }) => this.changed(review),
      request_added: ({ request }) => this.#arrived(request.request_id),
      resync: () => {
        // Of what isn't loaded again now, nobody knows any more how it stands.
        this.#current.clear();
        void this.load();
      },
    });
  }

  /** Whether there is nothing at all. */
  get bare(): boolean {
    return this.loaded && this.status === null && this.#all.size === 0 && this.fault === null;
  }

  /** Loads the first pages of what is shown. */
  async load(): Promise<void> {
    const turn = (this.#turn += 1);
    const wanted = this.status ? [this.status] : this.decidedOpen || !this.loaded ? STATUSES : OPEN;
    this.#loading.clear();
    try {
      const pages = await Promise.all(wanted.map((status) => this.#page(status, null)));
      if (turn !== this.#turn) return;
      const found = pages.flatMap(({ reviews }) => reviews);
      // What the gate no longer has so is gone; what was heard meanwhile is newer.
      const old = [...this.#all.values()].filter((each) => !wanted.includes(each.status));
      this.#all = new Map([...old, ...found].map((each) => [each.review_id, this.#newer(each)]));
      const next = wanted.map((status, index) => [status, pages[index]?.next ?? null] as const);
      this.#next = new Map([...this.#next, ...next]);
      for (const status of wanted) this.#current.add(status);
      this.fault = null;
      this.loaded = true;
      void this.opened?.load();
      this.#settle();
    } catch (thrown) {
      if (turn === this.#turn) this.fault = toFault(thrown);
    }
  }

  /** The person sees the rows down to this one: what follows is fetched before they get there. */
  async seen(last: number): Promise<void> {
    if (last + AHEAD < this.rows.length) return;
    const wanted = this.status ? [this.status] : this.decidedOpen ? [...OPEN, ...CLOSED] : OPEN;
    await Promise.all(wanted.map((status) => this.#more(status)));
  }

  /** Shows those only that stand so; null for all. */
  narrow(status: ReviewStatus | null): void {
    this.status = status;
    void this.load();
  }

  /** Folds what is decided, or unfolds it: then what isn't known of it is loaded. */
  fold(): void {
    this.decidedOpen = !this.decidedOpen;
    if (this.decidedOpen && CLOSED.some((status) => !this.#current.has(status))) void this.load();
  }

  /** A review is other than before. */
  changed(review: ReviewSummary): void {
    const { opened } = this;
    if (opened && opened.id !== review.review_id && this.#touches(review)) void opened.load();
    if (this.loaded) this.#all = new Map([...this.#all, [review.review_id, this.#newer(review)]]);
    if (this.opened?.id === review.review_id) this.opened.changed(review);
    else this.#unsent.get(review.review_id)?.changed(review);
  }

  /** Whether words for this review wait to be sent. */
  isUnsent(id: ReviewId): boolean {
    return (this.opened?.id === id ? this.opened : this.#unsent.get(id))?.unsent ?? false;
  }

  /** Chooses a row. `passing` while the person moves through the list. */
  select(key: string, passing = false): void {
    clearTimeout(this.#resting);
    this.selected = key;
    if (key === DECIDED) return;
    if (passing) this.#resting = setTimeout(() => this.#open(key), REST);
    else this.#open(key);
  }

  /** Goes into a review, wherever it is in the list. */
  show(id: ReviewId): void {
    this.select(id);
    this.inside = true;
  }

  /** Moves the choice by so many rows; stops at both ends. */
  move(step: number): void {
    const rows = this.rows.filter((row) => row.kind !== 'heading');
    const here = rows.findIndex((row) => row.key === this.selected);
    const from = here < 0 ? (step > 0 ? -1 : rows.length) : here;
    const row = rows[Math.min(rows.length - 1, Math.max(0, from + step))];
    if (row && row.key !== this.selected) this.select(row.key, true);
  }

  /** Takes the review over and goes to the request that asks the person to decide it. */
  async take(opened: Opened): Promise<void> {
    const taken = await opened.take();
    if (!taken) return;
    const { inbox } = this.main;
    if (inbox.queue.some((each) => each.request_id === taken)) this.#answer(taken);
    else this.#awaited = taken;
  }

  /** Takes the person's decision back, as long as it isn't final. */
  async takeBack(opened: Opened): Promise<void> {
    const { review } = this.main.inbox;
    const id = opened.view?.request_id;
    const given = id ? review.undoables.of(id) : undefined;
    if (!given || given.fault) return opened.takeBack();
    // It was given in this window, which knows more of the reply than the gate has stored.
    await review.takeBack(given);
    await opened.load();
  }

  #arrived(id: RequestId): void {
    // The person may have gone elsewhere meanwhile.
    if (id === this.#awaited && this.main.page === 'reviews') this.#answer(id);
  }

  #answer(id: RequestId): void {
    this.#awaited = null;
    this.main.answer(id);
    this.main.inbox.reading.inside = true;
  }

  async #page(status: ReviewStatus, cursor: string | null) {
    return ask(this.main.port, { command: 'reviews', status, cursor });
  }

  async #more(status: ReviewStatus): Promise<void> {
    const cursor = this.#next.get(status);
    if (!cursor || this.#loading.has(status)) return;
    const turn = this.#turn;
    this.#loading.add(status);
    try {
      const page = await this.#page(status, cursor);
      if (turn !== this.#turn) return;
      const come = page.reviews.map((each) => [each.review_id, this.#newer(each)] as const);
      this.#all = new Map([...this.#all, ...come]);
      this.#next = new Map([...this.#next, [status, page.next]]);
    } catch (thrown) {
      if (turn === this.#turn) this.fault = toFault(thrown);
    } finally {
      this.#loading.delete(status);
    }
  }

  /** Of what is known of a review and this, what was said last. */
  #newer(review: ReviewSummary): ReviewSummary {
    const known = this.#all.get(review.review_id);
    return known && known.event > review.event ? known : review;
  }

  /** Something is chosen wherever there is something. */
  #settle(): void {
    if (this.selected !== null) return;
    const first = this.rows.find((row) => row.kind === 'review');
    if (first) this.select(first.key);
  }

  /** Whether another review may change other files than before, or be over, so that it overlaps with others than before. */
  #touches(review: ReviewSummary): boolean {
    const before = this.#all.get(review.review_id);
    const closed = (status?: ReviewStatus) => status === 'closed';
    return before?.round !== review.round || closed(before?.status) !== closed(review.status);
  }

  #open(id: ReviewId): void {
    const before = this.opened;
    if (before?.id === id) return;
    if (before?.holds) this.#unsent.set(before.id, before);
    else if (before) this.#unsent.delete(before.id);
    const summary = this.#all.get(id);
    const opened = this.#unsent.get(id) ?? new Opened(this.main.port, this.main.toasts, id, summary ?? null);
    this.opened = opened;
    void opened.load();
  }
}

export const reviewsOf = kept((main: Main) => new Reviews(main));
