// One file of a diff as it is laid out: its parts, how high each is, and where its comments stand.
import type { DiffFile } from '../generated/DiffFile';
import type { Row } from '../generated/Row';
import type { OpenComment } from '../reply/reply-draft.svelte';
import { marking } from '../shown/marking.svelte';
import { Column, heightOf, LINE_MORE, LINE_MOST, LINE_SHOWN, type Measures } from './measure';
import { partsOf, type Part } from './parts';
import { lengthOf, lineOn, spanOf, textOf } from './rows';

const NONE: readonly number[] = [];
/** Characters that a mark of something odd is wide, about. */
const MARK = 8;

/** What decides over the parts of all files. */
export interface Shape {
  split: boolean;
  freshOnly: boolean;
}

export class FileBody {
  readonly index: number;
  readonly file: DiffFile;
  parts: readonly Part[] = [];
  column = new Column([]);
  /** The longest line that is drawn, in UTF-16 units: how far it can be scrolled where lines don't wrap. */
  longest = 0;
  comments: readonly OpenComment[] = [];
  /** Folds that are open, by their first row. */
  readonly opened = new Set<number>();
  /** Characters that are drawn of long lines, by the key of the part. */
  readonly #shown = new Map<number, number>();
  #places: Map<number, number> | null = null;

  constructor(index: number, file: DiffFile) {
    this.index = index;
    this.file = file;
  }

  /** The index of the part with a key; −1 where there is none now. */
  indexOf(key: number): number {
    this.#places ??= new Map(this.parts.map((part, index) => [part.key, index]));
    return this.#places.get(key) ?? -1;
  }

  /** The line that shows a row, or the one before it where it is folded away; −1 for none. */
  lineOf(hunk: number, row: number): number {
    let found = -1;
    for (const [index, part] of this.parts.entries()) {
      if (part.kind !== 'line') continue;
      if (part.hunk > hunk || (part.hunk === hunk && part.left > row && part.right > row)) break;
      found = index;
      if (part.hunk === hunk && (part.left === row || part.right === row)) break;
    }
    return found;
  }

  /** The fold that hides a row; null where it is shown. */
  foldOver(hunk: number, row: number): Part | null {
    return (
      this.parts.find(
        (part) =>
          part.kind === 'fold' && !part.open && part.hunk === hunk && part.start <= row && row < part.end,
      ) ?? null
    );
  }

  row(hunk: number, at: number): Row | null {
    return this.file.hunks[hunk]?.rows[at] ?? null;
  }

  /** How many characters of a line are drawn. */
  limitOf(key: number): number {
    return this.#shown.get(key) ?? LINE_SHOWN;
  }

  /** Draws more of a long line: as far as `until`, or a good deal more. */
  showMore(key: number, until?: number): void {
    const wanted = until ?? this.limitOf(key) + LINE_MORE;
    this.#shown.set(key, Math.min(LINE_MOST, Math.max(wanted, this.limitOf(key))));
  }

  /** Makes the parts anew. What was measured of others is guessed again unless `keep`. */
  build(shape: Shape, measures: Measures, keep = false): void {
    const below = { old: new Map<number, number[]>(), new: new Map<number, number[]>() };
    const rest: number[] = [];
    for (const { key, place } of this.comments) {
      if (!spanOf(place, this.index, this.file.hunks)) rest.push(key);
      else below[place.side].set(place.line, [...(below[place.side].get(place.line) ?? []), key]);
    }
    const commentsBelow = (row: Row): readonly number[] => {
      const old = below.old.get(lineOn(row, 'old') ?? -1) ?? NONE;
      const now = below.new.get(lineOn(row, 'new') ?? -1) ?? NONE;
      return old.length > 0 && now.length > 0 ? [...old, ...now] : old.length > 0 ? old : now;
    };
    const known = new Map<number, number>();
    if (keep)
      for (const [index, part] of this.parts.entries())
        known.set(part.key, this.column.begin(index + 1) - this.column.begin(index));
    this.parts = partsOf(
      this.file.hunks,
      {
        ...shape,
        opened: this.opened,
        commentsBelow: this.comments.length > 0 ? commentsBelow : () => NONE,
      },
      rest,
    );
    this.#places = null;
    this.measure(measures, known);
  }

  /** Guesses the heights of all parts but those that are known. */
  measure(measures: Measures, known: ReadonlyMap<number, number> = new Map()): void {
    const { hunks } = this.file;
    this.column = new Column(
      this.parts.map((part) => known.get(part.key) ?? heightOf(part, hunks, measures)),
    );
    this.longest = 0;
    if (measures.wrap) return;
    for (const { rows } of hunks)
      for (const row of rows) {
        const marks = marking.of(textOf(row).slice(0, LINE_SHOWN), true).length;
        this.longest = Math.max(this.longest, Math.min(LINE_SHOWN, lengthOf(row)) + MARK * marks);
      }
  }
}
