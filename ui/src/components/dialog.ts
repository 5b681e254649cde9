// Modal dialogs: shown as they come onto the page, alone with the keys while they stand; the focus goes back to where it
// was.
import type { Attachment } from 'svelte/attachments';
import { on } from 'svelte/events';
import { undoInField } from '../state/own-undo';

interface Modal {
  /** What Escape does; without it the dialog stays. */
  leave?: () => void;
  /** What selects the element that has the focus first; the dialog itself where it is absent. */
  first?: string;
  /** Its own keys. */
  onkey?: (event: KeyboardEvent) => void;
}

/** The dialogs that stand, the topmost last. */
const standing: HTMLDialogElement[] = [];

/** An attachment that shows a `<dialog>`. Nothing behind it hears a key, wherever the focus is. */
export function showing({ leave, first, onkey }: Modal = {}): Attachment<HTMLDialogElement> {
  return (node) => {
    const before = document.activeElement;
    // jsdom knows no dialogs; the open attribute shows it there too.
    if (typeof node.showModal === 'function') node.showModal();
    else node.open = true;
    standing.push(node);

    function hear(event: KeyboardEvent) {
      event.stopPropagation();
      if (event.isComposing || event.defaultPrevented) return;
      if (event.key === 'Escape') {
        event.preventDefault();
        return leave?.();
      }
      onkey?.(event);
      return undoInField(event);
    }

    /** What had the focus may be gone from the dialog: the keys are still its own. */
    function keep(event: KeyboardEvent) {
      if (standing.at(-1) !== node || (event.target instanceof Node && node.contains(event.target))) return;
      event.stopImmediatePropagation();
      node.focus({ preventScroll: true });
      hear(event);
    }

    const stops = [on(node, 'keydown', hear), on(window, 'keydown', keep, { capture: true })];
    const target = first ? node.querySelector<HTMLElement>(first) : null;
    (target ?? node).focus({ preventScroll: true });
    return () => {
      for (const stop of stops) stop();
      standing.splice(standing.indexOf(node), 1);
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  };
}

/** An attachment that shows a `<dialog>` as `showing` does; `Esc` and a click beside it close it. */
export function leavable(
  close: () => void,
  onkey?: (event: KeyboardEvent) => void,
): Attachment<HTMLDialogElement> {
  return (node) => {
    const beside = (event: Event) => event.target === node && close();
    node.addEventListener('close', close);
    node.addEventListener('click', beside);
    const leave = showing({ leave: close, ...(onkey ? { onkey } : {}) })(node);
    return () => {
      node.removeEventListener('close', close);
      node.removeEventListener('click', beside);
      leave?.();
    };
  };
}

/** Whether a dialog stands. Who hears a key before it reaches the page asks this first. */
export function isCovered(): boolean {
  return standing.length > 0;
}
