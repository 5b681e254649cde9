// The main window's state: which page stands, and what the gate's events mean for each of them.
// Knows neither Tauri nor the page.
import type { Event } from '../generated/Event';
import type { Fault } from '../generated/Fault';
import type { RequestId } from '../generated/RequestId';
import type { ReviewId } from '../generated/ReviewId';
import type { SessionUuid } from '../generated/SessionUuid';
import type { Snapshot } from '../generated/Snapshot';
import type { WindowSettings } from '../generated/WindowSettings';
import { destination, type Destination, type MainPage } from './destination';
import { EmbeddedPort } from './embedded-port';
import { tell, type Hearing } from './hearing';
import { History } from '../history/history.svelte';
import { Inbox } from '../inbox/inbox.svelte';
import { PAGES, pageOf, type PageList } from './pages';
import { ask, toFault, type Port } from './port';
import { Notes } from '../sessions/notes';
import { Presence } from '../presence/presence.svelte';
import { Sessions } from '../sessions/sessions.svelte';
import { Toasts } from './toasts.svelte';
import { Warnings } from './warnings.svelte';

export class Main {
  snapshot = $state.raw<Snapshot | null>(null);
  page = $state<MainPage>('');
  /** A fault that belongs to no page. */
  fault = $state.raw<Fault | null>(null);
  /** What the person should know of. */
  readonly warnings = new Warnings();
  sheetOpen = $state(false);
  paletteOpen = $state(false);
  /** Whether the window can be seen. */
  seen = true;
  readonly toasts = new Toasts();
  /** The request that a note tells of: the inbox begins with it. */
  told: { id: RequestId; dismiss: () => void } | null = null;
  readonly sessions: Sessions;
  readonly history: History;
  readonly inbox: Inbox;
  readonly presence: Presence;
  readonly notes: Notes;
  /** Reviews whose turn is the person's, as far as the rail knows; null while there is no review. */
  reviews = $state.raw<readonly ReviewId[] | null>(null);
  /** Whether the menu of do-not-disturb stands open. */
  quietOpen = $state(false);
  /** Settings as they are tried out, over those in force. */
  preview = $state.raw<Partial<WindowSettings>>({});
  /** What somebody was sent to on a page: of the settings a section, a prompt. Whose it is takes it. */
  section = $state.raw<string | null>(null);

  /** For pages that are loaded when they first stand. */
  readonly port: Port;
  /** Events that came since a snapshot was asked for: they are newer than it, or the same. */
  #early: Event[] | null = [];
  #turn = 0;
  #hearing = new Set<Hearing>();

  constructor(port: Port, first: Destination) {
    this.port = port;
    this.sessions = new Sessions(port, this.toasts);
    this.history = new History(port, this.toasts);
    this.notes = new Notes(port, this.toasts);
    this.presence = new Presence(port, (thrown) => (this.fault = toFault(thrown)));
    const embedded = new EmbeddedPort(port, {
      go: (page, at) => this.go(page, at),
      choose: (id) => this.answer(id),
    });
    this.inbox = new Inbox(embedded, this.sessions, this.toasts);
    this.page = first.page;
    for (const page of PAGES) if (page.hears) this.hears(page.hears(this));
    if (first.query) pageOf(this.page).narrow?.(this, first.query);
    if (first.at) this.#open(first.at);
  }

  /** Tells them of events from now on, after what the window itself has of them; answers how to stop. */
  hears(hearing: Hearing): () => void {
    this.#hearing.add(hearing);
    return () => this.#hearing.delete(hearing);
  }

