// Puts a window together: the host, the state, the page. The address says which window it is.
import { mount } from 'svelte';
import App from './App.svelte';
import { destinationOf } from './state/destination';
import { Review } from './state/review.svelte';
import type { Port } from './state/port';
import { tauriPort } from './transport';
import './styles/tokens.css';
import './styles/global.css';

async function host(): Promise<Port> {
  if (import.meta.env.DEV || import.meta.env.VITE_MOCK === '1') {
    const { mockPort } = await import('./dev/mock');
    return mockPort();
  }
  return tauriPort;
}

const target = document.getElementById('app');
const destination = destinationOf(location.hash);
if (target && destination) {
  // Of its own, so that the review window doesn't load what it never shows.
  const { default: MainApp } = await import('./MainApp.svelte');
  const { Main } = await import('./state/main.svelte');
  mount(MainApp, { target, props: { main: new Main(await host(), destination) } });
} else if (target) mount(App, { target, props: { review: new Review(await host()) } });
