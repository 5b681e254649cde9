// Requests as they might come, for the mock gate: one of each kind, and the large ones.
import type { DiffFile } from '../generated/DiffFile';
import type { DiffView } from '../generated/DiffView';
import type { RequestSummary } from '../generated/RequestSummary';
import type { RequestView } from '../generated/RequestView';
import type { Row } from '../generated/Row';
import { diffRequest } from './diff-fixtures';
import { sessions } from './record-fixtures';
import { added, ago, code, context, paragraph, removed, strong, summary, text, view } from './build';
import { readingRequests } from './markdown-fixtures';
import { oddRequest } from './odd-fixtures';

const deliver: DiffFile = {
  old_path: 'src/webhooks/deliver.rs',
  new_path: 'src/webhooks/deliver.rs',
  change: 'modified',
  binary: false,
  since: null,
  added: 4,
  removed: 1,
  hunks: [
    {
      header: '@@ -41,6 +41,9 @@ async fn deliver(',
      rows: [
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
      ],
    },
  ],
};

const backoff: DiffFile = {
  old_path: '',
  new_path: 'src/webhooks/backoff.rs',
  change: 'added',
  binary: false,
  since: null,
  added: 5,
  removed: 0,
  hunks: [
    {
      header: '@@ -0,0 +1,5 @@',
      rows: [
        added(1, [
          '/// Seconds before the next attempt: doubles each time, with a quarter of jitter, at most an hour.',
        ]),
        added(2, ['pub fn backoff(attempt: u32) -> Duration {']),
        added(3, ['    let seconds = 2_u64.saturating_pow(attempt).min(3600);']),
        added(4, ['    Duration::from_secs(seconds + rand::random_range(0..=seconds / 4))']),
        added(5, ['}']),
      ],
    },
  ],
};

function review(): RequestView {
  return view(summary('review-1', {}), {
    message: {
      blocks: [
        paragraph(
          text('I moved delivery into a queue and added '),
          strong('exponential backoff'),
          text(' with jitter. '),
          code('deliver()'),
          text(' no longer swallows errors. One decision is yours: what happens after the last attempt.'),
        ),
      ],
      rest: null,
    },
    context: {
      blocks: [paragraph(text('Finishing task “webhook reliability”: 3 files changed, all 214 tests pass.'))],
      rest: null,
    },
    options: [
      { label: 'Park in a dead-letter table', recommended: true },
      { label: 'Drop after 24 hours', description: 'Nobody has asked for older ones since March.' },
      { label: 'Page the on-call person' },
    ],
    diff: { files: [deliver, backoff] },
    draft: {
      text: 'Good. Keep the attempts in the table so that we can see them, and name it webhook_dead_letters',
      selected: ['Park in a dead-letter table'],
      comments: [
        {
          file: 'src/webhooks/deliver.rs',
          line: 44,
          side: 'new',
          body: '429 should be retried too, and honour Retry-After.',
        },
      ],
      attachments: ['file-0'],
      remarks: [],
    },
    attachments: [{ attachment_id: 'file-0', name: 'screenshot.png', mime_type: 'image/png', size: 48_100 }],
  });
}

function plain(): RequestView {
  return view(
    summary('plain-1', {
      title: 'Which Postgres version does production run?',
      client: 'Cursor',
      workspace: '/home/you/code/infra',
      workspace_name: 'infra',
      approval: false,
      created_at: ago(130),
      waits_until: null,
      caller_waiting: false,
    }),
    {
      message: {
        blocks: [
          paragraph(
            text('The migration uses '),
            code('MERGE … RETURNING'),
            text(', which came with Postgres 17. I can rewrite it if you run an older one.'),
          ),
        ],
        rest: null,
      },
    },
  );
}

