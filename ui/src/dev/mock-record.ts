// The mock gate's record: answers the commands of the sessions and history pages from what is made up.
import type { CheckpointView } from '../generated/CheckpointView';
import type { Code } from '../generated/Code';
import type { Command } from '../generated/Command';
import type { ConversationQuery } from '../generated/ConversationQuery';
import type { Event } from '../generated/Event';
import type { HistoryEntry } from '../generated/HistoryEntry';
import type { MessageView } from '../generated/MessageView';
import type { Restored } from '../generated/Restored';
import type { SessionSummary } from '../generated/SessionSummary';
import { BECAME } from '../history/filters';
import { planConversation } from './markdown-fixtures';
import { conversationOf, entries, sessions } from './record-fixtures';
import type { Answer } from '../state/port';

const PAGE = 50;
const OLDER = 2_400;
const MANY = 10_000;

interface Stored {
  messages: MessageView[];
  checkpoints: CheckpointView[];
  restored: { answer: Restored; marked: number[] } | null;
}

const refuse = (code: Code, message: string, mend: string) => ({ code, message, mend });

export class MockRecord {
  sessions: SessionSummary[];
  #entries: HistoryEntry[];
  #stored = new Map<string, Stored>();
  #unindexed: number;
  #scene: string;
  #emit: (event: Event) => void;

  constructor(scene: string, emit: (event: Event) => void) {
    this.#scene = scene;
    const bare = scene === 'empty' || scene === 'warnings';
    this.sessions = bare ? [] : sessions();
    this.#entries = bare ? [] : entries(scene === 'ten-thousand' ? MANY : OLDER);
    this.#unindexed = scene === 'unindexed' ? 1_240 : 0;
    this.#emit = emit;
  }

  /** Answers what is the record's; null for other commands. */
  async command(command: Command): Promise<Answer | null> {
    switch (command.command) {
      case 'sessions':
        return { sessions: this.sessions };
      case 'close_session':
        return this.#status(command.session_uuid, 'completed');
      case 'reopen_session':
        return this.#status(command.session_uuid, 'active');
      case 'history':
        return this.#history(command.query, Number(command.cursor ?? 0));
      case 'history_choices':
        return this.#choices();
      case 'conversation':
        return this.#conversation(command.session_uuid, command.cursor);
      case 'restore_checkpoint':
        return this.#restore(command.session_uuid, command.checkpoint_id);
      case 'undo_restore':
        return this.#undo(command.session_uuid);
      case 'withdraw_receipt':
        return this.#withdraw(command.receipt);
      case 'delete_conversation':
        this.#entries = this.#entries.filter((entry) => entry.session_uuid !== command.session_uuid);
        return {};
      case 'export':
        return {
          path: `/home/you/Downloads/retry-webhook-deliveries-claude-code-2026-11-21.${command.format === 'json' ? 'json' : 'md'}`,
          conversations: 1,
        };
      default:
        return null;
    }
  }

  #status(id: string, status: 'completed' | 'active'): Answer {
    const session = this.sessions.find((each) => each.session_uuid === id);
    if (session?.pending)
      throw refuse(
        'still_pending',
        'A question of this session still waits for you.',
        'Answer or dismiss it first.',
      );
    this.sessions = this.sessions.map((each) => (each.session_uuid === id ? { ...each, status } : each));
    const changed = this.sessions.find((each) => each.session_uuid === id);
    if (changed) queueMicrotask(() => this.#emit({ event: 'session_changed', session: changed }));
    return {};
  }

