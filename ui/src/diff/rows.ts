// Where a row of a diff stands, and how its rows are cut into pieces that are drawn when they come near.
import type { DiffFile } from '../generated/DiffFile';
import type { Hunk } from '../generated/Hunk';
import type { Row } from '../generated/Row';
import type { Side } from '../generated/Side';
import type { Place } from '../state/desk.svelte';

/** Rows of one piece. */
export const PIECE = 80;

export interface Piece {
  key: string;
  /** Only the first piece of a hunk has it. */
  header: string | null;
  rows: Row[];
}

/** The pieces of a file's hunks, in order. */
export function piecesOf(hunks: Hunk[]): Piece[] {
  return hunks.flatMap((hunk, index) => {
    const parts: Piece[] = [];
    for (let start = 0; start === 0 || start < hunk.rows.length; start += PIECE) {
      parts.push({
        key: `${index}.${start}`,
        header: start === 0 ? hunk.header : null,
        rows: hunk.rows.slice(start, start + PIECE),
      });
    }
    return parts;
  });
}

/** A removed line stands on the old side, every other on the new one. */
export function sideOf(row: Row): Side {
  return row.kind === 'removed' ? 'old' : 'new';
}

/** The file's path on that side, as comments name it. */
export function pathOn(file: DiffFile, side: Side): string {
  return (side === 'old' ? file.old_path : file.new_path) || file.new_path || file.old_path;
}

/** The place of a row; null where it has no number. */
export function placeOf(file: DiffFile, row: Row): Place | null {
  const side = sideOf(row);
  const line = side === 'old' ? row.old : row.new;
  return line === null ? null : { file: pathOn(file, side), line, side };
}

/** One name for a place, to find its comments. */
export function placeKey(place: Place): string {
  return `${place.side}:${place.line}:${place.file}`;
}
