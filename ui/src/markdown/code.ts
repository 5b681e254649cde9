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

/** More empty lines than this, one below the other, are shown as one that says how many. */
export const EMPTY_LINES = 20;

/** Where a line stands in its code: from `start` to before `end`, its line break not counted. */
export interface Line {
  start: number;
  end: number;
  /** How many lines it stands for, where they are empty. */
  empty?: number;
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

/** The lines of a code with long runs of empty ones as one each: they would push what follows far away. */
export function foldedLines(code: string, lines: readonly Line[]): readonly Line[] {
  if (lines.length <= EMPTY_LINES) return lines;
  // Nearly all lines that hold something end with it, so that this is no look at all of the text.
  const isEmpty = ({ start, end }: Line) =>
    start === end || (code.charCodeAt(end - 1) <= 32 && code.slice(start, end).trim() === '');
  const folded: Line[] = [];
  for (let at = 0; at < lines.length;) {
    let end = at;
    for (let line = lines[end]; line && isEmpty(line); line = lines[end]) end += 1;
    const [first, last] = [lines[at], lines[end - 1]];
    if (first && last && end - at > EMPTY_LINES)
      folded.push({ start: first.start, end: last.end, empty: end - at });
    else folded.push(...lines.slice(at, Math.max(end, at + 1)));
    at = Math.max(end, at + 1);
  }
  return folded;
}

/** Groups of lines; one of long lines holds fewer, so that each is quick to draw. */
export function groupsOf(lines: readonly Line[]): LineGroup[] {
  const groups: LineGroup[] = [];
  let room = 0;
  let number = 1;
  for (const line of lines) {
    const needs = Math.max(1, (line.end - line.start) / 100);
    const group = groups.at(-1);
    if (group && needs <= room) group.lines.push(line);
    else {
      groups.push({ from: number, lines: [line] });
      room = GROUP_LINES;
    }
    room -= needs;
    number += line.empty ?? 1;
  }
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
