// The colours of a diff's code. Rows are drawn without any; once the page has stood still for a moment, the
// hunks that are drawn are coloured in the highlighter's threads, and their rows take it over a few at a time,
// so that scrolling never waits. Knows no elements.
import type { DiffFile } from '../generated/DiffFile';
import type { Row } from '../generated/Row';
import type { Side } from '../generated/Side';
import { runsOf, type Run } from '../markdown/code';
import { languageOfPath } from '../markdown/highlight/languages';
import type { Marked } from '../markdown/highlight/marked';
import { pathOn, textOf } from './rows';

/** Milliseconds for which the page has to stand still. */
export const PAUSE = 90;
/** Rows that take their colours between two pictures. */
export const AT_ONCE = 24;

/** Colours a code; null where that can't be done. */
export type Colour = (info: string, code: string) => Promise<Marked | null>;

/** The colours of a row's text. */
export class Coloured {
  #code: string;
  #marked: Marked;
  #start: number;

  constructor(code: string, marked: Marked, start: number) {
    this.#code = code;
    this.#marked = marked;
    this.#start = start;
  }

  /** The runs of the row's text from one place to before another, in UTF-16 units. */
  runs(from: number, to: number): Run[] {
    return runsOf(this.#code, this.#marked, { start: this.#start + from, end: this.#start + to });
  }
}

/** One side of a hunk as one text, so that what spans several lines is understood. */
interface Sheet {
  code: string;
  /** Where each row begins; −1 for one that isn't on this side. */
  starts: Int32Array;
  /** Undefined while it is being coloured; null where it stays plain. */
  marked: Marked | null | undefined;
}

interface Wish {
  file: DiffFile;
  hunk: number;
  at: number;
  give: (coloured: Coloured) => void;
}

/** The side that a row is coloured with: what was removed with what was, everything else with what is. */
function sideOfInk(row: Row): Side {
  return row.kind === 'removed' ? 'old' : 'new';
}

export function sheetOf(rows: readonly Row[], side: Side): { code: string; starts: Int32Array } {
  const other = side === 'old' ? 'added' : 'removed';
  const starts = new Int32Array(rows.length).fill(-1);
  const lines: string[] = [];
  let at = 0;
  for (const [index, row] of rows.entries()) {
    if (row.kind === other || row.kind === 'outside') continue;
    const text = textOf(row);
    starts[index] = at;
    lines.push(text);
    at += text.length + 1;
  }
  return { code: lines.join('\n'), starts };
}

/** The highlighter, loaded when the first code is to be coloured. */
const highlighter: Colour = async (info, code) => {
  const { highlighted } = await import('../markdown/highlight/highlight');
  return highlighted(info, code);
};

export class Ink {
  #colour: Colour;
  #soon: (act: () => void) => void;
  #wishes = new Set<Wish>();
  #sheets = new Map<string, Sheet>();
  #names = new Map<DiffFile, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #giving = false;

  /** `soon` does something after the next picture. */
  constructor(soon: (act: () => void) => void, colour: Colour = highlighter) {
    this.#soon = soon;
    this.#colour = colour;
  }

  /** Gives a row its colours once they are known and it is a good moment. Answers how to want them no longer. */
  want(file: DiffFile, hunk: number, at: number, give: (coloured: Coloured) => void): () => void {
    const wish: Wish = { file, hunk, at, give };
    this.#wishes.add(wish);
    this.#wait();
    return () => this.#wishes.delete(wish);
  }

  /** The page is being scrolled: whatever is to be done waits until it stands still. */
  moved(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wait();
  }

  /** Nothing is drawn any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#giving = false;
    this.#wishes.clear();
  }

  #wait(): void {
    if (this.#giving || this.#wishes.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#work();
    }, PAUSE);
  }

  #work(): void {
    let given = 0;
    for (const wish of this.#wishes) {
      const sheet = this.#sheet(wish);
      if (sheet?.marked === undefined && sheet !== null) continue;
      if (sheet?.marked) {
        if (given === AT_ONCE) {
          this.#goOn();
          return;
        }
        wish.give(new Coloured(sheet.code, sheet.marked, sheet.starts[wish.at] ?? 0));
        given += 1;
      }
      this.#wishes.delete(wish);
    }
  }

  #goOn(): void {
    this.#giving = true;
    this.#soon(() => {
      this.#giving = false;
      this.#wait();
    });
  }

  /** The text that the row is coloured with, which is asked for the first time; null where its file stays plain. */
  #sheet({ file, hunk, at }: Wish): Sheet | null {
    const rows = file.hunks[hunk]?.rows;
    const row = rows?.[at];
    if (!rows || !row) return null;
    const side = sideOfInk(row);
    const name = this.#names.get(file) ?? this.#names.size;
    this.#names.set(file, name);
    const key = `${side}:${name}:${hunk}`;
    const known = this.#sheets.get(key);
    if (known) return known;
    const language = languageOfPath(pathOn(file, side));
    const sheet: Sheet = { ...sheetOf(language ? rows : [], side), marked: language ? undefined : null };
    this.#sheets.set(key, sheet);
    if (language) {
      void this.#colour(language, sheet.code)
        .catch(() => null)
        .then((marked) => {
          sheet.marked = marked;
          if (!marked) sheet.code = '';
          this.#wait();
        });
    }
    return sheet;
  }
}
