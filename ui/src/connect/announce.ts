// A browser that signed in, said where the person is, with the way to sign it out.
import '../i18n/words-browsers';
import type { SignedInBrowser } from '../generated/SignedInBrowser';
import { t } from '../i18n/text.svelte';
import { FAILURE, type Toasts } from '../state/toasts.svelte';
import { browserName } from './browsers.svelte';

export function announce(toasts: Toasts, browser: SignedInBrowser, show: () => void): void {
  const values = { name: browserName(browser), address: browser.address };
  toasts.show(t(browser.by_script ? 'browsers-signed-in-script' : 'browsers-signed-in', values), {
    // Whoever didn't do it themselves has something to read, and to do.
    milliseconds: FAILURE,
    action: { label: t('browsers-show'), act: show },
  });
}
