// The mock gate's reviews: answers the commands of their page from what is made up.
import type { Command } from '../generated/Command';
import type { Event } from '../generated/Event';
import type { ReviewView } from '../generated/ReviewView';
import type { Answer } from '../state/port';
import type { Double } from './double';
import { ASKING, patchDiff, reviewRuns, reviewsOfScene, reviewView, written } from './review-fixtures';

const PAGE = 50;

class MockReviews implements Double {
  #views: Map<string, ReviewView>;
  #emit: (event: Event) => void;
  #scene: string;

  constructor(scene: string, emit: (event: Event) => void) {
    this.#views = new Map(reviewsOfScene(scene).map((each) => [each.review_id, reviewView(each, scene)]));
    this.#scene = scene;
    this.#emit = emit;
  }

  command(command: Command): Answer | null {
    switch (command.command) {
      case 'reviews':
        return this.#list(command.status, Number(command.cursor ?? 0));
      case 'review': {
        const view = this.#find(command.review_id);
        const round = command.round ?? view.review.round;
        const threads = view.threads.map((thread) =>
          thread.round < round && !thread.resolved ? thread : { ...thread, follows: null },
        );
        return structuredClone({
          ...view,
          round,
          threads,
          diff: view.diff && { files: view.diff.files.slice(0, round) },
        });
      }
      case 'undo_reply': {
        const view = [...this.#views.values()].find((each) => each.request_id === command.request_id);
        return view ? this.#change(view.review.review_id, {}, { deciding: null }) : null;
      }
      case 'review_patch': {
        if (this.#scene === 'reviews-late') this.#next(command.review_id);
        const patch = this.#find(command.review_id).patches.find(
          (each) => each.patch_id === command.patch_id,
        );
        return patch ? { patch, diff: patchDiff() } : null;
      }
      case 'review_runs':
        return { runs: reviewRuns() };
      case 'review_parties':
        return { known: 2 };
      case 'take_review':
        this.#change(command.review_id, { status: 'awaiting_person', turn: 'person', holder: null });
        return { request_id: ASKING };
      case 'give_back_review':
        return this.#change(command.review_id, { status: 'created', turn: 'reviewer' }, { asked: null });
      case 'comment_review': {
        const view = this.#find(command.review_id);
        const said = command.text ? [written(command.text)] : [];
        if (command.place) {
          const thread = {
            thread_id: `thread-${view.threads.length}`,
            round: view.review.round,
            follows: null,
          };
          view.threads.push({ ...thread, place: command.place, resolved: false, messages: said });
        } else if (command.thread_id) {
          const thread = view.threads.find((each) => each.thread_id === command.thread_id);
          thread?.messages.push(...said);
          if (thread && command.resolve !== null) thread.resolved = command.resolve;
        } else view.messages.push(...said);
        return this.#change(command.review_id, {});
      }
      case 'settle_review_patch': {
        const view = this.#find(command.review_id);
        for (const patch of view.patches)
          if (patch.patch_id === command.patch_id) patch.status = command.accept ? 'accepted' : 'rejected';
        return this.#change(command.review_id, {});
      }
      case 'end_review':
        return this.#change(command.review_id, {
          status: 'closed',
          outcome: command.outcome ?? 'withdrawn',
          turn: 'nobody',
        });
      default:
        return null;
    }
  }

  #list(status: string | null, from: number): Answer {
    const all = [...this.#views.values()]
      .map((view) => view.review)
      .filter((each) => status === null || each.status === status)
      .sort((one, other) => other.updated_at.localeCompare(one.updated_at));
    const next = from + PAGE < all.length ? String(from + PAGE) : null;
    return { reviews: all.slice(from, from + PAGE), next };
  }

  #find(id: string): ReviewView {
    const view = this.#views.get(id);
    if (!view)
      throw { code: 'unknown_review', message: 'There is no such review.', mend: 'Look at the list again.' };
    return view;
  }

  /** The next round comes. */
  #next(id: string): void {
    const view = this.#find(id);
    const round = view.review.round + 1;
    const last = view.rounds.at(-1);
    const rounds = last ? [...view.rounds, { ...last, round }] : [];
    this.#change(id, { round, updated_at: view.review.updated_at }, { rounds });
  }

  #change(id: string, over: Partial<ReviewView['review']>, more: Partial<ReviewView> = {}): Answer {
    const view = this.#find(id);
    const { event } = view.review;
    view.review = { ...view.review, event: event + 1, updated_at: new Date().toISOString(), ...over };
    Object.assign(view, more);
    this.#emit({ event: 'review_changed', review: view.review });
    return {};
  }
}

export default (scene: string, emit: (event: Event) => void): Double => new MockReviews(scene, emit);
