// Short notes about what was just done, each with a way to take it back. They go by themselves, but
// not while the person points at one.

import type { Fault } from '../generated/Fault';

/** How long a note stands, in milliseconds. */
export const NOTE = 5_000;
/** How long one about a failure stands: it is unexpected and has more to read. */
export const FAILURE = 15_000;
/** More than these at once hide the page. */
const MOST = 3;

export interface Toast {
  readonly key: number;
  readonly text: string;
  readonly tone: 'plain' | 'danger';
  readonly action: { label: string; act: () => void } | null;
  /** A text that its copy button copies. */
  readonly copy: string | null;
  readonly milliseconds: number;
  /** Called when it goes without having been acted on. */
  readonly gone: (() => void) | null;
}

type Options = Partial<Omit<Toast, 'key' | 'text'>>;

export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  #timers = new Map<number, ReturnType<typeof setTimeout>>();
  #count = 0;

  /** Shows a note. Answers how to take it away. */
  show(text: string, options: Options = {}): () => void {
    this.#count += 1;
    const toast: Toast = {
      tone: 'plain',
      action: null,
      copy: null,
      milliseconds: NOTE,
      gone: null,
      ...options,
      key: this.#count,
      text,
    };
    for (const old of this.list.slice(0, Math.max(0, this.list.length + 1 - MOST))) this.dismiss(old.key);
    this.list = [...this.list, toast];
    this.#start(toast);
    return () => this.dismiss(toast.key);
  }

  /** Says that something failed where its own place may not be seen. */
  failed(what: string, fault: Fault): void {
    this.show(`${what}: ${fault.message} ${fault.mend}`.trim(), { tone: 'danger', milliseconds: FAILURE });
  }

  dismiss(key: number): void {
    const toast = this.list.find((each) => each.key === key);
    this.#take(key);
    toast?.gone?.();
  }

  /** Does what the note offers, once. */
  act(toast: Toast): void {
    if (!this.list.includes(toast)) return;
    this.#take(toast.key);
    toast.action?.act();
  }

  /** Keeps the notes while the person is with them. */
  hold(): void {
    for (const toast of this.list) this.#stop(toast.key);
  }

  /** Lets them go again, each after its whole time. */
  release(): void {
    for (const toast of this.list) this.#start(toast);
  }

  #take(key: number): void {
    this.#stop(key);
    this.list = this.list.filter((toast) => toast.key !== key);
  }

  #start(toast: Toast): void {
    this.#stop(toast.key);
    this.#timers.set(
      toast.key,
      setTimeout(() => this.dismiss(toast.key), toast.milliseconds),
    );
  }

  #stop(key: number): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
  }
}
