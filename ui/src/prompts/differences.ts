// Which lines differ between two texts, as a list that can be drawn. Pure.

export interface DiffLine {
  kind: 'added' | 'removed' | 'context' | 'hunk';
  text: string;
}

/** Lines that stay around a difference. */
const CONTEXT = 3;
/** Differences beyond which the middle counts as written anew: looking for more takes too long to be worth it. */
const MOST = 800;

const linesOf = (text: string) => text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');

/** The shortest way from one list of lines to another, after Myers; null where it is longer than `most`. */
function shortest(before: readonly string[], now: readonly string[], most: number): DiffLine[] | null {
  const trail: Map<number, number>[] = [];
  const ends = new Map<number, number>([[1, 0]]);
  for (let steps = 0; steps <= most; steps += 1) {
    trail.push(new Map(ends));
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      const [left, right] = [ends.get(diagonal - 1) ?? -1, ends.get(diagonal + 1) ?? -1];
      let x = diagonal === -steps || (diagonal !== steps && left < right) ? right : left + 1;
      while (x < before.length && x - diagonal < now.length && before[x] === now[x - diagonal]) x += 1;
      ends.set(diagonal, x);
      if (x >= before.length && x - diagonal >= now.length) return walked(before, now, trail);
    }
  }
  return null;
}

/** The way that was found, from its end to its beginning and turned round. */
function walked(before: readonly string[], now: readonly string[], trail: Map<number, number>[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [before.length, now.length];
  for (let steps = trail.length - 1; steps >= 0; steps -= 1) {
    const ends = trail[steps] as Map<number, number>;
    const diagonal = x - y;
    const [left, right] = [ends.get(diagonal - 1) ?? -1, ends.get(diagonal + 1) ?? -1];
    const from = diagonal === -steps || (diagonal !== steps && left < right) ? diagonal + 1 : diagonal - 1;
    const fromX = steps === 0 ? 0 : (ends.get(from) ?? 0);
    const fromY = steps === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      lines.push({ kind: 'context', text: before[x] ?? '' });
    }
    if (steps === 0) break;
    if (x === fromX) lines.push({ kind: 'added', text: now[(y -= 1)] ?? '' });
    else lines.push({ kind: 'removed', text: before[(x -= 1)] ?? '' });
  }
  return lines.reverse();
}

function compared(before: readonly string[], now: readonly string[]): DiffLine[] {
  let head = 0;
  while (head < before.length && head < now.length && before[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < now.length - head &&
    before[before.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail += 1;
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ kind: 'context', text }));
  const [old, fresh] = [before.slice(head, before.length - tail), now.slice(head, now.length - tail)];
  const middle = shortest(old, fresh, MOST) ?? [
    ...old.map((text): DiffLine => ({ kind: 'removed', text })),
    ...fresh.map((text): DiffLine => ({ kind: 'added', text })),
  ];
  return [...same(before.slice(0, head)), ...middle, ...same(before.slice(before.length - tail))];
}

/** What differs, with a few lines around each difference; nothing where the texts are the same. */
export function differences(before: string, now: string): DiffLine[] {
  if (before === now) return [];
  const all = compared(before === '' ? [] : linesOf(before), now === '' ? [] : linesOf(now));
  const near = new Set<number>();
  all.forEach((line, place) => {
    if (line.kind === 'context') return;
    for (let at = place - CONTEXT; at <= place + CONTEXT; at += 1) near.add(at);
  });
  const shown: DiffLine[] = [];
  let [old, fresh, last] = [1, 1, -1];
  all.forEach((line, place) => {
    if (near.has(place)) {
      if (place !== last + 1) shown.push({ kind: 'hunk', text: `@@ −${old} +${fresh} @@` });
      shown.push(line);
      last = place;
    }
    if (line.kind !== 'added') old += 1;
    if (line.kind !== 'removed') fresh += 1;
  });
  return shown;
}

/** How many lines were added and removed. */
export function counts(lines: readonly DiffLine[]): { added: number; removed: number } {
  const of = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return { added: of('added'), removed: of('removed') };
}
