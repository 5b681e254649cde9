// One conversation that is being read: its messages page by page, its checkpoints, and what a person
// does with it. A restore, its undoing and a deletion are the gate's to carry out; here they are asked.
import type { Attachment } from '../generated/Attachment';
import type { CheckpointId } from '../generated/CheckpointId';
import type { CheckpointView } from '../generated/CheckpointView';
import type { ConversationView } from '../generated/ConversationView';
import type { Digest } from '../generated/Digest';
import type { ExportFormat } from '../generated/ExportFormat';
import type { Fault } from '../generated/Fault';
import type { HistoryEntry } from '../generated/HistoryEntry';
import type { MessageView } from '../generated/MessageView';
import type { RequestId } from '../generated/RequestId';
import type { Restored } from '../generated/Restored';
import type { SessionUuid } from '../generated/SessionUuid';
import { t } from '../i18n/text.svelte';
import { AttachedFile } from '../reply/attached-file.svelte';
import { ReplyDraft } from '../reply/reply-draft.svelte';
import { ask, toFault, type Port } from '../state/port';
import type { Toasts } from '../state/toasts.svelte';

/** At most one look for new messages in this time, in milliseconds. */
export const PACE = 500;
/** How long the way of an exported file stands, in milliseconds. */
const EXPORTED = 15_000;

const busy = (): Fault => ({
  code: 'internal',
  message: t('conversation-busy'),
  mend: t('conversation-busy-mend'),
});

export class Conversation {
  readonly id: SessionUuid;
  entry = $state.raw<HistoryEntry | null>(null);
  clientVersion = $state('');
  messages = $state.raw<readonly MessageView[]>([]);
  checkpoints = $state.raw<readonly CheckpointView[]>([]);
  /** The latest restore that holds. */
  restored = $state.raw<Restored | null>(null);
  /** The cursor of the page before the first message; null when all are here. */
  older = $state.raw<string | null>(null);
  loadingOlder = $state(false);
  /** What waits for the person's second word: the deletion, a restore to this checkpoint, or revoking this receipt. */
  asking = $state.raw<'delete' | CheckpointId | Digest | null>(null);
  busy = $state(false);
  fault = $state.raw<Fault | null>(null);
  /** The record no longer holds it. */
  gone = $state(false);

