// The touches that the gate asks this page for, of approvals that are just being sent here: the browser is asked at once,
// in the same step, and stops when nobody waits for it any longer.
import type { RequestId } from '../generated/RequestId';
import type { ReplyDraft } from '../reply/reply-draft.svelte';
import type { Review } from '../review/review.svelte';
import { ask } from '../state/port';
import { touched, wordOf, type Wanted } from './page-key';

export class Touches {
  #review: Review;
  /** What was touched for here: another receipt may have come first, and it is asked for once more. */
  #replies = new Map<RequestId, ReplyDraft>();
  #asking = new Map<RequestId, AbortController>();

  constructor(review: Review) {
    this.#review = review;
  }

  /** Asks the browser, if it is this page that sends the approval: other tabs and browsers hear of it as well. */
  async wanted(wanted: Wanted): Promise<void> {
    const { request_id } = wanted;
    const shown = this.#review.reply;
    const reply = shown?.id === request_id ? shown : this.#replies.get(request_id);
    if (reply?.busy !== 'sending' || !reply.approving) return;
    this.#replies.set(request_id, reply);
    const asking = new AbortController();
    this.#asking.set(request_id, asking);
    const { port } = this.#review;
    try {
      const touch = await touched(wanted, asking.signal);
      await ask(port, { command: 'give_touch', request_id, ...touch });
    } catch (thrown) {
      // The approval itself says what came of it, where it was sent.
      if (!asking.signal.aborted)
        await ask(port, { command: 'no_touch', request_id, error: wordOf(thrown) }).catch(() => undefined);
    }
  }

  /** Nobody waits any longer. */
  over(request: RequestId): void {
    this.#asking.get(request)?.abort();
    this.#asking.delete(request);
  }
}
