// What the body of a file is made of, from top to bottom: headers of hunks, lines (one row, or the two
// that face each other), folded runs of rows, comments. Pure.
import type { Hunk } from '../generated/Hunk';
import type { Row } from '../generated/Row';

/** Rows without a change that stay around a change when a long run of them is folded. */
export const AROUND = 8;
/** Rows that stay around what is fresh when only that is shown. */
export const AROUND_FRESH = 3;
/** A shorter run isn't worth folding. */
export const FOLDED = 12;

/** More empty rows than this, one below the other, are folded: they would push what follows far away. */
export const EMPTY = 20;

/** Why rows are folded: nothing changed in them, or nothing since the person last answered, or nothing stands in them. */
export type Why = 'context' | 'seen' | 'empty';

/** Every part has a key that is its own within the file and stays when other parts come and go. */
export type Part =
  | { kind: 'hunk'; key: number; hunk: number }
  /** Indexes of rows in the hunk, −1 for none; both the same where one row fills the line. */
  | { kind: 'line'; key: number; hunk: number; left: number; right: number }
  /** `end` is the first row after it. `open`: its rows follow, and it offers to fold them again. */
  | { kind: 'fold'; key: number; hunk: number; start: number; end: number; why: Why; open: boolean }
  | { kind: 'comment'; key: number; comment: number };

export interface Shape {
  split: boolean;
  /** Only what is fresh, with little around it. */
  freshOnly: boolean;
  /** The first row (counted through the file) of each fold that is open. */
  opened: ReadonlySet<number>;
  /** Keys of the comments below a row; none for most. */
  commentsBelow: (row: Row) => readonly number[];
}

/** The key of a comment's part. Lines have keys from 0, hunks and folds share the negative ones. */
const commentKey = (comment: number) => -3 * comment - 1;
const hunkKey = (hunk: number) => -3 * hunk - 2;
const foldKey = (first: number) => -3 * first - 3;

/** A run of rows: shown, or folded. `end` isn't among them. */
interface Run {
  start: number;
  end: number;
  folded: boolean;
  empty?: boolean;
}

/** Cuts rows into runs that are shown and runs of at least `least` rows that aren't kept. */
export function runsOf(count: number, kept: (at: number) => boolean, least: number): Run[] {
  const runs: Run[] = [];
  const push = (start: number, end: number, folded: boolean) => {
    const last = runs.at(-1);
    if (last && !last.folded && !folded) last.end = end;
    else if (end > start) runs.push({ start, end, folded });
  };
  let start = 0;
  while (start < count) {
    const keep = kept(start);
    let end = start + 1;
    while (end < count && kept(end) === keep) end += 1;
    push(start, end, !keep && end - start >= least);
    start = end;
  }
  return runs;
}

/** Which rows are at most `around` rows away from one that `matters`. */
function near(rows: readonly Row[], around: number, matters: (row: Row) => boolean): Uint8Array {
  const marks = new Uint8Array(rows.length);
  let until = -1;
  for (const [at, row] of rows.entries()) {
    if (matters(row)) {
      marks.fill(1, Math.max(0, at - around), at);
      until = at + around;
    }
    if (at <= until) marks[at] = 1;
  }
  return marks;
}

/** Rows side by side: each removed line faces the added one that took its place. −1 faces nothing. */
export function pairsOf(rows: readonly Row[], start: number, end: number): [left: number, right: number][] {
  const pairs: [number, number][] = [];
  const run = (from: number, kind: Row['kind']) => {
    let at = from;
    while (at < end && rows[at]?.kind === kind) at += 1;
    return at - from;
  };
  let at = start;
  while (at < end) {
    const removed = run(at, 'removed');
    const added = run(at + removed, 'added');
    for (let step = 0; step < Math.max(removed, added); step += 1)
      pairs.push([step < removed ? at + step : -1, step < added ? at + removed + step : -1]);
    at += removed + added;
    if (removed + added === 0) {
      pairs.push([at, at]);
      at += 1;
    }
  }
  return pairs;
}

/** The runs with their long stretches of empty rows folded. */
function withoutEmpty(rows: readonly Row[], runs: Run[], commented: (row: Row) => boolean): Run[] {
  if (rows.length <= EMPTY) return runs;
  const isEmpty = (at: number) => {
    const row = rows[at];
    return row !== undefined && row.segments.every(({ text }) => !/[^ \t\r]/.test(text)) && !commented(row);
  };
  return runs.flatMap((run) => {
    if (run.folded) return [run];
    const within = runsOf(run.end - run.start, (at) => !isEmpty(run.start + at), EMPTY + 1);
    return within.map(({ start, end, folded }) => ({
      start: run.start + start,
      end: run.start + end,
      folded,
      empty: folded,
    }));
  });
}

function runsOfHunk(rows: readonly Row[], shape: Shape): Run[] {
  const commented = (row: Row) => shape.commentsBelow(row).length > 0;
  return withoutEmpty(rows, shownOf(rows, shape, commented), commented);
}

function shownOf(rows: readonly Row[], shape: Shape, commented: (row: Row) => boolean): Run[] {
  if (shape.freshOnly) {
    const marks = near(rows, AROUND_FRESH, (row) => row.fresh || commented(row));
    return runsOf(rows.length, (at) => marks[at] === 1, 1);
  }
  if (rows.length < FOLDED) return [{ start: 0, end: rows.length, folded: false }];
  const marks = near(rows, AROUND, (row) => row.kind !== 'context' || commented(row));
  return runsOf(rows.length, (at) => marks[at] === 1, FOLDED);
}

/** The parts of a file's body. `rest`: comments that stand at no line that is shown; they come last. */
export function partsOf(hunks: readonly Hunk[], shape: Shape, rest: readonly number[] = []): Part[] {
  const parts: Part[] = [];
  const why: Why = shape.freshOnly ? 'seen' : 'context';
  const comments = (row: Row | undefined) => {
    if (!row) return;
    for (const comment of shape.commentsBelow(row))
      parts.push({ kind: 'comment', key: commentKey(comment), comment });
  };
  let base = 0;
  for (const [hunk, { rows }] of hunks.entries()) {
    const line = (left: number, right: number) => {
      parts.push({ kind: 'line', key: base + Math.max(left, right), hunk, left, right });
      comments(rows[left]);
      if (right !== left) comments(rows[right]);
    };
    const runs = runsOfHunk(rows, shape);
    // A hunk without anything to show needs no header either.
    const nothing = shape.freshOnly && runs.every((run) => run.folded);
    if (!nothing) parts.push({ kind: 'hunk', key: hunkKey(hunk), hunk });
    for (const { start, end, folded, empty } of runs) {
      const open = folded && shape.opened.has(base + start);
      if (folded) {
        const key = foldKey(base + start);
        parts.push({ kind: 'fold', key, hunk, start, end, why: empty ? 'empty' : why, open });
      }
      if (folded && !open) continue;
      if (shape.split) for (const [left, right] of pairsOf(rows, start, end)) line(left, right);
      else for (let at = start; at < end; at += 1) line(at, at);
    }
    base += rows.length;
  }
  for (const comment of rest) parts.push({ kind: 'comment', key: commentKey(comment), comment });
  return parts;
}

/** The first row of each change: a run of rows that aren't context, or that are fresh. */
export function beginsChange(rows: readonly Row[], at: number, freshOnly: boolean): boolean {
  const changed = (row: Row | undefined) =>
    row !== undefined && (freshOnly ? row.fresh : row.kind !== 'context');
  return changed(rows[at]) && !changed(rows[at - 1]);
}
