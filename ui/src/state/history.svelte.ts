// The record's list: what is looked for, the pages that have come, and where the person stands in it.
import type { ConversationQuery } from '../generated/ConversationQuery';
import type { Fault } from '../generated/Fault';
import type { HistoryEntry } from '../generated/HistoryEntry';
import type { SessionStatus } from '../generated/SessionStatus';
import type { SessionSummary } from '../generated/SessionSummary';
import type { SessionUuid } from '../generated/SessionUuid';
import { ask, toFault, type Port } from './port';
import { Reading } from './reading.svelte';
import type { Toasts } from './toasts.svelte';

/** Milliseconds between the last key and the search. */
export const PAUSE = 120;
/** At most one look at the whole list in this time, in milliseconds. */
export const PACE = 1_500;
/** A page is asked for when fewer than these rows are left below the view. */
export const AHEAD = 60;

export class History {
  /** What is typed. */
  text = $state('');
  status = $state<SessionStatus | null>(null);
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

  readonly filtered = $derived(this.text.trim() !== '' || this.status !== null);
  readonly place = $derived(this.entries.findIndex((entry) => entry.session_uuid === this.selected));

  #port: Port;
  #turn = 0;
  #lastSeen = 0;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #pacing: ReturnType<typeof setTimeout> | undefined;
  #loadingMore = false;

  constructor(port: Port, toasts: Toasts) {
    this.#port = port;
    this.reading = new Reading(port, toasts);
  }

  /** Loads the first page where nothing has come yet, and shows its first conversation. */
  async start(): Promise<void> {
    if (this.loaded) return this.#renew();
    await this.#look(0);
    const first = this.entries[0];
    if (first && this.selected === null) this.select(first.session_uuid);
  }

  /** Takes what is typed; searches after the pause. */
  search(text: string): void {
    this.text = text;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.#look(0), PAUSE);
  }

  /** Shows those with this status only; the same one again shows all. */
  filter(status: SessionStatus): void {
    this.status = this.status === status ? null : status;
    this.#searchNow();
  }

  /** Takes every filter away. */
  clear(): void {
    this.text = '';
    this.status = null;
    this.#searchNow();
  }

  /** The person sees the rows down to this one: the next page is fetched before they get to its place. */
  async seen(last: number): Promise<void> {
    this.#lastSeen = last;
    if (this.next === null || this.#loadingMore || last + AHEAD < this.entries.length) return;
    this.#loadingMore = true;
    const turn = this.#turn;
    try {
      const page = await this.#page(this.next);
      if (turn !== this.#turn) return;
      const known = new Set(this.entries.map((entry) => entry.session_uuid));
      this.entries = [
        ...this.entries,
        ...page.conversations.filter((entry) => !known.has(entry.session_uuid)),
      ];
      this.next = page.next;
    } catch (thrown) {
      if (turn !== this.#turn) return;
      const fault = toFault(thrown);
      this.next = null;
      if (fault.code === 'invalid_cursor') void this.refresh();
      else this.fault = fault;
    } finally {
      this.#loadingMore = false;
    }
    if (turn === this.#turn && this.#lastSeen !== last) void this.seen(this.#lastSeen);
  }

  /** Looks again after a failure. */
  async retry(): Promise<void> {
    await this.#look(0);
  }

  /** Looks at everything again, as far down as the person has gone. */
  async refresh(): Promise<void> {
    if (this.loaded) await this.#look(Math.min(this.entries.length, this.#lastSeen + AHEAD));
  }

  /** A session is other than before: its row at once, and the order soon where the person looks at it. */
  changed(session: SessionSummary, looking: boolean): void {
    if (!this.loaded) return;
    const { session_uuid: id, title, status, progress } = session;
    this.entries = this.entries.map((entry) =>
      entry.session_uuid === id ? { ...entry, title: title || entry.title, status, progress } : entry,
    );
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
    void this.#look(0);
  }

  get #query(): ConversationQuery {
    return { text: this.text.trim() || null, status: this.status, workspace: null, client: null };
  }

  #page(cursor: string | null) {
    return ask(this.#port, { command: 'history', query: this.#query, cursor }, 'history');
  }

  /** Reads the list anew until it has at least so many entries. Only the latest look counts. */
  async #look(least: number): Promise<void> {
    const turn = (this.#turn += 1);
    const another = least === 0;
    if (another) this.#lastSeen = 0;
    const found = this.#query.text !== null;
    try {
      let page = await this.#page(null);
      if (turn !== this.#turn) return;
      const entries = [...page.conversations];
      while (page.next !== null && entries.length < least) {
        page = await this.#page(page.next);
        if (turn !== this.#turn) return;
        entries.push(...page.conversations);
      }
      if (another) this.list += 1;
      this.entries = entries;
      this.next = page.next;
      this.unindexed = page.unindexed;
      this.found = found;
      this.loaded = true;
      this.fault = null;
      if (found && page.unindexed > 0) this.#renewSoon();
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

  /** Reads the first page anew. What changed stands there; the rows after it stay as they are. */
  async #renew(): Promise<void> {
    const turn = this.#turn;
    try {
      const page = await this.#page(null);
      if (turn !== this.#turn) return;
      const fresh = new Set(page.conversations.map((entry) => entry.session_uuid));
      const rest = page.next === null ? [] : this.entries.filter((entry) => !fresh.has(entry.session_uuid));
      const wanted = rest.filter((entry) => this.status === null || entry.status === this.status);
      if (wanted.length === 0) this.next = page.next;
      this.entries = [...page.conversations, ...wanted];
      this.unindexed = page.unindexed;
      if (this.found && page.unindexed > 0) this.#renewSoon();
    } catch (thrown) {
      if (turn === this.#turn) this.fault = toFault(thrown);
    }
  }
}
