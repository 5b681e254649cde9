// Messages to read: a plan to review, code in many languages, and the largest that may come.
import type { Block } from '../generated/Block';
import type { Inline } from '../generated/Inline';
import type { Item } from '../generated/Item';
import type { MessageView } from '../generated/MessageView';
import type { RequestView } from '../generated/RequestView';
import { firstWords } from '../markdown/plain';
import { ago, code, paragraph, strong, summary, text, view } from './build';

const heading = (level: number, words: string): Block => ({
  kind: 'heading',
  level,
  children: [text(words)],
});
const fence = (language: string, words: string): Block => ({ kind: 'code', language, text: words });
const link = (href: string, words: string): Inline => ({ kind: 'link', href, children: [text(words)] });
const item = (...children: Block[]): Item => ({ checked: null, children });
const task = (checked: boolean, ...children: Inline[]): Item => ({
  checked,
  children: [paragraph(...children)],
});
const list = (start: number | null, ...items: Item[]): Block => ({ kind: 'list', start, items });

const RUST = `/// Seconds before the next attempt: doubles each time, with a quarter of jitter.
#[derive(Debug, Clone, Copy)]
pub struct Backoff<'a> { attempt: u32, queue: &'a Queue }

impl Backoff<'_> {
    pub fn delay(&self) -> Result<Duration, Fault> {
        let seconds = 2_u64.saturating_pow(self.attempt).min(3600); // at most an hour
        if self.queue.is_closed() { return Err(Fault::new("queue_closed")); }
        Ok(Duration::from_secs(seconds + rand::random_range(0..=seconds / 4)))
    }
}
`;
const TYPESCRIPT = `export async function deliver(event: WebhookEvent, { retries = 3 } = {}): Promise<Outcome> {
  const body = JSON.stringify({ id: event.id, at: new Date().toISOString(), tries: \`\${retries}\` });
  for (let attempt = 0; attempt <= retries; attempt += 1) {
    const response = await fetch(event.url, { method: 'POST', body });
    if (response.ok || /^4(?!29)/.test(String(response.status))) return { kind: 'done', attempt };
  }
  return { kind: 'dead', reason: null };
}
`;
const SAMPLES: [string, string][] = [
  ['rust', RUST],
  ['ts', TYPESCRIPT],
  [
    'python',
    '@dataclass\nclass Delivery:\n    """One attempt to deliver an event."""\n    url: str\n    tries: int = 0\n\n    async def send(self, client: "Client") -> bool:\n        if self.tries > 5 or not self.url.startswith("https://"):\n            raise ValueError(f"gave up on {self.url!r}")  # the queue parks it\n        return (await client.post(self.url)).status_code < 300\n',
  ],
  [
    'sql',
    "CREATE TABLE webhook_dead_letters (\n  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,\n  payload JSONB NOT NULL DEFAULT '{}', -- as it was sent\n  created_at TIMESTAMPTZ NOT NULL DEFAULT now()\n);\nSELECT count(*) FROM webhook_dead_letters WHERE created_at > now() - INTERVAL '1 day';\n",
  ],
  [
    'yaml',
    'name: ci\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: ubuntu-24.04 # pinned\n    steps:\n      - uses: actions/checkout@v5\n      - run: cargo nextest run --workspace\n',
  ],
  [
    'json',
    '{\n  "retries": 5,\n  "jitter": 0.25,\n  "dead_letter": true,\n  "hosts": ["a.example", null]\n}\n',
  ],
  ['diff', '@@ -1,3 +1,3 @@\n context\n-let _ = client.post(&url);\n+let response = client.post(&url)?;\n'],
  [
    'html',
    '<!-- a page --><section class="hero" data-count="3">\n  <h1>Hello &amp; welcome</h1>\n  <style>.hero { color: #4f46e5; margin: 0 auto }</style>\n</section>\n',
  ],
  [
    'kotlin',
    'data class Retry(val attempt: Int, val reason: String? = null) {\n    fun next(): Retry = copy(attempt = attempt + 1) // immutable\n}\n',
  ],
  [
    'sh',
    'for host in "${HOSTS[@]}"; do\n  curl --fail --silent "https://$host/health" || echo "down: $host" >&2\ndone\n',
  ],
  ['', 'no language here,\n  and so no colours\n'],
];

function many(lines: number): string {
  return Array.from({ length: lines }, (_, index) =>
    index % 9 === 0
      ? `// step ${index}: what follows belongs together`
      : `    let value_${index} = compute("part ${index % 7}", ${index * 3}).unwrap_or_default();`,
  ).join('\n');
}

function codes(): Block[] {
  return [
    paragraph(text('Every language that the samples are written in:')),
    ...SAMPLES.map(([language, words]) => fence(language, words)),
    fence('sh', 'git tag --sign v2.4.0'),
    fence('rust,no_run', many(240)),
    fence(
      'js',
      `const wide = [${Array.from({ length: 60 }, (_, index) => `"item ${index}"`).join(', ')}];\nconst next = wide;\n`,
    ),
  ];
}

