// What a gate answers of reviews in tests: reviews with names, made to measure, a page of two at a time where told.
import type { Command } from '../src/generated/Command';
import type { Document } from '../src/generated/Document';
import type { ReviewMessage } from '../src/generated/ReviewMessage';
import type { ReviewRun } from '../src/generated/ReviewRun';
import type { ReviewSummary } from '../src/generated/ReviewSummary';
import type { ReviewThread } from '../src/generated/ReviewThread';
import type { ReviewView } from '../src/generated/ReviewView';
import { codeRows } from '../src/dev/diff-fixtures';
import type { Answer } from '../src/state/port';
import { fault, view as requestView } from './fake-gate';
import { before } from './fake-record';

export const words = (text: string): Document => ({
  blocks: [{ kind: 'paragraph', children: [{ kind: 'text', text }] }],
  rest: null,
});

export function review(id: string, over: Partial<ReviewSummary> = {}): ReviewSummary {
  return {
    review_id: id,
    session_uuid: `session-${id}`,
    status: 'created',
    outcome: null,
    turn: 'reviewer',
    round: 1,
    intent: `Intent of ${id}`,
    category: null,
    priority: 'normal',
    workspace: '/code/app',
    proposer: 'Codex',
    party: 'codex',
    holder: null,
    lease_until: null,
    need: { agents: 1, person: false },
    approvals: 0,
    approved_by: null,
    found: null,
    diff_sha256: null,
    base: null,
    stale: false,
    created_at: before(600),
    updated_at: before(60),
    event: 1,
    ...over,
  };
}

/** One that the person is to decide. */
export const asked = (id: string, over: Partial<ReviewSummary> = {}) =>
  review(id, { status: 'awaiting_person', turn: 'person', ...over });

let count = 0;
export const message = (text: string, over: Partial<ReviewMessage> = {}): ReviewMessage => ({
  message_id: `message-${(count += 1)}`,
  role: 'reviewer',
  author: 'Claude Code',
  pool: false,
  sure: over.role === 'person',
  body: words(text),
  created_at: before(100),
  ...over,
});

export const thread = (id: string, over: Partial<ReviewThread> = {}): ReviewThread => ({
  thread_id: id,
  round: 1,
  place: { file: 'src/one.rs', line: 3, side: 'new' },
  follows: null,
  resolved: false,
  messages: [message(`Said in ${id}`)],
  ...over,
});

export function reviewView(of: ReviewSummary, over: Partial<ReviewView> = {}): ReviewView {
  return {
    review: of,
    intent: of.intent,
    description: null,
    labels: {},
    round: of.round,
    rounds: Array.from({ length: of.round }, (_, index) => ({
      round: index + 1,
      author: of.proposer,
      fits: 'commit' as const,
      base: `base-of-${index + 1}`,
      warnings: [],
      patch_id: null,
      carried_from: null,
      created_at: of.created_at,
    })),
    diff: {
      files: [
        {
          ...{ old_path: 'src/one.rs', new_path: 'src/one.rs', change: 'modified', binary: false },
          ...{ added: 1, removed: 1, since: null },
          hunks: [{ header: '@@ -1,6 +1,6 @@', rows: codeRows(6, 5) }],
        },
      ],
    },
    verdicts: [],
    patches: [],
    threads: [],
    messages: [],
    asked: of.status === 'awaiting_person' ? 'decision' : null,
    request_id: null,
    deciding: null,
    pool_holds: false,
    runs: 0,
    failed_runs: 0,
    applied: null,
    overlaps: [],
    ...over,
  };
}

/** The reviews of a gate; each answers with what stands here when it is asked. */
export class FakeReviews {
  readonly views = new Map<string, ReviewView>();
  /** Of rounds that aren't the newest, by review and round: their changes, where they are others. */
  readonly diffs = new Map<string, ReviewView['diff']>();
  /** What runs of the pool did, whichever review is asked about. */
  runs: ReviewRun[] = [];
  /** Reviews of a page. */
  page = 50;
  /** The request by which the person decides. */
  request = 'decides';

  constructor(...views: ReviewView[]) {
    for (const view of views) this.set(view);
  }

  set(view: ReviewView): void {
    this.views.set(view.review.review_id, view);
  }

  #view(id: string): ReviewView {
    const view = this.views.get(id);
    if (!view) throw fault('unknown_review');
    return view;
  }

  /** To be given to a gate: what it answers. */
  readonly answer = (command: Command): Answer => {
    switch (command.command) {
      case 'reviews': {
        const from = Number(command.cursor ?? 0);
        const all = [...this.views.values()]
          .map((view) => view.review)
          .filter((each) => command.status === null || each.status === command.status);
        const next = from + this.page < all.length ? String(from + this.page) : null;
        return { reviews: all.slice(from, from + this.page), next };
      }
      case 'review': {
        const view = this.#view(command.review_id);
        const round = command.round ?? view.review.round;
        const diff = this.diffs.get(`${command.review_id} ${round}`) ?? view.diff;
        return structuredClone({ ...view, round, diff });
      }
      case 'review_patch': {
        const view = this.#view(command.review_id);
        const patch = view.patches.find((each) => each.patch_id === command.patch_id);
        if (!patch || !view.diff) throw fault('unknown_patch');
        return { patch, diff: view.diff };
      }
      case 'review_runs':
        return { runs: this.runs };
      case 'take_review':
        return { request_id: this.request };
      case 'comment_review': {
        const { threads, messages, review: of } = this.#view(command.review_id);
        const said = command.text ? [message(command.text, { role: 'person', author: '' })] : [];
        const found = threads.find((each) => each.thread_id === command.thread_id);
        if (found) {
          found.messages.push(...said);
          found.resolved = command.resolve ?? found.resolved;
        } else if (command.place)
          threads.push(thread('begun', { round: of.round, place: command.place, messages: said }));
        else messages.push(...said);
        return {};
      }
      case 'undo_reply': {
        for (const view of this.views.values())
          if (view.request_id === command.request_id) view.deciding = null;
        return { request: requestView(command.request_id) };
      }
      case 'settle_review_patch':
      case 'give_back_review':
      case 'end_review':
        return {};
      default:
        throw fault('internal');
    }
  };
}
