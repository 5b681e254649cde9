// What keys mean while an agent's message is read. Pure.
import type { KeyPress } from '../state/keys';

export type PassageIntention =
  | { kind: 'block' | 'remark'; step: 1 | -1 }
  | { kind: 'comment' | 'quote' | 'outline' | 'changes' | 'source' };

/** What a key press means; null for what it leaves to others. */
export function passageIntentionOf(press: KeyPress): PassageIntention | null {
  if (press.isComposing || press.ctrlKey || press.metaKey || press.altKey) return null;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  if (key === 'm') return { kind: 'remark', step: press.shiftKey ? -1 : 1 };
  if (press.shiftKey) return null;
  if (key === 'n') return { kind: 'block', step: 1 };
  if (key === 'p') return { kind: 'block', step: -1 };
  // A held key moves on; it doesn't begin the same thing again and again.
  if (press.repeat) return null;
  if (key === 'c') return { kind: 'comment' };
  if (key === 'q') return { kind: 'quote' };
  if (key === 'u') return { kind: 'changes' };
  if (key === 'o') return { kind: 'source' };
  return key === 't' ? { kind: 'outline' } : null;
}
