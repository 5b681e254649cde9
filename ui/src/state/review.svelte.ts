// The review window's state: the queue, the request on the desk, and what happens to both.
// Knows neither Tauri nor the page; a port gives it both directions of the gate.
import type { Command } from '../generated/Command';
import type { Decision } from '../generated/Decision';
import type { Event } from '../generated/Event';
import type { Fault } from '../generated/Fault';
import type { RequestId } from '../generated/RequestId';
import type { RequestStatus } from '../generated/RequestStatus';
import type { RequestSummary } from '../generated/RequestSummary';
import type { RequestView } from '../generated/RequestView';
import type { Snapshot } from '../generated/Snapshot';
import { Desk } from './desk.svelte';
import { Farewell } from './farewell.svelte';
import { ask, toFault, type Port } from './port';
import { neighbour, ordered, placeOf, successor, withoutRequest, withRequest, type Queue } from './queue';
import { Warnings } from './warnings.svelte';

/** How long keys that send are ignored after a request took another's place by itself, in milliseconds. */
export const SETTLE = 350;

export class Review {
  snapshot = $state.raw<Snapshot | null>(null);
  queue = $state.raw<Queue>([]);
  desk = $state.raw<Desk | null>(null);
  /** Everything is answered; the window is about to hide. */
  readonly farewell = new Farewell();
  /** An urgent request that came while another was on the desk. */
  urgent = $state.raw<RequestSummary | null>(null);
  /** A fault that belongs to no request. */
  fault = $state.raw<Fault | null>(null);
  /** What the person should know of. */
  readonly warnings = new Warnings();
  listOpen = $state(false);
  sheetOpen = $state(false);

  readonly place = $derived(placeOf(this.queue, this.desk?.id));

  #port: Port;
  #now: () => number;
  #desks = new Map<RequestId, Desk>();
  /** Events that came since a snapshot was asked for: they are newer than it, or the same. */
  #early: Event[] | null = [];
  #loading = 0;
  #gone = new Map<RequestId, RequestStatus>();
  #turn = 0;
  #opening: RequestId | null = null;
  #hidden = false;
  #settledAt = 0;

  constructor(port: Port, now: () => number = Date.now) {
    this.#port = port;
    this.#now = now;
  }

  /** Loads the queue and shows its first request. Events that come meanwhile are applied after it. */
  async start(): Promise<void> {
    await this.#port.onEvent((event) => this.#receive(event));
    await this.reload();
  }

