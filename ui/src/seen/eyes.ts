// Whether a request may be approved before all of it was on the screen: not where `review.require_seen` is on.
import type { Decision } from '../generated/Decision';
import type { RequestSummary } from '../generated/RequestSummary';
import { t } from '../i18n/text.svelte';
import type { ReplyDraft } from '../reply/reply-draft.svelte';
import type { Review } from '../review/review.svelte';

function asksForEyes(review: Review, { approval }: RequestSummary): boolean {
  return approval && (review.snapshot?.settings.require_seen ?? false);
}

/** Whether the person has to have seen all of a request before they can approve it, and hasn't. */
export function awaitsEyes(review: Review, reply: ReplyDraft): boolean {
  return asksForEyes(review, reply.summary) && reply.open && !reply.seen;
}

/** Why this decision isn't sent yet; null where it may be. */
export function unseen(review: Review, reply: ReplyDraft, decision: Decision | null): string | null {
  return decision === 'approved' && awaitsEyes(review, reply) ? t('reply-unseen') : null;
}

/** Makes ready what says what wasn't seen yet; null where nobody has to have seen it. */
export function loadEyes(review: Review, summary: RequestSummary): Promise<unknown> | null {
  return asksForEyes(review, summary) ? import('./Unseen.svelte') : null;
}
