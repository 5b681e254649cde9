// The record's list: what is looked for, the pages that have come, and where the person stands in it.
import type { ConversationQuery } from '../generated/ConversationQuery';
import type { Fault } from '../generated/Fault';
import type { HistoryEntry } from '../generated/HistoryEntry';
import type { SessionSummary } from '../generated/SessionSummary';
import type { SessionUuid } from '../generated/SessionUuid';
import { ask, toFault, type Port } from '../state/port';
import { Reading } from '../conversation/reading.svelte';
import { addressed, meant, NO_FILTERS, queryOf, type Filters } from './filters';
import type { Toasts } from '../state/toasts.svelte';

/** Milliseconds between the last key and the search. */
export const PAUSE = 120;
/** At most one look at the whole list in this time, in milliseconds. */
export const PACE = 1_500;
/** A page is asked for when fewer than these rows are left below the view. */
export const AHEAD = 60;

export class History {
  /** What is typed. */
  text = $state('');
  /** What is chosen beside it. */
  filters = $state.raw(NO_FILTERS);
  entries = $state.raw<readonly HistoryEntry[]>([]);
  /** The cursor of the next page; null when all are here. */
  next = $state.raw<string | null>(null);
  /** How many messages the search doesn't know yet. */
  unindexed = $state(0);
  /** Grows with each list that answers another question, so that its view begins at the top. */
  list = $state(0);
  /** Whether any list has come yet. */
  loaded = $state(false);
  /** Whether what stands in the list was found by words. */
  found = $state(false);
  fault = $state.raw<Fault | null>(null);
  selected = $state<SessionUuid | null>(null);
  readonly reading: Reading;

  readonly filtered = $derived(
    this.text.trim() !== '' || Object.values(this.filters).some((value) => value !== null),
  );
  readonly place = $derived(this.entries.findIndex((entry) => entry.session_uuid === this.selected));

  /** For parts that are loaded when they are first needed. */
  readonly port: Port;
  /** The question that the list answers; what is typed may be ahead of it. */
  #answered = queryOf(NO_FILTERS, '', 0);
  /** The question that no answer has come to yet. */
  #asked: ConversationQuery | null = null;
  #turn = 0;
  #renewal = 0;
  #lastSeen = 0;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #pacing: ReturnType<typeof setTimeout> | undefined;
  #loadingMore = false;

  constructor(port: Port, toasts: Toasts) {
    this.port = port;
    this.reading = new Reading(port, toasts);
  }

  /** Loads the first page where nothing has come yet, and shows its first conversation. */
  async start(): Promise<void> {
    if (this.loaded) return this.#renew();
    await this.#ask();
    const first = this.entries[0];
    if (first && this.selected === null) this.select(first.session_uuid);
  }

  /** Takes what is typed; searches after the pause. */
  search(text: string): void {
    this.text = text;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.#ask(), PAUSE);
  }

  /** Shows those only that this filter lets through; the same value again, or none, shows all. */
  narrow<By extends keyof Filters>(by: By, value: Filters[By]): void {
    this.filters = { ...this.filters, [by]: this.filters[by] === value ? null : value };
    this.#searchNow();
  }

  /** Takes every filter away. */
  clear(): void {
    this.text = '';
    this.filters = NO_FILTERS;
    this.#searchNow();
  }

  /** What its address says of it. */
  get address(): string {
    return addressed(this.filters, this.text);
  }

