// What the end of a take may tell the window to do, where the person has switched that on. Pure: nothing is
// done here, and whatever would send is asked about first.

/** What can be said as a command. */
export type Spoken = 'send' | 'approve' | 'new_line';

const WORDS: Record<string, Spoken> = {
  send: 'send',
  'send it': 'send',
  发送: 'send',
  approve: 'approve',
  'approve it': 'approve',
  批准: 'approve',
  'new line': 'new_line',
  newline: 'new_line',
  换行: 'new_line',
};

/** What ends a sentence, and what may stand behind the last one. */
const ENDS = '.!?…。！？；;\n';
const TRAILS = `${ENDS},，、 \t\r`;

/**
 * The text without the command that it ends with, and the command. One is only a whole sentence at the end:
 * “please send” and “approve the second one” are text. What isn't in `allowed` is text, too.
 */
export function commandOf(
  text: string,
  allowed: readonly Spoken[],
): { text: string; command: Spoken | null } {
  let end = text.length;
  while (end > 0 && TRAILS.includes(text.charAt(end - 1))) end -= 1;
  let start = end;
  while (start > 0 && !ENDS.includes(text.charAt(start - 1))) start -= 1;
  const sentence = text.slice(start, end).trim().toLowerCase().replace(/\s+/g, ' ');
  const command = Object.hasOwn(WORDS, sentence) ? (WORDS[sentence] ?? null) : null;
  if (command === null || !allowed.includes(command)) return { text, command: null };
  return { text: text.slice(0, start).trimEnd(), command };
}
