// Where a comment that was written on one round belongs on another one: at the same lines, by their text. Pure.
import type { DiffFile } from '../generated/DiffFile';
import type { Side } from '../generated/Side';
import { lineOn, pathOn, textOf } from '../diff/rows';
import type { CommentPlace } from '../reply/reply-draft.svelte';

/** A line of a file on one side, as the diff has it. */
interface Line {
  number: number;
  text: string;
}

export type Carried =
  /** The very lines are there. */
  | { kind: 'lines'; place: CommentPlace }
  /** The file is there, and the lines aren't: the comment stands at the file, and quotes them. */
  | { kind: 'file'; place: CommentPlace; quoted: string }
  /** Not even the file is: nothing of it can be commented on. */
  | { kind: 'gone'; quoted: string };

const fileOf = (files: readonly DiffFile[], path: string, side: Side) =>
  files.find((file) => pathOn(file, side) === path);

function linesOf(file: DiffFile | undefined, side: Side): Line[] {
  return (file?.hunks ?? []).flatMap(({ rows }) =>
    rows.flatMap((row) => {
      const number = lineOn(row, side);
      return number === null ? [] : [{ number, text: textOf(row) }];
    }),
  );
}

/** The lines as Markdown quotes them. */
function quoteOf(lines: readonly Line[]): string {
  const longest = Math.max(2, ...lines.map(({ text }) => /`+/.exec(text)?.[0].length ?? 0));
  const fence = '`'.repeat(longest + 1);
  return lines.length === 0 ? '' : [fence, ...lines.map(({ text }) => text), fence].join('\n');
}

/** The place of a comment in the diff of another round. */
export function carried(place: CommentPlace, from: readonly DiffFile[], to: readonly DiffFile[]): Carried {
  const { file: path, side, line: last } = place;
  const first = place.start_line ?? last;
  const about = linesOf(fileOf(from, path, side), side).filter(
    ({ number }) => number >= first && number <= last,
  );
  const there = fileOf(to, path, side);
  if (!there) return { kind: 'gone', quoted: quoteOf(about) };
  if (last === 0) return { kind: 'file', place, quoted: '' };
  const lines = linesOf(there, side);
  const begins = lines.flatMap((_, at) =>
    about.length > 0 && about.every(({ text }, step) => lines[at + step]?.text === text) ? [at] : [],
  );
  // Of several that read alike, the one that is nearest to where it was.
  const [at] = begins.sort(
    (one, other) =>
      Math.abs((lines[one]?.number ?? 0) - first) - Math.abs((lines[other]?.number ?? 0) - first),
  );
  const [start, end] = at === undefined ? [] : [lines[at], lines[at + about.length - 1]];
  if (!start || !end) return { kind: 'file', place: { file: path, line: 0, side }, quoted: quoteOf(about) };
  const lone = start.number === end.number;
  return {
    kind: 'lines',
    place: { file: path, line: end.number, ...(lone ? {} : { start_line: start.number }), side },
  };
}

/** What was typed, without what was sent of it meanwhile. What was changed within stays whole. */
export function restOf(typed: string, sent: string): string {
  return typed.startsWith(sent.trimEnd()) ? typed.slice(sent.trimEnd().length).trimStart() : typed;
}
