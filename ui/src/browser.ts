// What only the page in a browser has: its line to the gate, and an address that follows it.
import './i18n/words-browser';
import { mount } from 'svelte';
import ConnectionNote from './components/ConnectionNote.svelte';
import { followAddress } from './state/address.svelte';
import type { Main } from './state/main.svelte';
import { WebPort } from './transport-web';

/** The page's host. Says by itself when the gate is gone, or wants a new link. */
export function browserPort(): WebPort {
  const port = new WebPort();
  mount(ConnectionNote, { target: document.body, props: { connection: port.connection } });
  return port;
}

/** Follows the page that stands with the address. */
export function follow(main: Main): void {
  followAddress(main);
}
