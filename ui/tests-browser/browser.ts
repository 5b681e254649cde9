// The browser of the tests, and a page of it at a view of the fixtures.
import { chromium as driver, type Browser, type CDPSession, type Page } from 'playwright-core';
import type { MainPage } from '../src/state/destination';
import { Stillness } from './stillness';

/** Where the browser is. */
export const chromium = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Times in the fixtures are counted from this moment, so that the same is seen each time. */
const NOW = new Date('2026-11-21T10:30:00');

export function launch(): Promise<Browser> {
  return driver.launch({ executablePath: chromium, args: ['--no-sandbox', '--force-color-profile=srgb'] });
}

export interface View {
  name: string;
  /** The fixtures' scene. */
  scene: string;
  /** The page of the main window; none for the review window. */
  page?: MainPage;
  /** More of the address: `click`, `type`, `size`. */
  more?: Record<string, string>;
  /** What has to stand before anything is looked at. */
  until?: string;
  /** Keys that are pressed when it stands. */
  keys?: readonly string[];
  /** What it shows is measured, scrolled to or given a direction once: it is loaded anew for each language. */
  anew?: true;
  width?: number;
  height?: number;
}

export type Theme = 'light' | 'dark';
export type Lang = 'en' | 'zh-CN' | 'long' | 'rtl';

/** A page, and what went wrong in it by itself. */
export interface Opened {
  page: Page;
  /** To the browser itself, beside Playwright. */
  session: CDPSession;
  stillness: Stillness;
  errors: string[];
}

/** Wears another theme; nothing else of the page changes. */
export async function wear(page: Page, theme: Theme): Promise<void> {
  await page.evaluate((name) => (document.documentElement.dataset['theme'] = name), theme);
}

/** Has the windows speak another language, as after a change of the setting, and waits until nothing moves any more. */
export async function speak({ page, stillness }: Opened, lang: Lang): Promise<void> {
  await page.evaluate((name) => window.dispatchEvent(new CustomEvent('speak', { detail: name })), lang);
  await stillness.reached();
}

/** Which language the windows speak, and where its lines begin. */
export function spoken({ page }: Opened): Promise<{ lang: string; direction: string }> {
  return page.evaluate(() => {
    const { lang } = document.documentElement;
    return { lang, direction: getComputedStyle(document.documentElement).direction };
  });
}

/** A picture of what the window shows, as a PNG that is made fast rather than small. */
export async function taken({ session }: Opened): Promise<Buffer> {
  const { data } = await session.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
  return Buffer.from(data, 'base64');
}

/** A page in a browsing context of its own, since clock and storage belong to that. */
export async function blank(browser: Browser): Promise<Opened> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  const stillness = await Stillness.of(page, NOW);
  // What was chosen in one view isn't remembered in the next.
  await page.addInitScript(() => localStorage.clear());
  const session = await page.context().newCDPSession(page);
  return { page, session, stillness, errors };
}

/** Waits until what is typed is taken by the request that stands, where one does: then its text has the focus. */
export async function taking(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector('[data-testid=request][data-armed=nothing]'));
}

/** Shows a view in the light theme and waits until nothing moves in it any more. */
export async function show(opened: Opened, origin: string, view: View, lang: Lang): Promise<void> {
  const { page, stillness, errors } = opened;
  await page.setViewportSize({ width: view.width ?? (view.page ? 1180 : 760), height: view.height ?? 780 });
  errors.length = 0;
  stillness.anew();
  // Its name makes it another document than the last view, so that all of it begins anew.
  const query = new URLSearchParams({ scene: view.scene, theme: 'light', lang, still: '', view: view.name });
  for (const [name, value] of Object.entries(view.more ?? {})) query.set(name, value);
  await page.goto(`${origin}/?${query}${view.page ? `#main/${view.page}` : ''}`);
  await page.waitForFunction(() => document.querySelector('main') !== null);
  // What speaks is loaded a moment after the reply box stands.
  await page.waitForFunction(
    () =>
      document.querySelector('#reply-text') === null || document.querySelector('[data-testid=mic]') !== null,
  );
  if (view.until) await page.waitForSelector(view.until);
  await stillness.reached();
  // In the main window it may stand beside a list that takes its place.
  if (!view.page) {
    await taking(page);
    await stillness.reached();
  }
  for (const key of view.keys ?? []) await page.keyboard.press(key);
  if (view.keys) await stillness.reached();
}

/** Opens a view on a page of its own. */
export async function open(browser: Browser, origin: string, view: View, lang: Lang): Promise<Opened> {
  const opened = await blank(browser);
  await show(opened, origin, view, lang);
  return opened;
}

/**
 * Pages that are used again for one view after the other: a new one would begin with nothing in its caches,
 * and spend more time on reading the windows' scripts than on the view.
 */
export class Pages {
  #browser: Browser;
  #free: Opened[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Lends a page for as long as something is done in it; one in which that failed isn't lent again. */
  async lend<T>(use: (opened: Opened) => Promise<T>): Promise<T> {
    const opened = this.#free.pop() ?? (await blank(this.#browser));
    const result = await use(opened);
    this.#free.push(opened);
    return result;
  }
}
