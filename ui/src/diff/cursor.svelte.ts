// The line that the keyboard is at in a diff, and the lines that are chosen from there.
import type { Side } from '../generated/Side';
import type { CommentPlace } from '../reply/reply-draft.svelte';
import type { FileBody } from './body';
import { beginsChange, type Part } from './parts';
import type { Pane } from './pane.svelte';
import { inSpan, placeOfSpan, sideOf, spanOf, type Span } from './rows';

type Line = Extract<Part, { kind: 'line' }>;

/** A line of a file, or the file's head where `key` is null. */
export interface At {
  file: number;
  key: number | null;
  side: Side;
}

export class Cursor {
  at = $state.raw<At | null>(null);
  /** More than one line, chosen; where it began is `from`. */
  span = $state.raw<Span | null>(null);

  #pane: Pane;
  /** The comment that was gone to last. */
  #comment: number | null = null;
  /** The side to stay on, where lines have both. */
  #wish: Side = 'new';

  constructor(pane: Pane) {
    this.#pane = pane;
  }

  get body(): FileBody | null {
    return this.at ? (this.#pane.bodies[this.at.file] ?? null) : null;
  }

  /** The line it is at; null at a file's head. */
  line(): Line | null {
    const { at, body } = this;
    if (!at || !body || at.key === null || this.#pane.isFolded(body)) return null;
    const part = body.parts[body.indexOf(at.key)];
    return part?.kind === 'line' ? part : null;
  }

  /** The row it is at. */
  rows(): { hunk: number; row: number } | null {
    const line = this.line();
    return line && this.at ? { hunk: line.hunk, row: rowOn(line, this.at.side) } : null;
  }

  isAt(file: number, key: number | null): boolean {
    return this.at !== null && this.at.file === file && this.at.key === key;
  }

  /** Goes to a part of a file, on the given side where it has one. */
  to(file: number, part: Part | null, side?: Side): void {
    this.span = null;
    this.#set(file, part, side);
  }

  toHead(file: number): void {
    this.clear();
    this.at = { file, key: null, side: this.at?.side ?? 'new' };
  }

  /** Moves by some lines, from file to file. `extend` chooses them, within one hunk. */
  step(lines: number, extend = false): void {
    const pane = this.#pane;
    if (!this.at) return this.#start();
    const before = this.span ?? this.#spanHere();
    for (let left = Math.abs(lines); left > 0; left -= 1) {
      const next = this.#next(Math.sign(lines) as 1 | -1, extend);
      if (!next) break;
      this.#set(next.file, next.part, this.#wish);
    }
    const rows = this.rows();
    if (extend && before && rows) this.span = { ...before, to: rows.row };
    else if (!extend) this.span = null;
    pane.reveal(this.at.file, this.at.key);
  }

  /** To the first or the last line of all. */
  toEnd(step: 1 | -1): void {
    const files = this.#pane.files;
    const body = step === 1 ? files.at(-1) : files[0];
    if (!body) return;
    const stop = this.#stops(body);
    this.to(body.index, (step === 1 ? stop.at(-1) : stop[0]) ?? null);
    this.#reveal();
  }

  /** To the next or the previous change, in files that are open. */
  toChange(step: 1 | -1): void {
    const { freshOnly } = this.#pane;
    const begins = (body: FileBody, part: Part) => {
      if (part.kind !== 'line') return false;
      const rows = body.file.hunks[part.hunk]?.rows ?? [];
      const at = part.left < 0 ? part.right : part.left;
      return (
        beginsChange(rows, at, freshOnly) ||
        (part.right !== at && part.right >= 0 && beginsChange(rows, part.right, freshOnly))
      );
    };
    this.#seek(step, begins);
  }

  /** To the next or the previous comment, in all files. */
  toComment(step: 1 | -1): void {
    const pane = this.#pane;
    const all = pane.files.flatMap((body) => {
      if (!pane.isFolded(body)) {
        return body.parts.flatMap((part, index) =>
          part.kind === 'comment' ? [{ body, index, key: part.comment }] : [],
        );
      }
      return body.comments.map((comment) => ({ body, index: 0, key: comment.key }));
    });
    const from = this.#from(true);
    const order = (each: { body: FileBody; index: number }) =>
      pane.files.indexOf(each.body) - from.place || each.index - from.index;
    // A comment stands below its line, so the next one from there is its own unless it was just gone to.
    const passed = (each: { key: number }) => each.key === this.#comment;
    const found =
      step === 1
        ? (all.find((each) => order(each) > 0 && !passed(each)) ?? all[0])
        : (all.findLast((each) => order(each) < 0 && !passed(each)) ?? all.at(-1));
    if (!found) return;
    pane.showComment(found.key);
    const { body } = found;
    const index = body.parts.findIndex((part) => part.kind === 'comment' && part.comment === found.key);
    const line = body.parts.slice(0, index).findLast((part) => part.kind === 'line') ?? null;
    const comment = body.comments.find((each) => each.key === found.key);
    this.to(body.index, line, comment?.place.side);
    const span = comment ? spanOf(comment.place, body.index, body.file.hunks) : null;
    this.span = span && span.from !== span.to ? span : null;
    this.#comment = found.key;
    pane.reveal(body.index, body.parts[index]?.key ?? null);
  }

  /** To the head of the next or the previous file. */
  toFile(step: 1 | -1): void {
    const { files } = this.#pane;
    const place = this.#from(true).place + step;
    const body = files[Math.min(files.length - 1, Math.max(0, place))];
    if (!body) return;
    this.goTo(body.index);
  }

  /** To a file, as it is chosen in the list of them. */
  goTo(file: number): void {
    const pane = this.#pane;
    const body = pane.bodies[file];
    if (!body) return;
    if (pane.freshOnly && body.file.since === 'same') pane.showFresh(false);
    this.to(file, this.#stops(body)[0] ?? null);
    pane.toTop(file);
  }

  /** To a row, out of whatever is folded. */
  toRow(file: number, hunk: number, row: number): void {
    const pane = this.#pane;
    const body = pane.bodies[file];
    const found = body?.row(hunk, row);
    if (!body || !found) return;
    if (pane.freshOnly && body.file.since === 'same') pane.showFresh(false);
    pane.fold(file, false);
    const fold = body.foldOver(hunk, row);
    if (fold) pane.toggleFold(body, fold);
    this.to(file, body.parts[body.lineOf(hunk, row)] ?? null, sideOf(found));
    this.#reveal();
  }

  /** Where there are two sides: to the other one. */
  toSide(side: Side): void {
    const { at } = this;
    const line = this.line();
    if (!at || !line || rowOn(line, side) < 0) return;
    this.span = null;
    this.#wish = side;
    this.at = { ...at, side };
  }

  // Choosing lines

  /** Begins to choose lines at a row, or goes on to another one of the same hunk. */
  choose(file: number, part: Line, side: Side, extend: boolean): void {
    const begun = extend ? (this.span ?? this.#spanHere()) : null;
    if (begun && begun.file === file && begun.hunk === part.hunk) {
      this.#set(file, part, begun.side);
      this.span = { ...begun, to: Math.max(0, rowOn(part, begun.side)) };
      return;
    }
    const row = rowOn(part, side);
    this.#wish = side;
    this.#set(file, part, side);
    this.span = { file, hunk: part.hunk, side, from: row, to: row };
  }

  clear(): boolean {
    const had = this.span !== null;
    this.span = null;
    return had;
  }

  /** Where a comment goes that is begun now: the chosen lines, or the line that it is at. */
  place(): CommentPlace | null {
    const { body } = this;
    const span = this.span ?? this.#spanHere();
    const hunk = body && span ? body.file.hunks[span.hunk] : undefined;
    return body && span && hunk ? placeOfSpan(body.file, hunk, span) : null;
  }

  /** The text of the chosen lines, to be copied; null where none are. */
  chosen(): string | null {
    const { span, body } = this;
    if (!span || !body) return null;
    const rows = body.file.hunks[span.hunk]?.rows ?? [];
    return rows
      .filter((row, at) => inSpan(span, span.hunk, at, row))
      .map((row) => row.segments.map((segment) => segment.text).join(''))
      .join('\n');
  }

  #spanHere(): Span | null {
    const { at } = this;
    const line = this.line();
    if (!at || !line) return null;
    const row = rowOn(line, at.side);
    return row < 0 ? null : { file: at.file, hunk: line.hunk, side: at.side, from: row, to: row };
  }

  #set(file: number, part: Part | null, wanted?: Side): void {
    const body = this.#pane.bodies[file];
    this.#comment = null;
    if (!body || part?.kind !== 'line') {
      this.at = { file, key: null, side: wanted ?? 'new' };
      return;
    }
    this.at = { file, key: part.key, side: this.#side(body, part, wanted) };
  }

  /** The wanted side where the line has it, else the one it has. */
  #side(body: FileBody, part: Line, wanted: Side | undefined): Side {
    const { split } = this.#pane;
    if (split && wanted && rowOn(part, wanted) >= 0) return wanted;
    if (split) return part.right >= 0 ? 'new' : 'old';
    const row = body.row(part.hunk, part.right);
    return row ? sideOf(row) : 'new';
  }

  /** Where one may come to rest in a file: its lines, or its head where none are to be seen. */
  #stops(body: FileBody): readonly Part[] {
    return this.#pane.isFolded(body) ? [] : body.parts.filter((part) => part.kind === 'line');
  }

  /**
   * The place of the file among those shown, and of the part within it. `looking`: from what is seen, where
   * the page was scrolled away from the cursor.
   */
  #from(looking = false): { place: number; index: number } {
    const pane = this.#pane;
    const placeOf = (file: number) =>
      Math.max(
        0,
        pane.files.findIndex((each) => each.index === file),
      );
    const { at, body } = this;
    if (at && (!looking || pane.isSeen(at.file, at.key)))
      return { place: placeOf(at.file), index: body && at.key !== null ? body.indexOf(at.key) : -1 };
    const { file, index } = pane.first();
    return { place: placeOf(file), index: index - 1 };
  }

