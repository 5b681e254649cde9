// The room that notes and the bar of a reply take, in pixels: notes stand above the bar, and what scrolls there ends
// above them. Each place that minds it says so in its own style: on the root, a property would style all anew.
import { SvelteMap } from 'svelte/reactivity';
import type { Attachment } from 'svelte/attachments';

type Part = 'foot' | 'notes';
interface Size {
  readonly height: number;
  readonly width: number;
}

const parts = new SvelteMap<Part, Size>();

function measured(part: Part, sees: (node: HTMLElement) => boolean): Attachment<HTMLElement> {
  return (node) => {
    const tell = () => {
      const { offsetHeight: height, offsetWidth: width } = node;
      if (!sees(node) || height === 0) parts.delete(part);
      else if (parts.get(part)?.height !== height || parts.get(part)?.width !== width)
        parts.set(part, { height, width });
    };
    const observer = new ResizeObserver(tell);
    observer.observe(node);
    return () => {
      observer.disconnect();
      parts.delete(part);
    };
  };
}

/** Measures the bar of a reply. */
export const footed = measured('foot', () => true);

/** Measures the notes. */
export const noted = measured('notes', (node) => node.childElementCount > 0);

export const room = {
  /** The bar of a reply; absent where none is seen. */
  get foot(): Size | undefined {
    return parts.get('foot');
  },

  /** The height that the notes take, with what is left free around them; absent without any. */
  get notes(): string | undefined {
    const notes = parts.get('notes');
    return notes && `calc(${notes.height}px + 1.2rem)`;
  },
};
