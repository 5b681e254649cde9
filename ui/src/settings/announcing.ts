// What others changed in the settings, on its way to be said. Small, since both windows begin with it.
import type { SettingChange } from '../generated/SettingChange';
import type { Port } from '../state/port';
import type { Toasts } from '../state/toasts.svelte';

/** Says changes in their order, though the first have to wait until what says them is loaded. */
export function announcing(port: Port, toasts: Toasts): (changes: readonly SettingChange[]) => void {
  let line = Promise.resolve();
  return (changes) => {
    const say = async () => (await import('./announce')).announce(port, toasts, changes);
    line = line.then(say, say);
  };
}
