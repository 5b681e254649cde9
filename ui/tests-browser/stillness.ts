// Whether a page is still: it has nothing more to load, to wait for or to move, so that it stays as it is until
// somebody acts. No time is waited for; what a page has before it is counted.
import type { Page, Request } from 'playwright-core';

/** What a page sets itself for within this time, in milliseconds, is waited for; what comes later isn't. */
const SOON = 500;
/** For how many frames in a row nothing may change: what came in is worked off and laid out within the first. */
const FRAMES = 3;
/** A page that isn't still by then never will be, in milliseconds; generous for a busy machine. */
const PATIENCE = 60_000;

declare global {
  interface Window {
    /** What the page still has before it, in a few words each. */
    ahead: () => string[];
    /** How often the page changed. */
    changed: () => number;
    /** From now on timers that aren't waited for do nothing, and no caret is seen. */
    hold: () => void;
    /** The browser's `setTimeout`: its timers are neither waited for nor held. */
    after: (act: () => void, milliseconds: number) => void;
  }
}

/** Runs in the page before its own scripts: lets its clock stand, and counts what it has before it. */
function account([now, soon]: readonly [number, number]): void {
  window.Date = class extends Date {
    constructor(...given: unknown[]) {
      super(...((given.length > 0 ? given : [now]) as [number]));
    }

    static override now(): number {
      return now;
    }
  } as DateConstructor;

  const timers = new Set<number>();
  const [set, clear] = [window.setTimeout.bind(window), window.clearTimeout.bind(window)];
  let held = false;
  const later = (act: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]): number => {
    const timer = set(() => {
      timers.delete(timer);
      if (!held || milliseconds <= soon) act(...given);
    }, milliseconds);
    if (milliseconds <= soon) timers.add(timer);
    return timer;
  };
  window.after = set;
  window.setTimeout = later as typeof window.setTimeout;
  window.clearTimeout = (timer) => {
    timers.delete(Number(timer));
    clear(timer);
  };

  // Each message to a thread has one answer, but for those of a thread that was ended.
  const asked = new Map<Worker, number>();
  window.Worker = class extends Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      const answered = () => asked.set(this, (asked.get(this) ?? 1) - 1);
      this.addEventListener('message', answered);
      this.addEventListener('error', answered);
    }

    override postMessage(...given: unknown[]): void {
      asked.set(this, (asked.get(this) ?? 0) + 1);
      super.postMessage(...(given as [unknown]));
    }

    override terminate(): void {
      asked.delete(this);
      super.terminate();
    }
  };

  let changes = 0;
  const change = () => (changes += 1);
  // What is written again as it is counts, too: a page at rest writes nothing.
  new MutationObserver(change).observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  });
  for (const event of ['scroll', 'load', 'error', 'resize']) window.addEventListener(event, change, true);
  window.changed = () => changes;

  const ends = (each: Animation) => Number.isFinite(Number(each.effect?.getComputedTiming().endTime));
  const moves = (each: Animation) => each.playState === 'running' && ends(each);
  const calm = new CSSStyleSheet();
  calm.replaceSync('* { caret-color: transparent !important; }');
  window.hold = () => {
    held = true;
    if (!document.adoptedStyleSheets.includes(calm)) document.adoptedStyleSheets.push(calm);
  };
  window.ahead = () => {
    const what: [string, number][] = [
      ['timers', timers.size],
      ['messages to threads', [...asked.values()].filter((count) => count > 0).length],
      ['fonts', document.fonts.status === 'loading' ? 1 : 0],
      ['pictures', [...document.images].filter((each) => !each.complete && each.loading !== 'lazy').length],
      ['movements', document.getAnimations().filter(moves).length],
    ];
    return what.filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`);
  };
}

/** Runs in the page: looks at so many frames in a row, and answers what kept it from being still in them. */
async function look(frames: number): Promise<string[]> {
  const before = window.changed();
  for (let frame = 0; frame < frames; frame += 1) {
    // A page that is given neither frames nor rest is asked again, so that it can be told what it has before it.
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
      window.after(() => resolve(null), 1000);
    });
    // Behind all that the frame brought about, and all else that waits to be done.
    await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1000 }));
    const ahead = window.ahead();
    if (window.changed() !== before) ahead.push('changes');
    if (ahead.length > 0) return ahead;
  }
  return [];
}

/** Whether and when a page is still. Made before the page loads anything. */
export class Stillness {
  #page: Page;
  #loading = new Set<Request>();
  /** How many requests have begun. */
  #begun = 0;

  private constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => {
      this.#begun += 1;
      this.#loading.add(request);
    });
    page.on('requestfinished', (request) => this.#loading.delete(request));
    page.on('requestfailed', (request) => this.#loading.delete(request));
  }

  /** Watches a page, whose clock stands from now on. */
  static async of(page: Page, now: Date): Promise<Stillness> {
    const stillness = new Stillness(page);
    await page.addInitScript(account, [now.getTime(), SOON] as const);
    return stillness;
  }

  /** Another document is about to be loaded: nothing of the last one is waited for. */
  anew(): void {
    this.#loading.clear();
  }

  /** Waits until the page is still. Throws with what it still had before it if it never is. */
  async reached(): Promise<void> {
    const end = performance.now() + PATIENCE;
    for (;;) {
      const [begun, loading] = [this.#begun, this.#loading.size];
      const ahead = await this.#page.evaluate(look, FRAMES);
      if (ahead.length === 0 && loading === 0 && begun === this.#begun) return;
      if (performance.now() > end) {
        const files = [...this.#loading].map((request) => request.url());
        throw new Error(`the page isn't still: ${[...ahead, ...files].join(', ') || 'it goes on loading'}`);
      }
    }
  }
}
