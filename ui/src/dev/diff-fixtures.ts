// Diffs of every kind, for the mock gate and the tests: what agents change in a day, and the large ones.
import type { DiffFile } from '../generated/DiffFile';
import type { DiffView } from '../generated/DiffView';
import type { RequestView } from '../generated/RequestView';
import type { Row } from '../generated/Row';
import { added, context, paragraph, removed, summary, text, view } from './build';

function file(path: string, rows: Row[], over: Partial<DiffFile> = {}): DiffFile {
  const count = (kind: Row['kind']) => rows.filter((row) => row.kind === kind).length;
  return {
    old_path: path,
    new_path: path,
    change: 'modified',
    binary: false,
    added: count('added'),
    removed: count('removed'),
    since: null,
    hunks: rows.length === 0 ? [] : [{ header: `@@ -1,${rows.length} +1,${rows.length} @@`, rows }],
    ...over,
  };
}

/** Lines of code, some of them changed: `every` says how far apart. */
export function codeRows(lines: number, every = 7): Row[] {
  const rows: Row[] = [];
  for (let line = 1; rows.length < lines; line += 1) {
    if (line % every === 0)
      rows.push(
        removed(line, ['    let '], ['before', true], [` = compute(${line}, &options, retries);`]),
        added(line, ['    let '], ['after', true], [` = compute(${line}, &options, attempts);`]),
      );
    else if (line % 11 === 0) rows.push(context(line, line, ''));
    else if (line % 97 === 0)
      rows.push(
        context(
          line,
          line,
          `    // ${'Why this has to be so takes a sentence that is longer than the window is wide. '.repeat(2)}`,
        ),
      );
    else rows.push(context(line, line, `    unchanged(${line}, "some words of code");`));
  }
  return rows;
}

/** One file of so many rows. */
export function largeDiff(rows: number): DiffView {
  return { files: [file('src/generated/large.rs', codeRows(rows))] };
}

/** So many files in some folders, of 66 rows each on average. */
export function manyFiles(files: number): DiffView {
  const folders = [
    'src/webhooks',
    'src/webhooks/queue',
    'src/store/sqlite/migrations',
    'tests',
    'docs/guide',
  ];
  return {
    files: Array.from({ length: files }, (_, index) => {
      const folder = folders[index % folders.length] ?? 'src';
      return file(
        `${folder}/module_${String(index).padStart(3, '0')}.rs`,
        codeRows(12 + ((index * 37) % 110)),
      );
    }),
  };
}

const retry: Row[] = [
  context(38, 38, 'async fn deliver('),
  context(39, 39, '    client: &Client, event: &Event,'),
  context(40, 40, ') -> Result<(), Retry> {'),
  context(41, 41, '    let body = event.payload();'),
  removed(42, ['    let '], ['_', true], [' = client.post(&url).body(body).send().await;']),
  added(
    42,
    ['    let '],
    ['response', true],
    [' = client.post(&url).body(body).send().await'],
    ['?', true],
    [';'],
  ),
  added(43, ['    if response.status().is_server_error() {']),
  added(44, ['        return Err(Retry::after(backoff(attempt)));']),
  added(45, ['    }']),
  context(43, 46, '    Ok(())'),
  context(44, 47, '}'),
];
const fresh = (row: Row): Row => ({ ...row, fresh: true });

/** One file of each kind, as compared with an earlier answer. */
export function everyKind(): DiffView {
  const long = [
    ...codeRows(4, 99),
    ...Array.from({ length: 40 }, (_, at) => context(at + 5, at + 5, `    step_${at}();`)),
  ];
  return {
    files: [
      file(
        'src/webhooks/deliver.rs',
        retry.map((row) => (row.new === 44 ? fresh(row) : row)),
        { since: 'changed' },
      ),
      file(
        'src/webhooks/backoff.rs',
        [
          fresh(
            added(1, [
              '/// Seconds before the next attempt: doubles each time, with a quarter of jitter, at most an hour.',
            ]),
          ),
          fresh(added(2, ['pub fn backoff(attempt: u32) -> Duration {'])),
          fresh(added(3, ['\tlet seconds = 2_u64.saturating_pow(attempt).min(3600);'])),
          fresh(added(4, ['\tDuration::from_secs(seconds + rand::random_range(0..=seconds / 4))'])),
          fresh(added(5, ['}'])),
        ],
        { old_path: '', change: 'added', since: 'new' },
      ),
      file(
        'src/webhooks/queue/table.rs',
        [...long, removed(45, ['    drop(queue);']), context(46, 45, '}')],
        { since: 'same' },
      ),
      file(
        'src/webhooks/queue/limits.rs',
        [context(1, 1, 'use std::time::Duration;'), removed(2, ['const LIMIT: u32 = 5;'])],
        {
          old_path: 'src/webhooks/limits.rs',
          change: 'renamed',
          since: 'same',
        },
      ),
      file('assets/dashboards/webhooks-overview.png', [], { binary: true, since: 'same' }),
      file('scripts/replay.sh', [], { since: 'same' }),
      file('src/legacy.rs', [removed(1, ['pub fn old() {}'])], {
        new_path: '',
        change: 'deleted',
        since: 'same',
      }),
    ],
  };
}

/** A line of a million characters between short ones. */
export function hugeLine(): DiffView {
  const bundle = `!function(){${'var a=1;b(a,"x");'.repeat(62_000)}}();`;
  return {
    files: [
      file('dist/bundle.min.js', [
        context(1, 1, '/* built */'),
        removed(2, [bundle]),
        added(2, [bundle]),
        context(3, 3, ''),
      ]),
    ],
  };
}

/** What waits in the scenes that are about diffs: `diff`, `diff-one`, `diff-large`, `diff-many`, `diff-huge`. */
export function diffRequest(scene: string): RequestView | null {
  const diffs: Record<string, () => DiffView> = {
    diff: everyKind,
    'diff-one': () => ({ files: everyKind().files.slice(0, 1) }),
    'diff-large': () => largeDiff(20_000),
    'diff-many': () => manyFiles(300),
    'diff-huge': hugeLine,
  };
  const diff = diffs[scene]?.();
  if (!diff) return null;
  const comments =
    scene === 'diff' || scene === 'diff-one'
      ? [
          {
            file: 'src/webhooks/deliver.rs',
            start_line: 43,
            line: 45,
            side: 'new' as const,
            body: '429 should be retried too, and honour Retry-After.',
          },
          {
            file: 'src/webhooks/deliver.rs',
            line: 42,
            side: 'old' as const,
            body: 'Why did this swallow the error?',
          },
        ]
      : [];
  return view(summary(`${scene}-1`, { title: 'Retry webhook deliveries with backoff?' }), {
    message: {
      blocks: [paragraph(text('I moved delivery into a queue and added exponential backoff with jitter.'))],
      rest: null,
    },
    diff,
    draft: { text: '', selected: [], comments, remarks: [], attachments: [] },
  });
}
