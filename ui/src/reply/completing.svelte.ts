// Ties a completion to the text area that is typed in.
import { untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import { insertInto } from './caret';
import type { Completion } from './completion.svelte';

/** Puts an offer, or the chosen one, in the place of what was typed. */
export function take(completion: Completion, field: HTMLTextAreaElement | undefined, index?: number): void {
  const chosen = field && completion.choose(index);
  if (!chosen) return;
  // A blank stands there already where a word is completed in the middle of a text.
  const blank = /^\s/.test(field.value.slice(chosen.end));
  insertInto(field, chosen.start, chosen.end, blank ? chosen.text.trimEnd() : chosen.text);
}

/**
 * An attachment for a text area: what is typed is followed, the keys of the list work while it stands, and
 * assistive technology hears which offer is chosen. `id` names the list; `choose` takes what is chosen; `typing`
 * says that the person typed before this was here.
 */
export function completing(
  completion: Completion,
  id: string,
  choose: () => void,
  typing = false,
): Attachment<HTMLTextAreaElement> {
  return (field) => {
    const follow = () => {
      if (field.selectionStart === field.selectionEnd) completion.follow(field.value, field.selectionStart);
      else completion.close();
    };
    const onkeydown = (event: KeyboardEvent) => {
      if (!completion.open || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      const { length } = completion.offers;
      if (event.key === 'Escape') completion.refuse();
      else if (length > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp'))
        completion.move(event.key === 'ArrowDown' ? 1 : -1);
      else if (length > 0 && (event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) choose();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    // A field that is taken off the page loses the focus in the middle of that, when nothing may change.
    const close = () => queueMicrotask(() => completion.close());
    // A caret that is moved by a click or by keys stands elsewhere.
    const moved = (event: Event) => {
      if (completion.trigger || event.type === 'input') follow();
    };
    field.addEventListener('keydown', onkeydown);
    field.addEventListener('input', moved);
    field.addEventListener('keyup', moved);
    field.addEventListener('click', moved);
    field.addEventListener('blur', close);
    field.setAttribute('aria-autocomplete', 'list');
    field.setAttribute('aria-haspopup', 'listbox');
    if (typing && document.activeElement === field) untrack(follow);
    $effect(() => {
      const listed = completion.open && completion.offers.length > 0;
      set(field, 'aria-controls', listed ? id : null);
      set(field, 'aria-activedescendant', listed ? `${id}-${completion.active}` : null);
    });
    return () => {
      field.removeEventListener('keydown', onkeydown);
      field.removeEventListener('input', moved);
      field.removeEventListener('keyup', moved);
      field.removeEventListener('click', moved);
      field.removeEventListener('blur', close);
      close();
    };
  };
}

function set(field: HTMLElement, name: string, value: string | null): void {
  if (value === null) field.removeAttribute(name);
  else field.setAttribute(name, value);
}
