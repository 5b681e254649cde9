// What waits in the inbox's scenes: as in a working day, put off, and far too much.
import type { RequestSummary } from '../generated/RequestSummary';
import type { RequestView } from '../generated/RequestView';
import { ago, paragraph, summary, text, view } from './build';

const asks: [title: string, excerpt: string, client: string, workspace: string][] = [
  [
    'Which of the two hero layouts?',
    'Both are live on the preview. The left one loads 40 ms faster.',
    'Cursor',
    'website',
  ],
  [
    'Plan: split the trainer into stages',
    'Four stages with a checkpoint after each; the data loader first.',
    'Codex',
    'ml-tools',
  ],
  [
    'May I delete the generated clients?',
    'Nothing imports them since the schema moved into the build.',
    'Claude Code',
    'infra',
  ],
  ['هل أحذف الجدول القديم بعد الترحيل؟', 'لم يُكتب فيه شيء منذ الثلاثاء.', 'Claude Code', 'docs'],
  [
    'The build is red on main since Tuesday, and three people have asked about it',
    'A test depends on the time zone.',
    'VS Code',
    'mobile',
  ],
];

/** Of a text that is one line. */
const said = (words: string) => ({ blocks: [paragraph(text(words))], rest: null });

function ask(index: number, over: Partial<RequestSummary>): RequestView {
  const [title, excerpt, client, workspace] = asks[index % asks.length] as (typeof asks)[number];
  const offers = index % 3 === 0;
  const options = offers ? [{ label: 'The left one', recommended: true }, { label: 'The right one' }] : [];
  return view(
    summary(`inbox-${index}`, {
      title,
      excerpt,
      client,
      workspace: `/home/you/code/${workspace}`,
      workspace_name: workspace,
      approval: index % 2 === 1,
      options: options.length,
      created_at: ago(40 + index * 47),
      waits_until: index % 4 === 1 ? new Date(Date.now() + 900_000).toISOString() : null,
      caller_waiting: index % 5 !== 4,
      ...over,
    }),
    { message: said(excerpt), options },
  );
}

/** What waits in a scene of the inbox; null for the other scenes. */
export function inboxRequests(scene: string): RequestView[] | null {
  const few = [0, 1, 2].map((index) => ask(index, {}));
  const later = (index: number, hours: number | null) =>
    ask(index, {
      snoozed: { until: hours === null ? null : new Date(Date.now() + hours * 3_600_000).toISOString() },
    });
  switch (scene) {
    case 'inbox':
    case 'away':
    case 'quiet':
      return [...few, ask(4, { urgent: true, created_at: ago(9) })];
    case 'snoozed':
      return [...few, later(3, 2), later(4, null)];
    case 'abandoned':
      return Array.from({ length: 58 }, (_, index) => ask(index, { caller_waiting: index < 3 }));
    case 'all-snoozed':
      return [later(3, 20), later(4, null)];
    case 'calm':
      return [];
    case 'five-hundred':
      return Array.from({ length: 500 }, (_, index) => ask(index, {}));
    default:
      return null;
  }
}
