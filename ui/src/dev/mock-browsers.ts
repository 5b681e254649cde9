// The mock gate's signed-in browsers. Scenes: `empty` (none), `browsers` (one of each kind), `keys-page` and `signed-in` (one
// signs in while the window stands).
import type { Command } from '../generated/Command';
import type { Event } from '../generated/Event';
import type { SignedInBrowser } from '../generated/SignedInBrowser';
import type { Answer } from '../state/port';
import { ago } from './build';
import type { Double } from './double';

const LAPTOP: SignedInBrowser = {
  ...{ browser: 'a1'.repeat(32), name: 'Firefox', system: 'Linux', address: 'localhost:8321' },
  ...{ signed_in_at: ago(90_000), used_at: ago(300), by_script: false, open: true, here: false },
};
const TABLET: SignedInBrowser = {
  ...{ browser: 'b2'.repeat(32), name: 'Safari', system: 'iPadOS', address: 'localhost:9000' },
  ...{ signed_in_at: ago(200_000), used_at: ago(90_000), by_script: false, open: false, here: false },
};
const SCRIPT: SignedInBrowser = {
  ...{ browser: 'c3'.repeat(32), name: null, system: null, address: '127.0.0.1:8321' },
  ...{ signed_in_at: ago(1200), used_at: ago(1200), by_script: true, open: false, here: false },
};

class MockBrowsers implements Double {
  #browsers: SignedInBrowser[] = [LAPTOP];
  #emit: (event: Event) => void;

  constructor(scene: string, emit: (event: Event) => void) {
    this.#emit = emit;
    if (scene === 'empty') this.#browsers = [];
    if (scene === 'browsers') this.#browsers = [SCRIPT, LAPTOP, TABLET];
    if (scene === 'keys-page') this.#browsers = [{ ...LAPTOP, here: true }];
    if (scene === 'signed-in') setTimeout(() => emit({ event: 'browser_signed_in', browser: LAPTOP }), 100);
  }

  command(command: Command): Answer | null {
    switch (command.command) {
      case 'browsers':
        return { browsers: this.#browsers };
      case 'sign_out':
        return this.#keep([]);
      case 'sign_out_browser':
        return this.#keep(this.#browsers.filter(({ browser }) => browser !== command.browser));
      default:
        return null;
    }
  }

  #keep(browsers: SignedInBrowser[]): Answer {
    this.#browsers = browsers;
    this.#emit({ event: 'browsers_signed_out' });
    return {};
  }
}

export default (scene: string, emit: (event: Event) => void): Double => new MockBrowsers(scene, emit);
