// A record as it might be: a few sessions at work, and thousands of conversations made to a plan.
import type { CheckpointView } from '../generated/CheckpointView';
import type { HistoryEntry } from '../generated/HistoryEntry';
import type { MessageView } from '../generated/MessageView';
import type { ReceiptView } from '../generated/ReceiptView';
import type { Progress } from '../generated/Progress';
import type { SessionStatus } from '../generated/SessionStatus';
import type { SessionSummary } from '../generated/SessionSummary';
import type { Step } from '../generated/Step';
import { ago, code, paragraph, strong, text } from './build';

const HOUR = 3600;
const uuid = (number: number) =>
  `0193${(number * 7919 + 4096).toString(16).padStart(4, '0').slice(-4)}-7b1c-7c2e-9a40-${(number * 104729 + 51966).toString(16).padStart(12, '0')}`;

const step = (name: string, state: Step['state'], began?: number, ended?: number): Step => ({
  name,
  state,
  started_at: began === undefined ? null : ago(began),
  ended_at: ended === undefined ? null : ago(ended),
});

const runner: Progress = {
  progress_percent: 64,
  status_message: 'Running integration tests',
  step_name: 'Run integration tests',
  steps: [
    step('Read the old runner and list its callers', 'completed', 1400, 1328),
    step('Introduce the queue trait', 'completed', 1328, 1048),
    step('Port the callers', 'completed', 1048, 385),
    step('Run integration tests', 'in_progress', 151),
    step('Remove the old runner', 'pending'),
  ],
  updated_at: ago(6),
};

const bar = (percent: number, message: string, seconds: number): Progress => ({
  progress_percent: percent,
  status_message: message,
  step_name: null,
  steps: [],
  updated_at: ago(seconds),
});

function session(number: number, workspace: string, over: Partial<SessionSummary>): SessionSummary {
  return {
    session_uuid: uuid(number),
    title: '',
    client: 'Claude Code',
    workspace: `/home/you/code/${workspace}`,
    workspace_name: workspace,
    status: 'active',
    gone: false,
    progress: null,
    pending: 0,
    created_at: ago(1500 + number * 400),
    spoke_at: ago(6),
    notes: [],
    ...over,
  };
}

export function sessions(): SessionSummary[] {
  return [
    session(1, 'infra', { title: 'Migrating the job runner', progress: runner }),
    session(2, 'payments-api', {
      title: 'Retry webhook deliveries with backoff?',
      pending: 1,
      spoke_at: ago(74),
      progress: bar(90, 'Waiting for the review', 74),
    }),
    session(3, 'docs', {
      title: 'Rewriting the quick start',
      client: 'Cursor',
      spoke_at: ago(215),
      progress: bar(20, 'Reading the old pages', 215),
    }),
    session(4, 'ml-tools', { client: 'Codex', spoke_at: ago(31) }),
    session(5, 'website', {
      title: 'Which of the two hero layouts?',
      client: 'Cursor',
      status: 'completed',
      spoke_at: ago(760),
      progress: bar(100, 'Done', 760),
    }),
    session(6, 'trainer', {
      title: 'Plan: split the trainer into stages',
      client: 'Codex',
      status: 'stale',
      spoke_at: ago(1800),
      progress: bar(45, 'Splitting the loader', 1800),
    }),
    session(7, 'a-workspace-with-a-name-that-nobody-would-type-twice', {
      title:
        'Should the importer keep Incomprehensibilitytranssubstantiationalistically long identifiers, or shorten them?',
      status: 'timeout',
      spoke_at: ago(2900),
    }),
  ];
}

