// A patch of hostile edits for the mock gate, as the gate shows such ones: what hides, what turns the direction of reading, what
// looks like something else, names that aren't what they seem, and files that lie elsewhere.
import type { DiffFile } from '../generated/DiffFile';
import type { PermissionFile } from '../generated/PermissionFile';
import type { Row } from '../generated/Row';
import { added, context, removed } from './build';

const ending = (row: Row, end: Row['end']): Row => ({ ...row, end });

function file(path: string, rows: Row[], over: Partial<DiffFile> = {}): DiffFile {
  const count = (kind: Row['kind']) => rows.filter((row) => row.kind === kind).length;
  return {
    ...{ old_path: path, new_path: path, change: 'modified', binary: false, since: null },
    ...{ added: count('added'), removed: count('removed') },
    hunks: [{ header: '@@ -1,3 +1,3 @@', rows }],
    ...over,
  };
}

/** One line in the place of another, between two that stay. */
const changed = (before: string, ...after: string[]): Row[] => [
  context(1, 1, 'one'),
  removed(2, [before]),
  ...after.map((text, index) => added(2 + index, [text])),
  context(3, 2 + after.length, 'three'),
];

export const HOSTILE_FILES: DiffFile[] = [
  file(
    'src/run.sh',
    changed('echo ok', 'echo ok\u001b[2K\u001b[1A\u001b[8m; rm -rf ~', 'rm\u0008\u0008\u007fls'),
  ),
  file(
    'src/check.ts',
    changed('if (admin) return;', '/* \u202e } \u2066if (admin)\u2069\u2066 only admins */', 'return;'),
  ),
  file('src/p\u0430y.ts', changed('from "pay"', 'from "p\u0430y"', 'send\u200b(all\u00a0of\u3000it)')),
  file(
    'notes.txt',
    changed('two', '--- a/notes.txt', '+++ b/notes.txt', '@@ -1 +1 @@', '\\ No newline at end of file'),
  ),
  file('data.txt', changed('two', 'a\u0000b', `far${' '.repeat(160)}away`), {
    line_ends: { old: 'lf', new: 'mixed' },
    hunks: [
      {
        header: '@@ -1,3 +1,3 @@',
        rows: [
          context(1, 1, 'one'),
          ending(removed(2, ['two']), 'nothing'),
          ending(added(2, ['a\u0000b']), 'crlf'),
          ending(added(3, [`far${' '.repeat(160)}away`]), 'nothing'),
        ],
      },
    ],
  }),
  file('docs/\u202egnp.exe', [added(1, ['MZ'])], { old_path: '', change: 'added' }),
  file('hosts', changed('127.0.0.1 localhost', '10.0.0.1 b\u0430nk.example')),
];

export const HOSTILE_PLACES: PermissionFile[] = HOSTILE_FILES.map((each) => {
  const path = each.new_path;
  return path === 'hosts' ? { path, leads_to: '/etc/hosts', outside: true } : { path };
});