  #history(query: ConversationQuery, start: number): Answer {
    const words = (query.text ?? '').toLowerCase().replaceAll('"', '').split(/\s+/).filter(Boolean);
    const found = this.#entries.filter(
      (entry, place) =>
        (!query.status || entry.status === query.status) &&
        (!query.client || entry.client === query.client) &&
        (!query.workspace || entry.workspace === query.workspace) &&
        (!query.became || BECAME[place % BECAME.length] === query.became) &&
        (!query.from || entry.updated_at >= query.from) &&
        (!query.until || entry.created_at < query.until) &&
        words.every((word) => entry.title.toLowerCase().includes(word)),
    );
    const page = found.slice(start, start + PAGE);
    return {
      conversations: words.length === 0 ? page : page.map((entry) => withHit(entry, words)),
      next: start + PAGE < found.length ? String(start + PAGE) : null,
      unindexed: this.#unindexed,
    };
  }

  #choices(): Answer {
    const workspaces = new Map(this.#entries.map((each) => [each.workspace, each.workspace_name]));
    const agents = new Set(this.#entries.map((each) => each.client));
    return {
      agents: [...agents].map((client) => ({ client, name: client })),
      workspaces: [...workspaces].map(([workspace, name]) => ({ workspace, folder: workspace, name })),
    };
  }

  #conversation(id: string, cursor: string | null): Answer {
    const { entry, stored } = this.#find(id);
    const end = cursor === null ? stored.messages.length : Number(cursor);
    const start = Math.max(0, end - PAGE / 2);
    return {
      conversation: {
        entry,
        client_version: '2.1.4',
        messages: structuredClone(stored.messages.slice(start, end)),
        older: start > 0 ? String(start) : null,
        checkpoints: stored.checkpoints,
        restored: stored.restored?.answer ?? null,
      },
    };
  }

  #restore(id: string, checkpoint: string): Answer {
    const { stored } = this.#find(id);
    const view = stored.checkpoints.find((each) => each.checkpoint.checkpoint_id === checkpoint);
    if (!view) throw refuse('unknown_checkpoint', 'There is no such checkpoint.', 'Look at the list again.');
    const later = stored.messages.filter((each) => each.message_id > view.after_message && !each.superseded);
    for (const message of later) message.superseded = true;
    const answer: Restored = {
      session_uuid: id,
      restore_id: `restore-${stored.checkpoints.indexOf(view)}`,
      checkpoint: view.checkpoint,
      superseded: later.length,
      progress: view.checkpoint.progress,
      restored_at: new Date().toISOString(),
      undone_at: null,
    };
    stored.restored = { answer, marked: later.map((each) => each.message_id) };
    return { restored: answer };
  }

  #undo(id: string): Answer {
    const { stored } = this.#find(id);
    const { restored } = stored;
    if (!restored) throw refuse('unknown_restore', 'There is nothing to undo.', 'It may be undone already.');
    for (const message of stored.messages)
      if (restored.marked.includes(message.message_id)) message.superseded = false;
    stored.restored = null;
    return { restored: { ...restored.answer, undone_at: new Date().toISOString() } };
  }

  #withdraw(id: string): Answer {
    for (const { messages } of this.#stored.values())
      for (const { receipt } of messages)
        if (receipt?.id === id)
          Object.assign(receipt, { standing: 'withdrawn', withdrawn_at: new Date().toISOString() });
    return {};
  }

  /** The conversation of the request in the scene `revised`. */
  #revised(id: string): HistoryEntry | undefined {
    const [some] = this.#entries;
    if (!some || this.#scene !== 'revised' || id !== 'session-reading-1') return undefined;
    this.#stored.set(id, { messages: planConversation(), checkpoints: [], restored: null });
    return { ...some, session_uuid: id };
  }

  #find(id: string): { entry: HistoryEntry; stored: Stored } {
    const place = this.#entries.findIndex((each) => each.session_uuid === id);
    const entry = this.#entries[place] ?? this.#revised(id);
    if (!entry) throw refuse('unknown_session', 'There is no such conversation.', 'It may be deleted.');
    let stored = this.#stored.get(id);
    if (!stored) {
      stored = { ...conversationOf(entry, place), restored: null };
      this.#stored.set(id, stored);
    }
    return { entry, stored };
  }
}

function withHit(entry: HistoryEntry, words: string[]): HistoryEntry {
  const text = `I looked into it: ${entry.title} Tell me and I go on with the next step.`;
  const pattern = new RegExp(`(${words.map((word) => word.replace(/\W/g, '\\$&')).join('|')})`, 'i');
  const pieces = text.split(pattern).map((piece, index) => ({ text: piece, hit: index % 2 === 1 }));
  return { ...entry, hit: { message_id: 1, role: entry.messages % 3 === 0 ? 'person' : 'agent', pieces } };
}
