// A text area that is as high as its text, up to what its style sheet allows.

/** An attachment that follows the text that `text` reads, and the width that it is given. */
export function growing(text: () => string): (node: HTMLTextAreaElement) => () => void {
  return (node) => {
    text();
    fit(node);
    // A hidden window lays its page out at a width of its own; lines break elsewhere once it shows.
    let width = node.clientWidth;
    const watch = new ResizeObserver(() => {
      if (node.clientWidth === width) return;
      width = node.clientWidth;
      fit(node);
    });
    watch.observe(node);
    return () => watch.disconnect();
  };
}

/** Makes the field as high as its text. */
export function fit(node: HTMLTextAreaElement): void {
  node.style.setProperty('height', 'auto');
  if (node.scrollHeight > 0) node.style.setProperty('height', `${node.scrollHeight}px`);
}
