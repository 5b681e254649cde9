// Which key means what to a permission question. Pure. The keys that approve other requests mean nothing here, so that
// nobody allows something by habit.
import { apple, type KeyPress } from '../state/keys';

export type PermissionIntention =
  { kind: 'once' | 'deny' | 'edit' } | { kind: 'rule'; place: number } | { kind: 'send' };

/** What the person means; a held key and one that an input method composes with mean nothing. */
export function permissionIntentionOf(
  press: KeyPress & Pick<KeyboardEvent, 'code'>,
): PermissionIntention | null {
  if (press.repeat || press.isComposing || press.shiftKey) return null;
  if (press.key === 'Enter' && press.ctrlKey !== press.metaKey && !press.altKey) return { kind: 'send' };
  if (!press.altKey || press.ctrlKey || press.metaKey) return null;
  if (press.key === 'Enter') return { kind: 'once' };
  if (press.key === 'Backspace') return { kind: 'deny' };
  // With Alt some systems write other signs.
  if (press.code === 'KeyE' || press.key.toLowerCase() === 'e') return { kind: 'edit' };
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(press.code)?.[1] ?? /^[1-9]$/.exec(press.key)?.[0];
  return digit ? { kind: 'rule', place: Number(digit) } : null;
}

/** Key names as this system writes them. */
export const permissionKeys = {
  once: apple ? '⌥ ⏎' : 'Alt ⏎',
  deny: apple ? '⌥ ⌫' : 'Alt ⌫',
  edit: apple ? '⌥ E' : 'Alt E',
  rule: (place: number | string) => (apple ? `⌥ ${place}` : `Alt ${place}`),
} as const;
