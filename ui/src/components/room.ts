// The room that notes take: they stand above the bar of a reply, and what scrolls there ends above them. Lengths are
// properties of the root, in pixels.
import type { Attachment } from 'svelte/attachments';

function told(measure: (node: HTMLElement) => Record<string, string>): Attachment<HTMLElement> {
  return (node) => {
    const { style } = document.documentElement;
    const tell = () => {
      for (const [name, value] of Object.entries(measure(node))) style.setProperty(name, value);
    };
    const observer = new ResizeObserver(tell);
    observer.observe(node);
    return () => {
      observer.disconnect();
      for (const name of Object.keys(measure(node))) style.removeProperty(name);
    };
  };
}

/** The bar of a reply: `--foot` is its height, `--foot-wide` its width, `--footed` 1 while it is seen. */
export const footed = told((node) => {
  const { offsetHeight, offsetWidth } = node;
  return offsetHeight > 0
    ? { '--foot': `${offsetHeight}px`, '--foot-wide': `${offsetWidth}px`, '--footed': '1' }
    : { '--foot': '0px', '--foot-wide': '100vw', '--footed': '0' };
});

/** The notes: `--notes` is the height that they take, with what is left free around them; 0 without any. */
export const noted = told((node) => ({
  '--notes': node.childElementCount > 0 ? `calc(${node.offsetHeight}px + 1.2rem)` : '0px',
}));
