// Modal dialogs: shown as they come onto the page, and the focus goes back to where it was.
import type { Attachment } from 'svelte/attachments';

/** An attachment that shows a `<dialog>` and puts the focus on what `first` selects, or on the dialog. */
export function showing(first?: string): Attachment<HTMLDialogElement> {
  return (node) => {
    const before = document.activeElement;
    // jsdom knows no dialogs; the open attribute shows it there too.
    if (typeof node.showModal === 'function') node.showModal();
    else node.open = true;
    const target = first ? node.querySelector<HTMLElement>(first) : null;
    (target ?? node).focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  };
}

/** An attachment that shows a `<dialog>` as `showing` does; `Esc` and a click beside it close it. */
export function leavable(close: () => void): Attachment<HTMLDialogElement> {
  return (node) => {
    const beside = (event: Event) => event.target === node && close();
    node.addEventListener('close', close);
    node.addEventListener('click', beside);
    const leave = showing()(node);
    return () => {
      node.removeEventListener('close', close);
      node.removeEventListener('click', beside);
      leave?.();
    };
  };
}
