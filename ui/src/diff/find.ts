// Finding text in a diff, of which the page holds only the rows near the window. Pure.
import { HITS, QUERY_CHARS } from '../find/search';
import type { DiffFile } from '../generated/DiffFile';
import type { Row } from '../generated/Row';
import { LINE_MOST } from './measure';
import { textOf } from './rows';

export interface Hit {
  file: number;
  hunk: number;
  row: number;
  /** Where it begins in the row's text, in UTF-16 units. */
  start: number;
}

/** What to look for, letters in upper or lower case alike; null for nothing. */
export function pattern(query: string): RegExp | null {
  const wanted = query.slice(0, QUERY_CHARS);
  return wanted === '' ? null : new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
}

/** Where it stands in a text: begins and ends. */
export function* hitsIn(text: string, wanted: RegExp): Generator<[start: number, end: number]> {
  for (const found of text.slice(0, LINE_MOST).matchAll(wanted))
    yield [found.index, found.index + found[0].length];
}

/** All hits, file by file; yields between two hunks, or after some rows of a long one, so that a caller can pause. */
export function* search(files: readonly DiffFile[], wanted: RegExp): Generator<Hit[]> {
  let found: Hit[] = [];
  let count = 0;
  let rows = 0;
  for (const [file, { hunks }] of files.entries())
    for (const [hunk, each] of hunks.entries())
      for (const [row, line] of each.rows.entries()) {
        for (const [start] of hitsIn(textOf(line), wanted)) {
          found.push({ file, hunk, row, start });
          count += 1;
          if (count >= HITS) return yield found;
        }
        rows += 1;
        if (rows % 500 === 0) {
          yield found;
          found = [];
        }
      }
  return yield found;
}

/** A stretch of a row's text, all of it changed or not, and in a hit or not. */
export interface Stretch {
  text: string;
  changed: boolean;
  /** Where the hit that it belongs to begins; null outside of hits. */
  hit: number | null;
}

/** The row's first `limit` characters, cut where a changed word or a hit begins or ends. */
export function stretchesOf(row: Row, limit: number, wanted: RegExp | null): Stretch[] {
  const hits = wanted ? [...hitsIn(textOf(row), wanted)] : [];
  const stretches: Stretch[] = [];
  let at = 0;
  let next = 0;
  for (const { text, changed } of row.segments) {
    const end = Math.min(limit, at + text.length);
    const begin = at;
    while (at < end) {
      while (next < hits.length && (hits[next]?.[1] ?? 0) <= at) next += 1;
      const hit = hits[next];
      const within = hit !== undefined && hit[0] <= at;
      const until = Math.min(end, hit === undefined ? end : within ? hit[1] : hit[0]);
      stretches.push({
        text: text.slice(at - begin, until - begin),
        changed,
        hit: within && hit ? hit[0] : null,
      });
      at = until;
    }
    if (at >= limit) break;
  }
  return stretches;
}

/** The first hit at or after a place in the diff, `step` 1, or the last one before it, −1; goes round. */
export function hitFrom(
  hits: readonly Hit[],
  from: { file: number; hunk: number; row: number },
  step: 1 | -1,
): number {
  if (hits.length === 0) return -1;
  const before = (hit: Hit) => hit.file - from.file || hit.hunk - from.hunk || hit.row - from.row;
  const next = hits.findIndex((hit) => before(hit) >= 0);
  if (step === 1) return next < 0 ? 0 : next;
  return next <= 0 ? hits.length - 1 : next - 1;
}
