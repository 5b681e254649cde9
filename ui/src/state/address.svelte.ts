// The browser's address and title follow the page, so that going back, reloading and looking at the tab
// do what they do elsewhere.
import { t } from '../i18n/text.svelte';
import { destinationOf } from './destination';
import type { Main } from './main.svelte';

/** Follows the main window's page from now on; answers how to stop. */
export function followAddress(main: Main): () => void {
  return $effect.root(() => {
    $effect(() => {
      const { page } = main;
      if (destinationOf(location.hash)?.page !== page) history.pushState(null, '', `#main/${page}`);
    });
    $effect(() => {
      document.title = t('browser-title', { n: main.waiting.length });
    });
  });
}
