// Where a part of a text area stands on the page, and putting text there so that the field's own undo
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

/**
 * Where a part of the text stands in the field's own box, in pixels, scrolling taken into account: where it begins,
 * and how far down its first and its last line are.
 */
export function placeOf(
  field: HTMLTextAreaElement,
  start: number,
  end: number,
): { x: number; first: number; last: number } {
  const style = getComputedStyle(field);
  const mirror = document.createElement('div');
  for (const name of COPIED) mirror.style.setProperty(name, style.getPropertyValue(name));
  for (const [name, value] of LIKE_A_FIELD) mirror.style.setProperty(name, value);
  const part = document.createElement('span');
  part.textContent = field.value.slice(start, end) || '\u200b';
  // What follows has a say in where lines break.
  mirror.append(field.value.slice(0, start), part, field.value.slice(end));
  document.body.append(mirror);
  const outer = mirror.getBoundingClientRect();
  const lines = [...part.getClientRects()];
  mirror.remove();
  const [first = outer, last = first] = [lines[0], lines.at(-1)];
  const begin = style.direction === 'rtl' ? first.right : first.left;
  const down = (line: DOMRect) => line.top - outer.top - field.scrollTop;
  return { x: begin - outer.left, first: down(first), last: down(last) };
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
