// Changing the size of all text by a key: the setting is changed, as on its page.
import '../i18n/words-settings';
import type { SettingsView } from '../generated/SettingsView';
import { t } from '../i18n/text.svelte';
import { LARGEST_TEXT, SMALLEST_TEXT } from '../state/appearance';
import { ask, toFault, type Port } from '../state/port';
import type { Toasts } from '../state/toasts.svelte';

const KEY = 'window.font_size';

const sizeIn = (view: SettingsView) => Number(view.settings.find((setting) => setting.key === KEY)?.value);

/** Takes away what was said of the size before. */
let unsay: () => void = () => undefined;

/** Changes the size by so many pixels, or back to the usual one, and says what it is then. */
export async function resize(port: Port, toasts: Toasts, step: 1 | -1 | 0): Promise<void> {
  try {
    let view = await ask(port, { command: 'settings' });
    const before = sizeIn(view);
    const wanted = Math.min(LARGEST_TEXT, Math.max(SMALLEST_TEXT, before + step));
    if (step === 0 || wanted !== before) {
      const values = { [KEY]: step === 0 ? null : wanted };
      view = await ask(port, { command: 'save_settings', values, seen: {} });
    }
    const n = sizeIn(view);
    const end = n >= LARGEST_TEXT ? 'largest' : n <= SMALLEST_TEXT ? 'smallest' : 'none';
    unsay();
    unsay = toasts.show(t('settings-text-size', { n, end }));
  } catch (thrown) {
    toasts.failed(t('settings-text-size-failed'), toFault(thrown));
  }
}
