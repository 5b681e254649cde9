// What is said about the lines of one round, as its diff shows it: threads, and comments that are being written.
import type { Anchor } from '../generated/Anchor';
import type { ReviewThread } from '../generated/ReviewThread';
import type { Talk } from '../diff/talk';
import { firstWords } from '../markdown/plain';
import { OpenComment, type CommentPlace } from '../reply/reply-draft.svelte';
import { restOf } from './carry';
import type { Opened } from './opened.svelte';

/** A thread between the lines of a diff. */
export class OpenThread extends OpenComment {
  thread = $state.raw<ReviewThread>() as ReviewThread;
  /** What is being answered. */
  answer = $state('');
  answering = $state(false);
  /** Whether one that is resolved is looked at all the same. */
  unfolded = $state(false);
  /** The lines that it is about, as they were, where the round doesn't have them any more. */
  readonly quoted: readonly string[];

  /** A thread at its place in a round; `quoted` where its lines are gone there. */
  constructor(thread: ReviewThread, place: Anchor, quoted: readonly string[]) {
    // A thread on a whole file has no line: it stands below the file's lines.
    super({ ...place, line: place.line ?? 0 }, beginning(thread), false);
    this.thread = thread;
    this.quoted = quoted;
  }
}

/** Whether something is written there that isn't sent. */
function isWritten(comment: OpenComment): boolean {
  return (comment instanceof OpenThread ? comment.answer : comment.body).trim() !== '';
}

/** The first words of a thread. */
export function beginning(thread: ReviewThread): string {
  return firstWords(thread.messages[0]?.body.blocks ?? []);
}

export class RoundTalk implements Talk {
  readonly round: number;
  readonly summary: Talk['summary'];
  readonly open = true;
  readonly closed = null;
  comments = $state<OpenComment[]>([]);
  /** Threads on files that the round's changes don't have: no line of these can show them. */
  loose = $state<OpenThread[]>([]);

  readonly opened: Opened;

  constructor(opened: Opened, round: number) {
    this.opened = opened;
    this.round = round;
    this.summary = { session_uuid: opened.id, request_id: `${opened.id} ${round}` };
  }

  /** The round that its changes are compared with. */
  get before(): number | undefined {
    return this.round > 1 ? this.round - 1 : undefined;
  }

  /** Comments begin on the newest round only. */
  get takesComments(): boolean {
    return this.opened.open && this.opened.summary?.round === this.round;
  }

  /** The newest round, where that isn't this one: what is written here was written before it came. */
  get newer(): number | null {
    const { open, summary } = this.opened;
    return open && summary !== null && summary.round > this.round ? summary.round : null;
  }

  /** How many comments and answers are written here and not sent. */
  get drafts(): number {
    return [...this.comments, ...this.loose].filter(isWritten).length;
  }

  /** The first of them that stands in the changes. */
  get firstDraft(): OpenComment | undefined {
    return this.comments.find(isWritten);
  }

  get #threads(): OpenThread[] {
    return [...this.comments, ...this.loose].filter((each) => each instanceof OpenThread);
  }

  /** Whether a thread stands here. */
  has(id: ReviewThread['thread_id']): boolean {
    return this.#threads.some(({ thread }) => thread.thread_id === id);
  }

  /**
   * The threads that there are now. Those that began here or have followed their lines to here stand in the changes, or
   * beside them where their files aren't; each keeps its place and what is being written to it, settled here or not.
   */
  take(threads: readonly ReviewThread[], isIn: (place: Anchor) => boolean): void {
    const known = new Map(this.#threads.map((each) => [each.thread.thread_id, each]));
    const here = threads.flatMap((thread) => {
      const before = known.get(thread.thread_id);
      if (before) before.thread = thread;
      if (before) return [before];
      if (thread.round === this.round) return [new OpenThread(thread, thread.place, [])];
      const { follows } = thread;
      return follows ? [new OpenThread(thread, follows.place, follows.quoted)] : [];
    });
    const stands = ({ place }: OpenThread) => isIn(place);
    this.comments = [
      ...here.filter(stands),
      ...this.comments.filter((each) => !(each instanceof OpenThread)),
    ];
    this.loose = here.filter((each) => !stands(each));
  }

  comment(place: CommentPlace): OpenComment | null {
    if (!this.takesComments) return null;
    const key = JSON.stringify(anchorOf(place));
    const begun = this.comments.find((each) => each.editing && JSON.stringify(anchorOf(each.place)) === key);
    return begun ?? this.begin(place, '');
  }

  /** Begins one with these words. */
  begin(place: CommentPlace, body: string): OpenComment {
    const comment = new OpenComment(place, body, true);
    this.comments.push(comment);
    return this.comments.at(-1) ?? comment;
  }

  editComment(comment: OpenComment): void {
    comment.editing = true;
  }

  /** Takes it away. What was written in it can be brought back. */
  discard(comment: OpenComment): void {
    this.comments = this.comments.filter((each) => each.key !== comment.key);
    if (comment.body.trim() !== '') this.opened.discarded(() => this.comments.push(comment));
  }

  /** Empties an answer. What was written in it can be brought back. */
  discardAnswer(thread: OpenThread): void {
    const { answer } = thread;
    thread.answer = '';
    thread.answering = false;
    if (answer.trim() === '') return;
    this.opened.discarded(() => {
      thread.answer = thread.answer.trim() === '' ? answer : `${answer}\n\n${thread.answer}`;
      thread.answering = true;
    });
  }

  /**
   * Begins a thread with what was written, on the round that it was written on. Answers whether it was taken and is gone;
   * what wasn't stays, and so does what was typed meanwhile.
   */
  async send(comment: OpenComment): Promise<boolean> {
    const before = comment.body;
    const said = { text: before.trim(), place: anchorOf(comment.place), round: this.round };
    if (!said.text || this.newer !== null || !(await this.opened.say(said))) return false;
    comment.body = restOf(comment.body, before);
    if (comment.body.trim() !== '') return false;
    this.comments = this.comments.filter((each) => each.key !== comment.key);
    return true;
  }

  /** Answers in a thread. */
  async answer(thread: OpenThread): Promise<boolean> {
    const before = thread.answer;
    const { thread_id } = thread.thread;
    if (!before.trim() || !(await this.opened.say({ text: before.trim(), thread_id }))) return false;
    thread.answer = restOf(thread.answer, before);
    if (thread.answer.trim() !== '') return false;
    thread.answering = false;
    return true;
  }

  /** Settles a thread, or opens it again. */
  async resolve(thread: OpenThread, resolve: boolean): Promise<boolean> {
    return this.opened.say({ text: '', thread_id: thread.thread.thread_id, resolve });
  }
}

function anchorOf({ file, line, start_line, side }: CommentPlace): Anchor {
  // A comment on a whole file has no line.
  return { file, ...(line > 0 ? { line } : {}), ...(start_line === undefined ? {} : { start_line }), side };
}
