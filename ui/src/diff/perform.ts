// Does what a key means to a diff.
import { copy } from '../state/clipboard';
import type { DiffIntention } from './keys';
import { look } from './memory.svelte';
import type { Pane } from './pane.svelte';

/** False where the key has nothing to do here, so that it is left to others. */
export function performIn(pane: Pane, intention: DiffIntention): boolean {
  const { cursor, finder } = pane;
  const file = cursor.at?.file ?? pane.current;
  const body = pane.bodies[file];
  if (!body) return false;
  switch (intention.kind) {
    case 'line':
      cursor.step(intention.step, intention.extend);
      return true;
    case 'page':
      cursor.step(intention.step * pane.page, intention.extend);
      return true;
    case 'end':
      cursor.toEnd(intention.step);
      return true;
    case 'change':
      cursor.toChange(intention.step);
      return true;
    case 'comments':
      cursor.toComment(intention.step);
      return true;
    case 'file':
      cursor.toFile(intention.step);
      return true;
    case 'hit':
      finder.step(intention.step);
      return finder.open;
    case 'side':
      if (cursor.line()) {
        if (pane.split) cursor.toSide(intention.step === 1 ? 'new' : 'old');
        return pane.split;
      }
      pane.fold(file, intention.step === -1);
      return true;
    case 'comment':
      if (!cursor.line()) {
        pane.fold(file, !pane.isFolded(body));
        return true;
      }
      pane.comment();
      return true;
    case 'viewed':
      if (!pane.reply.open || pane.bodies.length < 2) return false;
      pane.view(file, !pane.viewed.has(file));
      if (pane.viewed.has(file)) pane.toUnviewed(file);
      return true;
    case 'fold':
      pane.fold(file, !pane.isFolded(body));
      return true;
    case 'fold-all':
      pane.foldAll(pane.folded.size < pane.bodies.length);
      return true;
    case 'split':
      look.set({ split: !look.split });
      return true;
    case 'wrap':
      look.set({ wrap: !look.wrap });
      return true;
    case 'fresh':
      if (pane.again) pane.showFresh(!pane.freshOnly);
      return pane.again;
    case 'find':
      finder.begin();
      return true;
    case 'copy': {
      // What is marked by the pointer is the page's own to copy.
      const text = getSelection()?.isCollapsed === false ? null : cursor.chosen();
      if (text !== null) void copy(text);
      return text !== null;
    }
    case 'cross':
      // The way from the message and back is the window’s.
      return false;
    case 'leave':
      if (finder.open) {
        finder.close();
        return true;
      }
      return cursor.clear();
  }
}
