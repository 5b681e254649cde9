// The main window at the reviews' page, over a recording gate: what its tests look for there.
import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect } from 'vitest';
import './lazy';
import MainApp from '../src/MainApp.svelte';
import '../src/reviews/looking';
import '../src/reviews/ReviewsPage.svelte';
import '../src/reviews/ThreadCard.svelte';
import { Main } from '../src/state/main.svelte';
import { FakeGate } from './fake-gate';
import type { FakeReviews } from './fake-reviews';

/** Renders the window; `press` is a key where the focus is. */
export async function shown(reviews: FakeReviews, page = 'reviews', gate = new FakeGate()) {
  gate.record = reviews.answer;
  const main = new Main(gate, { page, at: null });
  render(MainApp, { main });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  const press = (key: string, more: KeyboardEventInit = {}) =>
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
  return { gate, main, press };
}

export const title = () => screen.queryByTestId('review-title')?.textContent;
export const rows = () => screen.queryAllByTestId('review-row').map((row) => row.dataset['review']);
export const turns = () => screen.queryAllByTestId('reviews-turn').map((heading) => heading.dataset['turn']);
export const round = () => screen.queryByTestId('review-round-shown')?.dataset['round'];
export const focused = () => document.activeElement?.getAttribute('data-testid');

/** Waits until a review is read. */
export async function reads(id: string) {
  await expect.poll(title, { message: `${id} is read` }).toBe(`Intent of ${id}`);
  await screen.findByTestId('diff');
}

/** Begins a comment on a line of the changes, with these words. Gives its field. */
export async function comments(words: string, press: (key: string) => Promise<boolean>) {
  screen.getByTestId('diff').focus();
  for (const key of ['j', 'j', 'c']) await press(key);
  const field = (await screen.findByTestId('review-comment-text')) as HTMLTextAreaElement;
  await fireEvent.input(field, { target: { value: words } });
  return field;
}
