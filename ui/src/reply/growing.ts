// A text area that is as high as its text, up to what its style sheet allows.

/** An attachment that follows the text that `text` reads, and the width that it is given. */
export function growing(text: () => string): (node: HTMLTextAreaElement) => () => void {
  return (node) => {
    // An empty one is as high as its style sheet says; asking how high would lay the page out once more.
    const bare = text() === '' && node.style.height === '';
    if (!bare) fit(node);
    // A hidden window lays its page out at a width of its own; lines break elsewhere once it shows.
    let width = bare ? 0 : node.clientWidth;
    const watch = new ResizeObserver(() => {
      if (node.clientWidth === width) return;
      width = node.clientWidth;
      if (node.value !== '' || node.style.height !== '') fit(node);
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