  /** Does what such an address says. */
  goTo(address: string): void {
    if (address === this.address) return;
    const { filters, text } = meant(address);
    this.filters = filters;
    this.text = text;
    if (this.#turn > 0) this.#searchNow();
  }

  /** The person sees the rows down to this one: the next page is fetched before they get to its place. */
  async seen(last: number): Promise<void> {
    this.#lastSeen = last;
    const cursor = this.next;
    if (cursor === null || this.#loadingMore || last + AHEAD < this.entries.length) return;
    this.#loadingMore = true;
    const turn = this.#turn;
    const overtaken = () => turn !== this.#turn || cursor !== this.next;
    let bare = false;
    try {
      const page = await this.#page(this.#answered, cursor);
      if (!overtaken()) {
        bare = page.conversations.length === 0;
        this.entries = joined(this.entries, page.conversations);
        this.next = page.next;
      }
    } catch (thrown) {
      if (!overtaken()) {
        const fault = toFault(thrown);
        this.next = null;
        if (fault.code === 'invalid_cursor') void this.refresh();
        else this.fault = fault;
      }
    } finally {
      this.#loadingMore = false;
    }
    // The person may have gone on meanwhile; and nobody sees a page that holds nothing.
    if (bare || turn !== this.#turn || this.#lastSeen !== last) void this.seen(this.#lastSeen);
  }

  /** Looks again after a failure. */
  async retry(): Promise<void> {
    await this.#ask();
  }

  /** Looks at everything again, as far down as the person has gone. */
  async refresh(): Promise<void> {
    if (this.loaded) await this.#look(this.#reach);
  }

  /** A session is other than before: its row at once, and the order soon where the person looks at it. */
  changed(session: SessionSummary, looking: boolean): void {
    if (!this.loaded) return;
    const { session_uuid: id, title, status, progress } = session;
    const place = this.entries.findIndex((entry) => entry.session_uuid === id);
    const before = this.entries[place];
    if (before) {
      const now = { ...before, title: title || before.title, status, progress };
      if (!same(before, now)) this.entries = this.entries.with(place, now);
    }
    if (looking) this.#renewSoon();
  }

  /** Chooses a conversation. `passing` while the person moves through the list. */
  select(id: SessionUuid | null, passing = false): void {
    this.selected = id;
    this.reading.show(id, passing);
  }

  /** Moves the choice by so many rows; stops at both ends. */
  move(step: number): void {
    const last = this.entries.length - 1;
    const from = this.place < 0 ? (step > 0 ? -1 : last + 1) : this.place;
    const entry = this.entries[Math.min(last, Math.max(0, from + step))];
    if (entry) this.select(entry.session_uuid, true);
  }

  /** Takes a deleted conversation out of the list and goes to the one in its place. */
  removed(id: SessionUuid): void {
    const place = this.entries.findIndex((entry) => entry.session_uuid === id);
    this.entries = this.entries.filter((entry) => entry.session_uuid !== id);
    if (this.selected !== id) return;
    const next = this.entries[place] ?? this.entries[place - 1];
    this.select(place < 0 ? null : (next?.session_uuid ?? null));
    this.reading.inside = false;
  }

  #searchNow(): void {
    clearTimeout(this.#typing);
    void this.#ask();
  }

  /** As many rows as the person has gone down to, and what is fetched ahead. */
  get #reach(): number {
    return Math.min(this.entries.length, this.#lastSeen + AHEAD);
  }

  #page(query: ConversationQuery, cursor: string | null) {
    return ask(this.port, { command: 'history', query, cursor });
  }

  /** Looks for what is typed and chosen now. */
  async #ask(): Promise<void> {
    this.#asked = queryOf(this.filters, this.text, Date.now());
    this.#lastSeen = 0;
    await this.#look(0);
  }

  /**
   * Reads the list anew until it has at least so many entries, and one where there is any: a page may hold none
   * and another one follow. Only the latest look counts, and it is one at the latest question, whatever is typed
   * meanwhile.
   */
  async #look(least: number): Promise<void> {
    const turn = (this.#turn += 1);
    const another = this.#asked !== null;
    const query = this.#asked ?? this.#answered;
    try {
      let page = await this.#page(query, null);
      if (turn !== this.#turn) return;
      let entries = joined([], page.conversations);
      while (page.next !== null && entries.length < Math.max(1, least)) {
        page = await this.#page(query, page.next);
        if (turn !== this.#turn) return;
        entries = joined(entries, page.conversations);
      }
      // What was asked about the list before is none of this one's.
      this.#turn += 1;
      this.#answered = query;
      this.#asked = null;
      if (another) this.list += 1;
      this.#put(entries, page.next);
      // What is read stands in the list that was looked for.
      if (another && this.loaded && this.place < 0) this.select(entries[0]?.session_uuid ?? null, true);
      this.unindexed = page.unindexed;
      this.found = query.text !== null;
      this.loaded = true;
      this.fault = null;
      if (this.found && page.unindexed > 0) this.#renewSoon();
    } catch (thrown) {
      if (turn === this.#turn) this.fault = toFault(thrown);
    }
  }

  #renewSoon(): void {
    this.#pacing ??= setTimeout(() => {
      this.#pacing = undefined;
      void this.#renew();
    }, PACE);
  }

  /**
   * Reads the list's beginning anew. That is enough only because the gate gives the latest changed first, so
   * that what changed stands there: from the first page with a row that hasn't changed, the rows after it are as
   * they were. Where there is none, all of them are read. A list in another order has to be read whole.
   */
  async #renew(): Promise<void> {
    const turn = this.#turn;
    const renewal = (this.#renewal += 1);
    const overtaken = () => turn !== this.#turn || renewal !== this.#renewal;
    const query = this.#answered;
    try {
      let page = await this.#page(query, null);
      if (overtaken()) return;
      let fresh = joined([], page.conversations);
      while (page.next !== null && lastUnchanged(this.entries, fresh) < 0 && fresh.length < this.#reach) {
        page = await this.#page(query, page.next);
        if (overtaken()) return;
        fresh = joined(fresh, page.conversations);
      }
      const unchanged = lastUnchanged(this.entries, fresh);
      const after = page.next === null || unchanged < 0 ? [] : this.entries.slice(unchanged + 1);
      const all = joined(
        fresh,
        after.filter((entry) => query.status === null || entry.status === query.status),
      );
      this.#put(all, all.length === fresh.length ? page.next : this.next);
      this.unindexed = page.unindexed;
      if (this.found && page.unindexed > 0) this.#renewSoon();
    } catch (thrown) {
      if (!overtaken()) this.fault = toFault(thrown);
    }
  }

  /** Takes the rows; where nothing differs the list stays the one it was, so that nothing is drawn anew. */
  #put(entries: readonly HistoryEntry[], next: string | null): void {
    this.next = next;
    const known = new Map(this.entries.map((entry) => [entry.session_uuid, entry]));
    const kept = entries.map((entry) => {
      const before = known.get(entry.session_uuid);
      return before && same(before, entry) ? before : entry;
    });
    const differs = kept.length !== this.entries.length || kept.some((each, at) => each !== this.entries[at]);
    if (differs) this.entries = kept;
  }
}

const same = (a: HistoryEntry, b: HistoryEntry) => JSON.stringify(a) === JSON.stringify(b);

/** The rows and those that follow, each conversation once. */
function joined(entries: readonly HistoryEntry[], more: readonly HistoryEntry[]): HistoryEntry[] {
  const rows = new Map(entries.map((entry) => [entry.session_uuid, entry]));
  for (const entry of more) if (!rows.has(entry.session_uuid)) rows.set(entry.session_uuid, entry);
  return [...rows.values()];
}

/** Where in `before` the last of the fresh rows stands in which nothing has happened since; −1 for none. */
function lastUnchanged(before: readonly HistoryEntry[], fresh: readonly HistoryEntry[]): number {
  const known = new Map(before.map((entry, place) => [`${entry.session_uuid} ${entry.updated_at}`, place]));
  const last = fresh.findLast((entry) => known.has(`${entry.session_uuid} ${entry.updated_at}`));
  return last ? (known.get(`${last.session_uuid} ${last.updated_at}`) ?? -1) : -1;
}
