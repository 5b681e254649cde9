// What is found in: the texts of a part of the page in the order in which they are read. A document is looked through as
// it was written, drawn or not; everything else as the page shows it.
import { flushSync } from 'svelte';
import { FOLDED_LINES } from '../markdown/code';
import { leafText, type Leaf } from '../markdown/plain';
import { sheetIn, type Sheet } from '../markdown/sheet';
import { rangesWithin } from '../passages/places';
import { inkOf } from '../passages/quote';

/** From a place of a text to before another, in UTF-16 units. */
export type Span = readonly [start: number, end: number];

/** A text that is read in one go. */
export interface Unit {
  /** The same one for as long as it is the same text. */
  readonly key: object;
  readonly text: string;
  /** Where spans in their order stand on the page; null for what isn't drawn. */
  ranges(spans: readonly Span[]): (Range | null)[];
  /** What holds a span, drawn as far as it can be at once. */
  bring(span: Span): Element | null;
}

/** What is no text to be read: what is done with it, what lies over it, and changes, which have a search of their own. */
const ASIDE =
  '[data-aside], button, textarea, input, select, svg, [aria-hidden="true"], .visually-hidden, details:not([open])';
const BLOCKS = 'p, h1, h2, h3, h4, li, td, th, blockquote, pre, div, article, section, header, .piece';

/** The texts of a part of the page. */
export function* unitsIn(root: Element): Generator<Unit> {
  const shows = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
  const walker = document.createTreeWalker(root, shows, (node) =>
    node instanceof Element && node.matches(ASIDE) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  let texts: Text[] = [];
  let block: Element | null = null;
  const done = function* () {
    if (texts.length > 0) yield plain(texts);
    texts = [];
  };
  for (let node = walker.nextNode(); node;) {
    const sheet = node instanceof Element ? sheetIn(node) : undefined;
    if (sheet && node instanceof Element) {
      yield* done();
      for (const [index, leaf] of sheet.leaves.entries()) yield leafOf(sheet, index, leaf);
      const rest = node.querySelector(':scope > .rest');
      if (rest) yield* unitsIn(rest);
      node = beyond(walker);
      continue;
    }
    if (node instanceof Text) {
      const own = node.parentElement?.closest(BLOCKS) ?? null;
      if (own !== block) yield* done();
      block = own;
      texts.push(node);
    }
    node = walker.nextNode();
  }
  yield* done();
}

/** The next node that isn't in the one at hand. */
function beyond(walker: TreeWalker): Node | null {
  do {
    const next = walker.nextSibling();
    if (next) return next;
  } while (walker.parentNode());
  return null;
}

function leafOf(sheet: Sheet, index: number, leaf: Leaf): Unit {
  const text = leafText(leaf);
  return {
    key: leaf,
    text,
    ranges(spans) {
      let at = 0;
      let ink = 0;
      const before = (place: number) => {
        ink += inkOf(text.slice(at, place));
        at = place;
        return ink;
      };
      return rangesWithin(
        sheet,
        index,
        spans.map(([start, end]) => [before(start), before(end)] as const),
      );
    },
    bring([start]) {
      const element = sheet.element(index);
      if (!element || leaf.kind !== 'code') return element;
      const fold = element.querySelector<HTMLElement>('[data-testid="code-fold"][aria-expanded="false"]');
      if (fold && text.slice(0, start).split('\n').length > FOLDED_LINES) {
        fold.click();
        flushSync();
      }
      const lines = [...element.querySelectorAll<HTMLElement>('[data-at]')];
      return lines.findLast((each) => Number(each.dataset['at']) <= start) ?? element;
    },
  };
}

function plain(texts: readonly Text[]): Unit {
  const starts: number[] = [];
  let text = '';
  for (const node of texts) {
    starts.push(text.length);
    text += node.data;
  }
  const nodeAt = (place: number) =>
    Math.max(
      0,
      starts.findLastIndex((start) => start <= place),
    );
  return {
    key: texts[0] ?? {},
    text,
    ranges: (spans) =>
      spans.map(([start, end]) => {
        const [first, last] = [nodeAt(start), nodeAt(end - 1)];
        const [from, to] = [texts[first], texts[last]];
        if (!from?.isConnected || !to?.isConnected) return null;
        const range = document.createRange();
        range.setStart(from, Math.min(from.length, start - (starts[first] ?? 0)));
        range.setEnd(to, Math.min(to.length, end - (starts[last] ?? 0)));
        return range;
      }),
    bring: ([start]) => texts[nodeAt(start)]?.parentElement ?? null,
  };
}
