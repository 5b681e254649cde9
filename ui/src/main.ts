// Puts the window together: the host, the state, the page.
import { mount } from 'svelte';
import App from './App.svelte';
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
if (target) mount(App, { target, props: { review: new Review(await host()) } });
