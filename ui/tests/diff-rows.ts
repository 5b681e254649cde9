// Rows of a diff, made to measure.
import type { DiffFile } from '../src/generated/DiffFile';
import type { Row } from '../src/generated/Row';

/** Added lines with these texts, from the first line on. */
export const addedRows = (texts: readonly string[]): Row[] =>
  texts.map((text, at) => ({
    ...{ kind: 'added', old: null, new: at + 1, fresh: false },
    segments: [{ text, changed: false }],
  }));

/** A file that is changed so. */
export const file = (rows: Row[]): DiffFile => ({
  ...{ old_path: 'src/one.rs', new_path: 'src/one.rs', change: 'modified', binary: false },
  ...{ added: rows.length, removed: 0, since: null },
  hunks: [{ header: '@@ -1,1 +1,1 @@', rows }],
});
