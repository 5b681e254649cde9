// Whether the person is here and may be disturbed, and changing it. The gate decides what follows from it.
import type { Presence as Told } from '../generated/Presence';
import { ask, type Port } from '../state/port';
import { nextMorning } from '../state/snooze';

const HOUR = 3_600_000;
const HERE: Told = {
  away: false,
  away_since: null,
  quiet: false,
  quiet_until: null,
  do_not_disturb: false,
};

/** For how long the person isn't to be disturbed. */
export type Quiet = 'hour' | 'morning' | 'open';

/** When that is over; null for when the person says so. */
export function quietUntil(choice: Quiet, now: number): string | null {
  if (choice === 'open') return null;
  return (choice === 'hour' ? new Date(now + HOUR) : nextMorning(now)).toISOString();
}

export class Presence {
  told = $state.raw<Told>(HERE);
  #port: Port;
  #failed: (thrown: unknown) => void;

  /** `failed` hears why a change couldn't be made. */
  constructor(port: Port, failed: (thrown: unknown) => void) {
    this.#port = port;
    this.#failed = failed;
  }

  /** Takes what the gate says; a gate without a word on it means that the person is here. */
  know(told: Told | undefined): void {
    this.told = told ?? HERE;
  }

  async setAway(away: boolean): Promise<void> {
    await this.#change(() => ask(this.#port, { command: 'set_away', away }), { away });
  }

  /** Begins do-not-disturb, until then or until it is ended. */
  async beQuiet(until: string | null): Promise<void> {
    await this.#change(() => ask(this.#port, { command: 'set_do_not_disturb', on: true, until }), {
      do_not_disturb: true,
      quiet: true,
      quiet_until: until,
    });
  }

  async endQuiet(): Promise<void> {
    await this.#change(() => ask(this.#port, { command: 'set_do_not_disturb', on: false, until: null }), {
      do_not_disturb: false,
      quiet: false,
      quiet_until: null,
    });
  }

  /** The switch moves at once; it moves back where the gate refuses. */
  async #change(act: () => Promise<unknown>, next: Partial<Told>): Promise<void> {
    const before = this.told;
    const meant = { ...before, ...next };
    if (next.away) meant.away_since = new Date().toISOString();
    this.told = meant;
    try {
      await act();
    } catch (thrown) {
      if (this.told === meant) this.told = before;
      this.#failed(thrown);
    }
  }
}
