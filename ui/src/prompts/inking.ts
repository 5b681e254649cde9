// The colours of a prompt's source: its fields as YAML or JSON, its text as Markdown, and what stands in braces in
// whichever of them. Knows no elements.
import type { PromptFormat } from '../generated/PromptFormat';
import type { Marked } from '../markdown/highlight/marked';

/** A longer source, in characters, stays plain. */
export const INK_CHARS = 20_000;

/** Colours a code in a language; null where that can't be done. */
export type Colour = (language: string, code: string) => Promise<Marked | null>;

/** The highlighter, loaded when the first source is to be coloured. */
const highlighter: Colour = async (language, code) => {
  const { highlighted } = await import('../markdown/highlight/highlight');
  return highlighted(language, code);
};

/** The colours of a source; null where it stays plain. */
export async function inked(
  format: PromptFormat,
  text: string,
  colour: Colour = highlighter,
): Promise<Marked | null> {
  if (text === '' || text.length > INK_CHARS) return null;
  const head = format === 'markdown' ? frontOf(text) : text;
  const body = text.slice(head.length);
  const [fields, words] = await Promise.all([
    head === '' ? null : colour(format === 'markdown' ? 'yaml' : format, head),
    body === '' ? null : colour('markdown', body),
  ]);
  if (!fields && !words) return null;
  const kinds = [...kindsOf(fields, head.length), ...kindsOf(words, body.length)];
  for (const { index, 0: braces } of text.matchAll(/\{\{[^{}]*(?:\{[^{}]*\})?\}\}+/g))
    kinds.fill(braces.startsWith('{{!') ? 'comment' : 'tag', index, index + braces.length);
  return runsOfKinds(kinds);
}

/** The colours of a text that has become another one: what is new in it looks like what stands before it. */
export function carried(marked: Marked, before: string, after: string): Marked {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before[same] === after[same]) same += 1;
  let tail = 0;
  while (tail < most - same && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const kinds = kindsOf(marked, before.length);
  const typed = new Array<string>(after.length - same - tail).fill(kinds[same - 1] ?? '');
  return runsOfKinds([...kinds.slice(0, same), ...typed, ...kinds.slice(before.length - tail)]);
}

/** The front matter of a Markdown file with both its lines of dashes; empty for none. */
function frontOf(text: string): string {
  return /^---[ \t]*\r?\n(?:[^\n]*\n)*?---[ \t]*(?:\r?\n|$)/.exec(text)?.[0] ?? '';
}

/** The kind of each character. */
function kindsOf(marked: Marked | null, length: number): string[] {
  const kinds = new Array<string>(length).fill('');
  let at = 0;
  marked?.ends.forEach((end, run) => {
    kinds.fill(marked.kinds[run] ?? '', at, end);
    at = end;
  });
  return kinds;
}

function runsOfKinds(kinds: readonly string[]): Marked {
  const marked: Marked = { ends: [], kinds: [] };
  kinds.forEach((kind, at) => {
    if (marked.kinds.length === 0 || marked.kinds.at(-1) !== kind) {
      marked.kinds.push(kind);
      marked.ends.push(at + 1);
    } else marked.ends[marked.ends.length - 1] = at + 1;
  });
  return marked;
}
