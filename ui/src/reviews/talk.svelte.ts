// What is said about the lines of one round, as its diff shows it: threads, and comments that are being written.
import type { Anchor } from '../generated/Anchor';
import type { ReviewThread } from '../generated/ReviewThread';
import type { Talk } from '../diff/talk';
import { firstWords } from '../markdown/plain';
import { OpenComment, type CommentPlace } from '../reply/reply-draft.svelte';
import type { Opened } from './opened.svelte';

/** A thread between the lines of a diff. */
export class OpenThread extends OpenComment {
  thread = $state.raw<ReviewThread>() as ReviewThread;
  /** What is being answered. */
  answer = $state('');
  answering = $state(false);
  /** Whether one that is resolved is looked at all the same. */
  unfolded = $state(false);

  constructor(thread: ReviewThread) {
    // A thread on a whole file has no line: it stands below the file's lines.
    super({ ...thread.place, line: thread.place.line ?? 0 }, beginning(thread), false);
    this.thread = thread;
  }
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

  readonly opened: Opened;

  constructor(opened: Opened, round: number) {
    this.opened = opened;
    this.round = round;
    this.summary = { session_uuid: opened.id, request_id: `${opened.id} ${round}` };
  }

  /** Comments begin on the newest round only. */
  get takesComments(): boolean {
    return this.opened.open && this.opened.summary?.round === this.round;
  }

  /** Whether something here is written and not sent. */
  get unsent(): boolean {
    return this.comments.some((each) =>
      each instanceof OpenThread ? each.answer.trim() !== '' : each.body.trim() !== '',
    );
  }

  /** The threads that there are now; each keeps its place and what is being written to it. */
  take(threads: readonly ReviewThread[]): void {
    const known = new Map(
      this.comments.flatMap((each) => (each instanceof OpenThread ? [[each.thread.thread_id, each]] : [])),
    );
    const there = threads.map((thread) => {
      const before = known.get(thread.thread_id);
      if (!before) return new OpenThread(thread);
      before.thread = thread;
      return before;
    });
    this.comments = [...there, ...this.comments.filter((each) => !(each instanceof OpenThread))];
  }

  comment(place: CommentPlace): OpenComment | null {
    if (!this.takesComments) return null;
    const key = JSON.stringify(anchorOf(place));
    const begun = this.comments.find((each) => each.editing && JSON.stringify(anchorOf(each.place)) === key);
    if (begun) return begun;
    this.comments.push(new OpenComment(place, '', true));
    return this.comments.at(-1) ?? null;
  }

  editComment(comment: OpenComment): void {
    comment.editing = true;
  }

  discard(comment: OpenComment): void {
    this.comments = this.comments.filter((each) => each.key !== comment.key);
  }

  /** Begins a thread with what was written. Answers whether it was taken; what wasn't stays. */
  async send(comment: OpenComment): Promise<boolean> {
    const text = comment.body.trim();
    if (!text || !(await this.opened.say({ text, place: anchorOf(comment.place) }))) return false;
    this.discard(comment);
    return true;
  }

  /** Answers in a thread. */
  async answer(thread: OpenThread): Promise<boolean> {
    const text = thread.answer.trim();
    const { thread_id } = thread.thread;
    if (!text || !(await this.opened.say({ text, thread_id }))) return false;
    thread.answer = '';
    thread.answering = false;
    return true;
  }

  /** Settles a thread, or opens it again. */
  async resolve(thread: OpenThread, resolve: boolean): Promise<boolean> {
    return this.opened.say({ text: '', thread_id: thread.thread.thread_id, resolve });
  }
}

function anchorOf({ file, line, start_line, side }: CommentPlace): Anchor {
  return { file, line, ...(start_line === undefined ? {} : { start_line }), side };
}
