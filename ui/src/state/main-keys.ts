// Which key means what in the main window. Pure, like the review window's.
import type { MainPage } from './destination';
import type { KeyPress } from './keys';
import { PAGES } from './pages';

export type MainIntention =
  | { kind: 'search' | 'help' | 'escape' | 'hide' | 'away' | 'quiet' | 'goto' }
  | { kind: 'page'; page: MainPage }
  | { kind: 'move'; by: 'row' | 'page' | 'end'; direction: 1 | -1 }
  | { kind: 'open' | 'snooze' };

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

const letters: Record<string, MainIntention> = {
  '/': { kind: 'search' },
  '?': { kind: 'help' },
  a: { kind: 'away' },
  d: { kind: 'quiet' },
  g: { kind: 'goto' },
};

/**
 * What a key means wherever the focus is; `inText` where single keys mean nothing, `afterGoto` while the
 * page's letter is awaited.
 */
export function mainIntentionOf(press: KeyPress, inText: boolean, afterGoto = false): MainIntention | null {
  if (press.isComposing) return null;
  const command = press.ctrlKey || press.metaKey;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  if (command && !press.altKey && !press.shiftKey && !press.repeat) {
    const page = PAGES.find((each) => each.digit === key);
    if (page) return { kind: 'page', page: page.page };
    if (key === 'f') return { kind: 'search' };
    if (key === 'w') return { kind: 'hide' };
  }
  if (command || press.altKey) return null;
  if (key === 'Escape') return { kind: 'escape' };
  if (inText || press.repeat) return null;
  const page = afterGoto ? PAGES.find((each) => each.letter === key) : undefined;
  if (page) return { kind: 'page', page: page.page };
  return letters[key] ?? null;
}

/** What a key means while the focus is on a list. Held keys move on. */
export function listIntentionOf(press: KeyPress): MainIntention | null {
  if (press.isComposing || press.ctrlKey || press.metaKey || press.altKey) return null;
  if (press.key === 'Enter' && !press.repeat) return { kind: 'open' };
  return moves[press.key.length === 1 ? press.key.toLowerCase() : press.key] ?? null;
}
