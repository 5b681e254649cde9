// Speaking a reply: what the button and the keys mean, the take that goes on, and its words on their way into
// the text. The microphone is the gate's; here is only what is shown of it. One for each request view.
import type { Event } from '../generated/Event';
import type { Fault } from '../generated/Fault';
import type { VoiceState } from '../generated/VoiceState';
import type { ReplyDraft } from '../reply/reply-draft.svelte';
import { kept } from '../state/kept.svelte';
import { ask, toFault, type Port } from '../state/port';
import type { Review } from '../review/review.svelte';
import { commandOf, type Spoken } from './commands';
import { put } from './field';
import { movedPart, movedPlace, spaced, type Part } from './insertion';
import { Lease } from './lease';
import { Models } from './models.svelte';
import { Take } from './take.svelte';

/** A press shorter than this is a click, which begins or ends a take; a longer one lasts as long as it, in milliseconds. */
export const HOLD = 350;
/** How many levels the meter shows. */
export const LEVELS = 96;

/** From where the person presses. */
export type Source = 'pointer' | 'key' | 'global';

/** What stands in the place of the meter after a take, or instead of one. */
export type Notice =
  | { kind: 'silent' | 'cut_off' | 'off' }
  /** `retry` where the recording is kept and can be tried again. */
  | { kind: 'fault'; fault: Fault; retry: boolean };

/** A reply box that stands on the page. */
export interface Box {
  reply: ReplyDraft;
  field: HTMLTextAreaElement;
}

export class Voice {
  /** How voice is; null until the gate has said it, or where it knows nothing of voice. */
  told = $state.raw<VoiceState | null>(null);
  take = $state.raw<Take | null>(null);
  /** How loud it was lately, the newest last, in thousandths. */
  levels = $state.raw<readonly number[]>([]);
  notice = $state.raw<Notice | null>(null);
  /** What was said as a command and is to be done when the person says so. */
  question = $state.raw<{ kind: 'send' | 'approve'; reply: ReplyDraft } | null>(null);
  /** The words of the last take, until they are edited. */
  mark = $state.raw<(Part & { reply: ReplyDraft }) | null>(null);
  /** Whether the way to a speech model stands open, and the menu of the microphone. */
  dialogOpen = $state(false);
  menuOpen = $state(false);
  readonly models: Models;
  readonly review: Review;
  readonly port: Port;

  #box: Box | null = null;
  #now: () => number;
  #lease: Lease;
  #held: { by: Source; since: number } | null = null;
  /** The global keys went down before the page could be seen. */
  #coming: { since: number; clicked: boolean } | null = null;
  /** A press that came while the words of the take before were still awaited. */
  #waits = false;
  #texts = new WeakMap<ReplyDraft, string>();
  /** Whether the window is the one that the person is at. */
  #focused = false;

  constructor(review: Review, now: () => number = () => performance.now()) {
    this.review = review;
    this.port = review.port;
    this.#now = now;
    this.models = new Models(review.port);
    this.#lease = new Lease(review.port);
    review.onVoice = (event) => this.#hear(event);
    void this.load();
  }

  /** Asks how voice is. */
  async load(): Promise<void> {
    try {
      this.#know(await ask(this.port, { command: 'voice' }));
      if (this.told?.readiness === 'no_model') await this.models.load();
    } catch {
      this.told = null;
    }
  }

  /** Whether something of voice stands in the bar of this reply's box. */
  stands(reply: ReplyDraft): boolean {
    return this.take?.reply === reply || this.question?.reply === reply || this.notice !== null;
  }

  /** Whether this reply is being spoken. */
  listens(reply: ReplyDraft): boolean {
    return this.take?.reply === reply && this.take.listening;
  }

  /** A reply box came onto the page. */
  enter(box: Box): void {
    this.#box = box;
    this.#texts.set(box.reply, box.reply.text);
  }

