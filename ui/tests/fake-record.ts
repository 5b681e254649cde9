// What a gate's record answers in tests: conversations and sessions with names, made to measure.
import type { Became } from '../src/generated/Became';
import type { CheckpointView } from '../src/generated/CheckpointView';
import type { Command } from '../src/generated/Command';
import type { HistoryEntry } from '../src/generated/HistoryEntry';
import type { MessageView } from '../src/generated/MessageView';
import type { ReceiptView } from '../src/generated/ReceiptView';
import type { Restored } from '../src/generated/Restored';
import type { SessionSummary } from '../src/generated/SessionSummary';
import { fault } from './fake-gate';
import type { Answer } from '../src/state/port';

export const NOON = Date.parse('2026-11-21T12:00:00');
export const before = (seconds: number) => new Date(NOON - seconds * 1000).toISOString();

export function session(id: string, over: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session_uuid: id,
    title: `Title of ${id}`,
    client: 'Claude Code',
    workspace: '/code/app',
    workspace_name: 'app',
    status: 'active',
    gone: false,
    progress: null,
    pending: 0,
    created_at: before(600),
    spoke_at: before(60),
    notes: [],
    ...over,
  };
}

export function entry(id: string, over: Partial<HistoryEntry> = {}): HistoryEntry {
  const { session_uuid, title, status, client, workspace, workspace_name, progress, created_at } =
    session(id);
  return {
    ...{ session_uuid, title, status, client, workspace, workspace_name, progress, created_at },
    updated_at: before(60),
    messages: 2,
    hit: null,
    ...over,
  };
}

