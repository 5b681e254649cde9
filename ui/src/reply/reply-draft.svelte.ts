// The draft of a reply to one request: what the agent asked and what the person has written so far.
// Every change is noted for saving at once; a draft outlives being switched away from.
import type { Command } from '../generated/Command';
import type { Decision } from '../generated/Decision';
import type { Document } from '../generated/Document';
import type { Draft } from '../generated/Draft';
import type { Fault } from '../generated/Fault';
import type { FoundFile } from '../generated/FoundFile';
import type { LineComment } from '../generated/LineComment';
import type { PermissionAsk } from '../generated/PermissionAsk';
import type { Question } from '../generated/Question';
import type { RequestStatus } from '../generated/RequestStatus';
import type { RequestSummary } from '../generated/RequestSummary';
import type { RequestView } from '../generated/RequestView';
import { t } from '../i18n/text.svelte';
import type { Answered } from '../review/answered';
import { AttachedFile } from './attached-file.svelte';
import { DraftLane, type SaveState } from './draft-lane';
import { ask, toFault, type Port } from '../state/port';
import { Remarks } from './remarks.svelte';
import { ATTACHMENTS, replyProblem } from './rules';

/** A line of the diff, or several, that can bear comments. */
export type CommentPlace = Omit<LineComment, 'body'>;

/** For how long what the gate has just given is the newest, in milliseconds: nobody writes as fast in another window. */
const FRESH = 500;

let commentCount = 0;

/** A comment while it can be edited. */
export class OpenComment {
  readonly key = (commentCount += 1);
  readonly place: CommentPlace;
  body = $state('');
  editing = $state(false);
  /** What it said before this round of editing. */
  before = '';

  constructor(place: CommentPlace, body: string, editing: boolean) {
    this.place = place;
    this.body = body;
    this.editing = editing;
  }
}

export class ReplyDraft {
  readonly id: string;
  readonly view: RequestView;
  summary = $state.raw<RequestSummary>() as RequestSummary;
  /** What became of it while it was shown; null while it waits. */
  closed = $state<Exclude<RequestStatus, 'pending'> | null>(null);
  /** Of one that was answered elsewhere: what is known of the reply. */
  answered = $state.raw<Answered | null>(null);
  /** Why a permission question is over without an answer from here, and whether it takes another one's place. */
  over = $state<PermissionAsk | null>(null);
  replaces = $state(false);
  text = $state('');
  selected = $state<string[]>([]);
  comments = $state<OpenComment[]>([]);
  files = $state<AttachedFile[]>([]);
  /** Comments on passages of the agent's message. */
  readonly remarks: Remarks;
  busy = $state<'sending' | 'dismissing' | null>(null);
  /** Whether what was sent last is an approval. */
  approving = $state(false);
  /** What the system's prompt shows with the approval that is being sent; null where it shows none. */
  digits = $state<string | null>(null);
  /** A refusal of the gate. */
  fault = $state.raw<Fault | null>(null);
  /** Why the draft isn't saved. */
  saveFault = $state.raw<Fault | null>(null);
  /** A gentle word about what can't be sent yet. */
  hint = $state<string | null>(null);
  saveState = $state<SaveState>('idle');
  /** Whether words are being spoken for it that it doesn't hold yet. */
  speaking = $state(false);
  /** Whether the person did something here since it was shown. */
  touched = $state(false);
  /** Whether all of the question was on the screen; found out only where that is asked for. */
  seen = $state(false);

  readonly attaching = $derived(this.files.some((file) => file.state === 'attaching'));
  readonly open = $derived(this.closed === null && this.busy === null);
  /** Whether lines of its changes can be commented on: an agent that asks for a permission takes no comments. */
  get takesComments(): boolean {
    return this.open && !this.view.permission;
  }

  /** Whether an approval would carry words of the person. */
  readonly hasWords = $derived.by(() => {
    const { text, comments, remarks } = this.draft();
    return text.trim() !== '' || comments.length > 0 || (remarks?.length ?? 0) > 0;
  });

  /** When it was made of what had just been announced, by `performance.now()`. */
  #since: number;
  #port: Port;
  #lane: DraftLane;
  #attachQueue: Promise<void> = Promise.resolve();
  #earlier: Promise<Document | null> | null = null;