  /** It goes: what is being spoken for it is ended, and its words come into its draft. */
  leave(box: Box): void {
    if (this.#box?.field === box.field) this.#box = null;
    const { take } = this;
    if (take?.reply === box.reply && !take.going) this.#settle(take);
    else if (take?.reply === box.reply) void this.stop();
    this.notice = null;
    this.question = null;
  }

  /** The person is at the window with an open reply box, or isn't any more. */
  heed(focused: boolean): void {
    this.#focused = focused;
    const able = this.told?.readiness === 'ready' || this.told?.readiness === 'fault';
    this.#lease.want(focused && able);
  }

  /** The keys went to another window: nobody hears them go up. */
  lost(): void {
    if (this.#held && this.#held.by !== 'global') this.release(this.#held.by);
  }

  /** The button or a key goes down. */
  press(by: Source): void {
    if (this.#held) return;
    if (this.take?.listening) {
      void this.stop();
      return;
    }
    this.#held = { by, since: this.#now() };
    if (this.take?.going) this.#waits = true;
    else void this.#start();
  }

  /** It goes up: after a while that ends the take; after a click the take goes on. */
  release(by: Source): void {
    if (this.#held?.by !== by) return;
    const long = this.#now() - this.#held.since >= HOLD;
    this.#held = null;
    if (this.#waits && long) this.#waits = false;
    else if (long && this.take?.listening) void this.stop();
  }

  /** Begins a take or ends it, by whatever has no up and down. */
  toggle(): void {
    this.press('pointer');
    this.#held = null;
  }

  /** Ends the take; its words follow. */
  async stop(): Promise<void> {
    const { take } = this;
    if (!take?.listening) return;
    take.ended = true;
    if (take.number !== null) await this.#tell(take, 'stop_voice');
  }

  /** Gives the take up. What was typed stays, what was spoken goes. */
  async cancel(): Promise<void> {
    const { take } = this;
    this.#held = null;
    this.#waits = false;
    if (!take) return;
    this.#drop();
    if (take.number !== null && take.going) await this.#tell(take, 'cancel_voice');
    take.stage = 'cancelled';
  }

  /** Tries once more to understand what was recorded. */
  async retry(): Promise<void> {
    const { take } = this;
    if (!take || take.number === null || take.going) return;
    this.notice = null;
    take.again();
    take.reply.speaking = true;
    await this.#tell(take, 'retry_voice');
  }

  /** Puts the notice away; what was understood of a take that failed stays as text. */
  dismiss(): void {
    this.notice = null;
    if (this.take && !this.take.going) this.#settle(this.take);
  }

  /** Does what was said as a command, now that the person has confirmed it by that act. */
  confirm(act: UIEvent): void {
    const { question } = this;
    if (!question || !this.review.guard?.lets(act)) return;
    this.question = null;
    if (this.review.reply === question.reply)
      void this.review.send(question.kind === 'approve' ? 'approved' : null);
  }

  /** Goes on writing instead. */
  refuse(): void {
    this.question = null;
  }

  /** The reply says something else than before: what is remembered of places in it follows. */
  edited(reply: ReplyDraft): void {
    const before = this.#texts.get(reply) ?? '';
    const after = reply.text;
    this.#texts.set(reply, after);
    if (before === after) return;
    if (this.take?.reply === reply) this.take.at = movedPlace(this.take.at, before, after);
    if (this.mark?.reply === reply) {
      const part = movedPart(this.mark, before, after);
      this.mark = part && { ...part, reply };
    }
    if (this.question?.reply === reply) this.question = null;
    if (this.notice && this.notice.kind !== 'fault') this.notice = null;
  }

  /** Saves a setting. Throws a `Fault`. */
  async choose(key: string, value: unknown): Promise<void> {
    await ask(this.port, { command: 'save_settings', values: { [key]: value }, seen: {} });
  }

  /** Opens the settings of voice. */
  openSettings(): void {
    this.menuOpen = false;
    void this.port.openMain('settings', 'voice');
  }

  async #start(): Promise<void> {
    const box = this.#box;
    if (!box?.reply.open || !this.told) return;
    this.question = null;
    this.notice = null;
    if (this.take) this.#settle(this.take);
    if (this.told.readiness === 'no_model') return this.#lead();
    if (this.told.readiness === 'off') {
      const { fault } = this.told;
      this.notice = fault ? { kind: 'fault', fault, retry: false } : { kind: 'off' };
      return;
    }
    const take = new Take(box.reply, box.field.selectionEnd);
    this.take = take;
    this.levels = [];
    box.reply.speaking = true;
    box.reply.touched = true;
    try {
      const told = await ask(this.port, { command: 'start_voice', request_id: box.reply.id });
      take.number = told.take?.take ?? null;
      if (take.stage === 'cancelled') return await this.#tell(take, 'cancel_voice');
      this.#know(told);
      if (take.ended) await this.#tell(take, 'stop_voice');
    } catch (thrown) {
      if (this.take !== take) return;
      this.#drop();
      const fault = toFault(thrown);
      if (fault.code === 'no_speech_model') this.#lead();
      else this.notice = { kind: 'fault', fault, retry: false };
    }
  }

  /** Leads to a speech model: without one nothing can be understood. */
  #lead(): void {
    this.#held = null;
    this.dialogOpen = true;
    void this.models.load();
  }

  async #tell(take: Take, command: 'stop_voice' | 'cancel_voice' | 'retry_voice'): Promise<void> {
    if (take.number === null) return;
    try {
      await ask(this.port, { command, take: take.number });
    } catch (thrown) {
      if (this.take !== take) return;
      // Nothing can come of it any more; what is there stays.
      this.#settle(take);
      this.notice = { kind: 'fault', fault: toFault(thrown), retry: false };
    }
  }

  #hear(event: Event): void {
    switch (event.event) {
      case 'voice_changed':
        this.#know(event.voice);
        return;
      case 'voice_level':
        if (!this.take?.listening || event.recorded_ms === null) return;
        this.levels = [...this.levels, event.peak].slice(-LEVELS);
        this.take.stage = 'recording';
        this.take.recorded = event.recorded_ms;
        return;
      case 'voice_text': {
        const { take } = this;
        if (take?.number !== event.take) return;
        take.text = event.text;
        take.partial = event.partial;
        take.whole = event.last;
        this.#conclude(take);
        return;
      }
      case 'voice_key':
        if (event.down) this.#call();
        else this.#letGo();
        return;
      case 'models_changed':
        this.models.told = event.models;
        return;
      case 'resync':
        void this.load();
    }
  }

  /** The global keys went down. They may mean this page though the person is elsewhere: the review window before
   * the others, which comes up for them. */
  #call(): void {
    if (this.#focused) this.press('global');
    else if (this.#box === null || this.review.inInbox) return;
    else if (document.hidden) this.#comeUp();
    else if (this.told?.take?.phase !== 'recording' || this.take) this.press('global');
  }

  #letGo(): void {
    // A click is waited for, too.
    if (this.#coming && this.#now() - this.#coming.since < HOLD) this.#coming.clicked = true;
    else this.#coming = null;
    this.release('global');
  }

  /** Waits until the page can be seen. */
  #comeUp(): void {
    const coming = { since: this.#now(), clicked: false };
    this.#coming = coming;
    const seen = () => {
      if (this.#coming !== coming) return;
      this.#coming = null;
      this.#call();
      if (coming.clicked) this.release('global');
    };
    document.addEventListener('visibilitychange', seen, { once: true });
  }

  #know(told: VoiceState): void {
    this.told = told;
    if (this.notice?.kind === 'off' && told.readiness !== 'off') this.notice = null;
    const { take } = this;
    if (!take || take.number === null) return;
    if (told.take?.take === take.number) {
      take.know(told.take, told.microphone?.id ?? null);
      this.#conclude(take);
    } else if (take.going && (told.take === null || told.take.take > take.number)) {
      // Another take has taken its place, or the gate was started anew.
      this.#settle(take);
    }
  }

  /** Whether all is known of how it ended, and what comes of that. */
  #conclude(take: Take): void {
    if (take.going) return;
    if (take.stage === 'silent' || take.stage === 'cancelled') {
      const silent = take.stage === 'silent';
      if (take.words) this.#settle(take);
      else this.#drop();
      if (silent) this.notice = { kind: 'silent' };
    } else if (take.whole && take.stage === 'failed') {
      take.reply.speaking = false;
      const fault = this.told?.fault ?? { code: 'transcription', message: '', mend: '' };
      this.notice = { kind: 'fault', fault, retry: true };
    } else if (take.whole) {
      this.#settle(take, this.review.snapshot?.settings.voice_commands);
      if (take.cutOff && !this.question) this.notice = { kind: 'cut_off' };
    }
    if (this.#waits && !take.going) {
      this.#waits = false;
      void this.#start();
    }
  }

  #drop(): void {
    if (this.take) this.take.reply.speaking = false;
    this.take = null;
  }

