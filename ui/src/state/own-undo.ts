// Undo and redo of a text field by keys. WebKitGTK binds none of them; where the host does, this does the same.
import { takesText } from './keys';

export function undoInField(event: KeyboardEvent): void {
  const key = event.key.toLowerCase();
  if (event.defaultPrevented || !event.ctrlKey || event.altKey || (key !== 'z' && key !== 'y')) return;
  if (!takesText(event.target) || typeof document.execCommand !== 'function') return;
  if (document.execCommand(key === 'y' || event.shiftKey ? 'redo' : 'undo')) event.preventDefault();
}
