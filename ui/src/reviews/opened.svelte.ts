// One review that is read: the round that is shown, what is said of it, and what the person does about it.
import { SvelteMap } from 'svelte/reactivity';
import type { Anchor } from '../generated/Anchor';
import type { Ending } from '../generated/Ending';
import type { Fault } from '../generated/Fault';
import type { PatchId } from '../generated/PatchId';
import type { RequestId } from '../generated/RequestId';
import type { ReviewId } from '../generated/ReviewId';
import type { ReviewSummary } from '../generated/ReviewSummary';
import type { ReviewThread } from '../generated/ReviewThread';
import type { ReviewView } from '../generated/ReviewView';
import type { Command } from '../generated/Command';
import { plainly } from '../components/coded';
import { pathOn } from '../diff/rows';
import { t } from '../i18n/text.svelte';
import { ask, toFault, type Port } from '../state/port';
import type { Toasts } from '../state/toasts.svelte';
import type { OpenComment } from '../reply/reply-draft.svelte';
import { carried, restOf } from './carry';
import { OpenThread, RoundTalk } from './talk.svelte';

/** What of a review is under way. */
export type Busy = 'take' | 'undo' | 'give-back' | 'say' | 'patch' | 'end';

/** Refusals that say that it isn't as it stands here. */
const BEHIND: readonly Fault['code'][] = ['stale_round', 'person_deciding', 'wrong_state', 'too_late'];

export class Opened {
  readonly id: ReviewId;
  summary = $state.raw<ReviewSummary | null>(null);
  view = $state.raw<ReviewView | null>(null);
  /** Why it can't be shown as it is now. */
  fault = $state.raw<Fault | null>(null);
  /** Why something wasn't done. */
  refused = $state.raw<Fault | null>(null);
  busy = $state<Busy | null>(null);
  /** A message to all that is being written. */
  text = $state('');
  /** The comment or thread, by its key, that is to be brought into view once its round stands. */
  reveal = $state<number | null>(null);
  /** Whether the person is asked how it ends. */
  ending = $state(false);
  /** How much that was thrown away can be brought back yet. */
  #discarded = 0;

  readonly port: Port;
  #toasts: Toasts;
  #turn = 0;
  #latest: Promise<void> = Promise.resolve();
  /** The round that is shown, or that was asked for last; null for the newest. */
  #wanted: number | null = null;
  /** Of each round that was looked at, what is said about its lines. */
  readonly #talks = new SvelteMap<number, RoundTalk>();

