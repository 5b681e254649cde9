// Which key opens the palette. Pure.
import type { KeyPress } from '../state/keys';

/** Whether a key opens the palette, or closes it. In a reply it means the person’s snippets. */
export function opensPalette(press: KeyPress, inReply: boolean): boolean {
  if (press.isComposing || press.repeat || press.altKey || press.shiftKey || inReply) return false;
  return (press.ctrlKey || press.metaKey) && press.key.toLowerCase() === 'k';
}
