// What the window knows of reviews while their page doesn't stand: whether there are any, and which wait for the
// person. It is part of what the window begins with, so it is small.
import type { ReviewId } from '../generated/ReviewId';
import type { ReviewSummary } from '../generated/ReviewSummary';
import { kept } from '../state/kept.svelte';
import type { Main } from '../state/main.svelte';
import { ask, type Port } from '../state/port';

export class Known {
  /** Whether there is or was any review. */
  any = $state(false);
  /** Those whose turn is the person's. */
  waiting = $state.raw<readonly ReviewId[]>([]);

  #port: Port;
  #turn = 0;

  constructor(port: Port) {
    this.#port = port;
  }

  /** Looks it up. The page itself says what goes wrong. */
  async look(): Promise<void> {
    const turn = (this.#turn += 1);
    try {
      const first = await ask(this.#port, { command: 'reviews', status: null, cursor: null });
      if (first.reviews.length === 0 || turn !== this.#turn) return;
      this.any = true;
      const { reviews } = await ask(this.#port, {
        command: 'reviews',
        status: 'awaiting_person',
        cursor: null,
      });
      if (turn !== this.#turn) return;
      this.waiting = reviews.filter((each) => each.turn === 'person').map((each) => each.review_id);
    } catch {
      // What was known stays.
    }
  }

  changed(review: ReviewSummary): void {
    this.any = true;
    const others = this.waiting.filter((id) => id !== review.review_id);
    this.waiting = review.turn === 'person' ? [...others, review.review_id] : others;
  }
}

export const knownOf = kept((main: Main) => new Known(main.port));
