// Saves one request's draft: after a pause, one save at a time, newest last, again after a failure.
// Knows nothing of what a draft means.
import type { Code } from '../generated/Code';
import type { Draft } from '../generated/Draft';
import type { Fault } from '../generated/Fault';
import { toFault } from '../state/port';

export type SaveState = 'idle' | 'saving' | 'saved' | 'failed';

/** Milliseconds between the last key and the save. */
export const PAUSE = 300;
const RETRIES = [1_000, 2_000, 5_000, 10_000];
/** Trying the same draft again can't help with these. */
const FINAL: readonly Code[] = ['not_pending', 'unknown_request', 'too_large', 'too_many', 'invalid_input'];

export class DraftLane {
  #save: (draft: Draft) => Promise<void>;
  #report: (state: SaveState, fault: Fault | null) => void;
  #newest: Draft | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | null = null;
  #failures = 0;

  constructor(
    save: (draft: Draft) => Promise<void>,
    report: (state: SaveState, fault: Fault | null) => void,
  ) {
    this.#save = save;
    this.#report = report;
  }

  /** Whether something isn't stored yet. */
  get unsaved(): boolean {
    return this.#newest !== null || this.#running !== null;
  }

  /** Takes the draft as it is now; saves it after the pause. */
  note(draft: Draft): void {
    this.#newest = draft;
    this.#report('saving', null);
    this.#schedule(PAUSE);
  }

  /** Saves what is unsaved without waiting for the pause. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#run();
  }

  /** Forgets what waits and waits for what runs, so that no save overtakes a reply. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#newest = null;
    await this.#running;
    clearTimeout(this.#timer);
    this.#newest = null;
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), milliseconds);
  }

  #run(): Promise<void> {
    // Nothing to save isn't something that is being saved.
    if (this.#newest === null && !this.#running) return Promise.resolve();
    this.#running ??= this.#drain().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#newest !== null) {
      const draft = this.#newest;
      this.#newest = null;
      try {
        await this.#save(draft);
        this.#failures = 0;
        if (this.#newest === null) this.#report('saved', null);
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
