// The page's line to its gate where it is shown in a browser: whether it stands, and bringing it back.
// Knows neither what a command means nor what happens.
import type { Event } from '../generated/Event';
import type { Stream } from './stream';

/** How long the first tries wait after one another, in milliseconds; the last one goes on. */
export const PAUSES = [250, 500, 1_000, 2_000, 5_000];

/**
 * `opening` until the line first stands; `open` while it does; `gone` while the gate doesn't answer;
 * `replaced` when newer pages of this browser took all the places; `signed_out` when a new link is needed.
 */
export type Line = 'opening' | 'open' | 'gone' | 'replaced' | 'signed_out';

/**
 * Why a new link is needed: the browser was never signed in (`none`), was by a version that gave it a cookie (`before`),
 * or isn't any more (`out`); its link was `used`, is `expired` or `unknown`; or the address is one at which no browser
 * has keys (`insecure`).
 */
export const REASONS = ['none', 'before', 'out', 'used', 'expired', 'unknown', 'insecure'] as const;
export type Reason = (typeof REASONS)[number];

/** Whether a failure is that of a part of the page that could not be loaded, in any browser's words. */
export function isLoadFailure(reason: unknown): boolean {
  return (
    reason instanceof Error && /dynamically imported module|module script|preload CSS/i.test(reason.message)
  );
}

/** Where the gate is: behind the page's own origin, and in tests a fake. */
export interface Wire {
  fetch: (path: string, init?: RequestInit) => Promise<Response>;
  listen: (path: string) => Stream;
}

export class Connection {
  line = $state<Line>('opening');
  /** Why, while the line is `signed_out`. */
  reason = $state<Reason>('out');
  /** The gate runs in another version than the one that this page came from. */
  outdated = $state(false);
  /** A part of the page that is loaded when it is needed couldn't be; a browser doesn't try it again. */
  incomplete = $state(false);

  #wire: Wire;
  #callbacks = new Set<(event: Event) => void>();
  #source: Stream | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #missed = false;
  #version: string | null = null;
  #begun: Promise<void> | null = null;
  #settle: () => void = () => undefined;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Calls back for each event. Resolves when the line stands, or when it is known that it doesn't yet. */
  async listen(callback: (event: Event) => void): Promise<() => void> {
    this.#callbacks.add(callback);
    this.#begun ??= new Promise<void>((settle) => {
      this.#settle = settle;
      void this.#look();
    });
    await this.#begun;
    return () => this.#callbacks.delete(callback);
  }

  /** Tries now: the person asked for it, came back to the page, or the machine is back in the net. */
  retry(): void {
    if (this.line === 'open' || this.#begun === null) return;
    this.#tries = 0;
    void this.#look();
  }

  /** A command found out that this browser isn't signed in any more. */
  signedOut(why: unknown): void {
    this.#stop();
    this.reason = REASONS.find((known) => known === why) ?? 'out';
    this.#missed = true;
    this.line = 'signed_out';
    this.#settle();
  }

  /** A command didn't reach the gate. */
  unreached(): void {
    if (this.line === 'open') this.#lost();
  }

  /** Asks whether the gate is there and lets this browser in, and listens if it does. */
  async #look(): Promise<void> {
    this.#stop();
    try {
      const response = await this.#wire.fetch('/ui/here');
      const { version, why } = (await response.json()) as { version?: string; why?: string };
      if (response.status === 401) return this.signedOut(why);
      if (!response.ok) throw new Error(`the gate answers ${response.status}`);
      this.#version ??= version ?? null;
      this.outdated = version !== undefined && this.#version !== version;
    } catch {
      return this.#lost();
    }
    if (this.#source) return undefined;
    const source = this.#wire.listen('/ui/events');
    this.#source = source;
    source.onopen = () => this.#stands(source);
    source.onmessage = (message) => this.#tell(JSON.parse(String(message.data)) as Event);
    source.addEventListener('replaced', () => {
      this.#stop();
      this.#missed = true;
      this.line = 'replaced';
    });
    source.onerror = () => {
      if (this.#source === source) this.#lost();
    };
    return undefined;
  }

  #stands(source: Stream): void {
    if (this.#source !== source) return;
    const missed = this.#missed;
    this.#tries = 0;
    this.#missed = false;
    this.line = 'open';
    this.#settle();
    if (missed) this.#tell({ event: 'resync' });
  }

  /** The line broke, or could not be had: what happens meanwhile is missed. */
  #lost(): void {
    this.#stop();
    this.line = 'gone';
    this.#missed = true;
    this.#settle();
    const pause = PAUSES[Math.min(this.#tries, PAUSES.length - 1)] ?? 0;
    this.#tries += 1;
    this.#timer = setTimeout(() => void this.#look(), pause);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  #tell(event: Event): void {
    for (const callback of this.#callbacks) callback(event);
  }
}
