// Which conversation of a list is being read. The one before stays on the page until the next has
// something to show, so that moving through a list doesn't flicker.
import type { SessionUuid } from '../generated/SessionUuid';
import { Conversation } from './conversation.svelte';
import type { Port } from '../state/port';
import type { Toasts } from '../state/toasts.svelte';

/** How long the one before may stay, in milliseconds. */
export const PATIENCE = 150;
/** How long the person must rest on one while moving through a list, in milliseconds. */
export const REST = 90;

export class Reading {
  conversation = $state.raw<Conversation | null>(null);
  /** Whether the person has gone into the conversation; where there is room for one column only, it is this one. */
  inside = $state(false);

  #port: Port;
  #toasts: Toasts;
  #wanted: SessionUuid | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(port: Port, toasts: Toasts) {
    this.#port = port;
    this.#toasts = toasts;
  }

  /** Shows a conversation, or none; after a rest where the person is only passing. */
  show(id: SessionUuid | null, passing = false): void {
    if (id === this.#wanted) return;
    this.#wanted = id;
    clearTimeout(this.#timer);
    if (id === null) {
      this.inside = false;
      this.#place(null);
    } else if (passing) this.#timer = setTimeout(() => void this.#open(id), REST);
    else void this.#open(id);
  }

  async #open(id: SessionUuid): Promise<void> {
    const next = new Conversation(this.#port, this.#toasts, id);
    const patience = setTimeout(() => this.#wanted === id && this.#place(next), PATIENCE);
    await next.load();
    clearTimeout(patience);
    if (this.#wanted === id) this.#place(next);
    else if (this.conversation !== next) next.leave();
  }

  #place(next: Conversation | null): void {
    if (next === this.conversation) return;
    this.conversation?.leave();
    this.conversation = next;
  }
}