  /** Loads what the pages begin with. Events that come meanwhile are applied after it. */
  async start(): Promise<void> {
    await this.port.onEvent((event) => {
      if (!this.#early) this.#apply(event);
      // The gate lets this page in only now, or again.
      else if (event.event === 'resync') void this.reload();
      else this.#early.push(event);
    });
    await this.port.onPage((to) => this.go(to.page, to.at, to.query));
    await this.reload();
  }

  /** Loads it again, after a failure or when events were lost. */
  async reload(): Promise<void> {
    const turn = (this.#turn += 1);
    this.#early ??= [];
    try {
      const snapshot = await ask(this.port, { command: 'snapshot' });
      if (turn !== this.#turn) return;
      this.fault = null;
      this.snapshot = snapshot;
      this.presence.know(snapshot.presence);
      this.sessions.set(snapshot.sessions);
      this.warnings.know(snapshot.warnings);
      const inbox = this.inbox.set(snapshot);
      this.#catchUp();
      await inbox;
      await this.#begin();
      for (const page of PAGES) void page.look?.(this);
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

  /** What the page that stands begins with. */
  async #begin(): Promise<void> {
    await pageOf(this.page).begin?.(this);
  }

  /** Goes to a page, and there to a conversation, or of the settings a section. An address has a `query`, too. */
  go(page: MainPage, at: string | null = null, query?: string): void {
    const to = destination(page, at);
    if (this.page === 'inbox') this.inbox.review.blurred();
    if (this.page !== to.page) this.section = null;
    this.page = to.page;
    this.sheetOpen = this.paletteOpen = false;
    if (query !== undefined) pageOf(to.page).narrow?.(this, query);
    if (this.snapshot) void this.#begin();
    const { told } = this;
    if (told && to.page === 'inbox') {
      this.told = null;
      told.dismiss();
      this.inbox.choose(told.id);
    }
    if (to.at) this.#open(to.at);
  }

  /** The window came up, or went: what nobody sees isn't kept in order. */
  looked(seen: boolean): void {
    this.seen = seen;
    if (seen) this.inbox.review.focused();
    else this.inbox.review.vanished();
    if (seen && this.snapshot) void this.#begin();
  }

  /** The list of the page that stands, where it has one. */
  get here(): PageList | null {
    return pageOf(this.page).list?.(this) ?? null;
  }

  /** The requests that wait for the person now. */
  get waiting(): readonly RequestId[] {
    return this.inbox.waiting.map((request) => request.request_id);
  }

  async ready(): Promise<void> {
    await this.#attempt(() => this.port.ready());
  }

  /** Goes to the inbox, there to this request or to whichever comes first. */
  answer(id: RequestId | null): void {
    this.go('inbox');
    this.inbox.choose(id);
  }

  /** Looks for these words in the history. */
  searchHistory(words: string): void {
    this.history.search(words);
    this.go('history');
  }

  openLink(href: string): void {
    void this.#attempt(() => this.port.openLink(href));
  }

  /** Opens the gate’s page in a browser, where this machine is the gate’s. */
  openInBrowser(): void {
    void this.#attempt(async () => this.port.openInBrowser?.());
  }

  hide(): void {
    void this.#attempt(() => this.port.hideWindow());
  }

  /** Deletes the conversation that is being read in the history. */
  async remove(): Promise<void> {
    const conversation = this.here?.reading.conversation;
    if (conversation && (await conversation.remove()) === 'done') this.history.removed(conversation.id);
  }

  #open(at: string): void {
    const { open } = pageOf(this.page);
    if (open) open(this, at);
    else this.section = at;
  }

  #apply(event: Event): void {
    this.#take(event);
    for (const hearing of this.#hearing) tell(hearing, event);
  }

  /** What the window itself has of an event: its lists, and who is there. */
  #take(event: Event): void {
    switch (event.event) {
      case 'request_added':
        this.inbox.apply(event);
        this.#said((id) => id === event.request.session_uuid);
        return;
      case 'request_closed':
        this.inbox.apply(event);
        this.#said((_, requests) => requests.includes(event.request_id));
        return;
      case 'requests_closed':
        this.inbox.apply(event);
        this.#said((_, requests) => requests.some((id) => event.request_ids.includes(id)));
        return;
      case 'session_changed':
        this.sessions.changed(event.session);
        this.inbox.apply(event);
        this.history.changed(event.session, this.seen && this.page === 'history');
        this.#said((id) => id === event.session.session_uuid);
        return;
      case 'session_forgotten':
        this.sessions.forgotten(event.session_uuid);
        this.inbox.apply(event);
        return;
      case 'history_changed':
        void this.#look();
        return;
      case 'warning':
        this.warnings.add(event.fault);
        return;
      case 'settings_changed':
        if (this.snapshot) this.snapshot = { ...this.snapshot, settings: event.settings };
        this.inbox.apply(event);
        void this.warnings.renew(this.port);
        return;
      case 'voice_changed':
      case 'voice_level':
      case 'voice_text':
      case 'voice_key':
      case 'models_changed':
        this.inbox.review.onVoice(event);
        return;
      case 'resync':
        this.inbox.review.onVoice(event);
        void this.reload();
        void this.#look();
        return;
      case 'presence_changed':
        this.presence.know(event.presence);
        return;
      case 'permission_over':
      case 'permission_replaced':
      case 'request_changed':
      case 'request_due':
        this.inbox.apply(event);
    }
  }

  /** Tells the conversations that are being read of what was said in them. */
  #said(concerned: (id: SessionUuid, requests: readonly RequestId[]) => boolean): void {
    for (const { reading } of [this.inbox, this.sessions, this.history]) {
      const { conversation } = reading;
      const requests = conversation?.messages.map((message) => message.request_id) ?? [];
      if (conversation && concerned(conversation.id, requests)) conversation.changed();
    }
  }

  /** The record is other than before. What is read and no longer in it goes. */
  async #look(): Promise<void> {
    const readings = [this.inbox.reading, this.sessions.reading, this.history.reading];
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
