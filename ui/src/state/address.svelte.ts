// The browser's address follows the page, so that going back and reloading do what they do elsewhere.
import { destinationOf } from './destination';
import type { Main } from './main.svelte';
import { pageOf } from './pages';

/** What a page is narrowed down to, without the words that are typed letter by letter; null without such words. */
function besideWords(query: string): string | null {
  const [beside, words] = query.split(/&?\bq=/, 2);
  return words ? (beside ?? '') : null;
}

/** Follows the main window's page from now on; answers how to stop. */
export function followAddress(main: Main): () => void {
  /** The address that the page was at last. */
  let last = '';
  return $effect.root(() => {
    $effect(() => {
      const { page } = main;
      const query = pageOf(page).narrowed?.(main) ?? '';
      const stands = destinationOf(location.hash);
      const here = stands?.page === page;
      if (!here || stands.query !== query) {
        // An address that says it in other words is mended. Going back leads past words, not through each letter.
        const led = location.hash !== last;
        const beside = besideWords(query);
        const types = beside !== null && beside === besideWords(stands?.query ?? '');
        const address = `#main/${page}${query && `?${query}`}`;
        if (here && (led || types)) history.replaceState(null, '', address);
        else history.pushState(null, '', address);
      }
      last = location.hash;
    });
  });
}
