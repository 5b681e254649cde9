// The review window's state: the queue, the open request, and what happens to both.
// Knows neither Tauri nor the page; a port gives it both directions of the gate.
import type { Command } from '../generated/Command';
import type { Decision } from '../generated/Decision';
import type { Event } from '../generated/Event';
import type { Fault } from '../generated/Fault';
import type { RequestId } from '../generated/RequestId';
import type { RequestStatus } from '../generated/RequestStatus';
import type { RequestSummary } from '../generated/RequestSummary';
import type { RequestView } from '../generated/RequestView';
import type { SessionSummary } from '../generated/SessionSummary';
import type { SessionUuid } from '../generated/SessionUuid';
import type { Snapshot } from '../generated/Snapshot';
import { SvelteMap } from 'svelte/reactivity';
import { ReplyDraft } from '../reply/reply-draft.svelte';
import { Farewell } from './farewell.svelte';
import type { Guard } from './guard.svelte';
import type { MainPage } from '../state/destination';
import { ask, toFault, type Port } from '../state/port';
import { permissions } from '../permissions/permissions';
import { awake, neighbour, ordered, placeOf, successor, withoutRequest } from './queue';
import { withRequest, type Queue } from './queue';
import { givesWay, sameDraft } from '../reply/rules';
import { Snippets } from '../snippets/snippets.svelte';
import { holdLeft, Undoables, type Sent, type Undoable } from '../reply/undoables.svelte';
import { unseen } from '../seen/eyes';
import { Warnings } from '../state/warnings.svelte';

/** What is done beside answering, loaded when it is first done. */
const acts = () => import('./acts');

/** Where the request view stands: in a window of its own, which comes and goes, or in the main window. */
export type ReviewPlace = 'window' | 'inbox';

export class Review {
  /** Makes ready what the page needs to show a request; null where it has all of it. */
  prepare: (view: RequestView) => Promise<void> | null = () => null;
  /** Hears what somebody else changed in the settings, and of browsers that signed in. */
  onNews: (event: Event) => void = () => undefined;
  /** Hears what happens to voice, and when events were lost. */
  onVoice: (event: Event) => void = () => undefined;
  /** For parts that are loaded when they are first needed. */
  readonly port: Port;
  /** Says which acts are meant for the open request; absent while none stands on the page. */
  guard: Guard | null = null;
  /** When the person themselves last had something come up here, by `performance.now()`. */
  acted = -Infinity;
  snapshot = $state.raw<Snapshot | null>(null);
  queue = $state.raw<Queue>([]);
  reply = $state.raw<ReplyDraft | null>(null);
  /** Whether nobody sees the window; the request that it comes up with, once one is shown in it. */
  hidden = $state.raw<boolean | RequestId>(false);
  /** Everything is answered; the window is about to hide. */
  readonly farewell = new Farewell();
  /** An urgent request that came while another was open. */
  urgent = $state.raw<RequestSummary | null>(null);
  /** A fault that belongs to no request. */
  fault = $state.raw<Fault | null>(null);
  /** What the person should know of. */
  readonly warnings = new Warnings();
  listOpen = $state(false);
  sheetOpen = $state(false);
  /** Whether the choices of when to come back to the request stand open, or the person's snippets. */
  snoozeOpen = $state(false);
  snippetsOpen = $state(false);
  /** What was just done and can still be taken back. */
  readonly undoables: Undoables;
  readonly snippets: Snippets;

