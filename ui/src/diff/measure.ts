// How high the parts of a diff are before they are drawn, and which of them are to be drawn. Pure; pixels.
import type { Hunk } from '../generated/Hunk';
import { drawn, offsetsOf, rowAt } from '../state/virtual';
import type { Part } from './parts';
import { lengthOf } from './rows';

/** What the page's fonts and widths make of a diff. Lengths in whole pixels, but for `cell`. */
export interface Measures {
  /** A line of code. */
  line: number;
  /** A character of code, wide. */
  cell: number;
  /** A file's head, with its border. */
  head: number;
  /** Between two files. */
  between: number;
  /** A hunk's header or a fold. */
  bar: number;
  /** A comment that hasn't been drawn yet. */
  comment: number;
  /** The text of a row, wide; of one side where there are two. */
  text: number;
  /** Columns of a tab. */
  tab: number;
  wrap: boolean;
}

/** Before the page has said what its fonts are. */
export const NOTHING: Measures = {
  line: 20,
  cell: 8,
  head: 36,
  between: 12,
  bar: 26,
  comment: 80,
  text: 640,
  tab: 4,
  wrap: true,
};

/** Characters of a line that are drawn until more are asked for, in UTF-16 units. */
export const LINE_SHOWN = 2000;
/** Characters of a line that are drawn at most; what follows can be copied. */
export const LINE_MOST = 100_000;
/** Characters more with each asking. */
export const LINE_MORE = 20_000;
/** Characters of a hunk's header that are drawn. */
export const HEADER_SHOWN = 400;

/** How many lines the text fills, about: words break lines earlier, so it may be one more. */
export function linesOf(length: number, measures: Measures): number {
  if (!measures.wrap) return 1;
  const columns = Math.max(8, Math.floor(measures.text / measures.cell));
  return Math.max(1, Math.ceil(length / columns));
}

/** The height of a part that hasn't been measured. */
export function heightOf(part: Part, hunks: readonly Hunk[], measures: Measures): number {
  switch (part.kind) {
    case 'hunk':
    case 'fold':
      return measures.bar;
    case 'comment':
      return measures.comment;
    case 'line': {
      const rows = hunks[part.hunk]?.rows;
      const length = (at: number) => {
        const row = rows?.[at];
        return row ? Math.min(LINE_SHOWN, lengthOf(row)) : 0;
      };
      const longest =
        part.left === part.right ? length(part.left) : Math.max(length(part.left), length(part.right));
      return measures.line * linesOf(longest, measures);
    }
  }
}

/** A stretch to be drawn, and one to be left empty. */
export type Slice =
  { kind: 'space'; key: string; height: number } | { kind: 'index'; key: string; index: number };

/**
 * What to draw of a column: the parts between `from` and `to`, and `pinned` ones wherever they are, with
 * empty stretches of the right height in place of the others.
 */
export function slicesOf(
  offsets: readonly number[],
  from: number,
  to: number,
  pinned: readonly number[] = [],
): Slice[] {
  const count = offsets.length - 1;
  if (count <= 0) return [];
  const { start, end } = drawn(offsets, from, Math.max(0, to - from), 0);
  const indexes = pinned.filter((index) => index >= 0 && index < count && (index < start || index >= end));
  for (let index = start; index < end; index += 1) indexes.push(index);
  indexes.sort((a, b) => a - b);
  const slices: Slice[] = [];
  let at = 0;
  const space = (until: number) => {
    const height = (offsets[until] ?? 0) - (offsets[at] ?? 0);
    if (height > 0) slices.push({ kind: 'space', key: `space-${slices.length}`, height });
  };
  for (const index of indexes) {
    space(index);
    slices.push({ kind: 'index', key: String(index), index });
    at = index + 1;
  }
  space(count);
  return slices;
}

/** The heights of a column's parts: guessed, then measured, and where each part begins. */
export class Column {
  offsets: readonly number[] = [0];
  #heights: number[] = [];

  constructor(heights: number[]) {
    this.#heights = heights;
    this.offsets = offsetsOf(heights);
  }

  get count(): number {
    return this.#heights.length;
  }

  get height(): number {
    return this.offsets.at(-1) ?? 0;
  }

  /** Takes measured heights; true where one differs from what was known. */
  take(measured: Iterable<readonly [index: number, height: number]>): boolean {
    let changed = false;
    for (const [index, height] of measured) {
      const known = this.#heights[index];
      if (known === undefined || Math.abs(known - height) < 0.5) continue;
      this.#heights[index] = height;
      changed = true;
    }
    if (changed) this.offsets = offsetsOf(this.#heights);
    return changed;
  }

  begin(index: number): number {
    return this.offsets[index] ?? this.height;
  }

  at(distance: number): number {
    return rowAt(this.offsets, distance);
  }
}
