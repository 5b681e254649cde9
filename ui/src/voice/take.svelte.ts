// One take as the page has it: from the key that goes down to the words in the reply.
import type { VoicePhase } from '../generated/VoicePhase';
import type { VoiceTake } from '../generated/VoiceTake';
import type { ReplyDraft } from '../reply/reply-draft.svelte';

/** `opening` until the microphone is open, `closing` between the key that goes up and the last sound. */
export type Stage = 'opening' | VoicePhase;

/** How far each is: what is told late doesn't lead back. */
const ORDER: Record<Stage, number> = {
  opening: 0,
  recording: 1,
  transcribing: 2,
  done: 3,
  silent: 3,
  cancelled: 3,
  failed: 3,
};

export class Take {
  /** What the gate calls it; null until it has answered. */
  number: number | null = null;
  readonly reply: ReplyDraft;
  stage = $state<Stage>('opening');
  /** Where its words go in the reply. */
  at = $state(0);
  /** What was understood, and what may still change and follows it. */
  text = $state('');
  partial = $state('');
  /** How long it was recorded, in milliseconds. */
  recorded = $state(0);
  /** Whether the person has ended it; the gate may still be recording the last sound. */
  ended = $state(false);
  /** The microphone that it began with. */
  microphone = $state<string | null>(null);
  /** Whether it ended by itself, being as long as one may be. */
  cutOff = false;
  /** Whether the gate has said all of its words. */
  whole = false;

  constructor(reply: ReplyDraft, at: number) {
    this.reply = reply;
    this.at = at;
  }

  /** Whether the person speaks. */
  get listening(): boolean {
    return !this.ended && (this.stage === 'opening' || this.stage === 'recording');
  }

  /** Whether words are still to come. */
  get going(): boolean {
    return ORDER[this.stage] < ORDER.done;
  }

  /** All words that there are. */
  get words(): string {
    return this.text && this.partial && !/\s$/.test(this.text) && !/^\s/.test(this.partial)
      ? `${this.text} ${this.partial}`
      : this.text + this.partial;
  }

  /** Takes what the gate says of it. */
  know(told: VoiceTake, microphone: string | null): void {
    this.microphone ??= microphone;
    if (ORDER[told.phase] < ORDER[this.stage]) return;
    this.stage = told.phase;
    this.cutOff ||= told.cut_off;
  }

  /** Begins to wait for its words once more. */
  again(): void {
    this.stage = 'transcribing';
    this.whole = false;
  }
}
