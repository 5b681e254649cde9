// What two sequences have in common, after Myers, “An O(ND) Difference Algorithm and Its Variations” (1986). Pure.

/** A stretch that differs: what goes of the one sequence, and what comes in its place of the other; ends not included. */
export interface Gap {
  from: number;
  until: number;
  newFrom: number;
  newUntil: number;
}

/**
 * Where the sequences differ, in order. Null where they differ in more than `most` places: that many steps
 * squared is what it costs.
 */
export function gapsOf<T>(before: readonly T[], now: readonly T[], most: number): Gap[] | null {
  let head = 0;
  while (head < before.length && head < now.length && before[head] === now[head]) head += 1;
  let tail = 0;
  const room = Math.min(before.length, now.length) - head;
  while (tail < room && before[before.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const n = before.length - head - tail;
  const m = now.length - head - tail;
  const furthest = furthestPaths(n, m, most, (x, y) => before[head + x] === now[head + y]);
  if (!furthest) return null;

  // Backwards along the way that was found; its steps are in one gap where nothing common is between them.
  const gaps: Gap[] = [];
  let [x, y] = [n, m];
  for (let step = furthest.length - 1; step > 0; step -= 1) {
    const last = furthest[step - 1] as Int32Array;
    const offset = step;
    const at = (diagonal: number) => last[diagonal + offset - 1] ?? -1;
    const diagonal = x - y;
    const down = diagonal === -step || (diagonal !== step && at(diagonal - 1) < at(diagonal + 1));
    const from = down ? at(diagonal + 1) : at(diagonal - 1);
    const newFrom = from - (down ? diagonal + 1 : diagonal - 1);
    const [until, newUntil] = down ? [from, newFrom + 1] : [from + 1, newFrom];
    const next = gaps.at(-1);
    if (next && next.from === head + until && next.newFrom === head + newUntil) {
      next.from = head + from;
      next.newFrom = head + newFrom;
    } else
      gaps.push({
        from: head + from,
        until: head + until,
        newFrom: head + newFrom,
        newUntil: head + newUntil,
      });
    [x, y] = [from, newFrom];
  }
  return gaps.reverse();
}

/** For each number of steps, how far each diagonal is reached; the diagonal −d of d steps comes first. */
function furthestPaths(
  n: number,
  m: number,
  most: number,
  same: (x: number, y: number) => boolean,
): Int32Array[] | null {
  const all: Int32Array[] = [];
  for (let step = 0; step <= Math.min(most, n + m); step += 1) {
    const last = all[step - 1];
    const reached = new Int32Array(2 * step + 1);
    for (let diagonal = -step; diagonal <= step; diagonal += 2) {
      const at = (other: number) => last?.[other + step - 1] ?? -1;
      const down = diagonal === -step || (diagonal !== step && at(diagonal - 1) < at(diagonal + 1));
      let x = step === 0 ? 0 : down ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (x < n && x - diagonal < m && same(x, x - diagonal)) x += 1;
      reached[diagonal + step] = x;
      if (x >= n && x - diagonal >= m) {
        all.push(reached);
        return all;
      }
    }
    all.push(reached);
  }
  return null;
}
