// Code in lines, and lines in groups of which those near the visible part are drawn. Pure.
import type { Marked } from './highlight/marked';

/** A code block with more lines than this is folded. */
export const FOLD_OVER = 60;
/** What a folded one shows. */
export const FOLDED_LINES = 40;
/** Lines that are drawn together. */
const GROUP_LINES = 60;
/** A longer line is shown without colours, wrapped, in pieces. */
export const LINE_CHARS = 2000;

/** Where a line stands in its code: from `start` to before `end`, its line break not counted. */
export interface Line {
  start: number;
  end: number;
}

/** Lines that are drawn together; `from` is the number of the first, counted from 1. */
export interface LineGroup {
  from: number;
  lines: Line[];
}

/** The lines of a code. */
export function linesOf(code: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; ;) {
    const found = code.indexOf('\n', start);
    const end = found === -1 ? code.length : found;
    lines.push({ start, end });
    if (found === -1) return lines;
    start = found + 1;
  }
}

/** Groups of lines; one of long lines holds fewer, so that each is quick to draw. */
export function groupsOf(lines: readonly Line[]): LineGroup[] {
  const groups: LineGroup[] = [];
  let room = 0;
  lines.forEach((line, index) => {
    const needs = Math.max(1, (line.end - line.start) / 100);
    const group = groups.at(-1);
    if (group && needs <= room) group.lines.push(line);
    else {
      groups.push({ from: index + 1, lines: [line] });
      room = GROUP_LINES;
    }
    room -= needs;
  });
  return groups;
}

/** A run of a line's text, and the kind of thing that it is; empty for nothing in particular. */
export interface Run {
  kind: string;
  text: string;
}

/** The runs of a part of the code. */
export function runsOf(code: string, marked: Marked, line: Line): Run[] {
  const runs: Run[] = [];
  let low = 0;
  let high = marked.ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marked.ends[middle] ?? 0) <= line.start) low = middle + 1;
    else high = middle;
  }
  for (let at = line.start; at < line.end; low += 1) {
    const end = Math.min(line.end, marked.ends[low] ?? line.end);
    runs.push({ kind: marked.kinds[low] ?? '', text: code.slice(at, end) });
    at = end;
  }
  return runs;
}
