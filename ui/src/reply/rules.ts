// The rules of a reply that can be told before the gate is asked. The gate checks all of them again
// (gate-core/src/reply.rs); here they only spare the person a round trip and say it gently.
import type { Decision } from '../generated/Decision';
import type { Draft } from '../generated/Draft';
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
