// The keys that make all text larger or smaller. Small, since both windows begin with it.
import type { KeyPress } from '../state/keys';
import type { Port } from '../state/port';
import type { Toasts } from '../state/toasts.svelte';

/** By how much a key changes the size of text; 0 for back to the usual one, null for any other key. */
export function sizeStep(press: KeyPress): 1 | -1 | 0 | null {
  if (!(press.ctrlKey || press.metaKey) || press.altKey || press.isComposing) return null;
  // Where + needs Shift, = is the same key.
  if (press.key === '+' || press.key === '=') return 1;
  return press.key === '-' ? -1 : press.key === '0' ? 0 : null;
}

/** Takes those keys, one after the other; answers whether a key was one of them. */
export function sizing(port: Port, toasts: Toasts): (event: KeyboardEvent) => boolean {
  let line = Promise.resolve();
  return (event) => {
    const step = sizeStep(event);
    if (step === null) return false;
    event.preventDefault();
    const take = async () => (await import('./text-size')).resize(port, toasts, step);
    line = line.then(take, take);
    return true;
  };
}