function rich(): RequestView {
  return view(
    summary('rich-1', {
      title: 'Release plan for 2.4',
      client: 'Codex',
      workspace: '/home/you/code/atlas',
      workspace_name: 'atlas',
      approval: false,
      created_at: ago(3900),
    }),
    {
      allow_multiple: true,
      options: [
        { label: 'Changelog', description: 'Written from the merged pull requests' },
        { label: 'Migration notes', recommended: true },
        { label: 'A blog post' },
      ],
      message: {
        rest: 'line of plain text\n'.repeat(9000),
        blocks: [
          { kind: 'heading', level: 2, children: [text('Where it stands')] },
          paragraph(
            text('Everything in '),
            {
              kind: 'link',
              href: 'https://github.com/example/atlas/milestone/24',
              children: [text('the milestone')],
            },
            text(' is merged; see also '),
            {
              kind: 'link',
              href: 'https://example.com/notes',
              children: [text('https://example.com/notes')],
            },
            text('. '),
            { kind: 'strike', children: [text('The import is slow.')] },
            text(' '),
            { kind: 'emphasis', children: [text('Fixed on Friday.')] },
            text(' <img src=x onerror=alert(1)>'),
          ),
          {
            kind: 'list',
            start: null,
            items: [
              { checked: true, children: [paragraph(text('Tests pass on Linux, macOS and Windows'))] },
              { checked: false, children: [paragraph(text('Documentation of '), code('--since'))] },
              {
                checked: null,
                children: [
                  paragraph(text('A plain item')),
                  {
                    kind: 'list',
                    start: 3,
                    items: [
                      { checked: null, children: [paragraph(text('counted from three'))] },
                      { checked: null, children: [paragraph(text('and on'))] },
                    ],
                  },
                ],
              },
            ],
          },
          {
            kind: 'code',
            language: 'sh',
            text: 'git tag --sign v2.4.0\ncargo publish --workspace --dry-run && echo "a rather long line, to see where it goes when the window is narrow"\n',
          },
          {
            kind: 'table',
            head: [[text('Platform')], [text('Before')], [text('After')]],
            rows: [
              [[text('Linux')], [text('412 ms')], [strong('97 ms')]],
              [[text('macOS')], [text('380 ms')], [strong('88 ms')]],
            ],
          },
          {
            kind: 'quote',
            children: [paragraph(text('Ship it when the documentation is there, not before.'))],
          },
          { kind: 'rule' },
          paragraph(text('What shall I write next?')),
        ],
      },
    },
  );
}

/** A diff of about `lines` lines, to see whether the window bears it. */
export function largeDiff(lines: number): DiffView {
  const rows: Row[] = [];
  for (let line = 1; rows.length < lines; line += 1) {
    if (line % 7 === 0)
      rows.push(
        removed(line, ['    let '], ['before', true], [` = compute(${line});`]),
        added(line, ['    let '], ['after', true], [` = compute(${line});`]),
      );
    else rows.push(context(line, line, `    unchanged(${line});`));
  }
  return {
    files: [
      {
        ...deliver,
        new_path: 'src/generated/large.rs',
        added: 0,
        removed: 0,
        hunks: [{ header: '@@ -1 +1 @@', rows }],
      },
    ],
  };
}

function large(): RequestView {
  return view(summary('large-1', { title: 'Twenty thousand lines' }), {
    message: { blocks: [paragraph(text('x'.repeat(200_000)))], rest: null },
    diff: largeDiff(20_000),
  });
}

/** With the change of a work tree that the gate itself has read. */
function fromRepository(): RequestView {
  return {
    ...review(),
    git: {
      kind: 'worktree',
      what: 'worktree',
      name: 'billing-service',
      repository: '/home/you/code/billing-service',
      base: '9ab2c04d6e1f'.padEnd(40, '0'),
      tree: '4f1c77b0a9d3'.padEnd(40, '0'),
    },
  };
}

/** What waits in a scene, its main request first. */
export function requests(scene: string): RequestView[] {
  const reading = readingRequests(scene);
  if (reading) return reading;
  const odd = oddRequest(scene);
  if (odd) return [odd];
  const changes = diffRequest(scene);
  if (changes) return [changes];
  // A small one first: what is asked for once is there when the large one is opened.
  if (scene.startsWith('then-')) return [...requests('diff'), ...requests(scene.slice('then-'.length))];
  if (scene === 'empty' || scene === 'warnings') return [];
  if (scene === 'plain') return [plain()];
  if (scene === 'large') return [large()];
  if (scene === 'rich') return [rich()];
  if (scene === 'repository') return [fromRepository()];
  const late = (id: string, over: Partial<RequestSummary>) =>
    view(summary(id, { created_at: ago(3), ...over }), plain());
  const base = review();
  // Of the session that reports how far its work is.
  if (scene === 'working') {
    const [working] = sessions();
    base.summary = { ...base.summary, session_uuid: working?.session_uuid ?? base.summary.session_uuid };
  }
  return [
    base,
    { ...plain(), summary: { ...plain().summary, created_at: ago(8) } },
    { ...rich(), summary: { ...rich().summary, created_at: ago(5) } },
  ].concat(scene === 'many' ? Array.from({ length: 12 }, (_, index) => late(`more-${index}`, {})) : []);
}
