// Where the keys go after an act that took away what had them.
import { tick } from 'svelte';

/**
 * Where nothing has the focus any more, gives it to the first of these that is there, by their `data-testid`; else to the
 * review as a whole.
 */
export async function refocus(root: HTMLElement | undefined, ...places: readonly string[]): Promise<void> {
  const review = root?.closest<HTMLElement>('[data-testid="review"]');
  await tick();
  const has = document.activeElement;
  if (has && has !== document.body && has.isConnected) return;
  for (const place of places) {
    const found = root?.querySelector<HTMLElement>(`[data-testid="${place}"]:not(:disabled)`);
    if (found) return found.focus({ preventScroll: true });
  }
  review?.focus({ preventScroll: true });
}

/** Escape, where nobody else has taken it and no word is being composed. It is taken then. */
export function escapes(event: KeyboardEvent): boolean {
  if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}