  #port: Port;
  #toasts: Toasts;
  #turn = 0;
  /** The oldest message that is to be read again, until a look has got there. */
  #floor = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(port: Port, toasts: Toasts, id: SessionUuid) {
    this.#port = port;
    this.#toasts = toasts;
    this.id = id;
  }

  /** Loads the newest page, and again everything down to the oldest message that is here. */
  async load(): Promise<void> {
    await this.#fetch(this.messages[0]?.message_id ?? Infinity);
  }

  /** Something was said: looks for new messages soon, and not more often than a person can read. */
  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#fetch(Infinity);
    }, PACE);
  }

  /** Loads the page before the first message. */
  async loadOlder(): Promise<void> {
    const cursor = this.older;
    if (cursor === null || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const page = await this.#page(cursor);
      if (this.older !== cursor) return;
      this.messages = [...page.messages, ...this.messages];
      this.older = page.older;
    } catch (thrown) {
      const fault = toFault(thrown);
      if (fault.code === 'invalid_cursor') await this.load();
      else this.fault = fault;
    } finally {
      this.loadingOlder = false;
    }
  }

  /** Takes the conversation back to a checkpoint. What came later stays, marked as superseded. */
  async restore(view: CheckpointView): Promise<void> {
    const { checkpoint } = view;
    await this.#act(async () => {
      const { restored } = await ask(this.#port, {
        command: 'restore_checkpoint',
        session_uuid: this.id,
        checkpoint_id: checkpoint.checkpoint_id,
      });
      await this.load();
      this.#toasts.show(t('conversation-restored', { name: checkpoint.name }), {
        action: { label: t('undo'), act: () => void this.#undoFromNote(restored) },
      });
    });
  }

  /** Undoes a restore. */
  async undoRestore(restored: Restored): Promise<'done' | 'refused'> {
    return this.#act(async () => {
      await ask(this.#port, {
        command: 'undo_restore',
        session_uuid: this.id,
        restore_id: restored.restore_id,
      });
      await this.load();
      this.#toasts.show(t('conversation-unrestored', { n: restored.superseded }));
    });
  }

  /** Revokes a reply's receipt for good. */
  async revoke(receipt: Digest): Promise<void> {
    await this.#act(async () => {
      await ask(this.#port, { command: 'withdraw_receipt', receipt });
      await this.load();
      this.#toasts.show(t('conversation-revoked-note'));
    });
  }

  /** Deletes the conversation for good; `done` when it is. */
  async remove(): Promise<'done' | 'refused'> {
    return this.#act(async () => {
      await ask(this.#port, { command: 'delete_conversation', session_uuid: this.id });
      this.gone = true;
      this.#toasts.show(t('conversation-deleted'));
    });
  }

  /** Writes the conversation to a file and says where it is. */
  async exportAs(format: ExportFormat): Promise<void> {
    await this.#act(async () => {
      const { path } = await ask(this.#port, {
        command: 'export',
        session_uuid: this.id,
        format,
        path: null,
      });
      const show = this.#port.showInFolder?.bind(this.#port);
      const action = show && {
        label: t('conversation-show-in-folder'),
        act: () => void this.#attempt(t('conversation-show-in-folder'), () => show(path)),
      };
      this.#toasts.show(t('conversation-exported', { path }), {
        copy: path,
        milliseconds: EXPORTED,
        ...(action && { action }),
      });
    });
  }

  /** A question in full, to be read only; with the comments that its reply made on its diff. */
  async openQuestion(id: RequestId): Promise<ReplyDraft> {
    const { request } = await ask(this.#port, { command: 'open_request', request_id: id });
    const reply = this.messages.find((each) => each.request_id === id && each.role === 'person');
    const status = request.status === 'pending' ? 'expired' : request.status;
    const draft = { text: '', selected: [], comments: reply?.comments ?? [], remarks: [], attachments: [] };
    return new ReplyDraft(this.#port, { ...request, status, draft, attachments: [] });
  }

  /** A reply's files, their pictures on the way. To be released by whoever shows them. */
  filesOf(attachments: readonly Attachment[]): AttachedFile[] {
    return attachments.map((attachment) => {
      const file = AttachedFile.restored(attachment);
      void file.loadPreview(this.#port);
      return file;
    });
  }

  /** Stops looking for news. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
  }

  /** As from the note: the person may read another conversation by now, so a failure is a note too. */
  async #undoFromNote(restored: Restored): Promise<void> {
    const undoing = !this.busy;
    if ((await this.undoRestore(restored)) === 'done') return;
    const { fault } = this;
    const stays = t('conversation-stays-restored', { name: restored.checkpoint.name });
    if (undoing && fault) {
      this.fault = null;
      this.#toasts.failed(stays, fault);
    } else this.#toasts.failed(stays, busy());
  }

  /** As from a note, too. */
  async #attempt(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (thrown) {
      this.#toasts.failed(what, toFault(thrown));
    }
  }

  async #page(cursor: string | null): Promise<ConversationView> {
    const command = { command: 'conversation', session_uuid: this.id, cursor } as const;
    return (await ask(this.#port, command)).conversation;
  }

  /**
   * Reads from the end down to the message `wanted`, and joins that to what is here before it. It takes the
   * place of a look that is under way, and goes down as far as that one had to.
   */
  async #fetch(wanted: number): Promise<void> {
    const turn = (this.#turn += 1);
    const floor = (this.#floor = Math.min(this.#floor, wanted));
    try {
      const newest = await this.#page(null);
      let { messages, older } = newest;
      while (older !== null && (messages[0]?.message_id ?? -1) > floor && floor !== Infinity) {
        const page = await this.#page(older);
        if (turn !== this.#turn) return;
        messages = [...page.messages, ...messages];
        older = page.older;
      }
      if (turn !== this.#turn) return;
      this.#floor = Infinity;
      const first = messages[0]?.message_id ?? -1;
      const before = this.messages.filter((message) => message.message_id < first);
      // More may have been said than a page holds; what is here then doesn't touch what came.
      if (before.length > 0 && this.messages.some((message) => message.message_id >= first)) {
        messages = [...before, ...messages];
        older = this.older;
      }
      this.messages = this.#keep(messages);
      this.older = older;
      this.entry = newest.entry;
      this.clientVersion = newest.client_version;
      this.checkpoints = newest.checkpoints;
      this.restored = newest.restored;
      this.fault = null;
    } catch (thrown) {
      if (turn !== this.#turn) return;
      this.fault = toFault(thrown);
      if (this.fault.code === 'unknown_session') this.gone = true;
    }
  }

  /** The same messages; those that haven't changed as the objects they were, so that nothing is drawn anew. */
  #keep(messages: readonly MessageView[]): MessageView[] {
    const known = new Map(this.messages.map((message) => [message.message_id, message]));
    return messages.map((message) => {
      const before = known.get(message.message_id);
      return before && JSON.stringify(before) === JSON.stringify(message) ? before : message;
    });
  }

  async #act(act: () => Promise<void>): Promise<'done' | 'refused'> {
    if (this.busy) return 'refused';
    this.busy = true;
    this.asking = null;
    this.fault = null;
    try {
      await act();
      return 'done';
    } catch (thrown) {
      this.fault = toFault(thrown);
      return 'refused';
    } finally {
      this.busy = false;
    }
  }
}