  /**
   * `before` is the draft that the request had already: it knows what its pictures were before they were drawn on.
   * `announced` where the view has come by itself to a window that isn't seen.
   */
  constructor(port: Port, view: RequestView, before: ReplyDraft | null = null, announced = false) {
    this.#port = port;
    this.#since = announced ? performance.now() : -Infinity;
    this.id = view.summary.request_id;
    this.view = view;
    this.summary = view.summary;
    this.closed = view.status === 'pending' ? null : view.status;
    const offered = view.options.map((option) => option.label);
    this.text = view.draft.text;
    this.selected = view.draft.selected.filter((label) => offered.includes(label));
    this.comments = view.draft.comments.map(({ body, ...place }) => new OpenComment(place, body, false));
    this.remarks = new Remarks(
      view.draft.remarks ?? [],
      () => this.open,
      () => this.#changed(),
    );
    this.files = view.attachments.map((attachment) => {
      const file = AttachedFile.restored(attachment);
      const same = before?.files.find(
        (other) => other.attachment?.attachment_id === attachment.attachment_id,
      );
      file.original = same?.original ?? null;
      return file;
    });
    const parts = [this.text, this.selected, this.comments, this.remarks.all, this.files];
    const restored = parts.some((part) => part.length > 0);
    this.saveState = restored ? 'saved' : 'idle';
    this.#lane = new DraftLane(
      async (draft) => {
        await ask(port, { command: 'save_draft', request_id: this.id, draft });
      },
      (state, fault) => {
        // After the request is closed there is nothing left to save to, and the banner says so.
        this.saveState = state === 'failed' && this.closed ? 'idle' : state;
        this.saveFault = this.closed ? null : fault;
      },
    );
    for (const file of this.files) void file.loadPreview(port);
  }

  /** Whether nothing was asked: it stands in a window that nobody sees, for what that will come up with. */
  get spare(): boolean {
    return this.id === '';
  }

  /** Whether it is as new as what is stored, as far as can be told without asking. */
  get fresh(): boolean {
    return performance.now() - this.#since < FRESH;
  }

  /** Whether something here would be lost if the reply were thrown away now. */
  get unsaved(): boolean {
    return this.attaching || this.speaking || this.#lane.unsaved;
  }

  /** The draft as the gate stores it: whole, and without comments that say nothing. */
  draft(): Draft {
    return {
      text: this.text,
      selected: [...this.selected],
      comments: this.comments
        .filter((comment) => comment.body.trim() !== '')
        .map((comment) => ({ ...comment.place, body: comment.body })),
      remarks: this.remarks.stored(),
      attachments: this.files.flatMap((file) => (file.attachment ? [file.attachment.attachment_id] : [])),
    };
  }

  /** Why the reply can't be sent like this yet; null when it can. */
  problem(draft: Draft, decision: Decision | null): string | null {
    if (this.attaching) return t('reply-still-attaching');
    if (this.speaking) return t('reply-still-speaking');
    return replyProblem(draft, decision, this.view.options.length > 0);
  }

  /** What sends it: an answer to the question that is shown here, whatever the request asks by then. */
  sending(draft: Draft, decision: Decision | null): Command {
    const { digest } = this.view;
    this.approving = decision === 'approved';
    this.digits = null;
    return { command: 'send_reply', request_id: this.id, digest, decision, draft };
  }

  /** The system's prompt stands there, and shows these. */
  confirms(digits: string): void {
    this.digits = digits;
  }

  write(text: string): void {
    if (!this.open) return;
    this.text = text;
    this.#changed();
  }

  /** Chooses an option or takes the choice back. */
  toggle(label: string): void {
    const options = this.view.options;
    if (!this.open || !options.some((option) => option.label === label)) return;
    const chosen = this.selected.includes(label);
    if (!this.view.allow_multiple) {
      this.selected = chosen ? [] : [label];
    } else {
      const labels = chosen ? this.selected.filter((other) => other !== label) : [...this.selected, label];
      this.selected = options.map((option) => option.label).filter((other) => labels.includes(other));
    }
    this.#changed();
  }

  /** Opens a comment on a line, or on several; an unfinished one there is taken up again. */
  comment(place: CommentPlace): OpenComment | null {
    if (!this.takesComments) return null;
    const same = (other: OpenComment) =>
      other.editing &&
      other.place.file === place.file &&
      other.place.line === place.line &&
      other.place.start_line === place.start_line &&
      other.place.side === place.side;
    const unfinished = this.comments.find(same);
    if (unfinished) return unfinished;
    this.comments.push(new OpenComment(place, '', true));
    this.touched = true;
    return this.comments.at(-1) ?? null;
  }

  /** Takes what is typed into a comment; it is saved with the draft before it is finished. */
  writeComment(comment: OpenComment, body: string): void {
    if (!this.open) return;
    comment.body = body;
    this.#changed();
  }

  editComment(comment: OpenComment): void {
    if (!this.open) return;
    comment.before = comment.body;
    comment.editing = true;
  }

  /** Ends editing and keeps what was typed; an empty comment goes. */
  finishComment(comment: OpenComment): void {
    comment.editing = false;
    if (comment.body.trim() === '') this.deleteComment(comment);
  }

  /** Ends editing as if it hadn't begun. */
  revertComment(comment: OpenComment): void {
    this.writeComment(comment, comment.before);
    this.finishComment(comment);
  }

  deleteComment(comment: OpenComment): void {
    if (!this.open) return;
    this.comments = this.comments.filter((other) => other.key !== comment.key);
    this.#changed();
  }

  /** Attaches files one after the other, so that a pile of them doesn't sit in memory at once. */
  attach(chosen: Iterable<File>): Promise<void> {
    if (!this.open) return Promise.resolve();
    this.hint = null;
    this.touched = true;
    for (const file of chosen) {
      const attached = AttachedFile.chosen(file);
      const counted = this.files.filter((other) => other.state !== 'refused').length;
      if (attached.state !== 'refused' && counted >= ATTACHMENTS) {
        attached.refuse(t('reply-too-many-files', { most: ATTACHMENTS }));
      }
      this.files.push(attached);
      if (attached.state === 'refused') continue;
      this.#attachQueue = this.#attachQueue.then(async () => {
        if (!this.files.some((other) => other.key === attached.key)) return;
        await attached.store(this.#port, this.id, file);
        if (this.files.some((other) => other.key === attached.key)) this.#changed();
        else attached.release();
      });
    }
    return this.#attachQueue;
  }

  detach(file: AttachedFile): void {
    if (!this.open) return;
    this.files = this.files.filter((other) => other.key !== file.key);
    file.release();
    this.#changed();
  }

  /** Puts a picture that was drawn on in the place of the one before. Answers whether it is stored. */
  async replacePicture(file: AttachedFile, picture: File): Promise<boolean> {
    if (!this.open) return false;
    this.fault = null;
    try {
      await file.replace(this.#port, this.id, picture);
      this.#changed();
      return true;
    } catch (thrown) {
      this.fault = toFault(thrown);
      return false;
    }
  }

  /** Puts the picture back as it was before it was drawn on. */
  async restorePicture(file: AttachedFile): Promise<void> {
    if (!this.open || !file.original) return;
    const loaded = file.putBack(this.#port);
    this.#changed();
    await loaded;
  }

  /** The beginning of an attached text, and whether that is all of it. Throws a `Fault`. */
  read(file: AttachedFile): Promise<{ text: string; whole: boolean }> {
    return file.text(this.#port);
  }

  /** Files of the agent's workspace that fit what is typed. Throws a `Fault`. */
  async complete(query: string): Promise<{ files: FoundFile[]; more: boolean }> {
    const command = { command: 'complete_file' as const, request_id: this.id, query };
    const { files, more } = await ask(this.#port, command);
    return { files, more };
  }

  /** The question as it was sent. Throws a `Fault`. */
  question(): Promise<Question> {
    return ask(this.#port, { command: 'question', request_id: this.id });
  }

  /** What the agent said in the question that the person answered last before this one; null for none. Throws a `Fault`. */
  earlier(): Promise<Document | null> {
    this.#earlier ??= this.#findEarlier().catch((thrown: unknown) => {
      this.#earlier = null;
      throw thrown;
    });
    return this.#earlier;
  }

  async #findEarlier(): Promise<Document | null> {
    const { session_uuid } = this.summary;
    const command = { command: 'conversation' as const, session_uuid, cursor: null };
    const { messages } = (await ask(this.#port, command)).conversation;
    const asked = messages.filter((each) => each.role === 'agent' && !each.note);
    const here = asked.findIndex((each) => each.request_id === this.id);
    const answered = asked
      .slice(0, Math.max(0, here))
      .filter((each) => each.status === 'answered' && !each.superseded);
    return answered.at(-1)?.text ?? null;
  }

  /** Saves what is unsaved now. */
  flush(): Promise<void> {
    return this.#lane.flush();
  }

  /** Makes sure that no save of the draft arrives after the reply. */
  holdSaves(): Promise<void> {
    return this.#lane.stop();
  }

  /** Saves the draft as it is, after a reply that failed. */
  resumeSaves(): void {
    this.#lane.note(this.draft());
  }

  /** Gives back what the draft holds outside of itself. */
  release(): void {
    for (const file of this.files) file.release();
  }

  #changed(): void {
    this.touched = true;
    this.hint = null;
    if (this.closed === null) this.#lane.note(this.draft());
  }
}
