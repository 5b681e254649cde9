// Which stretches of a document are near the visible part. Those are drawn, one a frame, the nearest
// first; and where the engine doesn't do it itself, what is being read stays where it is while
// something above it changes its height.

/** How far from the visible part a stretch is drawn, in pixels. */
const MARGIN = 1500;

/** A stretch that isn't drawn yet. */
interface Waiting {
  arrive: () => void;
  /** Pixels from the visible part when it was last heard of; null while it is far away. */
  distance: number | null;
}

/** The element whose scrolling moves this one up and down; null for the page's own. */
export function scrollerOf(node: HTMLElement): HTMLElement | null {
  for (let at = node.parentElement; at && at !== document.body; at = at.parentElement) {
    // Code only scrolls sideways, which a style sheet can't say: one side makes both of them scroll.
    if (at.tagName !== 'PRE' && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return null;
}

export class Nearness {
  #scroller: HTMLElement | null = null;
  #near: IntersectionObserver | null = null;
  #sizes: ResizeObserver | null = null;
  #waiting = new Map<Element, Waiting>();
  #held = new Map<Element, { height: number | null; sized: (height: number) => void }>();
  #starting = 0;
  #frame = 0;

  /** Whether stretches have to wait at all; without a way to tell what is near, all are drawn at once. */
  static readonly works = typeof IntersectionObserver !== 'undefined';

  /** Calls `arrive` when the node comes near, once. Returns how to stop. */
  watch(node: HTMLElement, arrive: () => void): () => void {
    this.#waiting.set(node, { arrive, distance: null });
    if (this.#near) this.#near.observe(node);
    // Asking for the scroller while the page is being put together would lay it out twice.
    else this.#starting ||= requestAnimationFrame(() => this.#start());
    return () => this.#leave(node);
  }

  /**
   * Holds what is read in its place while the node changes its height; `sized` hears of each change, the
   * height of what is in it in pixels. `before` is how high it was, where it has just changed. Returns how
   * to stop.
   */
  hold(node: HTMLElement, sized: (height: number) => void, before: number | null = null): () => void {
    this.#sizes ??= new ResizeObserver((entries) => this.#resized(entries));
    this.#held.set(node, { height: before, sized });
    this.#sizes.observe(node);
    return () => {
      this.#sizes?.unobserve(node);
      this.#held.delete(node);
    };
  }

  /** Draws the node now, wherever it is. */
  bring(node: Element): void {
    const waiting = this.#waiting.get(node);
    this.#leave(node);
    waiting?.arrive();
  }

  /** Forgets everything. */
  stop(): void {
    cancelAnimationFrame(this.#starting);
    cancelAnimationFrame(this.#frame);
    this.#near?.disconnect();
    this.#sizes?.disconnect();
    this.#waiting.clear();
    this.#held.clear();
  }

  #start(): void {
    this.#starting = 0;
    const [first] = this.#waiting.keys();
    if (!(first instanceof HTMLElement)) return;
    // A margin only counts around the element that scrolls, so that has to be the root.
    this.#scroller = scrollerOf(first);
    this.#near = new IntersectionObserver((entries) => this.#moved(entries), {
      root: this.#scroller,
      rootMargin: `${MARGIN}px 0px`,
    });
    for (const node of this.#waiting.keys()) this.#near.observe(node);
  }

  #moved(entries: IntersectionObserverEntry[]): void {
    for (const entry of entries) {
      const waiting = this.#waiting.get(entry.target);
      if (!waiting) continue;
      const { top, bottom } = entry.boundingClientRect;
      const view = entry.rootBounds;
      const middle = view ? (view.top + view.bottom) / 2 : 0;
      waiting.distance = entry.isIntersecting ? Math.max(0, top - middle, middle - bottom) : null;
    }
    this.#go();
  }

  #go(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      let nearest: Element | null = null;
      let least = Infinity;
      for (const [node, { distance }] of this.#waiting) {
        if (distance === null || distance >= least) continue;
        nearest = node;
        least = distance;
      }
      if (!nearest) return;
      this.bring(nearest);
      this.#go();
    });
  }

  #leave(node: Element): void {
    this.#waiting.delete(node);
    this.#near?.unobserve(node);
  }

  #resized(entries: ResizeObserverEntry[]): void {
    const first = entries[0]?.target;
    const scroller = (this.#scroller ??= first instanceof HTMLElement ? scrollerOf(first) : null);
    const top = scroller?.getBoundingClientRect().top ?? 0;
    let moved = 0;
    for (const entry of entries) {
      const held = this.#held.get(entry.target);
      if (!held) continue;
      const height = entry.borderBoxSize[0]?.blockSize ?? entry.contentRect.height;
      const change = held.height === null ? 0 : height - held.height;
      held.height = height;
      // Only what lies above the visible part moves it.
      if (change !== 0 && entry.target.getBoundingClientRect().bottom - moved - change <= top)
        moved += change;
      held.sized(entry.contentRect.height);
    }
    if (scroller && moved !== 0 && !CSS.supports('overflow-anchor', 'auto')) scroller.scrollTop += moved;
  }
}