  /** The requests that wait for the person now. */
  readonly waiting = $derived(awake(this.queue));
  readonly place = $derived(placeOf(this.waiting, this.reply?.id));
  #sessions = new SvelteMap<SessionUuid, SessionSummary>();
  /** How far the work is that the open request belongs to. */
  readonly session = $derived(this.#sessions.get(this.reply?.summary.session_uuid ?? '') ?? null);

  #now: () => number;
  #where: ReviewPlace;
  #sent = new Map<RequestId, Sent>();
  #drafts = new Map<RequestId, ReplyDraft>();
  /** Events that came since a snapshot was asked for: they are newer than it, or the same. */
  #early: Event[] | null = [];
  #loading = 0;
  /** What became of requests that are closed. */
  readonly gone = new Map<RequestId, RequestStatus>();
  #turn = 0;
  #opening: RequestId | null = null;
  /** Taking up what was written elsewhere, while that goes on. */
  renewing: Promise<void> | null = null;

  constructor(port: Port, now: () => number = Date.now, where: ReviewPlace = 'window') {
    this.port = port;
    this.#now = now;
    this.#where = where;
    this.snippets = new Snippets(port);
    // The window stays for as long as there is something to take back on it.
    this.undoables = new Undoables(now, () => this.farewell.last(this.undoables.remaining));
  }

  /** Whether the view stands in the main window, beside the list of what waits. */
  get inInbox(): boolean {
    return this.#where === 'inbox';
  }

  /** Whether something stands on top of the request. */
  get covered(): boolean {
    return this.listOpen || this.sheetOpen || this.snoozeOpen;
  }

  /** Whether the open request is what the person has chosen, and not still what they had before. */
  get chosen(): boolean {
    return true;
  }

  /** The requests in the order in which the person has them before them. */
  get listed(): Queue {
    return this.queue;
  }

  /** Loads the queue and shows its first request. Events that come meanwhile are applied after it. */
  async start(): Promise<void> {
    await this.port.onEvent((event) => this.#receive(event));
    await this.reload();
  }

  /** Loads the queue again, after a failure or when events were lost. */
  async reload(): Promise<void> {
    const loading = (this.#loading += 1);
    this.#early ??= [];
    try {
      const snapshot = await ask(this.port, { command: 'snapshot' });
      if (loading !== this.#loading) return;
      this.fault = null;
      this.snapshot = snapshot;
      this.queue = ordered(snapshot.requests.filter((request) => !this.gone.has(request.request_id)));
      this.#sessions.clear();
      for (const session of snapshot.sessions) this.#sessions.set(session.session_uuid, session);
      this.warnings.know(snapshot.warnings);
      this.#catchUp();
      const first = this.waiting[0];
      if (!this.reply && !this.#opening && first) await this.show(first.request_id, true);
    } catch (thrown) {
      if (loading !== this.#loading) return;
      this.fault = toFault(thrown);
      if (this.snapshot) this.#catchUp();
    }
  }

  /** Tells the host that what is to be shown stands on the page. */
  async ready(): Promise<void> {
    await this.#attempt(() => this.port.ready());
  }

  /**
   * Opens a request. What was written on the one before is saved and kept. A `view` that
   * came with the request is shown at once; a `before` is the draft that it had until it was sent.
   */
  async show(
    id: RequestId,
    byItself = false,
    view: RequestView | null = null,
    before: ReplyDraft | null = null,
  ): Promise<void> {
    this.listOpen = this.snoozeOpen = this.snippetsOpen = false;
    this.farewell.stop();
    if (!byItself) this.act();
    else if (this.hidden) this.hidden = id;
    const turn = (this.#turn += 1);
    const here = id === this.reply?.id && !this.reply.closed;
    this.#opening = here ? null : id;
    if (here) return;
    void this.reply?.flush();
    const kept = this.#drafts.get(id);
    const unsavedBefore = kept?.unsaved ?? false;
    try {
      const request = view ?? (await this.#open(id));
      // Nothing comes onto the page in two steps.
      const preparing = this.prepare(request);
      if (preparing) await preparing;
      if (turn !== this.#turn) return;
      let reply = kept;
      if (!reply || !(unsavedBefore || reply.unsaved)) {
        // Everything of it is stored, so the stored draft is the newest there is.
        reply?.release();
        reply = new ReplyDraft(this.port, request, before ?? reply ?? null, !!view && this.hidden !== false);
        this.#drafts.set(id, reply);
      }
      reply.summary = request.summary;
      reply.touched = false;
      const status = this.gone.get(id) ?? request.status;
      if (status === 'pending') reply.closed = null;
      else this.#close(reply, status);
      this.#place(reply);
    } catch (thrown) {
      if (turn !== this.#turn) return;
      this.#opening = null;
      const fault = toFault(thrown);
      this.fault = fault;
      if (fault.code === 'unknown_request') this.queue = withoutRequest(this.queue, id);
      if (this.reply?.busy) this.reply = null;
    }
  }

  /** Moves through the queue; an announced urgent request comes first. */
  async step(step: 1 | -1, byItself = false): Promise<void> {
    const next = step === 1 && this.urgent ? this.urgent : neighbour(this.queue, this.reply?.id, step);
    if (next && next.request_id !== this.reply?.id) await this.show(next.request_id, byItself);
    else if (!next && this.reply?.closed) this.#clear();
  }

  /** What was written to a request that was shown here. */
  draftOf(id: RequestId): ReplyDraft | undefined {
    return this.#drafts.get(id);
  }

  /** Whether it is told how far the work is that a request belongs to. */
  works({ summary }: RequestView): boolean {
    return !!this.#sessions.get(summary.session_uuid)?.progress;
  }

  /** The person themselves has something come up here. */
  act(): void {
    this.acted = performance.now();
    this.guard?.acts();
  }

  /** Sends the reply. A decision is only ever sent to a request that asks for one. */
  async send(decision: Decision | null): Promise<void> {
    if (this.renewing) await this.renewing;
    const reply = this.reply;
    // A permission has answers of its own.
    if (!reply?.open || reply.view.permission || (decision !== null && !reply.summary.approval)) return;
    const draft = reply.draft();
    reply.hint = unseen(this, reply, decision) ?? reply.problem(draft, decision);
    if (reply.hint) return;
    await this.conclude(reply, 'sending', reply.sending(draft, decision));
  }

  /** Closes the request without an answer. The agent hears that it was dismissed. */
  async dismiss(): Promise<void> {
    const reply = this.reply;
    if (!reply?.open) return;
    await this.conclude(reply, 'dismissing', { command: 'dismiss', request_id: reply.id });
  }

  /** Puts it off until then, or until it is taken up, and goes on to the next one. */
  async snooze(until: string | null): Promise<void> {
    const { reply } = this;
    if (!reply?.open) return;
    this.snoozeOpen = false;
    this.act();
    reply.fault = null;
    void reply.flush();
    // The gate's word on it may come before its answer.
    const before = this.listed;
    await (await acts()).snooze(this, reply, until, before);
  }

  /** Takes the open request up again before its time. */
  async wake(): Promise<void> {
    const { reply } = this;
    if (reply?.open) await (await acts()).wake(this, reply);
  }

  /** Takes back what was done last, where that is still possible. */
  async undo(): Promise<void> {
    const { last } = this.undoables;
    if (last) await this.takeBack(last);
  }

  /** Takes back what was done: its request is open again, with its draft. */
  async takeBack(item: Undoable): Promise<void> {
    if (this.undoables.begin(item)) await (await acts()).takeBack(this, item);
  }

  /** Lets a reply that is held go to its agent at once. */
  async sendNow(item: Undoable): Promise<void> {
    if (this.undoables.begin(item)) await (await acts()).sendNow(this, item);
  }

  /** Leaves it as it is: the window goes; in the main window the next request comes up. */
  async later(): Promise<void> {
    if (this.#where === 'inbox') return this.step(1);
    if (this.reply?.closed) await this.step(1);
    void this.reply?.flush();
    this.hidden = true;
    if (!(await this.#attempt(() => this.port.hideWindow()))) this.hidden = false;
    // Not before it is gone: the page would change under the person's eyes.
    this.farewell.stop();
  }

  /** The page lost the person's attention: what is unsaved is saved now. */
  blurred(): void {
    this.acted = -Infinity;
    void this.reply?.flush();
  }

  /** The window is gone from the screen, however it was closed. It may have what it is to come up with by then. */
  vanished(): void {
    if (this.hidden === false) this.hidden = true;
    this.blurred();
  }

  /** The person is back at the window. */
  focused(): void {
    this.hidden = false;
    this.renewing = this.reply?.fresh ? null : this.#takeUp().finally(() => (this.renewing = null));
  }

  /** The request may have been written on in another window meanwhile: what is stored is the newest then. */
  async #takeUp(reply = this.reply, fault: Fault | null = null): Promise<void> {
    if (!reply?.open || reply.unsaved || this.#opening) return;
    const request = await this.#open(reply.id).catch(() => null);
    if (!request || request.status !== 'pending' || this.reply !== reply || !reply.open || reply.unsaved)
      return;
    const sameQuestion = request.digest === reply.view.digest;
    const sameNeeds = JSON.stringify(request.needs) === JSON.stringify(reply.view.needs);
    if (sameQuestion && sameNeeds && sameDraft(request.draft, reply.draft())) return;
    const newer = new ReplyDraft(this.port, request, reply);
    newer.fault = fault;
    this.#drafts.set(reply.id, newer);
    this.#place(newer);
    reply.release();
  }

  /** Opens the main window at a page; at the history, at the conversation that the open request belongs to. */
  openPage(page: MainPage): void {
    const { session_uuid, round } = this.reply?.summary ?? {};
    const at = page === 'history' ? session_uuid : page === 'reviews' ? round?.review_id : undefined;
    void this.#attempt(() => this.port.openMain(page, at));
  }

  openLink(href: string): void {
    void this.#attempt(() => this.port.openLink(href));
  }

  #receive(event: Event): void {
    if (this.#early) this.#early.push(event);
    else this.#apply(event);
  }

  #catchUp(): void {
    const early = this.#early ?? [];
    this.#early = null;
    // Where nothing stands yet the queue's order says what comes first, not which came last.
    const bare = !this.reply && !this.#opening;
    for (const event of early) this.#apply(event, bare);
  }

  #apply(event: Event, silently = false): void {
    switch (event.event) {
      case 'request_added': {
        // Added once more: a reply to it was taken back. What this window takes back itself, it shows.
        const undone = this.undoables.of(event.request.request_id);
        if (undone?.busy) return;
        if (undone) this.undoables.remove(undone);
        this.gone.delete(event.request.request_id);
        this.#renew(event.request);
        // Nobody is called to what was here before, but where nothing stands it may.
        if (!silently && !(event.again && this.reply && this.reply.id !== event.request.request_id))
          this.#announce(event.request, event.view);
        return;
      }
      case 'request_changed':
        if (!this.gone.has(event.request.request_id)) this.#renew(event.request);
        return;
      case 'permission_over':
      case 'permission_replaced':
        // Where none was shown nothing has to be said of it.
        return permissions.parts?.hear(this, event);
      case 'confirmation_asked':
        return this.#drafts.get(event.request_id)?.confirms(event.digits);
      case 'request_due': {
        const due = this.queue.find((request) => request.request_id === event.request_id);
        if (due) this.#renew({ ...due, snoozed: null });
        if (due && !silently) this.#announce(due, null);
        return;
      }
      case 'request_closed':
        this.gone.set(event.request_id, event.status);
        this.queue = withoutRequest(this.queue, event.request_id);
        if (this.urgent?.request_id === event.request_id) this.urgent = null;
        this.#withdraw(event.request_id, event.status);
        this.#hold(event.request_id, event.undo_until ?? null);
        return;
      case 'requests_closed':
        for (const request_id of event.request_ids)
          this.#apply({ event: 'request_closed', request_id, status: event.status, undo_until: null });
        return;
      case 'session_changed':
        this.#sessions.set(event.session.session_uuid, event.session);
        return;
      case 'session_forgotten':
        this.#sessions.delete(event.session_uuid);
        return;
      case 'warning':
        return this.warnings.add(event.fault);
      case 'settings_changed':
        if (this.snapshot) this.snapshot = { ...this.snapshot, settings: event.settings };
        // The main window says its warnings itself.
        if (!this.inInbox) void this.warnings.renew(this.port);
        return;
      case 'setting_changes':
      case 'browser_signed_in':
        return this.onNews(event);
      case 'resync':
        this.onVoice(event);
        void this.reload();
        return;
      case 'voice_changed':
      case 'voice_level':
      case 'voice_text':
      case 'voice_key':
      case 'models_changed':
        this.onVoice(event);
        return;
      case 'raise': {
        if (this.#where === 'inbox') return;
        this.hidden = false;
        if (event.by_person) this.act();
        const id = event.request_id ?? (this.#idle() ? this.waiting[0]?.request_id : undefined);
        if (id && id !== this.reply?.id && id !== this.#opening) void this.show(id, true);
      }
    }
  }

  /** Whether a new request may come up by itself without taking one from under the person. */
  #idle(added?: RequestSummary): boolean {
    const { reply } = this;
    if (this.#opening || !reply) return !this.#opening;
    if (this.#isAt(reply)) return false;
    // What is over takes no answer, so nothing is taken from under anyone. In the inbox they may look at another row.
    if (reply.closed && reply.over && !this.inInbox && !this.covered) return true;
    return this.hidden !== false && givesWay(reply, this.hidden, added);
  }

  /** Whether the person is at it. At a permission question that is over, only a line that stands open keeps them. */
  #isAt(reply: ReplyDraft): boolean {
    if (permissions.parts?.isWriting(reply)) return true;
    return reply.touched && !(reply.closed && reply.view.permission);
  }

  async #open(id: RequestId): Promise<RequestView> {
    const { request } = await ask(this.port, { command: 'open_request', request_id: id });
    return request;
  }

  #renew(request: RequestSummary): void {
    this.queue = withRequest(this.queue, request);
    if (this.reply?.id === request.request_id) this.reply.summary = request;
  }

  #announce(request: RequestSummary, view: RequestView | null): void {
    if (request.request_id === this.#opening) return;
    if (request.request_id === this.reply?.id) {
      // It was closed here, and waits again.
      if (this.reply.closed) void this.show(request.request_id, true, view);
      return;
    }
    if (this.#idle(request)) void this.show(request.request_id, true, view);
    else if (request.urgent) this.urgent = request;
  }

  #withdraw(id: RequestId, status: RequestStatus): void {
    const reply = this.#drafts.get(id);
    if (!reply || status === 'pending') return;
    // What this window is just sending closes its request too; that isn't news.
    if (reply.busy) return;
    this.#close(reply, status);
    if (this.reply !== reply) this.#drop(reply);
    else if (this.hidden && !this.#isAt(reply)) void this.step(1, true);
  }

  #close(reply: ReplyDraft, status: RequestStatus): void {
    if (status === 'pending') return;
    reply.closed = status;
    reply.answered = null;
    if (status === 'answered')
      void import('./answered').then(({ learn }) => learn(this.port, reply, this.inInbox));
    this.queue = withoutRequest(this.queue, reply.id);
  }

  /** The gate holds a reply until then; with null, not at all. */
  #hold(id: RequestId, undoUntil: string | null): void {
    const sent = this.#sent.get(id);
    if (!sent) {
      const item = this.undoables.of(id);
      // Its agent has it now.
      if (item && !item.busy && !item.fault && !undoUntil) this.undoables.remove(item);
      return;
    }
    sent.undoUntil = undoUntil;
    if (sent.taken) this.#held(id, sent);
  }

  #held(id: RequestId, { reply, decision, undoUntil }: Sent): void {
    this.#sent.delete(id);
    if (!undoUntil) return;
    const lasts = holdLeft(undoUntil, this.#now(), this.snapshot?.settings.undo_seconds);
    this.undoables.add({ kind: 'sent', request: reply.summary, decision, reply, until: null, lasts });
  }

  /** Sends what ends a request, and goes on to the next one. */
  async conclude(reply: ReplyDraft, busy: 'sending' | 'dismissing', command: Command): Promise<void> {
    reply.busy = busy;
    reply.hint = null;
    reply.fault = null;
    const before = this.listed;
    await reply.holdSaves();
    const decision = command.command === 'send_reply' ? command.decision : null;
    const sent: Sent = { reply, decision, taken: false };
    if (busy === 'sending') this.#sent.set(reply.id, sent);
    try {
      await ask(this.port, command);
    } catch (thrown) {
      this.#sent.delete(reply.id);
      reply.busy = null;
      const fault = toFault(thrown);
      const status = this.gone.get(reply.id);
      if (fault.code === 'not_pending' || status === 'answered') await this.#learn(reply, fault);
      else if (status) this.#close(reply, status);
      else reply.fault = fault;
      if (!reply.closed) reply.resumeSaves();
      // What it asks now takes its place, with what was written.
      if (fault.code === 'changed_question') await reply.flush().then(() => this.#takeUp(reply, fault));
      return;
    }
    this.gone.set(reply.id, busy === 'sending' ? 'answered' : 'cancelled');
    this.queue = withoutRequest(this.queue, reply.id);
    sent.taken = true;
    if (sent.undoUntil !== undefined) this.#held(reply.id, sent);
    if (this.reply !== reply) {
      this.#drop(reply);
      return;
    }
    const next = successor(before, reply.id, this.queue);
    if (next) await this.show(next.request_id, true);
    else this.leave(null);
    this.#drop(reply);
  }

  /**
   * Asks what became of a request that the gate took no reply to. It waits again where the reply was in the record
   * already and its receipt couldn't be written.
   */
  async #learn(reply: ReplyDraft, fault: Fault): Promise<void> {
    const known = this.gone.get(reply.id) ?? 'pending';
    const status = await this.#open(reply.id).then(
      (request) => request.status,
      () => known,
    );
    if (status !== 'pending') return this.#close(reply, status);
    reply.fault = fault;
    this.gone.delete(reply.id);
    this.queue = withRequest(this.queue, reply.summary);
  }

  #place(reply: ReplyDraft): void {
    const before = this.reply;
    this.reply = reply;
    this.#opening = null;
    this.fault = null;
    if (this.urgent?.request_id === reply.id) this.urgent = null;
    if (before && before !== reply && before.closed) this.#drop(before);
  }

  #drop(reply: ReplyDraft): void {
    if (this.#drafts.get(reply.id) === reply) this.#drafts.delete(reply.id);
    if (this.reply !== reply) reply.release();
  }

  /**
   * Nothing is left: says so for a moment, or for as long as something can be taken back, then hides.
   * A request that comes meanwhile stops it. A reply that is `kept` goes on saving its draft.
   */
  leave(kept: ReplyDraft | null): void {
    this.#clear(kept);
    this.farewell.begin(
      () => void this.later().finally(() => this.farewell.stop()),
      this.undoables.remaining,
    );
  }

  #clear(kept: ReplyDraft | null = null): void {
    const reply = this.reply;
    this.reply = null;
    if (reply && reply !== kept) this.#drop(reply);
  }

  async #attempt(act: () => Promise<void>): Promise<boolean> {
    const thrown = await act().then(() => null, toFault);
    if (thrown) this.fault = thrown;
    return !thrown;
  }
}