  /** Loads the queue again, after a failure or when events were lost. */
  async reload(): Promise<void> {
    const loading = (this.#loading += 1);
    this.#early ??= [];
    try {
      const snapshot = await ask(this.#port, { command: 'snapshot' }, 'snapshot');
      if (loading !== this.#loading) return;
      this.fault = null;
      this.snapshot = snapshot;
      this.queue = ordered(snapshot.requests.filter((request) => !this.#gone.has(request.request_id)));
      this.warnings.know(snapshot.warnings);
      this.#catchUp();
      const first = this.queue[0];
      if (!this.desk && !this.#opening && first) await this.show(first.request_id);
    } catch (thrown) {
      if (loading !== this.#loading) return;
      this.fault = toFault(thrown);
      if (this.snapshot) this.#catchUp();
    }
  }

  /** Tells the host that what is to be shown stands on the page. */
  async ready(): Promise<void> {
    await this.#attempt(() => this.#port.ready());
  }

  /**
   * Puts a request on the desk. What was written on the one before is saved and kept. A `view` that
   * came with the request is shown at once.
   */
  async show(id: RequestId, byItself = false, view: RequestView | null = null): Promise<void> {
    this.listOpen = false;
    this.farewell.stop();
    const turn = (this.#turn += 1);
    const here = id === this.desk?.id && !this.desk.closed;
    this.#opening = here ? null : id;
    if (here) return;
    void this.desk?.flush();
    const kept = this.#desks.get(id);
    const unsavedBefore = kept?.unsaved ?? false;
    try {
      const request = view ?? (await this.#open(id));
      if (turn !== this.#turn) return;
      let desk = kept;
      if (!desk || !(unsavedBefore || desk.unsaved)) {
        // Everything of it is stored, so the stored draft is the newest there is.
        desk?.release();
        desk = new Desk(this.#port, request);
        this.#desks.set(id, desk);
      }
      desk.summary = request.summary;
      desk.touched = false;
      const status = this.#gone.get(id) ?? request.status;
      if (status !== 'pending') this.#close(desk, status);
      this.#place(desk, byItself);
    } catch (thrown) {
      if (turn !== this.#turn) return;
      this.#opening = null;
      const fault = toFault(thrown);
      this.fault = fault;
      if (fault.code === 'unknown_request') this.queue = withoutRequest(this.queue, id);
      if (this.desk?.busy) this.desk = null;
    }
  }

  /** Moves through the queue; an announced urgent request comes first. */
  async step(step: 1 | -1): Promise<void> {
    const next = step === 1 && this.urgent ? this.urgent : neighbour(this.queue, this.desk?.id, step);
    if (next && next.request_id !== this.desk?.id) await this.show(next.request_id);
    else if (!next && this.desk?.closed) this.#clear();
  }

  /** Whether a key that sends is meant for what is on the desk: not when that came up a blink ago. */
  get settled(): boolean {
    return this.#now() >= this.#settledAt;
  }

  /** Sends the reply. A decision is only ever sent to a request that asks for one. */
  async send(decision: Decision | null): Promise<void> {
    const desk = this.desk;
    if (!desk?.open || (decision !== null && !desk.summary.approval)) return;
    const draft = desk.draft();
    desk.hint = desk.problem(draft, decision);
    if (desk.hint) return;
    await this.#conclude(desk, 'sending', { command: 'send_reply', request_id: desk.id, decision, draft });
  }

  /** Closes the request without an answer. The agent hears that it was dismissed. */
  async dismiss(): Promise<void> {
    const desk = this.desk;
    if (!desk?.open) return;
    await this.#conclude(desk, 'dismissing', { command: 'dismiss', request_id: desk.id });
  }

  /** Puts it off: the window goes, the request stays as it is. */
  async later(): Promise<void> {
    this.#hidden = true;
    if (this.desk?.closed) await this.step(1);
    void this.desk?.flush();
    this.#hidden = true;
    await this.#attempt(() => this.#port.hideWindow());
  }

  /** The page lost the person's attention: what is unsaved is saved now. */
  blurred(): void {
    void this.desk?.flush();
  }

  /** The window is gone from the screen, however it was closed. */
  vanished(): void {
    this.#hidden = true;
    this.blurred();
  }

  /** The person is back at the window. A key that was meant for another one does nothing here. */
  focused(): void {
    if (this.#hidden) this.#settledAt = this.#now() + SETTLE;
    this.#hidden = false;
  }

  /** Opens the main window at the history, at the conversation that the request on the desk belongs to. */
  openHistory(): void {
    void this.#attempt(() => this.#port.openMain('history', this.desk?.summary.session_uuid));
  }

  openLink(href: string): void {
    void this.#attempt(() => this.#port.openLink(href));
  }

  #receive(event: Event): void {
    if (this.#early) this.#early.push(event);
    else this.#apply(event);
  }

  #catchUp(): void {
    const early = this.#early ?? [];
    this.#early = null;
    // Where nothing stands yet the queue's order says what comes first, not which came last.
    const bare = !this.desk && !this.#opening;
    for (const event of early) {
      const inOrder = bare && event.event === 'request_added';
      this.#apply(inOrder ? { event: 'request_changed', request: event.request } : event);
    }
  }

  #apply(event: Event): void {
    switch (event.event) {
      case 'request_added':
      case 'request_changed': {
        const { request } = event;
        if (this.#gone.has(request.request_id)) return;
        this.queue = withRequest(this.queue, request);
        if (this.desk?.id === request.request_id) this.desk.summary = request;
        if (event.event === 'request_added') this.#announce(request, event.view);
        return;
      }
      case 'request_closed':
        this.#gone.set(event.request_id, event.status);
        this.queue = withoutRequest(this.queue, event.request_id);
        if (this.urgent?.request_id === event.request_id) this.urgent = null;
        this.#withdraw(event.request_id, event.status);
        return;
      case 'warning':
        this.warnings.add(event.fault);
        return;
      case 'resync':
        void this.reload();
        return;
      case 'raise': {
        this.#hidden = false;
        const id = event.request_id ?? (this.#idle ? this.queue[0]?.request_id : undefined);
        if (id && id !== this.desk?.id && id !== this.#opening) void this.show(id, true);
      }
    }
  }

  /** Whether a new request may come up by itself without taking one from under the person. */
  get #idle(): boolean {
    if (this.#opening) return false;
    if (!this.desk) return true;
    return this.#hidden && !this.desk.touched && !this.desk.busy;
  }

  async #open(id: RequestId): Promise<RequestView> {
    const { request } = await ask(this.#port, { command: 'open_request', request_id: id }, 'request');
    return request;
  }

  #announce(request: RequestSummary, view: RequestView | null): void {
    if (request.request_id === this.desk?.id || request.request_id === this.#opening) return;
    if (this.#idle) void this.show(request.request_id, true, view);
    else if (request.urgent) this.urgent = request;
  }

  #withdraw(id: RequestId, status: RequestStatus): void {
    const desk = this.#desks.get(id);
    if (!desk || status === 'pending') return;
    // What this window is just sending closes its request too; that isn't news.
    if (desk.busy) return;
    this.#close(desk, status);
    if (this.desk !== desk) this.#drop(desk);
    else if (this.#hidden && !desk.touched) void this.step(1);
  }

  #close(desk: Desk, status: RequestStatus): void {
    if (status === 'pending') return;
    desk.closed = status;
    this.queue = withoutRequest(this.queue, desk.id);
  }

  async #conclude(desk: Desk, busy: 'sending' | 'dismissing', command: Command): Promise<void> {
    desk.busy = busy;
    desk.hint = null;
    desk.fault = null;
    await desk.holdSaves();
    try {
      await ask(this.#port, command, 'done');
    } catch (thrown) {
      desk.busy = null;
      const fault = toFault(thrown);
      const status = this.#gone.get(desk.id);
      if (status && status !== 'pending') this.#close(desk, status);
      else if (fault.code === 'not_pending') await this.#learn(desk, fault);
      else desk.fault = fault;
      if (!desk.closed) desk.resumeSaves();
      return;
    }
    this.#gone.set(desk.id, busy === 'sending' ? 'answered' : 'cancelled');
    const place = Math.max(0, placeOf(this.queue, desk.id));
    this.queue = withoutRequest(this.queue, desk.id);
    if (this.desk !== desk) {
      this.#drop(desk);
      return;
    }
    const next = successor(this.queue, place);
    if (next) await this.show(next.request_id, true);
    else this.#leave();
    this.#drop(desk);
  }

  /** Asks what became of a request that the gate no longer takes a reply to. */
  async #learn(desk: Desk, fault: Fault): Promise<void> {
    const open = this.#open(desk.id);
    const status = await open.then((request) => request.status).catch(() => 'pending' as const);
    if (status === 'pending') desk.fault = fault;
    else this.#close(desk, status);
  }

  #place(desk: Desk, byItself: boolean): void {
    const before = this.desk;
    this.desk = desk;
    this.#opening = null;
    this.fault = null;
    if (this.urgent?.request_id === desk.id) this.urgent = null;
    if (byItself) this.#settledAt = this.#now() + SETTLE;
    if (before && before !== desk && before.closed) this.#drop(before);
  }

  #drop(desk: Desk): void {
    if (this.#desks.get(desk.id) === desk) this.#desks.delete(desk.id);
    if (this.desk !== desk) desk.release();
  }

  /** Nothing is left: says so for a moment, then hides. A request that comes meanwhile stops it. */
  #leave(): void {
    this.#settledAt = this.#now() + SETTLE;
    this.#clear();
    this.farewell.begin(() => void this.later());
  }

  #clear(): void {
    const desk = this.desk;
    this.desk = null;
    if (desk) this.#drop(desk);
  }

  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (thrown) {
      this.fault = toFault(thrown);
    }
  }
}
