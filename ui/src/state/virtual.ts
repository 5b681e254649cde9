// The maths of a long list of which only the rows near the window are drawn. Pure; lengths in pixels.

/** Where each row begins; the last number is the height of all. */
export function offsetsOf(heights: readonly number[]): number[] {
  const offsets = [0];
  let sum = 0;
  for (const height of heights) {
    sum += height;
    offsets.push(sum);
  }
  return offsets;
}

/** The row at this distance from the top; the first or the last for one outside. */
export function rowAt(offsets: readonly number[], distance: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= distance) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The rows to draw, `end` not among them: those in the view and `more` on each side. */
export function drawn(
  offsets: readonly number[],
  top: number,
  height: number,
  more: number,
): { start: number; end: number } {
  const count = offsets.length - 1;
  if (count <= 0) return { start: 0, end: 0 };
  return {
    start: Math.max(0, rowAt(offsets, top) - more),
    end: Math.min(count, rowAt(offsets, top + height) + 1 + more),
  };
}

/** Where to scroll so that the row is seen whole, moving no further than needed. */
export function revealing(offsets: readonly number[], row: number, top: number, height: number): number {
  const begin = offsets[row] ?? 0;
  const end = offsets[row + 1] ?? begin;
  if (begin < top) return begin;
  return end > top + height ? end - height : top;
}
