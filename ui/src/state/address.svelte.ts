// The browser's address follows the page, so that going back and reloading do what they do elsewhere.
import { destinationOf } from './destination';
import type { Main } from './main.svelte';

/** Follows the main window's page from now on; answers how to stop. */
export function followAddress(main: Main): () => void {
  return $effect.root(() => {
    $effect(() => {
      const { page } = main;
      if (destinationOf(location.hash)?.page !== page) history.pushState(null, '', `#main/${page}`);
    });
  });
}
