// Puts spoken words into the reply's field: as one step of its own undo, and without taking the caret or the
// focus from where the person has them.
import { insertInto } from '../reply/caret';
import { takesText } from '../state/keys';

/** Puts the words at a place. The caret stays where it was, behind the words if that was there. */
export function put(field: HTMLTextAreaElement, at: number, words: string): void {
  const before = document.activeElement;
  const { selectionStart: start, selectionEnd: end } = field;
  apart(field, at);
  insertInto(field, at, at, words);
  const moved = (place: number) => (place < at ? place : place + words.length);
  const to = moved(end);
  const from = end === at ? to : moved(start);
  apart(field, to);
  field.setSelectionRange(from, to);
  if (before instanceof HTMLElement && before !== field && takesText(before))
    before.focus({ preventScroll: true });
}

/** A caret that was elsewhere ends what is typed as one step: the words are taken back alone. */
function apart(field: HTMLTextAreaElement, at: number): void {
  const elsewhere = at > 0 ? 0 : field.value.length;
  if (field.value !== '') field.setSelectionRange(elsewhere, elsewhere);
}
