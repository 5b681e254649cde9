// Which key means what in the main window. Pure, like the review window's.
import type { KeyPress } from './keys';

export type MainIntention =
  | { kind: 'sessions' | 'history' | 'search' | 'review' | 'help' | 'escape' | 'hide' }
  | { kind: 'move'; by: 'row' | 'page' | 'end'; direction: 1 | -1 }
  | { kind: 'open' };

const moves: Record<string, MainIntention> = {
  ArrowDown: { kind: 'move', by: 'row', direction: 1 },
  ArrowUp: { kind: 'move', by: 'row', direction: -1 },
  j: { kind: 'move', by: 'row', direction: 1 },
  k: { kind: 'move', by: 'row', direction: -1 },
  PageDown: { kind: 'move', by: 'page', direction: 1 },
  PageUp: { kind: 'move', by: 'page', direction: -1 },
  Home: { kind: 'move', by: 'end', direction: -1 },
  End: { kind: 'move', by: 'end', direction: 1 },
};

/** What a key means wherever the focus is; `inText` where keys are text. */
export function mainIntentionOf(press: KeyPress, inText: boolean): MainIntention | null {
  if (press.isComposing) return null;
  const command = press.ctrlKey || press.metaKey;
  if (command && !press.altKey && !press.shiftKey && !press.repeat) {
    switch (press.key.toLowerCase()) {
      case '1':
        return { kind: 'sessions' };
      case '2':
        return { kind: 'history' };
      case 'f':
        return { kind: 'search' };
      case 'r':
        return { kind: 'review' };
      case 'w':
        return { kind: 'hide' };
    }
  }
  if (command || press.altKey) return null;
  if (press.key === 'Escape') return { kind: 'escape' };
  if (inText || press.repeat) return null;
  if (press.key === '/') return { kind: 'search' };
  return press.key === '?' ? { kind: 'help' } : null;
}

/** What a key means while the focus is on a list. Held keys move on. */
export function listIntentionOf(press: KeyPress): MainIntention | null {
  if (press.isComposing || press.ctrlKey || press.metaKey || press.altKey) return null;
  if (press.key === 'Enter' && !press.repeat) return { kind: 'open' };
  return moves[press.key.length === 1 ? press.key.toLowerCase() : press.key] ?? null;
}