  #next(step: 1 | -1, within: boolean): { file: number; part: Part | null } | null {
    const pane = this.#pane;
    const { place, index } = this.#from();
    const body = pane.files[place];
    if (!body) return null;
    if (!pane.isFolded(body)) {
      for (let at = index + step; at >= 0 && at < body.parts.length; at += step) {
        const part = body.parts[at];
        if (part?.kind !== 'line') continue;
        const same = body.parts[index];
        if (within && same?.kind === 'line' && same.hunk !== part.hunk) return null;
        return { file: body.index, part };
      }
    }
    const other = pane.files[place + step];
    if (within || !other) return null;
    const stops = this.#stops(other);
    return { file: other.index, part: (step === 1 ? stops[0] : stops.at(-1)) ?? null };
  }

  #seek(step: 1 | -1, wanted: (body: FileBody, part: Part) => boolean): void {
    const pane = this.#pane;
    const { place, index } = this.#from(true);
    for (let file = place; file >= 0 && file < pane.files.length; file += step) {
      const body = pane.files[file];
      if (!body || pane.isFolded(body)) continue;
      const begin = file === place ? index + step : step === 1 ? 0 : body.parts.length - 1;
      for (let at = begin; at >= 0 && at < body.parts.length; at += step) {
        const part = body.parts[at];
        if (!part || !wanted(body, part)) continue;
        this.to(body.index, part);
        return this.#reveal();
      }
    }
  }

  #start(): void {
    const pane = this.#pane;
    const { file, index } = pane.first();
    const body = pane.bodies[file];
    if (!body) return;
    const stops = this.#stops(body);
    const line = stops.find((part) => body.indexOf(part.key) >= index) ?? stops[0] ?? null;
    this.to(file, line);
    this.#reveal();
  }

  /** Takes up the place that the page shows, when the keyboard comes into the diff. */
  begin(): void {
    if (!this.at) this.#start();
  }

  #reveal(): void {
    if (this.at) this.#pane.reveal(this.at.file, this.at.key);
  }
}

/** The row of a line on a side; −1 where that side is empty. */
export function rowOn(line: Line, side: Side): number {
  return side === 'old' ? line.left : line.right;
}
