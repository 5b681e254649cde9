// A window that comes up by itself may come up under hands that type elsewhere: for a moment its keys mean nothing.
import type { Event } from '../generated/Event';

/** For how long no key may have gone down before keys mean something, in milliseconds. */
export const PAUSE = 500;
/** For how long they mean nothing at most, in milliseconds. */
export const LONGEST = 2_000;
/** How soon after a request has come a window comes up for it, in milliseconds. */
export const SOON = 5_000;

export class Settling {
  /** Whether keys mean nothing now. */
  on = $state(false);

  #now: () => number;
  /** When a request came that may bring the window up. */
  #called = -Infinity;
  #until = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** What the window has to know of an event: that somebody calls it up, or that the person does. */
  hear(event: Event): void {
    if (event.event === 'raise') this.end();
    else if (event.event === 'request_due') this.called();
    else if (event.event === 'request_added' && !event.again) this.called(event.request.urgent);
  }

  /** A request came. One that is urgent also brings up a window that can be seen. */
  called(urgent = false): void {
    if (document.hidden) {
      this.on = true;
      this.#endIn(SOON);
    } else if (!urgent || document.hasFocus()) return;
    this.#called = this.#now();
  }

  /** The window can be seen, or has the keys. */
  cameUp(): void {
    if (this.#now() - this.#called > SOON) return;
    this.#called = -Infinity;
    this.on = true;
    this.#until = this.#now() + LONGEST;
    this.#endIn(PAUSE);
  }

  /** A key goes down. Answers whether it means nothing. */
  ignores(): boolean {
    if (this.on && this.#until > 0) this.#endIn(Math.min(PAUSE, this.#until - this.#now()));
    return this.on;
  }

  /** The person is here: they asked for the window, or point at something in it. */
  end(): void {
    clearTimeout(this.#timer);
    this.on = false;
    this.#until = 0;
    this.#called = -Infinity;
  }

  #endIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), milliseconds);
  }
}
