// What may wait until what stands on the page is on the screen.

/** How long it waits at most, in milliseconds: a page that isn't seen isn't drawn. */
export const LATEST = 500;

/** Acts once the next picture is on the screen, or after `LATEST` without one; answers how to stop. */
export function afterPaint(act: () => void): () => void {
  const stop = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const once = () => {
    stop();
    act();
  };
  let timer = setTimeout(once, LATEST);
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    // The frame's own callbacks run before it is drawn.
    timer = setTimeout(once);
  });
  return stop;
}
