// The rules of a reply that can be told before the gate is asked. The gate checks all of them again
// (gate-core/src/reply.rs); here they only spare the person a round trip and say it gently.
import type { Decision } from '../generated/Decision';
import type { Draft } from '../generated/Draft';
import type { RequestId } from '../generated/RequestId';
import type { RequestSummary } from '../generated/RequestSummary';
import { t } from '../i18n/text.svelte';

/** gate-core/src/bounds.rs: bytes of one attachment. */
export const ATTACHMENT_BYTES = 10 * 1024 * 1024;
/** gate-core/src/bounds.rs: attachments of one reply. */
export const ATTACHMENTS = 20;

/** Why this can't be sent yet, in one sentence; null when it can. */
export function replyProblem(draft: Draft, decision: Decision | null, offersOptions: boolean): string | null {
  const says =
    draft.text.trim() !== '' ||
    draft.selected.length > 0 ||
    draft.comments.length > 0 ||
    (draft.remarks?.length ?? 0) > 0 ||
    draft.attachments.length > 0;
  if (decision !== null || says) return null;
  return t(offersOptions ? 'reply-nothing-or-option' : 'reply-nothing');
}

/** Whether two drafts say the same. */
export function sameDraft(a: Draft, b: Draft): boolean {
  const parts = ({ text, selected, comments, attachments, remarks }: Draft) =>
    JSON.stringify([
      text,
      selected,
      comments.map(({ file, line, side, body, start_line }) => [file, line, side, body, start_line ?? null]),
      attachments,
      (remarks ?? []).map(({ quote, body }) => [quote, body]),
    ]);
  return parts(a) === parts(b);
}

/** What stands in a window, as far as another request may take its place. */
interface Standing {
  id: RequestId;
  summary: RequestSummary;
  busy: string | null;
  closed: string | null;
}

/**
 * Whether what stands in a window that nobody sees, and at which nobody was, gives way to a request that was added. What
 * the window comes `up` with stays: it may be on the screen already. Only what is urgent goes first.
 */
export function givesWay(reply: Standing, up: unknown, added?: RequestSummary): boolean {
  if (reply.busy) return false;
  return reply.closed !== null || reply.id !== up || (added?.urgent === true && !reply.summary.urgent);
}