export function message(id: number, over: Partial<MessageView> = {}): MessageView {
  return {
    message_id: id,
    request_id: `request-${id}`,
    role: id % 2 === 1 ? 'agent' : 'person',
    text: { blocks: [{ kind: 'paragraph', children: [{ kind: 'text', text: `Said ${id}` }] }], rest: null },
    created_at: before(1000 - id),
    superseded: false,
    note: false,
    remarks: [],
    title: null,
    status: id % 2 === 1 ? 'answered' : null,
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

/** A receipt that is good, of what git held nothing of. */
export function receipt(digit: string, over: Partial<ReceiptView> = {}): ReceiptView {
  return {
    id: digit.repeat(64),
    level: 'L1',
    from: before(900),
    expires: before(900 - 30 * 86_400),
    standing: 'good',
    withdrawn_at: null,
    tree: null,
    base: null,
    ...over,
  };
}

export function checkpoint(name: string, after: number): CheckpointView {
  return {
    checkpoint: {
      checkpoint_id: `id of ${name}`,
      name,
      description: null,
      messages: after,
      progress: null,
      created_at: before(500),
    },
    after_message: after,
  };
}

/** Items of a page of the history. */
const PAGE = 50;

/**
 * A record of so many conversations `c0`, `c1`, …, the latest first; each holds the same messages. Its
 * pages begin after the row that their cursor names, as the gate's do: lists by when something last
 * happened, what words find by the newest message that they are in.
 */
export class FakeRecord {
  entries: HistoryEntry[];
  messages: MessageView[] = [];
  checkpoints: CheckpointView[] = [];
  restored: Restored | null = null;
  unindexed = 0;
  /** What became of the question of a conversation. */
  became = new Map<string, Became>();
  /** Conversations that the gate looks through for a page: it may hold none, and another one follow. */
  looksThrough = Infinity;
  /** Messages of a page. */
  page = 50;
  #found = new Map<string, number>();
  #newest = 0;

  constructor(count: number) {
    this.entries = Array.from({ length: count }, (_, index) =>
      entry(`c${index}`, { updated_at: before(index * 3600) }),
    );
  }

  /** Something is said in these conversations, in this order: the last is the latest now. */
  speak(...ids: string[]): void {
    for (const id of ids) {
      this.#newest += 1;
      this.#found.set(id, this.#newest);
      const updated_at = before(-60 * this.#newest);
      this.entries = this.entries.map((each) => (each.session_uuid === id ? { ...each, updated_at } : each));
    }
  }

  /** The message that words are found in: of two that never spoke, the one with the higher number. */
  #message(each: HistoryEntry): number {
    return this.#found.get(each.session_uuid) ?? (Number(each.session_uuid.slice(1)) || 0) - 1_000_000;
  }

  #list({ query, cursor }: Extract<Command, { command: 'history' }>): Answer {
    const { text, status, workspace, client, became, from, until } = query;
    // What an entry is ordered by, the greatest first.
    const key = (each: HistoryEntry): string =>
      text
        ? String(this.#message(each) + 2_000_000).padStart(9, '0')
        : `${each.updated_at} ${each.session_uuid}`;
    const after = this.entries
      .filter((each) => cursor === null || key(each) < cursor)
      .sort((a, b) => (key(a) < key(b) ? 1 : -1));
    const looked = after.slice(0, this.looksThrough);
    const found = looked
      .filter((each) => (!text || each.title.includes(text)) && (!status || each.status === status))
      .filter((each) => (!workspace || each.workspace === workspace) && (!client || each.client === client))
      .filter((each) => (!from || each.updated_at >= from) && (!until || each.created_at < until))
      .filter((each) => !became || this.became.get(each.session_uuid) === became);
    const conversations = found.slice(0, PAGE);
    const last = found.length > PAGE ? conversations.at(-1) : looked.length < after.length && looked.at(-1);
    return { conversations, next: last ? key(last) : null, unindexed: this.unindexed };
  }

  /** To be given to a gate: what it answers. */
  readonly answer = (command: Command): Answer => {
    switch (command.command) {
      case 'history':
        return this.#list(command);
      case 'history_choices': {
        const folders = new Map(this.entries.map((each) => [each.workspace, each.workspace_name]));
        const clients = [...new Set(this.entries.map((each) => each.client))];
        return {
          agents: clients.map((client) => ({ client, name: client })),
          workspaces: [...folders].map(([workspace, name]) => ({ workspace, folder: workspace, name })),
        };
      }
      case 'conversation': {
        const cursor = command.cursor === null ? Infinity : Number(command.cursor);
        const earlier = this.messages.filter((each) => each.message_id < cursor);
        const messages = earlier.slice(-this.page);
        const found = this.entries.find((each) => each.session_uuid === command.session_uuid);
        if (!found) throw fault('unknown_session');
        return {
          conversation: {
            entry: found,
            client_version: '2.0',
            messages: structuredClone(messages),
            older: earlier.length > messages.length ? String(messages[0]?.message_id) : null,
            checkpoints: this.checkpoints,
            restored: this.restored,
          },
        };
      }
      case 'restore_checkpoint': {
        const view = this.checkpoints.find((each) => each.checkpoint.checkpoint_id === command.checkpoint_id);
        if (!view) throw fault('unknown_checkpoint');
        this.messages = this.messages.map((each) => ({
          ...each,
          superseded: each.message_id > view.after_message,
        }));
        this.restored = {
          session_uuid: command.session_uuid,
          restore_id: 'restore-1',
          checkpoint: view.checkpoint,
          superseded: this.messages.filter((each) => each.superseded).length,
          progress: null,
          restored_at: before(1),
          undone_at: null,
        };
        return { restored: this.restored };
      }
      case 'undo_restore': {
        const undone = this.restored;
        if (undone?.restore_id !== command.restore_id) throw fault('unknown_restore');
        this.messages = this.messages.map((each) => ({ ...each, superseded: false }));
        this.restored = null;
        return { restored: { ...undone, undone_at: before(0) } };
      }
      case 'withdraw_receipt': {
        const revoked = this.messages.find((each) => each.receipt?.id === command.receipt)?.receipt;
        if (revoked?.standing !== 'good') throw fault('invalid_input');
        Object.assign(revoked, { standing: 'withdrawn', withdrawn_at: before(0) });
        return {};
      }
      case 'delete_conversation':
        this.entries = this.entries.filter((each) => each.session_uuid !== command.session_uuid);
        return {};
      case 'export':
        return { path: `/downloads/it.${command.format}`, conversations: 1 };
      default:
        throw fault('internal');
    }
  };
}