const titles = [
  'Retry webhook deliveries with backoff?',
  'Drop the legacy invoices table',
  'Which Postgres version does production run?',
  'Rename `Account` to `Customer` everywhere?',
  'Plan: split the trainer into stages',
  'May I delete the generated clients?',
  'The build is red on main since Tuesday',
  'Two ways to page the audit log',
  'Upgrade to Node 24 and what it breaks',
  'هل أحذف الجدول القديم بعد الترحيل؟',
  'Release notes for 2.8, ready to publish?',
  'A flaky test: mend it or leave it out for now, and who should be told about that',
];
const clients = ['Claude Code', 'Cursor', 'Codex', 'VS Code', 'Claude Code'];
const workspaces = ['payments-api', 'website', 'infra', 'ml-tools', 'docs', 'trainer', 'mobile'];
const ends: SessionStatus[] = ['completed', 'completed', 'completed', 'timeout', 'completed', 'stale'];
const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/** The sessions of the page, then older conversations, the latest first. */
export function entries(count: number): HistoryEntry[] {
  const live = sessions().map((each, index): HistoryEntry => {
    const { session_uuid, title, status, client, workspace, workspace_name, progress } = each;
    const { created_at, spoke_at: updated_at } = each;
    const messages = [48, 7, 2, 0, 4, 9, 3][index] ?? 2;
    return {
      ...{ session_uuid, title, status, client, workspace, workspace_name, progress },
      ...{ created_at, updated_at, messages, hit: null },
    };
  });
  const older = Array.from({ length: count }, (_, index): HistoryEntry => {
    const workspace = at(workspaces, index * 5 + (index >> 2));
    const seconds = 3000 + index * 2.4 * HOUR;
    return {
      session_uuid: uuid(100 + index),
      title: index % 29 === 28 ? '' : at(titles, index * 7 + (index >> 3)),
      status: at(ends, index * 5 + (index >> 3)),
      client: at(clients, index * 3 + (index >> 1)),
      workspace: `/home/you/code/${workspace}`,
      workspace_name: workspace,
      created_at: ago(seconds + 1800),
      updated_at: ago(seconds),
      messages: index % 29 === 28 ? 0 : ((index * 13) % 41) + 2,
      progress: null,
      hit: null,
    };
  });
  return [...live, ...older].toSorted((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));
}

const plain = (words: string) => ({ blocks: words ? [paragraph(text(words))] : [], rest: null });

function question(id: number, over: Partial<MessageView>): MessageView {
  return {
    message_id: id,
    request_id: `request-${id}`,
    role: 'agent',
    text: plain(''),
    created_at: ago(900),
    superseded: false,
    note: false,
    remarks: [],
    title: null,
    status: 'answered',
    has_diff: false,
    decision: null,
    selected: [],
    comments: [],
    attachments: [],
    answered_from: null,
    assurance: null,
    receipt: null,
    imported_at: null,
    ...over,
  };
}

function reply(id: number, words: string, over: Partial<MessageView>): MessageView {
  return question(id, {
    request_id: `request-${id - 1}`,
    role: 'person',
    status: null,
    text: plain(words),
    answered_from: 'desktop',
    assurance: 'L1',
    receipt: receipt(id, over),
    ...over,
  });
}

/** Digits as of a digest, always the same from its number. */
const digits = (number: number, count: number) =>
  Array.from({ length: count }, (_, place) =>
    ((number * 31 + place * place * 7 + place * 11) % 16).toString(16),
  ).join('');

/** The receipt of the reply with this number: only approvals end. */
function receipt(id: number, { created_at, decision, assurance }: Partial<MessageView>): ReceiptView {
  const from = Date.parse(created_at ?? ago(900)) + 5000;
  return {
    id: digits(id, 64),
    level: assurance ?? 'L1',
    from: new Date(from).toISOString(),
    expires: decision === 'approved' ? new Date(from + 30 * 24 * HOUR * 1000).toISOString() : null,
    standing: 'good',
    withdrawn_at: null,
    tree: null,
    base: null,
  };
}

/** One that was revoked some seconds ago. */
const revoked = (id: number, of: Partial<MessageView>, seconds: number): ReceiptView => ({
  ...receipt(id, of),
  standing: 'withdrawn',
  withdrawn_at: ago(seconds),
});

/** Talk of any length, to fill a conversation with. */
function talk(count: number, from: number, pending: boolean): MessageView[] {
  const asks = [
    'The loader reads each shard twice. I can cache the index in memory (about 40 MB) or write it beside the shard.',
    'All 41 callers are ported. Shall I go on with the integration tests, or is there something to look at first?',
    'Two tests fail on the old schema only. I would leave them out and note it in the changelog.',
    'The rename touches 312 files. I suggest three commits: types, callers, documentation.',
    'See src/generated/a/path/that/goes/on/and/on/without/any/space/in/it/so/that/it/has/to/break/somewhere/Incomprehensibilities.generated.ts',
  ];
  const replies = [
    'Beside the shard, please.',
    'Go on. But keep the old path behind a flag for one release, and log when it is used, so that we can see when to delete it.',
    'No: mend them. They found something real last time.',
    'لا، أصلحها. وجدت شيئًا حقيقيًا في المرة الماضية.',
    'Three commits are good.',
  ];
  return Array.from({ length: count }, (_, index) => {
    const id = from + index;
    const seconds = (count - index) * 700 + 900;
    if (index % 2 === 1) {
      const decision = at([null, 'approved', 'changes_requested', null] as const, index >> 1);
      return reply(id, at(replies, index >> 1), { created_at: ago(seconds), decision });
    }
    const status = pending && index === count - 1 ? 'pending' : index % 14 === 12 ? 'expired' : 'answered';
    return question(id, { text: plain(at(asks, index >> 1)), created_at: ago(seconds), status });
  });
}

