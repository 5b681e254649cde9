// Where the caret of a text area stands on the page, and putting text there so that the field's own undo
// still works.

const COPIED = [
  'box-sizing',
  'width',
  'padding-top',
  'padding-right',
  'padding-bottom',
  'padding-left',
  'border-top-width',
  'border-right-width',
  'border-bottom-width',
  'border-left-width',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'letter-spacing',
  'line-height',
  'tab-size',
  'text-align',
  'text-indent',
  'text-transform',
  'word-spacing',
  'direction',
];

const LIKE_A_FIELD = [
  ['position', 'absolute'],
  ['visibility', 'hidden'],
  ['white-space', 'pre-wrap'],
  ['overflow-wrap', 'anywhere'],
] as const;

/** Where the character at `index` stands in the field's own box, in pixels, scrolling taken into account. */
export function caretPlace(field: HTMLTextAreaElement, index: number): { x: number; y: number } {
  const style = getComputedStyle(field);
  const mirror = document.createElement('div');
  for (const name of COPIED) mirror.style.setProperty(name, style.getPropertyValue(name));
  for (const [name, value] of LIKE_A_FIELD) mirror.style.setProperty(name, value);
  mirror.textContent = field.value.slice(0, index);
  const mark = document.createElement('span');
  mark.textContent = '\u200b';
  mirror.append(mark);
  document.body.append(mirror);
  const outer = mirror.getBoundingClientRect();
  const inner = mark.getBoundingClientRect();
  mirror.remove();
  return { x: inner.left - outer.left, y: inner.top - outer.top - field.scrollTop };
}

/** Replaces a part of the text as if it had been typed. */
export function insertInto(field: HTMLTextAreaElement, start: number, end: number, text: string): void {
  field.focus({ preventScroll: true });
  field.setSelectionRange(start, end);
  // The standard has no other way that the field's undo knows of; where it is missing the text goes in all the same.
  if (typeof document.execCommand === 'function' && document.execCommand('insertText', false, text)) return;
  field.setRangeText(text, start, end, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
