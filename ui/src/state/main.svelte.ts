// The main window's state: which page stands, and what the gate's events mean for each of them.
// Knows neither Tauri nor the page.
import type { Event } from '../generated/Event';
import type { Fault } from '../generated/Fault';
import type { RequestId } from '../generated/RequestId';
import type { SessionUuid } from '../generated/SessionUuid';
import type { Snapshot } from '../generated/Snapshot';
import type { Destination, MainPage } from './destination';
import { History } from './history.svelte';
import { ask, toFault, type Port } from './port';
import { Sessions } from './sessions.svelte';
import { Toasts } from './toasts.svelte';
import { Warnings } from './warnings.svelte';

export class Main {
  snapshot = $state.raw<Snapshot | null>(null);
  page = $state<MainPage>('sessions');
  /** The requests that wait for the person. */
  waiting = $state.raw<readonly RequestId[]>([]);
  /** A fault that belongs to no page. */
  fault = $state.raw<Fault | null>(null);
  /** What the person should know of. */
  readonly warnings = new Warnings();
  sheetOpen = $state(false);
  /** Whether the window can be seen. */
  seen = true;
  readonly toasts = new Toasts();
  readonly sessions: Sessions;
  readonly history: History;

  #port: Port;
  /** Events that came since a snapshot was asked for: they are newer than it, or the same. */
  #early: Event[] | null = [];
  #turn = 0;

  constructor(port: Port, first: Destination) {
    this.#port = port;
    this.sessions = new Sessions(port, this.toasts);
    this.history = new History(port, this.toasts);
    this.page = first.page;
    if (first.session) this.#choose(first.session);
  }

  /** Loads what the pages begin with. Events that come meanwhile are applied after it. */
  async start(): Promise<void> {
    await this.#port.onEvent((event) => {
      if (this.#early) this.#early.push(event);
      else this.#apply(event);
    });
    await this.#port.onPage((to) => this.go(to.page, to.session));
    await this.reload();
  }

  /** Loads it again, after a failure or when events were lost. */
  async reload(): Promise<void> {
    const turn = (this.#turn += 1);
    this.#early ??= [];
    try {
      const snapshot = await ask(this.#port, { command: 'snapshot' }, 'snapshot');
      if (turn !== this.#turn) return;
      this.fault = null;
      this.snapshot = snapshot;
      this.waiting = snapshot.requests.map((request) => request.request_id);
      this.sessions.set(snapshot.sessions);
      this.warnings.know(snapshot.warnings);
      this.#catchUp();
      if (this.page === 'history') await this.history.start();
    } catch (thrown) {
      if (turn !== this.#turn) return;
      this.fault = toFault(thrown);
      if (this.snapshot) this.#catchUp();
    }
  }

  #catchUp(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const event of early) this.#apply(event);
  }

  /** Goes to a page, and there to a conversation. */
  go(page: MainPage, session: SessionUuid | null = null): void {
    this.page = page;
    this.sheetOpen = false;
    if (page === 'history') void this.history.start();
    if (session) this.#choose(session);
  }

  /** The window came up, or went: what nobody sees isn't kept in order. */
  looked(seen: boolean): void {
    this.seen = seen;
    if (seen && this.snapshot && this.page === 'history') void this.history.start();
  }

  /** The list of the page that stands. */
  get here(): Sessions | History {
    return this.page === 'history' ? this.history : this.sessions;
  }

  async ready(): Promise<void> {
    await this.#attempt(() => this.#port.ready());
  }

  /** Brings up the review window, at this request or at whichever comes first. */
  showReview(id: RequestId | null): void {
    void this.#attempt(() => this.#port.showReview(id));
  }

  openLink(href: string): void {
    void this.#attempt(() => this.#port.openLink(href));
  }

  hide(): void {
    void this.#attempt(() => this.#port.hideWindow());
  }

  /** Deletes the conversation that is being read in the history. */
  async remove(): Promise<void> {
    const conversation = this.here.reading.conversation;
    if (conversation && (await conversation.remove()) === 'done') this.history.removed(conversation.id);
  }

  #choose(id: SessionUuid): void {
    const list = this.here;
    list.select(id);
    list.reading.inside = true;
  }

  #apply(event: Event): void {
    switch (event.event) {
      case 'request_added':
        this.waiting = [
          ...this.waiting.filter((id) => id !== event.request.request_id),
          event.request.request_id,
        ];
        this.#said((id) => id === event.request.session_uuid);
        return;
      case 'request_closed':
        this.waiting = this.waiting.filter((id) => id !== event.request_id);
        this.#said((_, requests) => requests.includes(event.request_id));
        return;
      case 'session_changed':
        this.sessions.changed(event.session);
        this.history.changed(event.session, this.seen && this.page === 'history');
        this.#said((id) => id === event.session.session_uuid);
        return;
      case 'session_forgotten':
        this.sessions.forgotten(event.session_uuid);
        return;
      case 'history_changed':
        void this.#look();
        return;
      case 'warning':
        this.warnings.add(event.fault);
        return;
      case 'resync':
        void this.reload();
        void this.#look();
        return;
      case 'request_changed':
      case 'raise':
    }
  }

  /** Tells the conversations that are being read of what was said in them. */
  #said(concerned: (id: SessionUuid, requests: readonly RequestId[]) => boolean): void {
    for (const { reading } of [this.sessions, this.history]) {
      const { conversation } = reading;
      const requests = conversation?.messages.map((message) => message.request_id) ?? [];
      if (conversation && concerned(conversation.id, requests)) conversation.changed();
    }
  }

  /** The record is other than before. What is read and no longer in it goes. */
  async #look(): Promise<void> {
    const readings = [this.sessions.reading, this.history.reading];
    await Promise.all([this.history.refresh(), ...readings.map((each) => each.conversation?.load())]);
    const read = this.history.reading.conversation;
    if (read?.gone) this.history.removed(read.id);
  }

  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (thrown) {
      this.fault = toFault(thrown);
    }
  }
}
