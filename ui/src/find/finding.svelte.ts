// Finding words in what is being read: where they stand, which of them is gone to, and the marks on them. The text itself
// stays as it is.
import { scrollerOf } from '../markdown/nearness';
import { Marks } from '../passages/marks';
import { HITS, QUERY_CHARS, type Search } from './search';
import { unitsIn, type Span, type Unit } from './units';

/** How long to search before the page gets its turn again, in milliseconds. */
const SLICE = 8;
/** How long the page is left to change before it is looked through again, in milliseconds. */
const PACE = 200;
/** Room that stays around a hit that is gone to, in pixels. */
const ROOM = 60;

interface Hit {
  unit: Unit;
  span: Span;
}

/** What to look for, small and capital letters alike, any white space for any; null for nothing. */
export function pattern(query: string): RegExp | null {
  const wanted = query.slice(0, QUERY_CHARS);
  if (wanted.trim() === '') return null;
  const escaped = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(escaped.replace(/\s+/g, '\\s+'), 'giu');
}

export class Finding implements Search {
  query = $state('');
  /** How many there are. */
  count = $state(0);
  /** Which of them was gone to; −1 for none. */
  at = $state(-1);
  searching = $state(false);
  /** Whether there may be more than were counted. */
  readonly more = $derived(this.count >= HITS);

  #root: Element;
  #hits: readonly Hit[] = [];
  /** Where each of them stands, as far as it is drawn. */
  #ranges: (Range | null)[] = [];
  #found = new Marks('found', null);
  #here = new Marks('found-here', null);
  #turn = 0;
  /** The one that was gone to wasn't drawn yet: it is shown when it is. */
  #awaited = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;

  constructor(root: Element) {
    this.#root = root;
  }

  /** Follows what is read as it is drawn and as more is said. Answers how to stop, and take the marks away. */
  watch(): () => void {
    const observer = new MutationObserver((changes) => {
      const outside = changes.some(
        ({ target }) => !(target instanceof Element && target.closest('.document')),
      );
      if (outside) this.#timer ??= setTimeout(() => void this.#again(), PACE);
      cancelAnimationFrame(this.#frame);
      this.#frame = requestAnimationFrame(() => this.#draw());
    });
    observer.observe(this.#root, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      clearTimeout(this.#timer);
      cancelAnimationFrame(this.#frame);
      this.#turn += 1;
      this.#found.draw([]);
      this.#here.draw([]);
    };
  }

  /** Looks for these words, and goes to the first of them from the upper edge of what is seen. */
  async look(query: string): Promise<void> {
    this.query = query;
    const hits = await this.#search();
    if (!hits) return;
    this.#take(hits);
    this.#go(this.#first());
  }

  /** To the next one or the one before, round and round. */
  step(step: 1 | -1): void {
    if (this.count === 0) return;
    const from = this.at < 0 && step < 0 ? 0 : this.at;
    this.#go((from + step + this.count) % this.count);
  }

  /** What is read is other than before: the same one stays the one that was gone to. */
  async #again(): Promise<void> {
    this.#timer = undefined;
    const hits = await this.#search();
    if (!hits) return;
    const { at } = this;
    const before = this.#hits[at];
    this.#take(hits);
    const same = hits.findIndex(
      ({ unit, span }) => unit.key === before?.unit.key && span[0] === before.span[0],
    );
    this.at = same >= 0 ? same : Math.min(at, hits.length - 1);
    this.#draw();
  }

  /** All hits; null where another search has begun meanwhile. */
  async #search(): Promise<Hit[] | null> {
    this.#turn += 1;
    const turn = this.#turn;
    const wanted = pattern(this.query);
    const hits: Hit[] = [];
    if (!wanted) return hits;
    this.searching = true;
    let begin = performance.now();
    for (const unit of unitsIn(this.#root)) {
      for (const { 0: words, index } of unit.text.matchAll(wanted)) {
        hits.push({ unit, span: [index, index + words.length] });
        if (hits.length >= HITS) return hits;
      }
      if (performance.now() - begin < SLICE) continue;
      await new Promise((resolve) => setTimeout(resolve));
      if (turn !== this.#turn) return null;
      begin = performance.now();
    }
    return hits;
  }

  #take(hits: readonly Hit[]): void {
    this.searching = false;
    this.#hits = hits;
    this.count = hits.length;
    this.at = -1;
    this.#awaited = false;
    this.#draw();
  }

  /** The first hit that is seen or below; where none of those is drawn, the first behind all that are. */
  #first(): number {
    const top = this.#view().top;
    const seen = this.#ranges.findIndex((range) => range && range.getBoundingClientRect().bottom >= top);
    if (seen >= 0) return seen;
    const behind = this.#ranges.findLastIndex((range) => range !== null) + 1;
    return behind < this.count ? behind : 0;
  }

  #go(index: number): void {
    const hit = this.#hits[index];
    if (!hit) return;
    this.at = index;
    const holder = hit.unit.bring(hit.span);
    this.#draw();
    this.#awaited = !this.#ranges[index];
    if (this.#awaited) holder?.scrollIntoView?.({ block: 'center' });
    else this.#show();
  }

  /** Marks what is drawn of them. */
  #draw(): void {
    this.#ranges = [];
    for (let from = 0; from < this.#hits.length;) {
      const unit = this.#hits[from]?.unit;
      let to = from + 1;
      while (this.#hits[to]?.unit === unit) to += 1;
      const spans = this.#hits.slice(from, to).map(({ span }) => span);
      this.#ranges.push(...(unit?.ranges(spans) ?? []));
      from = to;
    }
    const here = this.#ranges[this.at];
    this.#found.draw(this.#ranges.filter((range) => range !== null && range !== here) as Range[]);
    this.#here.draw(here ? [here] : []);
    if (here && this.#awaited) {
      this.#awaited = false;
      this.#show();
    }
  }

  /** Brings the hit that was gone to into view. */
  #show(): void {
    const range = this.#ranges[this.at];
    if (!range) return;
    range.startContainer.parentElement?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
    const scroller = this.#scroller();
    const { top, bottom } = range.getBoundingClientRect();
    const view = this.#view();
    if (scroller && (top < view.top + ROOM || bottom > view.bottom - ROOM))
      scroller.scrollTop += (top + bottom - view.top - view.bottom) / 2;
    // Where nothing can be marked, the one is chosen as the pointer would.
    if (this.#here.marksRanges) return;
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range.cloneRange());
  }

  #scroller(): HTMLElement | null {
    const { firstElementChild } = this.#root;
    return firstElementChild instanceof HTMLElement ? scrollerOf(firstElementChild) : null;
  }

  #view(): DOMRect {
    return (this.#scroller() ?? document.documentElement).getBoundingClientRect();
  }
}
