// A browser that signs in, on its way to be said. Small, since both windows begin with it.
import type { SignedInBrowser } from '../generated/SignedInBrowser';
import type { Toasts } from '../state/toasts.svelte';

/** Says that a browser has signed in; `show` leads to the list of them. */
export function announcing(toasts: Toasts, show: () => void): (browser: SignedInBrowser) => void {
  return (browser) => void import('./announce').then(({ announce }) => announce(toasts, browser, show));
}