function plan(): Block[] {
  return [
    paragraph(
      text('I read the job runner and its 41 callers. Below is '),
      strong('the plan I would follow'),
      text('; tell me where you disagree. See '),
      link('https://github.com/example/atlas/issues/812', 'the issue'),
      text(' and '),
      link('https://example.com/notes', 'https://example.com/notes'),
      text('.'),
    ),
    heading(1, 'Where we are'),
    paragraph(
      text(
        'The runner keeps its queue in memory. A restart loses what waits, and two workers never share it. ',
      ),
      code('Runner::push()'),
      text(' swallows errors since March, which is why nobody noticed.'),
    ),
    {
      kind: 'quote',
      children: [
        paragraph(text('We accept that a crash may lose jobs; nobody depends on them yet.')),
        paragraph({ kind: 'emphasis', children: [text('The design note of 2024')] }),
      ],
    },
    heading(1, 'What changes'),
    heading(2, 'A trait for queues'),
    paragraph(
      text(
        'One trait, two implementations: the one in memory for tests, and one over Postgres with SKIP LOCKED.',
      ),
    ),
    fence('rust', RUST),
    heading(2, 'Retries'),
    paragraph(text('Deliveries that fail are tried again with exponential backoff and a quarter of jitter.')),
    {
      kind: 'table',
      head: [[text('Answer')], [text('Tried again')], [text('After')], [text('Noted')]],
      rows: [
        [[text('429')], [text('yes')], [code('Retry-After'), text(', at most an hour')], [text('yes')]],
        [[text('5xx')], [text('yes')], [text('2ⁿ s with a quarter of jitter')], [text('yes')]],
        [[text('other 4xx')], [strong('no')], [text('—')], [text('as dead letter')]],
      ],
    },
    heading(2, 'The order of work'),
    list(
      1,
      item(paragraph(text('Introduce the trait; the old runner implements it. No behaviour changes.'))),
      item(
        paragraph(text('Port the callers in three commits:')),
        list(
          null,
          item(paragraph(text('types and signatures'))),
          item(paragraph(text('callers, module by module'))),
          item(paragraph(text('documentation and the changelog'))),
        ),
      ),
      item(
        paragraph(
          text('Switch production behind '),
          code('runner.v2'),
          text(', and keep both for one release.'),
        ),
      ),
      item(paragraph(text('Remove the old runner.'))),
    ),
    heading(3, 'Before the switch'),
    list(
      null,
      task(true, text('All 214 tests pass with both runners')),
      task(true, text('A load test with 10,000 jobs a minute')),
      task(false, text('The dashboard shows the depth of the queue')),
      task(false, text('On-call knows how to switch back: '), code('flags set runner.v2=off')),
    ),
    heading(1, 'Risks'),
    paragraph(
      text(
        'The table grows by about 40 MB a day. A job that deletes what is older than 30 days is part of step 3. ',
      ),
      text('هل نحتفظ بالمهام القديمة؟ '),
      text('A_very_long_identifier_that_nobody_would_break_by_hand_'.repeat(4)),
    ),
    paragraph(text('هذه الفقرة مكتوبة من اليمين إلى اليسار، ويجب أن تبدأ من الجهة اليمنى.')),
    heading(1, 'What I leave out'),
    paragraph(text('Priorities between jobs. Nothing needs them today, and the trait leaves room for them.')),
    heading(1, 'Questions'),
    list(
      1,
      item(paragraph(text('Is one release with both runners long enough?'))),
      item(paragraph(text('May the dead letters keep their payload?'))),
    ),
    { kind: 'rule' },
    paragraph(text('Comment on whatever you want to be different. I begin when you approve.')),
  ];
}

/** The plan as it was before it was revised. */
function earlierPlan(): Block[] {
  const words: [string, string][] = [
    [
      'The runner keeps its queue in memory. A restart loses what waits',
      'The runner holds its queue in memory: a crash loses what waits',
    ],
    ['exponential backoff and a quarter of jitter', 'a pause of one minute, at most three times'],
    ['Port the callers in three commits', 'Port the callers in one commit'],
    ['A load test with 10,000 jobs a minute', 'A load test with 1,000 jobs a minute'],
  ];
  const said = words.reduce((text, [now, before]) => text.replace(now, before), JSON.stringify(plan()));
  const blocks = JSON.parse(said) as Block[];
  const place = (title: string) =>
    blocks.findIndex((block) => block.kind === 'heading' && firstWords([block]) === title);
  // The one wasn't there yet, the other is there no more.
  blocks.splice(place('What I leave out'), 2);
  blocks.splice(
    place('Risks'),
    0,
    heading(2, 'A dashboard of its own'),
    paragraph(text('A small page shows what waits, what fails and who works on it.')),
  );
  return blocks;
}

