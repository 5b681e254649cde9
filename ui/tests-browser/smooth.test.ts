// Long lists stay smooth: how long the page can't answer while they are scrolled and moved through.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launch, open, taking, type View } from './browser';

const origin = inject('origin');
/** A task longer than this while scrolling is felt; generous for a busy machine, in milliseconds. */
const LONGEST = 200;
/** How long a large request may take from the gate's answer until it is painted; as generous. */
const SLOWEST_OPEN = 1500;

declare global {
  interface Window {
    longTasks: number[];
  }
}

const figures = (tasks: number[]) =>
  `${tasks.length} tasks over 50 ms, the longest ${Math.round(Math.max(0, ...tasks))} ms`;

describe.skipIf(!origin)('long lists', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launch();
  });

  afterAll(() => browser?.close());

  /** Does something in a page and answers how long its tasks over 50 ms took. */
  async function watched(page: Page, act: () => Promise<void>): Promise<number[]> {
    await page.evaluate(() => {
      window.longTasks = [];
      new PerformanceObserver((list) =>
        window.longTasks.push(...list.getEntries().map((entry) => entry.duration)),
      ).observe({ type: 'longtask' });
    });
    await act();
    return page.evaluate(() => window.longTasks);
  }

  /** Turns the wheel once a frame, by `step` pixels. */
  async function scroll(page: Page, list: string, step = 900) {
    const box = await page.locator(list).boundingBox();
    await page.mouse.move((box?.x ?? 0) + 50, (box?.y ?? 0) + 200);
    for (let turn = 0; turn < 60; turn += 1) {
      await page.mouse.wheel(0, turn < 45 ? step : -step);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
    }
  }

  const lists: (View & { list: string; rows: string })[] = [
    {
      name: '500 waiting requests',
      scene: 'five-hundred',
      page: 'inbox',
      list: '[data-testid=inbox-list]',
      rows: '[data-testid=row]',
    },
    {
      name: '10,000 conversations',
      scene: 'ten-thousand',
      page: 'history',
      list: '[data-testid=history-list]',
      rows: '[data-testid=entry]',
    },
  ];

  it.each(lists)('$name', async (view) => {
    const { page, errors } = await open(browser, origin, view, 'en');
    const scrolled = await watched(page, () => scroll(page, view.list));
    const moved = await watched(page, async () => {
      await page.locator(view.list).focus();
      for (let step = 0; step < 40; step += 1) await page.keyboard.press('ArrowDown');
    });
    console.info(`${view.name}: scrolling ${figures(scrolled)}; moving by keys ${figures(moved)}`);
    expect(await page.locator(view.rows).count(), 'only the rows near the view are drawn').toBeLessThan(60);
    expect(Math.max(0, ...scrolled), 'scrolling is smooth').toBeLessThan(LONGEST);
    expect(Math.max(0, ...moved), 'moving by keys is too').toBeLessThan(LONGEST);
    expect(errors).toEqual([]);
    await page.close();
  });

  const large = [
    {
      name: 'a diff of 20,000 lines',
      scene: 'then-diff-large',
      shown: '[data-testid=diff-row][data-line="9"]',
    },
    { name: 'a message of 1 MiB', scene: 'then-mib', shown: '[data-testid=message] table' },
  ];

  it.each(large)('$name', async (view) => {
    // With the real clock, unlike other views.
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${origin}/?scene=${view.scene}&lang=en`);
    await page.locator('[data-testid=diff-row]').first().waitFor();
    // Marks the moment after the first frame that has what is looked for.
    await page.evaluate((shown) => {
      performance.clearMarks();
      const observer = new MutationObserver(() => {
        if (!document.querySelector(shown)) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => performance.mark('shown')));
      });
      observer.observe(document, { childList: true, subtree: true });
    }, view.shown);
    await taking(page);
    await page.locator('main').focus();
    await page.keyboard.press('j');
    await page.waitForFunction(() => performance.getEntriesByName('shown').length > 0);
    const opened = await page.evaluate(() => performance.measure('open', 'request', 'shown').duration);
    const scrolled = await watched(page, () => scroll(page, 'main', 300));
    console.info(
      `${view.name}: painted ${opened.toFixed(1)} ms after the answer; scrolling ${figures(scrolled)}`,
    );
    expect(opened, 'it is there at once').toBeLessThan(SLOWEST_OPEN);
    expect(Math.max(0, ...scrolled), 'scrolling is smooth').toBeLessThan(LONGEST);
    expect(errors).toEqual([]);
    await page.close();
  });
});
