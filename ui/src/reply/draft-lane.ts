// Saves one request's draft: after a pause and at least once a second, one save at a time, newest last, again after a
// failure.
// Knows nothing of what a draft means.
import type { Code } from '../generated/Code';
import type { Draft } from '../generated/Draft';
import type { Fault } from '../generated/Fault';
import { toFault } from '../state/port';

export type SaveState = 'idle' | 'saving' | 'saved' | 'failed';

/** Milliseconds between the last key and the save. */
export const PAUSE = 300;
/** Milliseconds that a change waits at most for a pause, so that with the save it is no second. */
export const LONGEST = 700;
const RETRIES = [1_000, 2_000, 5_000, 10_000];
/** Trying the same draft again can't help with these. */
const FINAL: readonly Code[] = ['not_pending', 'unknown_request', 'too_large', 'too_many', 'invalid_input'];

export class DraftLane {
  #save: (draft: Draft) => Promise<void>;
  #report: (state: SaveState, fault: Fault | null) => void;
  #state: SaveState = 'idle';
  #newest: Draft | null = null;
  /** Until the person pauses, or until it is tried again. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Until the oldest change that isn't stored has waited long enough. */
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | null = null;
  #failures = 0;

  constructor(
    save: (draft: Draft) => Promise<void>,
    report: (state: SaveState, fault: Fault | null) => void,
  ) {
    this.#save = save;
    this.#report = (state, fault) => {
      this.#state = state;
      report(state, fault);
    };
  }

  /** Whether something isn't stored yet. */
  get unsaved(): boolean {
    return this.#newest !== null || this.#running !== null;
  }

  /** Takes the draft as it is now; saves it after the pause, or without one when it has waited long enough. */
  note(draft: Draft): void {
    this.#newest = draft;
    this.#report('saving', null);
    this.#schedule(PAUSE);
    this.#deadline ??= setTimeout(() => void this.#run(), LONGEST);
  }

  /** Saves what is unsaved without waiting for the pause. */
  flush(): Promise<void> {
    this.#unschedule();
    return this.#run();
  }

  /** Forgets what waits and waits for what runs, so that no save overtakes a reply. */
  async stop(): Promise<void> {
    this.#forget();
    await this.#running;
    this.#forget();
  }

  #forget(): void {
    this.#unschedule();
    this.#newest = null;
    this.#state = 'idle';
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, milliseconds);
  }

  #unschedule(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#deadline);
    this.#timer = this.#deadline = undefined;
  }

  /** Says that all is stored, once the person pauses: while they type it would come and go. */
  #settle(): void {
    const dirty = this.#state === 'saving' || this.#state === 'failed';
    if (dirty && this.#timer === undefined) this.#report('saved', null);
  }

  #run(): Promise<void> {
    // Nothing to save isn't something that is being saved.
    if (this.#newest === null && !this.#running) {
      this.#settle();
      return Promise.resolve();
    }
    this.#running ??= this.#drain().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#newest !== null) {
      const draft = this.#newest;
      this.#newest = null;
      clearTimeout(this.#deadline);
      this.#deadline = undefined;
      try {
        await this.#save(draft);
        this.#failures = 0;
        if (this.#newest === null) this.#settle();
      } catch (thrown) {
        const fault = toFault(thrown);
        this.#newest ??= draft;
        this.#report('failed', fault);
        if (!FINAL.includes(fault.code)) {
          this.#schedule(RETRIES[Math.min(this.#failures, RETRIES.length - 1)] ?? PAUSE);
          this.#failures += 1;
        }
        return;
      }
    }
  }
}
