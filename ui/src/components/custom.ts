// Values that only a script knows, for a style sheet to use. The content security policy allows no
// inline styles, but it allows a script to set a property.
import type { Attachment } from 'svelte/attachments';

/** An attachment that keeps a custom property at what `value` reads. */
export function custom(name: `--${string}`, value: () => string): Attachment<HTMLElement> {
  return (node) => node.style.setProperty(name, value());
}
