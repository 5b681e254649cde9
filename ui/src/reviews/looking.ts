// Finding out, while the page doesn't stand, whether there are reviews and which of them wait for the person.
import type { Main } from '../state/main.svelte';
import { ask } from '../state/port';

const hearing = new WeakSet<Main>();

/** Looks it up, and follows it from then on. The page itself says what goes wrong. */
export async function look(main: Main): Promise<void> {
  if (!hearing.has(main)) {
    hearing.add(main);
    main.hears({
      review_changed: ({ review }) => {
        const others = (main.reviews ?? []).filter((id) => id !== review.review_id);
        main.reviews = review.turn === 'person' ? [...others, review.review_id] : others;
      },
    });
  }
  try {
    const first = await ask(main.port, { command: 'reviews', status: null, cursor: null });
    if (first.reviews.length === 0) return;
    const { reviews } = await ask(main.port, { command: 'reviews', status: 'awaiting_person', cursor: null });
    main.reviews = reviews.filter((each) => each.turn === 'person').map((each) => each.review_id);
  } catch {
    // What was known stays.
  }
}
