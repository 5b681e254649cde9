// The view of changes and of where they come from, loaded when the first request with changes comes: many requests
// have none.
import type DiffView from '../diff/DiffView.svelte';
import type RoundLine from '../reviews/RoundLine.svelte';
import type RepositoryLine from './RepositoryLine.svelte';

let view = $state.raw<typeof DiffView | null>(null);
let repository = $state.raw<typeof RepositoryLine | null>(null);
let round = $state.raw<typeof RoundLine | null>(null);
let loading: Promise<void> | undefined;

export const changes = {
  /** The view, where it is here already. */
  get view(): typeof DiffView | null {
    return view;
  },

  /** What of a repository they are, where it is here already. */
  get repository(): typeof RepositoryLine | null {
    return repository;
  },

  /** Which round of a review they are, where it is here already. */
  get round(): typeof RoundLine | null {
    return round;
  },

  /** Loads all; null where they are here. */
  load(): Promise<void> | null {
    if (view) return null;
    loading ??= Promise.all([
      import('../diff/DiffView.svelte'),
      import('./RepositoryLine.svelte'),
      import('../reviews/RoundLine.svelte'),
    ]).then(
      ([diff, line, asked]) => {
        view = diff.default;
        repository = line.default;
        round = asked.default;
      },
      (failure: unknown) => {
        // The next request with changes tries again.
        loading = undefined;
        throw failure;
      },
    );
    return loading;
  },
};