/** What was said before the plan in the scene `revised`: the plan as it was, and the person's answer. */
export function planConversation(): MessageView[] {
  const message = (id: number, over: Partial<MessageView>): MessageView => ({
    ...{ message_id: id, request_id: 'earlier-1', role: 'agent', note: false, created_at: ago(900 - id) },
    ...{ text: { blocks: [], rest: null }, superseded: false, title: null, status: null, has_diff: false },
    ...{ decision: null, selected: [], comments: [], remarks: [], attachments: [], answered_from: null },
    ...{ assurance: null, receipt: null, imported_at: null },
    ...over,
  });
  return [
    message(1, { text: { blocks: earlierPlan(), rest: null }, status: 'answered' }),
    message(2, {
      text: { blocks: [paragraph(text('No dashboard for now. And say what you leave out.'))], rest: null },
      ...{ role: 'person', decision: 'changes_requested', answered_from: 'desktop', assurance: 'L1' },
    }),
    message(3, { text: { blocks: plan(), rest: null }, request_id: 'reading-1', status: 'pending' }),
  ];
}

const WORDS =
  'the queue holds what a worker takes and a caller sees only its outcome while retries wait for their turn in order'.split(
    ' ',
  );

function prose(seed: number, words: number): string {
  const parts = Array.from(
    { length: words },
    (_, index) => WORDS[(seed * 7 + index * 5 + (index >> 3)) % WORDS.length],
  );
  return `${parts.join(' ')}.`;
}

const MIB = 1024 * 1024;

/** A plan without an end: all kinds of blocks, about as many bytes as asked for. */
function endless(bytes: number): Block[] {
  const blocks: Block[] = [];
  for (let section = 1, size = 0; size < bytes; section += 1) {
    const sample = SAMPLES[section % SAMPLES.length] ?? ['', ''];
    const added: Block[] = [
      heading(1 + (section % 3), `Section ${section}: ${prose(section, 5)}`),
      paragraph(
        text(prose(section, 60)),
        strong(' and so it is decided '),
        text(prose(section + 1, 20)),
        code(`step_${section}()`),
      ),
      list(
        section % 2 ? 1 : null,
        ...[1, 2, 3, 4].map((each) => item(paragraph(text(prose(section + each, 14))))),
      ),
      fence(sample[0], sample[1]),
      paragraph(text(prose(section + 3, 45))),
      {
        kind: 'table',
        head: [[text('Part')], [text('Before')], [text('After')]],
        rows: [1, 2, 3].map((row) => [
          [text(prose(row, 3))],
          [text(`${row * 41} ms`)],
          [code(`${row * 9} ms`)],
        ]),
      },
      { kind: 'quote', children: [paragraph(text(prose(section + 5, 30)))] },
    ];
    blocks.push(...added);
    size += JSON.stringify(added).length * 0.45;
  }
  return blocks;
}

/** What waits in one of this file's scenes; null for a scene of another. */
export function readingRequests(scene: string): RequestView[] | null {
  const of = (blocks: Block[], over: Partial<RequestView> = {}) => [
    view(summary('reading-1', { title: 'Plan: move the job runner to Postgres', client: 'Codex' }), {
      message: { blocks, rest: null },
      context: { blocks: [paragraph(text(prose(3, 60)))], rest: null },
      ...over,
    }),
  ];
  switch (scene) {
    case 'plan':
    case 'revised':
      return of(plan());
    case 'remarks':
      return of(plan(), {
        draft: {
          text: '',
          selected: [],
          comments: [],
          attachments: [],
          remarks: [
            {
              quote: 'A restart loses what waits, and two workers never share it.',
              body: 'They do since 2.3.',
            },
            { quote: 'module by module', body: 'Smaller, please: one pull request for each module.' },
            {
              quote: 'This sentence was in an older message.',
              body: 'And this comment has no place any more.',
            },
          ],
        },
      });
    case 'code':
      return of(codes());
    case 'mib':
      return of(endless(MIB));
    case 'mib-line':
      return of([paragraph(text('x'.repeat(MIB)))]);
    case 'mib-list':
      return of([
        list(
          null,
          ...Array.from({ length: 20_000 }, (_, index) => item(paragraph(text(`a ${prose(index, 6)}`)))),
        ),
      ]);
    case 'mib-short':
      return of(Array.from({ length: 200_000 }, () => paragraph(text('a'))));
    case 'code-400':
      return of(Array.from({ length: 400 }, (_, index) => fence(...(SAMPLES[index % 9] ?? ['', '']))));
    case 'code-long':
      return of([fence('rust', many(1400)), fence('rust', many(20_000))]);
    default:
      return null;
  }
}
