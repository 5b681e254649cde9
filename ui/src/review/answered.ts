// What is said of a reply that was given elsewhere to a request that is open here.
import type { AnsweredFrom } from '../generated/AnsweredFrom';
import type { Decision } from '../generated/Decision';
import type { MessageView } from '../generated/MessageView';
import { leafText } from '../markdown/plain';
import { Sheet } from '../markdown/sheet';
import type { ReplyDraft } from '../reply/reply-draft.svelte';
import { replyProblem } from '../reply/rules';
import { ask, type Port } from '../state/port';

export interface Answered {
  decision: Decision | null;
  /** Which window or program it came from, as this window's person calls it. */
  where: 'main' | 'review' | 'app' | Exclude<AnsweredFrom, 'desktop'> | 'elsewhere';
  /** Whether something was written here that didn't go along. */
  unsent: boolean;
}

/** Looks in the record for what is known of the reply. What can't be learned isn't said. */
export async function learn(port: Port, reply: ReplyDraft, inInbox: boolean): Promise<void> {
  const said = await replyTo(port, reply).catch(() => undefined);
  reply.answered = {
    decision: said?.decision ?? null,
    where: whereOf(port, said, inInbox),
    unsent: replyProblem(reply.draft(), null, false) === null && !(said && isSame(reply, said)),
  };
}

async function replyTo(port: Port, { id, summary }: ReplyDraft): Promise<MessageView | undefined> {
  const command = { command: 'conversation' as const, session_uuid: summary.session_uuid, cursor: null };
  const { messages } = (await ask(port, command)).conversation;
  return messages.findLast((each) => each.role === 'person' && !each.note && each.request_id === id);
}

function whereOf(port: Port, said: MessageView | undefined, inInbox: boolean): Answered['where'] {
  const from = said?.answered_from ?? 'elsewhere';
  if (from !== 'desktop') return from;
  if (port.inBrowser) return 'app';
  return inInbox ? 'review' : 'main';
}

/** Whether the reply is what was written here: the draft may have been sent by another window. */
function isSame(reply: ReplyDraft, said: MessageView): boolean {
  const draft = reply.draft();
  const text = new Sheet(said.text).leaves.map(leafText).join('');
  // Marks of Markdown aren't in what the page shows of it.
  const letters = (of: string) => of.replaceAll(/[^\p{L}\p{N}]/gu, '');
  return (
    letters(draft.text) === letters(text) &&
    [...draft.selected].sort().join('\n') === [...said.selected].sort().join('\n') &&
    draft.comments.length === said.comments.length &&
    (draft.remarks?.length ?? 0) === said.remarks.length &&
    draft.attachments.length === said.attachments.length
  );
}
