// Puts a window together: the host, the state, the page. The address says which window it is.
import { mount } from 'svelte';
import { undoInField } from './state/own-undo';
import type { Port } from './state/port';
import { isMainWindow } from './state/which-window';
import './styles/tokens.css';
import './styles/global.css';

/** Whether neither fixtures nor the desktop app host the page. Each host is loaded only where it is. */
const inBrowser =
  !(import.meta.env.DEV || import.meta.env.VITE_MOCK === '1') && !('__TAURI_INTERNALS__' in window);

/** Of a link that signs in: what `main/…` isn't leaves the address at once. */
const code = /^#code=(.+)/.exec(location.hash)?.[1];

async function host(): Promise<Port> {
  if (import.meta.env.DEV || import.meta.env.VITE_MOCK === '1') {
    const { mockPort } = await import('./dev/mock');
    return mockPort();
  }
  if (inBrowser) return (await import('./browser')).browserPort(code);
  const { tauriPort, tellPictures } = await import('./transport');
  tellPictures();
  return tauriPort;
}

// A browser shows the main window, in which everything has its place; its one page has no other.
if (inBrowser && !isMainWindow(location.hash)) history.replaceState(null, '', '#main/inbox');

if (!inBrowser) window.addEventListener('keydown', undoInField);

const target = document.getElementById('app');
// Begun first: it loads while the page does.
const port = host();
if (target && isMainWindow(location.hash)) {
  // Each of its own, so that no window loads what it never shows.
  const { default: MainApp } = await import('./MainApp.svelte');
  const { Main } = await import('./state/main.svelte');
  const { destination, destinationOf } = await import('./state/destination');
  const main = new Main(await port, destinationOf(location.hash) ?? destination('', null));
  mount(MainApp, { target, props: { main } });
  if (inBrowser) (await import('./browser')).follow(main);
} else if (target) {
  const { default: App } = await import('./App.svelte');
  const { Review } = await import('./review/review.svelte');
  mount(App, { target, props: { review: new Review(await port) } });
}