  /** Puts the words into the reply; what is `commanded` at their end is asked about. */
  #settle(take: Take, commanded = false): void {
    const { reply } = take;
    this.#drop();
    const allowed: Spoken[] = reply.summary.approval ? ['send', 'approve', 'new_line'] : ['send', 'new_line'];
    const { text, command } = commandOf(take.words, commanded ? allowed : []);
    const at = Math.min(take.at, reply.text.length);
    const before = reply.text.slice(0, at);
    const words = spaced(before, text, reply.text.slice(at)) + (command === 'new_line' ? '\n' : '');
    if (words !== '') this.#insert(reply, at, words);
    if (command === 'send' || command === 'approve') {
      this.question = { kind: command, reply };
      // Enter means something else than before.
      this.review.guard?.changes();
    }
  }

  #insert(reply: ReplyDraft, at: number, words: string): void {
    const field = this.#box?.reply === reply ? this.#box.field : null;
    if (field) put(field, at, words);
    else reply.write(reply.text.slice(0, at) + words + reply.text.slice(at));
    this.#texts.set(reply, reply.text);
    const start = at + words.length - words.trimStart().length;
    const end = at + words.trimEnd().length;
    this.mark = end > start ? { reply, start, end } : null;
  }
}

/** The voice of a request view: made when it is first needed. */
export const voiceOf = kept((review: Review) => new Voice(review));
