// What only the page in a browser has: its line to the gate, an address that follows it, touches of its security keys.
import './i18n/words-browser';
import { mount } from 'svelte';
import ConnectionNote from './components/ConnectionNote.svelte';
import { followAddress } from './state/address.svelte';
import type { Main } from './state/main.svelte';
import { hearTouches } from './touch/hearing';
import { WebPort } from './transport-web';

/** The page's host, by way of a link that signs in if there is a code. Says by itself when the gate is gone. */
export function browserPort(code: string | undefined): WebPort {
  const port = WebPort.here(code);
  mount(ConnectionNote, { target: document.body, props: { connection: port.connection } });
  return port;
}

/** Follows the page that stands with the address, and asks for touches of keys that were made in it. */
export function follow(main: Main): void {
  followAddress(main);
  hearTouches(main);
}
