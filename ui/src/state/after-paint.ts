// What may wait until what stands on the page is on the screen.

/** Acts once the next picture is on the screen; answers how to stop. In a hidden window that is once it shows. */
export function afterPaint(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A frame's callbacks run before it is drawn.
  const frame = requestAnimationFrame(() => (timer = setTimeout(act)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
