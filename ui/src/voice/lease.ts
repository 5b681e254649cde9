// Tells the gate that a reply box has the person's attention, for as long as it does. What the gate does with
// that, e.g. open the microphone, is its own and the settings' affair.
import { ask, type Port } from '../state/port';

/** How often it is said again, in milliseconds: the gate forgets it after 15 seconds. */
export const RENEW = 5_000;
/** How long attention has to stay, or to stay away, before that is said, in milliseconds. */
export const REST = 150;

/** A mark that no other page has. Pages over plain HTTP have no better source of one. */
function markOf(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36)).join('');
}

export class Lease {
  readonly by = markOf();
  #port: Port;
  #wanted = false;
  #held = false;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #renewing: ReturnType<typeof setInterval> | undefined;

  constructor(port: Port) {
    this.#port = port;
  }

  /** Whether it is wanted now. */
  want(wanted: boolean): void {
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    clearTimeout(this.#resting);
    if (wanted !== this.#held) this.#resting = setTimeout(() => this.#settle(), REST);
  }

  #settle(): void {
    this.#held = this.#wanted;
    clearInterval(this.#renewing);
    if (this.#held) this.#renewing = setInterval(() => this.#say('arm_voice'), RENEW);
    this.#say(this.#held ? 'arm_voice' : 'disarm_voice');
  }

  /** Why it may fail is said in the gate's own events. */
  #say(command: 'arm_voice' | 'disarm_voice'): void {
    ask(this.#port, { command, by: this.by }).catch(() => undefined);
  }
}
