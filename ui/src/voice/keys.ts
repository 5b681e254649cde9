// The key that is held to speak. Pure.
import type { KeyPress } from '../state/keys';

/** Whether it goes down: Ctrl D, ⌘ D on Apple systems, wherever the focus is. */
export function isSpeakKey(press: KeyPress): boolean {
  return (
    (press.ctrlKey || press.metaKey) && !press.shiftKey && !press.altKey && press.key.toLowerCase() === 'd'
  );
}

/** Whether it goes up, or what is held with it: a system may keep the one from the page while the other is down. */
export function isSpeakKeyUp({ key }: Pick<KeyboardEvent, 'key'>): boolean {
  return key.toLowerCase() === 'd' || key === 'Control' || key === 'Meta';
}