  readonly talk = $derived(this.view ? (this.#talks.get(this.view.round) ?? null) : null);
  readonly unsent = $derived(
    this.text.trim() !== '' || [...this.#talks.values()].some((talk) => talk.drafts > 0),
  );
  /** Other rounds than the one that is shown on which something is written and not sent. */
  readonly written = $derived(
    [...this.#talks.values()]
      .filter((talk) => talk !== this.talk && talk.drafts > 0)
      .sort((one, other) => one.round - other.round),
  );
  /** Whether it holds words that are nowhere else: it is kept while another review is read. */
  get holds(): boolean {
    return this.unsent || this.#discarded > 0;
  }
  readonly open = $derived(this.summary !== null && this.summary.status !== 'closed');
  /** Whether the round that is shown is the newest. */
  readonly newest = $derived(this.view !== null && this.view.round === this.summary?.round);
  /** What the person has decided and may take back yet; null where there is nothing like it. */
  readonly deciding = $derived(this.open ? (this.view?.deciding ?? null) : null);
  /** Whether the person is to decide, or was asked what is to become of it. */
  readonly asked = $derived(
    this.open &&
      this.deciding === null &&
      (this.summary?.status === 'awaiting_person' || Boolean(this.view?.asked)),
  );
  /** Whether agents could decide it, if the person gave it back. */
  readonly canGiveBack = $derived.by(() => {
    const { summary } = this;
    const waits = summary?.status === 'awaiting_person' && this.deciding === null;
    return waits && summary.approvals < summary.need.agents;
  });
  /** Threads on other rounds that don't stand in the one that is shown. */
  readonly elsewhere = $derived.by(() => {
    const { view, talk } = this;
    return (view?.threads ?? []).filter((thread) => !talk?.has(thread.thread_id));
  });

  constructor(port: Port, toasts: Toasts, id: ReviewId, summary: ReviewSummary | null) {
    this.port = port;
    this.#toasts = toasts;
    this.id = id;
    this.summary = summary;
  }

  /** Looks at the review again, at the round that is shown or is about to be, or at another one. */
  load(round: number | null = this.#wanted): Promise<void> {
    this.#wanted = round;
    return (this.#latest = this.#look(round));
  }

  async #look(round: number | null): Promise<void> {
    const turn = (this.#turn += 1);
    try {
      const view = await ask(this.port, { command: 'review', review_id: this.id, round });
      // What was asked later says more.
      if (turn !== this.#turn) return await this.#latest;
      this.#wanted = view.round;
      let talk = this.#talks.get(view.round);
      if (!talk) this.#talks.set(view.round, (talk = new RoundTalk(this, view.round)));
      talk.take(view.threads, (place) => isIn(view, place));
      // The diff of a round never changes: the one that stands is kept, with where the person is in it.
      const diff = this.view?.round === view.round ? this.view.diff : view.diff;
      this.view = { ...view, diff };
      if (!this.summary || view.review.event >= this.summary.event) this.summary = view.review;
      this.fault = null;
    } catch (thrown) {
      if (turn !== this.#turn) return await this.#latest;
      this.fault = toFault(thrown);
      this.#wanted = this.view?.round ?? null;
    }
  }

  /** It is other than before. */
  changed(review: ReviewSummary): void {
    if (this.summary && review.event <= this.summary.event) return;
    this.summary = review;
    void this.load();
  }

  /** Shows the round so many after this one; stops at both ends. */
  step(by: number): void {
    const { view } = this;
    if (!view) return;
    const round = Math.min(view.rounds.length, Math.max(1, view.round + by));
    if (round !== view.round) void this.load(round);
  }

  /** Takes it over. Gives the request that asks the person to decide; null where that was refused. */
  async take(): Promise<RequestId | null> {
    if (this.busy || !this.open || this.deciding !== null) return null;
    let taken: RequestId | null = null;
    await this.#do('take', async () => {
      taken = (await ask(this.port, { command: 'take_review', review_id: this.id })).request_id;
    });
    return taken;
  }

  /** Takes the decision back: the review waits for it again. */
  async takeBack(): Promise<void> {
    const request_id = this.view?.request_id;
    if (request_id && (await this.#give('undo', { command: 'undo_reply', request_id })))
      this.#toasts.show(t('reviews-taken-back'));
  }

  async giveBack(): Promise<void> {
    if (await this.#give('give-back', { command: 'give_back_review', review_id: this.id }))
      this.#toasts.show(t('reviews-given-back'));
  }

  async end(outcome: Ending | null): Promise<void> {
    if (await this.#give('end', { command: 'end_review', review_id: this.id, outcome })) this.ending = false;
  }

  /** Makes a patch the next round, or turns it down. */
  async settle(patch_id: PatchId, accept: boolean): Promise<boolean> {
    return this.#give('patch', {
      command: 'settle_review_patch',
      review_id: this.id,
      patch_id,
      accept,
    });
  }

  /** Sends what was written to all. What is typed meanwhile stays. */
  async send(): Promise<void> {
    const before = this.text;
    if (before.trim() && (await this.say({ text: before.trim() }))) this.text = restOf(this.text, before);
  }

  /** Throws away what was written to all. It can be brought back. */
  discard(): void {
    const { text } = this;
    this.text = '';
    this.discarded(() => (this.text = this.text.trim() === '' ? text : `${text}\n\n${this.text}`));
  }

  /** Something that was written is thrown away; `restore` brings it back, as long as the note stands. */
  discarded(restore: () => void): void {
    this.#discarded += 1;
    const over = () => (this.#discarded -= 1);
    const act = () => {
      over();
      restore();
    };
    this.#toasts.show(t('reviews-discarded'), { action: { label: t('undo'), act }, gone: over });
  }

  /** Shows the round that a thread began on, and the thread there. Answers whether it stands in the round's changes. */
  async showThread({ thread_id, round }: ReviewThread): Promise<boolean> {
    await this.load(round);
    const there = this.talk?.comments.find(
      (each) => each instanceof OpenThread && each.thread.thread_id === thread_id,
    );
    if (there) this.reveal = there.key;
    return there !== undefined;
  }

  /**
   * Carries a comment that isn't sent over to the newest round and shows that: to the same lines, else to their file, else
   * into the message to all. Answers where it went; null where it stays.
   */
  async carry(comment: OpenComment, from: RoundTalk): Promise<'lines' | 'file' | 'gone' | null> {
    const [before, newest] = [this.view, from.newer];
    if (newest === null || before?.round !== from.round) return null;
    await this.load(newest);
    const { view, talk } = this;
    if (view?.round !== newest || !talk || !from.comments.includes(comment)) return null;
    const place = carried(comment.place, before.diff?.files ?? [], view.diff?.files ?? []);
    from.comments = from.comments.filter((each) => each.key !== comment.key);
    const { file, line } = comment.place;
    const at = plainly(line > 0 ? `${file}:${line}` : file);
    const about = t('reviews-carried-about', { place: at, n: from.round });
    const words = [about, place.kind === 'lines' ? '' : place.quoted, comment.body]
      .filter((part) => part !== '')
      .join('\n\n');
    if (place.kind === 'gone')
      this.text = [this.text.trimEnd(), words].filter((part) => part !== '').join('\n\n');
    else this.reveal = talk.begin(place.place, place.kind === 'lines' ? comment.body : words).key;
    return place.kind;
  }

  /** Says something: to all, on a place of a round, or in a thread. Answers whether it was taken. */
  async say(said: {
    text: string;
    place?: Anchor;
    /** The round of the place. */
    round?: number;
    thread_id?: ReviewThread['thread_id'];
    resolve?: boolean;
  }): Promise<boolean> {
    return this.#give('say', {
      command: 'comment_review',
      review_id: this.id,
      thread_id: said.thread_id ?? null,
      place: said.place ?? null,
      round: said.round ?? null,
      text: said.text,
      resolve: said.resolve ?? null,
    });
  }

  async #give(busy: Busy, command: Command): Promise<boolean> {
    return this.#do(busy, async () => {
      await ask(this.port, command);
      await this.load();
    });
  }

  async #do(busy: Busy, act: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = busy;
    this.refused = null;
    try {
      await act();
      return true;
    } catch (thrown) {
      this.refused = toFault(thrown);
      if (BEHIND.includes(this.refused.code)) void this.load();
      return false;
    } finally {
      this.busy = null;
    }
  }
}

/** Whether the file of a place is one of the diff that a view shows, so that a thread on it stands there. */
function isIn(view: ReviewView, place: Anchor): boolean {
  return (view.diff?.files ?? []).some((file) => pathOn(file, place.side) === place.file);
}
