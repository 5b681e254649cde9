// A row of a diff: its side, its text, its place, and the place of several of them. Pure.
import type { DiffFile } from '../generated/DiffFile';
import type { Hunk } from '../generated/Hunk';
import type { Row } from '../generated/Row';
import type { Side } from '../generated/Side';
import type { CommentPlace } from '../reply/reply-draft.svelte';

/** A removed line stands on the old side, every other on the new one. */
export function sideOf(row: Row): Side {
  return row.kind === 'removed' ? 'old' : 'new';
}

/** The row's number on a side; null where that side doesn't have it. */
export function lineOn(row: Row, side: Side): number | null {
  return side === 'old' ? row.old : row.new;
}

/** The row's text, whole. */
export function textOf(row: Row): string {
  const [first, ...others] = row.segments;
  if (!first) return '';
  return others.length === 0 ? first.text : row.segments.map((segment) => segment.text).join('');
}

/** The length of the row's text, in UTF-16 units. */
export function lengthOf(row: Row): number {
  let length = 0;
  for (const segment of row.segments) length += segment.text.length;
  return length;
}

/** The file's path as people know it: after the change, or before it where it is gone. */
export function pathOf(file: DiffFile): string {
  return file.new_path || file.old_path;
}

/** The file's path on that side, as comments name it. */
export function pathOn(file: DiffFile, side: Side): string {
  return (side === 'old' ? file.old_path : file.new_path) || file.new_path || file.old_path;
}

/** The place of a row on a side; null where it has no number there. */
export function placeOf(file: DiffFile, row: Row, side: Side = sideOf(row)): CommentPlace | null {
  const line = lineOn(row, side);
  return line === null ? null : { file: pathOn(file, side), line, side };
}

/** Some rows of one hunk, on one side; `from` and `to` in any order, both included. */
export interface Span {
  file: number;
  hunk: number;
  side: Side;
  from: number;
  to: number;
}

/** The place of some rows: from the first to the last of them that is on their side; null where none is. */
export function placeOfSpan(file: DiffFile, hunk: Hunk, span: Span): CommentPlace | null {
  let first: number | null = null;
  let last: number | null = null;
  const end = Math.min(Math.max(span.from, span.to), hunk.rows.length - 1);
  for (let at = Math.max(0, Math.min(span.from, span.to)); at <= end; at += 1) {
    const row = hunk.rows[at];
    const line = row ? lineOn(row, span.side) : null;
    first ??= line;
    last = line ?? last;
  }
  if (first === null || last === null) return null;
  const place: CommentPlace = { file: pathOn(file, span.side), line: Math.max(first, last), side: span.side };
  return first === last ? place : { ...place, start_line: Math.min(first, last) };
}

/** Whether a row of the hunk is among the span's, and on its side. */
export function inSpan(span: Span, hunk: number, at: number, row: Row): boolean {
  return (
    hunk === span.hunk &&
    at >= Math.min(span.from, span.to) &&
    at <= Math.max(span.from, span.to) &&
    lineOn(row, span.side) !== null
  );
}

/** The rows that a place names, found in the file's hunks; null where they aren't shown. */
export function spanOf(place: CommentPlace, index: number, hunks: readonly Hunk[]): Span | null {
  for (const [hunk, { rows }] of hunks.entries()) {
    const to = rows.findIndex((row) => lineOn(row, place.side) === place.line);
    if (to < 0) continue;
    const start = place.start_line ?? place.line;
    const from = rows.findIndex((row) => (lineOn(row, place.side) ?? -1) >= start);
    return { file: index, hunk, side: place.side, from: from < 0 ? to : Math.min(from, to), to };
  }
  return null;
}
