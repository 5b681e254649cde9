// The browsers that are signed in: who they are, and signing them out.
import '../i18n/words-browsers';
import type { Fault } from '../generated/Fault';
import type { SignedInBrowser } from '../generated/SignedInBrowser';
import { t } from '../i18n/text.svelte';
import { age } from '../state/format';
import { ask, toFault, type Port } from '../state/port';

/** Its use is noted once an hour. */
const NOTED = 60 * 60 * 1000;

/** What a browser is called: by its own word, as far as that is known. */
export function browserName({ name, system }: Pick<SignedInBrowser, 'name' | 'system'>): string {
  const called = name ?? t('browsers-unknown');
  return system ? t('browsers-on', { name: called, system }) : called;
}

/** When it was used last. */
export function usedWhen({ open, used_at }: SignedInBrowser, now: number): string {
  if (open) return t('browsers-open');
  if (now - Date.parse(used_at) < NOTED) return t('browsers-used-lately');
  return t('browsers-used', { age: age(used_at, now) });
}

/** Every browser, where one is to be named. */
export const ALL = 'all';

export class SignedInBrowsers {
  list = $state.raw<readonly SignedInBrowser[] | null>(null);
  fault = $state.raw<Fault | null>(null);
  /** Which one is to be signed out once the person has confirmed it. */
  asking = $state<string | null>(null);

  #port: Port;
  #turn = 0;

  constructor(port: Port) {
    this.#port = port;
  }

  async load(): Promise<void> {
    const turn = (this.#turn += 1);
    try {
      const { browsers } = await ask(this.#port, { command: 'browsers' });
      if (turn !== this.#turn) return;
      this.list = browsers;
      this.fault = null;
      if (!browsers.some(({ browser }) => browser === this.asking) && this.asking !== ALL) this.asking = null;
      if (browsers.length === 0) this.asking = null;
    } catch (thrown) {
      if (turn === this.#turn) this.fault = toFault(thrown);
    }
  }

  /** Signs out whom the person was asked about. */
  async signOut(): Promise<void> {
    const browser = this.asking;
    this.asking = null;
    if (browser === null) return;
    try {
      await ask(
        this.#port,
        browser === ALL ? { command: 'sign_out' } : { command: 'sign_out_browser', browser },
      );
    } catch (thrown) {
      this.fault = toFault(thrown);
      return;
    }
    await this.load();
  }

  /** Opens the page in the browser of this machine; its link signs that one in. */
  async open(): Promise<void> {
    try {
      await this.#port.openInBrowser?.();
      this.fault = null;
    } catch (thrown) {
      this.fault = toFault(thrown);
    }
  }

  /** Whether there is a browser that can be opened. */
  get opens(): boolean {
    return this.#port.openInBrowser !== undefined;
  }
}
