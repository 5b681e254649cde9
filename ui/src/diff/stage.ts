// The page that a diff stands on: what scrolls it, what its fonts and widths are, and what of it is seen.
import { afterPaint } from '../state/after-paint';
import { look } from './memory.svelte';
import type { Measures } from './measure';
import { SPLIT_WIDTH, type Stage } from './pane.svelte';

/** Width beyond which longer lines don't help; more with a second side, or a tree of files. In pixels. */
const WIDTH = 1000;
const SPLIT_MORE = 700;
/** The tree beside the diff, with the space between. In pixels. */
export const TREE_WIDTH = 262;
/** Room that the diff itself keeps when the tree stands beside it. In pixels. */
const BESIDE = 620;
/** Left and right of a diff that is as wide as the page. In pixels. */
const MARGIN = 20;
/** A comment before it is measured, in lines of text. */
const COMMENT_LINES = 4.5;

export interface Room {
  measures: Measures;
  /** Whether two sides fit. */
  wide: boolean;
  /** Whether the tree fits beside the diff. */
  beside: boolean;
}

/** The nearest element that scrolls it. */
export function scrollerOf(node: HTMLElement): HTMLElement {
  for (let at = node.parentElement; at; at = at.parentElement) {
    const { overflowY } = getComputedStyle(at);
    if (overflowY === 'auto' || overflowY === 'scroll') return at;
  }
  return document.documentElement;
}

export class PageStage implements Stage {
  readonly scroller: HTMLElement;
  #section: HTMLElement;
  #list: HTMLElement;
  #probe: HTMLElement;
  #cover: () => number;

  /** `probe` holds ten characters of code; `cover` says how high is what sticks above the files. */
  constructor(section: HTMLElement, list: HTMLElement, probe: HTMLElement, cover: () => number) {
    this.scroller = scrollerOf(section);
    this.#section = section;
    this.#list = list;
    this.#probe = probe;
    this.#cover = cover;
  }

  seen(): { top: number; height: number; cover: number } {
    const top = this.scroller.getBoundingClientRect().top - this.#list.getBoundingClientRect().top;
    return { top, height: this.scroller.clientHeight || window.innerHeight, cover: this.#cover() };
  }

  scrollBy(distance: number): void {
    this.scroller.scrollTop += distance;
  }

  soon(act: () => void): void {
    afterPaint(act);
  }

  focus(): void {
    this.#list.focus({ preventScroll: true });
  }

  /** Gives the diff the width that it can use, and says what fits into it. */
  survey(digits: number, options: { inset: boolean; tree: boolean }): Room {
    const style = getComputedStyle(this.#probe);
    const font = Number.parseFloat(style.fontSize) || 12;
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 14;
    const cell = this.#probe.getBoundingClientRect().width / 10 || font * 0.6;
    const room = options.inset ? this.#naturalWidth() : this.#widen(options.tree);
    const beside = options.tree && room - TREE_WIDTH >= (look.split ? SPLIT_WIDTH : BESIDE);
    const width = beside ? room - TREE_WIDTH : room;
    const wide = width >= SPLIT_WIDTH;
    const split = look.split && wide;

    // The gutter's text is a little smaller, with half a character at its beginning and end.
    const columns = split ? Math.max(2, digits) : 2 * Math.max(2, digits) + 2;
    const gutter = Math.ceil((columns * cell + font) * 0.92 + font * 0.25);
    const sign = Math.round(font * 1.9);
    const end = Math.round(rem * 0.6);
    const inner = split ? (width - 3) / 2 : width - 2;
    const measures: Measures = {
      line: Math.round(font * 1.62),
      cell,
      head: Math.round(rem * 2.55),
      between: Math.round(rem * 0.85),
      bar: Math.round(font * 1.62) + 6,
      comment: Math.round(rem * 1.5 * COMMENT_LINES),
      text: Math.max(80, inner - gutter - sign - end),
      tab: look.tab,
      wrap: look.wrap,
    };
    const lengths = { ...measures, gutter, sign, end, indent: gutter + sign };
    for (const name of ['line', 'head', 'between', 'bar', 'gutter', 'sign', 'end', 'indent'] as const)
      this.#section.style.setProperty(`--${name}`, `${lengths[name]}px`);
    this.#section.style.setProperty('--code', `${font}px`);
    this.#section.style.setProperty('--tab', String(measures.tab));
    return { measures, wide, beside };
  }

  #naturalWidth(): number {
    const parent = this.#section.parentElement;
    if (!parent || parent.clientWidth === 0) return WIDTH;
    const style = getComputedStyle(parent);
    return parent.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
  }

  /** Takes room beside the text that it stands in, as much on both sides. */
  #widen(tree: boolean): number {
    const natural = this.#naturalWidth();
    const parent = this.#section.parentElement;
    if (!parent || parent.clientWidth === 0) return natural;
    const wanted = WIDTH + (look.split ? SPLIT_MORE : 0) + (tree ? TREE_WIDTH : 0);
    const within = parent.getBoundingClientRect();
    const scroller = this.scroller.getBoundingClientRect();
    const begin = within.left + Number.parseFloat(getComputedStyle(parent).paddingLeft) - scroller.left;
    const end = this.scroller.clientWidth - begin - natural;
    const out = Math.max(0, Math.floor(Math.min((wanted - natural) / 2, begin - MARGIN, end - MARGIN)));
    // A little more than the text is no gain, but would look like a mistake.
    const used = out < 30 ? 0 : out;
    this.#section.style.setProperty('--out', `${used}px`);
    return natural + 2 * used;
  }
}
