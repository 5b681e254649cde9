// What a page needs a moment after it stands: loaded then, and at once where it is asked for.

/** How long the page stands before it is loaded, in milliseconds. */
const CALM = 250;

export interface Calmly<T> {
  /** It, where it is here already. */
  readonly parts: T | null;
  /** Loads it now. */
  load(): Promise<void>;
  /** Loads it soon. Answers how to stop that. */
  expect(): () => void;
}

export function calmly<T>(fetch: () => Promise<T>): Calmly<T> {
  let parts = $state.raw<T | null>(null);
  let loading: Promise<void> | undefined;
  const load = () =>
    (loading ??= fetch().then(
      (module) => {
        parts = module;
      },
      () => {
        // Whoever needs it next tries again.
        loading = undefined;
      },
    ));
  return {
    get parts() {
      return parts;
    },
    load,
    expect() {
      const timer = setTimeout(() => void load(), CALM);
      return () => clearTimeout(timer);
    },
  };
}
