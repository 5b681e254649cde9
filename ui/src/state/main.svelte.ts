// The main window's state: which page stands, and what the gate's events mean for each of them.
// Knows neither Tauri nor the page.
import type { Event } from '../generated/Event';
import type { Fault } from '../generated/Fault';
import type { PromptSyncState } from '../generated/PromptSyncState';
import type { RequestId } from '../generated/RequestId';
import type { SessionUuid } from '../generated/SessionUuid';
import type { Snapshot } from '../generated/Snapshot';
import type { WindowSettings } from '../generated/WindowSettings';
import { isListPage, type Destination, type MainPage } from './destination';
import { EmbeddedPort } from './embedded-port';
import { History } from '../history/history.svelte';
import { Inbox } from '../inbox/inbox.svelte';
import { ask, toFault, type Port } from './port';
import { Notes } from '../sessions/notes';
import { Presence } from '../presence/presence.svelte';
import { Sessions } from '../sessions/sessions.svelte';
import { Toasts } from './toasts.svelte';
import { ofSettings, Warnings } from './warnings.svelte';

export class Main {
  snapshot = $state.raw<Snapshot | null>(null);
  page = $state<MainPage>('inbox');
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
  readonly inbox: Inbox;
  readonly presence: Presence;
  readonly notes: Notes;
  /** Whether the menu of do-not-disturb stands open. */
  quietOpen = $state(false);
  /** Settings as they are tried out, over those in force. */
  preview = $state.raw<Partial<WindowSettings>>({});
  /** The section of the settings that somebody was sent to. */
  section = $state.raw<string | null>(null);
  /** Hears of settings that are other than before. */
  onSettings: () => void = () => undefined;
  /** Hears where the synchronisation of prompts stands, or with null of anything else about them. */
  onPrompts: (sync: PromptSyncState | null) => void = () => undefined;

  /** For pages that are loaded when they first stand. */
  readonly port: Port;
  /** Events that came since a snapshot was asked for: they are newer than it, or the same. */
  #early: Event[] | null = [];
  #turn = 0;

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
    if (first.at) this.#choose(first.at);
  }

  /** Loads what the pages begin with. Events that come meanwhile are applied after it. */
  async start(): Promise<void> {
    await this.port.onEvent((event) => {
      if (this.#early) this.#early.push(event);
      else this.#apply(event);
    });
    await this.port.onPage((to) => this.go(to.page, to.at));
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
    if (this.page === 'history') await this.history.start();
    if (this.page === 'inbox') await this.inbox.start();
  }

  /** Goes to a page, and there to a conversation, or of the settings a section. */
  go(page: MainPage, at: string | null = null): void {
    if (this.page === 'inbox') this.inbox.review.blurred();
    this.page = page;
    this.sheetOpen = false;
    if (this.snapshot) void this.#begin();
    if (at) this.#choose(at);
  }

  /** The window came up, or went: what nobody sees isn't kept in order. */
  looked(seen: boolean): void {
    this.seen = seen;
    if (seen) this.inbox.review.focused();
    else this.inbox.review.vanished();
    if (seen && this.snapshot && this.page === 'history') void this.history.start();
  }

  /** The list of the page that stands, where it has one. */
  get here(): Inbox | Sessions | History | null {
    if (!isListPage(this.page)) return null;
    return { inbox: this.inbox, sessions: this.sessions, history: this.history }[this.page];
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

  hide(): void {
    void this.#attempt(() => this.port.hideWindow());
  }

  /** Deletes the conversation that is being read in the history. */
  async remove(): Promise<void> {
    const conversation = this.here?.reading.conversation;
    if (conversation && (await conversation.remove()) === 'done') this.history.removed(conversation.id);
  }

  #choose(id: SessionUuid): void {
    if (!isListPage(this.page)) {
      this.section = id;
      return;
    }
    const list = this.page === 'history' ? this.history : this.sessions;
    list.select(id);
    list.reading.inside = true;
  }

  #apply(event: Event): void {
    switch (event.event) {
      case 'request_added':
        this.inbox.apply(event);
        this.#said((id) => id === event.request.session_uuid);
        return;
      case 'request_closed':
        this.inbox.apply(event);
        this.#said((_, requests) => requests.includes(event.request_id));
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
        if (ofSettings(event.fault)) this.onSettings();
        return;
      case 'settings_changed':
        if (this.snapshot) this.snapshot = { ...this.snapshot, settings: event.settings };
        this.inbox.apply(event);
        this.onSettings();
        return;
      case 'setting_changes':
        this.onSettings();
        void import('../settings/announce').then(({ announce }) =>
          announce(this.port, this.toasts, event.changes),
        );
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
        this.onPrompts(null);
        void this.reload();
        void this.#look();
        return;
      case 'prompts_changed':
        this.onPrompts(null);
        return;
      case 'prompt_sync_changed':
        this.onPrompts(event.sync);
        return;
      case 'presence_changed':
        this.presence.know(event.presence);
        return;
      case 'request_changed':
      case 'request_due':
        this.inbox.apply(event);
        return;
      case 'raise':
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