/** Permission questions, and what became of them. */
function permissions(): MessageView[] {
  const asked: MessageView['permission'] = { said: 'asked', asks_there: true };
  const of = (id: number, seconds: number, command: string, over: Partial<MessageView> = {}) =>
    question(id, {
      ...{ created_at: ago(seconds), title: command.split(' ')[0] ?? null, permission: asked, ...over },
      text: { blocks: [{ kind: 'code', language: '', text: command }], rest: null },
    });
  const allowed: Partial<MessageView> = {
    ...{
      created_at: ago(1880),
      decision: 'approved',
      selected: ['1. Always allow Bash(npm test *) (localSettings)'],
    },
    permission: { said: 'rule', kind: 'allows', what: 'Bash(npm test *)' },
  };
  const denied: Partial<MessageView> = {
    ...{ created_at: ago(1840), decision: 'changes_requested', permission: { said: 'denied' } },
  };
  return [
    of(41, 1890, 'npm test'),
    reply(42, '', allowed),
    of(43, 1850, 'rm -rf build'),
    reply(44, 'Use make clean.', denied),
    of(45, 1800, 'curl example.com', {
      ...{ status: 'cancelled', permission: { said: 'asked', asks_there: true, ended: 'answered_there' } },
    }),
  ];
}

/** An approval that was revoked. */
const dropped: Partial<MessageView> = { created_at: ago(1700), decision: 'approved' };
/** One of exactly what git holds. */
const kept: Partial<MessageView> = { created_at: ago(1500), decision: 'approved' };

/** The conversation that shows everything. */
function rich(): { messages: MessageView[]; checkpoints: CheckpointView[] } {
  const messages = [
    ...talk(40, 1, false),
    ...permissions(),
    question(46, { created_at: ago(1750), text: plain('May I drop the table of the old queue?') }),
    reply(47, 'Yes.', { ...dropped, receipt: revoked(47, dropped, 1650) }),
    question(50, {
      created_at: ago(1600),
      title: 'Keep both runners for one release?',
      text: {
        blocks: [
          paragraph(
            text('The new runner passes all '),
            strong('214 tests'),
            text('. May I keep both behind '),
            code('runner.v2'),
            text(' for one release? The change below wires the switch.'),
          ),
        ],
        rest: null,
      },
      has_diff: true,
    }),
    reply(51, 'Yes, but log when the old one is used, so that we can see when to delete it.', {
      ...kept,
      receipt: { ...receipt(51, kept), tree: digits(1, 40), base: digits(2, 40) },
      selected: ['Keep both behind a flag'],
      comments: [
        {
          file: 'src/webhooks/deliver.rs',
          line: 44,
          side: 'new',
          body: '429 should be retried too, and honour Retry-After.',
        },
      ],
      attachments: [
        { attachment_id: 'file-1', name: 'queue-depth.png', mime_type: 'image/png', size: 48_100 },
        { attachment_id: 'file-2', name: 'runner-trace.log', mime_type: 'text/plain', size: 1_204_000 },
      ],
    }),
    question(52, {
      created_at: ago(800),
      text: plain('All 41 callers are ported. Starting the integration tests.'),
    }),
    reply(53, 'Good.', { created_at: ago(790), answered_from: 'script', assurance: 'L0' }),
    question(54, {
      created_at: ago(300),
      status: 'cancelled',
      text: plain('The tests need a Redis. Shall I start one in a container?'),
    }),
  ];
  const checkpoint = (
    id: number,
    name: string,
    after: number,
    description: string | null,
  ): CheckpointView => ({
    checkpoint: {
      checkpoint_id: `checkpoint-${id}`,
      name,
      description,
      messages: after,
      progress: bar(10 * id, name, 900),
      created_at: messages.findLast((each) => each.message_id <= after)?.created_at ?? ago(9000),
    },
    after_message: after,
  });
  return {
    messages,
    checkpoints: [
      checkpoint(1, 'before the move', 6, 'The old runner as it was, all callers listed'),
      checkpoint(2, 'queue trait in', 51, 'The trait compiles, no caller is ported'),
      checkpoint(3, 'callers ported', 53, null),
    ],
  };
}

/** What was said in the conversation at this place of the list. */
export function conversationOf(
  entry: HistoryEntry,
  place: number,
): { messages: MessageView[]; checkpoints: CheckpointView[] } {
  if (place === 0) return rich();
  const pending = entry.session_uuid === uuid(2);
  return { messages: talk(entry.messages, 1000 * (place + 1), pending), checkpoints: [] };
}
