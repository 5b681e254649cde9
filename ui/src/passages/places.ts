// From the page's selection to a passage of the document, and from a passage to ranges of the page.
import type { Sheet } from '../markdown/sheet';
import { leafText } from '../markdown/plain';
import type { Passage } from '../reply/remarks.svelte';
import { endOfInk, indexOfInk, inkOf } from './quote';

interface Words {
  node: Text;
  /** Visible characters of the leaf before it. */
  ink: number;
}

/** The texts of a leaf in the order in which they are read, without what isn't the agent's. */
function* wordsIn(sheet: Sheet, leaf: number, element: HTMLElement): Generator<Words> {
  const shows = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
  const walker = document.createTreeWalker(element, shows, (node) =>
    node instanceof HTMLElement && node.dataset['aside'] !== undefined
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  let ink = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof Text) {
      yield { node, ink };
      ink += inkOf(node.data);
    } else if (node instanceof HTMLElement && Number(node.dataset['at']) > 0) {
      // Lines before it may not be drawn.
      const source = sheet.leaves[leaf];
      ink = source ? inkOf(leafText(source).slice(0, Number(node.dataset['at']))) : ink;
    }
  }
}

/** Visible characters of the leaf before a place of the page in it. */
function inkBefore(sheet: Sheet, leaf: number, element: HTMLElement, node: Node, offset: number): number {
  let ink = 0;
  for (const words of wordsIn(sheet, leaf, element)) {
    if (words.node === node) return words.ink + inkOf(words.node.data.slice(0, offset));
    const place = document.createRange();
    place.setStart(node, offset);
    if (place.comparePoint(words.node, 0) >= 0) return words.ink;
    ink = words.ink + inkOf(words.node.data);
  }
  return ink;
}

/** The passage that a range of the page covers; null where it covers no words of the document. */
export function passageIn(sheet: Sheet, root: HTMLElement, range: Range): Passage | null {
  if (range.collapsed || !range.intersectsNode(root)) return null;
  const drawn = [...root.querySelectorAll<HTMLElement>('[data-leaf]')].filter((each) =>
    range.intersectsNode(each),
  );
  const first = drawn[0];
  const last = drawn.at(-1);
  if (!first || !last) return null;
  let from = sheet.leafAt(first);
  let to = sheet.leafAt(last);
  if (from === null || to === null) return null;
  let start = first.contains(range.startContainer)
    ? inkBefore(sheet, from, first, range.startContainer, range.startOffset)
    : 0;
  let end = last.contains(range.endContainer)
    ? inkBefore(sheet, to, last, range.endContainer, range.endOffset)
    : inkIn(sheet, to);
  // A selection by three clicks ends at the beginning of the next block.
  while (end === 0 && to > from) end = inkIn(sheet, (to -= 1));
  while (from < to && start >= inkIn(sheet, from)) [from, start] = [from + 1, 0];
  if (from === to && start >= end) return null;
  return { from: { leaf: from, ink: start }, to: { leaf: to, ink: end } };
}

function inkIn(sheet: Sheet, leaf: number): number {
  const source = sheet.leaves[leaf];
  return source ? inkOf(leafText(source)) : 0;
}

/** The ranges of a passage, one for each leaf of it that is drawn. */
export function rangesOf(sheet: Sheet, { from, to }: Passage): Range[] {
  const ranges: Range[] = [];
  for (let leaf = from.leaf; leaf <= to.leaf; leaf += 1) {
    const element = sheet.element(leaf, false);
    if (!element) continue;
    const start = leaf === from.leaf ? from.ink : 0;
    const end = leaf === to.leaf ? to.ink : Infinity;
    const range = document.createRange();
    let begun = false;
    for (const { node, ink } of wordsIn(sheet, leaf, element)) {
      const all = inkOf(node.data);
      if (!begun && ink + all > start) {
        range.setStart(node, indexOfInk(node.data, Math.max(0, start - ink)));
        begun = true;
      }
      if (begun && all > 0) range.setEnd(node, endOfInk(node.data, Math.min(all, end - ink)));
      if (ink + all >= end) break;
    }
    if (begun && !range.collapsed) ranges.push(range);
  }
  return ranges;
}

/**
 * Ranges of places in one leaf. Each place is given as the visible characters before its beginning and before its end,
 * and they stand in order; null for one that isn't drawn.
 */
export function rangesWithin(
  sheet: Sheet,
  leaf: number,
  places: readonly (readonly [from: number, to: number])[],
): (Range | null)[] {
  const ranges: (Range | null)[] = places.map(() => null);
  const element = sheet.element(leaf, false);
  if (!element) return ranges;
  let next = 0;
  for (const { node, ink } of wordsIn(sheet, leaf, element)) {
    const all = inkOf(node.data);
    for (let place = places[next]; place && place[0] < ink + all; place = places[next]) {
      const [from, to] = place;
      // What comes before this may not be drawn.
      if (ink < to) {
        const range = ranges[next] ?? document.createRange();
        if (!ranges[next]) range.setStart(node, indexOfInk(node.data, Math.max(0, from - ink)));
        range.setEnd(node, endOfInk(node.data, Math.min(all, to - ink)));
        ranges[next] = range;
        if (ink + all < to) break;
      }
      next += 1;
    }
  }
  return ranges;
}
