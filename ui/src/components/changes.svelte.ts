// The view of changes, loaded when the first request with changes comes: many requests have none.
import type DiffView from '../diff/DiffView.svelte';

let view = $state.raw<typeof DiffView | null>(null);
let loading: Promise<void> | undefined;

export const changes = {
  /** The view, where it is here already. */
  get view(): typeof DiffView | null {
    return view;
  },

  /** Loads it; null where it is here. */
  load(): Promise<void> | null {
    if (view) return null;
    loading ??= import('../diff/DiffView.svelte').then(
      (module) => {
        view = module.default;
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
