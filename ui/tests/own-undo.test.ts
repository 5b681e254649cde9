// Undo and redo of a field by keys, where the host binds none.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { undoInField } from '../src/state/own-undo';

const carriedOut = vi.fn<(command: string) => boolean>(() => true);

beforeEach(() => {
  for (const [name, id] of [
    ['textarea', 'text'],
    ['button', 'other'],
  ] as const)
    document.body.append(Object.assign(document.createElement(name), { id }));
  Object.assign(document, { execCommand: carriedOut });
  window.addEventListener('keydown', undoInField);
});

afterEach(() => {
  window.removeEventListener('keydown', undoInField);
  Reflect.deleteProperty(document, 'execCommand');
  document.body.replaceChildren();
  carriedOut.mockClear();
});

function press(id: string, key: string, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', {
    key,
    ctrlKey: true,
    bubbles: true,
    cancelable: true,
    ...more,
  });
  document.getElementById(id)?.dispatchEvent(event);
  return event;
}

it.each([
  ['z', {}, 'undo'],
  ['Z', { shiftKey: true }, 'redo'],
  ['y', {}, 'redo'],
] as const)('Ctrl %s in a text', (key, more, command) => {
  expect(press('text', key, more).defaultPrevented, 'the host does not do it once more').toBe(true);
  expect(carriedOut.mock.calls).toEqual([[command]]);
});

it('leaves everything else alone', () => {
  press('other', 'z');
  press('text', 'z', { ctrlKey: false });
  press('text', 'z', { altKey: true });
  press('text', 'x');
  expect(carriedOut).not.toHaveBeenCalled();
});

it('leaves what the page has used already', () => {
  const taken = (event: Event) => event.preventDefault();
  document.body.addEventListener('keydown', taken);
  press('text', 'z');
  document.body.removeEventListener('keydown', taken);
  expect(carriedOut).not.toHaveBeenCalled();
});
