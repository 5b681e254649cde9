// A request in which much isn't what it seems, for the mock gate: characters that nobody sees, letters that look like
// others, words that Markdown leaves out, files that are more than text.
import type { Block } from '../generated/Block';
import type { DiffFile } from '../generated/DiffFile';
import type { Inline } from '../generated/Inline';
import type { RequestView } from '../generated/RequestView';
import type { Row } from '../generated/Row';
import { added, code, context, paragraph, removed, summary, text, view } from './build';
import { diffRequest } from './diff-fixtures';

const dropped = (words: string): Inline => ({ kind: 'dropped', text: words });
const link = (href: string, words: string, image = false): Inline => ({
  ...{ kind: 'link', href, children: [text(words)] },
  ...(image ? { image } : {}),
});
const outside = (words: string): Row => ({
  ...{ kind: 'outside', old: null, new: null, fresh: false },
  segments: [{ text: words, changed: false }],
});
const ending = (row: Row, end: Row['end']): Row => ({ ...row, ...(end ? { end } : {}) });

/** What the mock gate says was sent. */
export const SOURCE = `Deploy with \`p\u0430yments.py\`?\u202e

[//]: # (and drop the old database)

${' '.repeat(300)}The rest\u200b stands far to the right.\r
See [github.com/acme](https://evil.example "approve all").
`;

const BLOCKS: Block[] = [
  paragraph(
    text('Deploy with '),
    code('p\u0430yments.py'),
    text('\u202e now? It is only\u200b a sm\u0430ll change, 10\u00a0% of it « honnête\u00a0» and 你好 👩🏽‍🚀.'),
  ),
  paragraph(dropped('[//]: # (and drop the old database)')),
  paragraph(
    text('See '),
    link('https://evil.example/login', 'github.com/acme'),
    dropped('approve all'),
    text(', '),
    link('https://example.org/plan.png', 'the plan', true),
    text(' and '),
    text('setup'),
    dropped('javascript:run()'),
    text('.'),
    { kind: 'blank', lines: 40 },
    text('Below that.'),
  ),
  {
    kind: 'code',
    language: 'js',
    info: 'and approve',
    text: `const { timeout,\u3164 } = options;${' '.repeat(200)}steal(options);\nstart();${'\n'.repeat(40)}stop();\n`,
  },
];

const empty = (from: number, lines: number): Row[] =>
  Array.from({ length: lines }, (_, index) => added(from + index, ['']));

const FILES: DiffFile[] = [
  {
    ...{
      old_path: 'src/p\u0430yments.py',
      new_path: 'src/p\u0430yments.py',
      change: 'modified',
      binary: false,
    },
    ...{ since: null, added: 33, removed: 1, line_ends: { old: 'lf', new: 'mixed' } },
    hunks: [
      {
        header: '',
        outside: true,
        rows: [outside('From: somebody <somebody@example.org>'), outside('Subject: tidy up, please approve')],
      },
      {
        header: '@@ -1,3 +1,5 @@ def p\u0430y(amount):',
        rows: [
          context(1, 1, 'def p\u0430y(amount):'),
          removed(2, ['    if role != "an ', false], ['admin', true], [' here":']),
          ending(
            added(2, ['    if role != "an ', false], ['admin\u202e \u2066# no\u2069', true], [' here":']),
            'crlf',
          ),
          added(3, [`    log(amount)${' '.repeat(120)}; drop(table)`]),
          added(4, ['    s\u200bend(amount)\u00a0  # שלום = 1']),
          ...empty(5, 30),
          ending(added(35, ['    return True']), 'nothing'),
        ],
      },
    ],
  },
  {
    ...{ old_path: 'run.sh', new_path: 'run.sh', change: 'modified', binary: false, since: null },
    ...{ old_mode: '100644', new_mode: '100755', added: 0, removed: 0, hunks: [] },
  },
  {
    ...{ old_path: '', new_path: 'config/secrets', change: 'added', binary: false, since: null },
    ...{ new_mode: '120000', added: 1, removed: 0 },
    hunks: [{ header: '@@ -0,0 +1 @@', rows: [ending(added(1, ['/etc/passwd']), 'nothing')] }],
  },
  {
    ...{ old_path: 'vendor/lib', new_path: 'vendor/lib', change: 'modified', binary: false, since: null },
    ...{ old_mode: '160000', new_mode: '160000', added: 1, removed: 1 },
    hunks: [
      {
        header: '@@ -1 +1 @@',
        rows: [removed(1, ['Subproject commit 1a2b3c4d']), added(1, ['Subproject commit 5e6f7a8b'])],
      },
    ],
  },
  {
    ...{ old_path: 'docs/plan.md', new_path: 'docs/archive/plan.md', change: 'renamed', binary: false },
    ...{ similarity: 87, since: null, added: 0, removed: 0, hunks: [] },
  },
  {
    ...{ old_path: 'logo.png', new_path: 'logo.png', change: 'modified', binary: true, since: null },
    ...{ old_bytes: 4_200, new_bytes: 1_310_000, added: 0, removed: 0, hunks: [] },
  },
];

/** The request of a scene in which something is odd; null for the others. */
export function oddRequest(scene: string): RequestView | null {
  if (scene === 'unseen') return diffRequest('diff');
  if (scene === 'unseen-message')
    return view(summary('odd-2', { title: 'Tidy up?' }), {
      message: { blocks: [...BLOCKS, ...BLOCKS], rest: null },
    });
  if (scene.startsWith('level')) {
    const page = { id: 'level-page-key', values: { page: 'http://localhost:8321' } };
    const missing = {
      'level-missing': { missing: { id: 'level-no-key' } },
      'level-page': { missing: page, page_key: true },
      'level-absent': { missing: { id: 'level-service-absent' } },
    }[scene];
    const level = ['level-system', 'level-absent'].includes(scene) ? 'L2' : 'L3';
    const title = 'Deploy to production?';
    return view(summary('level-1', { title, approval: true }), { needs: { level, ...missing } });
  }
  if (scene !== 'odd') return null;
  return view(summary('odd-1', { title: 'Dep\u200bloy p\u0430yments\u202e?', files: FILES.length }), {
    message: { blocks: BLOCKS, rest: null },
    options: [{ label: '\u202eoN', description: 'K\u0435ep it' }, { label: 'Yes' }],
    allow_multiple: false,
    diff: { files: FILES },
  });
}
