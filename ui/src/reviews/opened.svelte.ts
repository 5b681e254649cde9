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
import { t } from '../i18n/text.svelte';
import { ask, toFault, type Port } from '../state/port';
import type { Toasts } from '../state/toasts.svelte';
import { RoundTalk } from './talk.svelte';

/** What of a review is under way. */
export type Busy = 'take' | 'give-back' | 'say' | 'patch' | 'end';

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
  /** Whether the person is asked how it ends. */
  ending = $state(false);

  readonly port: Port;
  #toasts: Toasts;
  #turn = 0;
  /** Of each round that was looked at, what is said about its lines. */
  readonly #talks = new SvelteMap<number, RoundTalk>();

  readonly talk = $derived(this.view ? (this.#talks.get(this.view.round) ?? null) : null);
  readonly unsent = $derived(
    this.text.trim() !== '' || [...this.#talks.values()].some((talk) => talk.unsent),
  );
  readonly open = $derived(this.summary !== null && this.summary.status !== 'closed');
  /** Whether the round that is shown is the newest. */
  readonly newest = $derived(this.view !== null && this.view.round === this.summary?.round);
  /** Whether the person is to decide, or was asked what is to become of it. */
  readonly asked = $derived(
    this.open && (this.summary?.status === 'awaiting_person' || Boolean(this.view?.asked)),
  );
  /** Whether agents could decide it, if the person gave it back. */
  readonly canGiveBack = $derived.by(() => {
    const { summary } = this;
    return summary?.status === 'awaiting_person' && summary.approvals < summary.need.agents;
  });
  /** Threads that have no line in what is shown. */
  readonly elsewhere = $derived.by(() => {
    const { view } = this;
    return view ? view.threads.filter((thread) => !isIn(view, thread)) : [];
  });

  constructor(port: Port, toasts: Toasts, id: ReviewId, summary: ReviewSummary | null) {
    this.port = port;
    this.#toasts = toasts;
    this.id = id;
    this.summary = summary;
  }

  /** Looks at the review again, at the round that is shown or at another one. */
  async load(round: number | null = this.view?.round ?? null): Promise<void> {
    const turn = (this.#turn += 1);
    try {
      const view = await ask(this.port, { command: 'review', review_id: this.id, round });
      if (turn !== this.#turn) return;
      let talk = this.#talks.get(view.round);
      if (!talk) this.#talks.set(view.round, (talk = new RoundTalk(this, view.round)));
      talk.take(view.threads.filter((thread) => isIn(view, thread)));
      // The diff of a round never changes: the one that stands is kept, with where the person is in it.
      const diff = this.view?.round === view.round ? this.view.diff : view.diff;
      this.view = { ...view, diff };
      if (!this.summary || view.review.event >= this.summary.event) this.summary = view.review;
      this.fault = null;
    } catch (thrown) {
      if (turn === this.#turn) this.fault = toFault(thrown);
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
    if (this.busy || !this.open) return null;
    let taken: RequestId | null = null;
    await this.#do('take', async () => {
      taken = (await ask(this.port, { command: 'take_review', review_id: this.id })).request_id;
    });
    return taken;
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

  /** Sends what was written to all. */
  async send(): Promise<void> {
    const text = this.text.trim();
    if (text && (await this.say({ text }))) this.text = '';
  }

  /** Says something: to all, on a place of the newest round, or in a thread. Answers whether it was taken. */
  async say(said: {
    text: string;
    place?: Anchor;
    thread_id?: ReviewThread['thread_id'];
    resolve?: boolean;
  }): Promise<boolean> {
    return this.#give('say', {
      command: 'comment_review',
      review_id: this.id,
      thread_id: said.thread_id ?? null,
      place: said.place ?? null,
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
      return false;
    } finally {
      this.busy = null;
    }
  }
}

/** Whether a thread stands in the diff of the round that a view shows. */
function isIn(view: ReviewView, { round, place }: ReviewThread): boolean {
  return (
    round === view.round &&
    (view.diff?.files ?? []).some(({ old_path, new_path }) =>
      [old_path, new_path].some((path) => path === place.file),
    )
  );
}
