// Puts words of the agent into the reply.
import { insertInto } from '../reply/caret';
import type { ReplyDraft } from '../reply/reply-draft.svelte';
import { quoted } from './quote';

/** Quotes the text where the cursor of the reply box is, and leaves the cursor behind it. */
export function quoteInReply(reply: ReplyDraft, text: string): void {
  const box = document.getElementById('reply-text');
  if (!reply.open || text.trim() === '' || !(box instanceof HTMLTextAreaElement)) return;
  const before = box.value.slice(0, box.selectionStart);
  // A quotation begins on a line of its own.
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  insertInto(box, box.selectionStart, box.selectionEnd, gap + quoted(text));
}
