// Where the keys go after an act that took away what had them.
import { tick } from 'svelte';
import type { ReviewThread } from '../generated/ReviewThread';
import type { Opened } from './opened.svelte';

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

/** To a thread that stands beside the changes, as a whole. */
export function toLoose(id: ReviewThread['thread_id']): void {
  [...document.querySelectorAll<HTMLElement>('[data-loose]')]
    .find((node) => node.dataset['loose'] === id)
    ?.focus();
}

/** Shows the round that a thread began on, and the thread there; `from` is what was pressed. */
export async function leadTo(opened: Opened, thread: ReviewThread, from: HTMLElement): Promise<void> {
  const review = from.closest<HTMLElement>('[data-testid="review"]') ?? undefined;
  const stands = await opened.showThread(thread);
  await tick();
  if (!stands) toLoose(thread.thread_id);
  void refocus(review);
}

/** Escape, where nobody else has taken it and no word is being composed. It is taken then. */
export function escapes(event: KeyboardEvent): boolean {
  if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}
