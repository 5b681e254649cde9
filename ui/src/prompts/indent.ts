// What Tab and Enter do to a text of indented lines. Pure.

/** What is to be put in the place of a part of the text, and what is selected then. */
export interface Edit {
  from: number;
  to: number;
  insert: string;
  start: number;
  end: number;
}

/** A step of indentation. */
export const STEP = '  ';

/** Indents or, if `out`, outdents the lines of a selection; without one, puts a step at the caret. */
export function indented(text: string, start: number, end: number, out: boolean): Edit | null {
  if (start === end && !out) {
    const line = start - (text.lastIndexOf('\n', start - 1) + 1);
    const insert = ' '.repeat(STEP.length - (line % STEP.length));
    return { from: start, to: end, insert, start: start + insert.length, end: start + insert.length };
  }
  const from = text.lastIndexOf('\n', start - 1) + 1;
  // A line of which nothing is selected stays.
  const last = end > start && text[end - 1] === '\n' ? end - 1 : end;
  const to = text.indexOf('\n', last) === -1 ? text.length : text.indexOf('\n', last);
  const lines = text.slice(from, to).split('\n');
  const changed = lines.map((line) => {
    if (!out) return line === '' ? line : STEP + line;
    return line.replace(new RegExp(`^ {1,${STEP.length}}|^\\t`), '');
  });
  const insert = changed.join('\n');
  if (insert === text.slice(from, to)) return null;
  const first = (changed[0]?.length ?? 0) - (lines[0]?.length ?? 0);
  const moved = insert.length - (to - from);
  return { from, to, insert, start: Math.max(from, start + first), end: Math.max(from, end + moved) };
}

/** A line break that keeps the line's indentation. */
export function broken(text: string, start: number, end: number): Edit {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(from, start))?.[0] ?? '';
  const insert = `\n${indent}`;
  return { from: start, to: end, insert, start: start + insert.length, end: start + insert.length };
}

/** Where a line and a column stand in a text, both from 1; the column in characters. */
export function placeOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let here = 1; here < line; here += 1) {
    const next = text.indexOf('\n', at);
    if (next === -1) return text.length;
    at = next + 1;
  }
  const end = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at);
  const before = [...text.slice(at, end)].slice(0, Math.max(0, column - 1)).join('');
  return at + before.length;
}

/** A line in three: what is before a mark, what is marked, and what comes after. */
export function marked(line: string, column: number | null): [string, string, string] {
  if (column === null) return ['', line, ''];
  const characters = [...line];
  const from = Math.min(Math.max(0, column - 1), Math.max(0, characters.length - 1));
  const before = characters.slice(0, from).join('');
  const rest = characters.slice(from).join('');
  const word = /^(?:[\p{L}\p{N}_-]+|[^\s\p{L}\p{N}]+|\s)/u.exec(rest)?.[0] ?? '';
  return [before, word, rest.slice(word.length)];
}
