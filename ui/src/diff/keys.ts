// What keys mean while a diff has the focus. Pure.
import type { KeyPress } from '../state/keys';

export type DiffIntention =
  | { kind: 'line' | 'page' | 'end'; step: 1 | -1; extend: boolean }
  | { kind: 'change' | 'comments' | 'file' | 'hit'; step: 1 | -1 }
  | { kind: 'side'; step: 1 | -1 }
  | {
      kind:
        | 'comment'
        | 'viewed'
        | 'fold'
        | 'fold-all'
        | 'split'
        | 'wrap'
        | 'fresh'
        | 'find'
        | 'copy'
        | 'cross'
        | 'leave';
    };

const letters: Record<string, DiffIntention> = {
  n: { kind: 'change', step: 1 },
  p: { kind: 'change', step: -1 },
  m: { kind: 'comments', step: 1 },
  ']': { kind: 'file', step: 1 },
  '[': { kind: 'file', step: -1 },
  c: { kind: 'comment' },
  v: { kind: 'viewed' },
  z: { kind: 'fold' },
  t: { kind: 'split' },
  w: { kind: 'wrap' },
  u: { kind: 'fresh' },
  f: { kind: 'cross' },
  '/': { kind: 'find' },
};

/** What a key press means in a diff that has the focus; null for what it leaves to others. */
export function diffIntentionOf(press: KeyPress): DiffIntention | null {
  if (press.isComposing || press.altKey) return null;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  const shift = press.shiftKey;
  const step = shift ? -1 : 1;
  if (key === 'F3') return { kind: 'hit', step };
  if (press.ctrlKey || press.metaKey) {
    if (key === 'f' && !shift) return { kind: 'find' };
    if (key === 'g') return { kind: 'hit', step };
    if (key === 'c' && !shift) return { kind: 'copy' };
    if (key === 'Home') return { kind: 'end', step: -1, extend: false };
    return key === 'End' ? { kind: 'end', step: 1, extend: false } : null;
  }
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return { kind: 'line', step: 1, extend: shift };
    case 'ArrowUp':
    case 'k':
      return { kind: 'line', step: -1, extend: shift };
    case 'PageDown':
      return { kind: 'page', step: 1, extend: shift };
    case 'PageUp':
      return { kind: 'page', step: -1, extend: shift };
    case 'Home':
      return { kind: 'end', step: -1, extend: false };
    case 'End':
      return { kind: 'end', step: 1, extend: false };
    case 'ArrowLeft':
      return { kind: 'side', step: -1 };
    case 'ArrowRight':
      return { kind: 'side', step: 1 };
    case 'Escape':
      return { kind: 'leave' };
    case 'Enter':
      return shift || press.repeat ? null : { kind: 'comment' };
  }
  if (shift) {
    if (key === 'm') return { kind: 'comments', step: -1 };
    return key === 'z' ? { kind: 'fold-all' } : null;
  }
  const meant = letters[key] ?? null;
  // A held key moves on; it doesn't switch to and fro.
  return press.repeat && meant && !('step' in meant) ? null : meant;
}
