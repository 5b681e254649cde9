// Every view in both themes, in both languages and in two made-up ones: a picture of it, whether all its text
// can be read and nothing lies on anything, whether axe finds a barrier, whether both themes lay it out alike and
// both languages show the same things, and which pictures are other than in the run before. A view is loaded once, with
// long texts, and then told to speak the other languages.
import type axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, type ExpectStatic } from 'vitest';
import {
  launch,
  Pages,
  show,
  speak,
  spoken,
  taken,
  wear,
  type Lang,
  type Opened,
  type Theme,
  type View,
} from './browser';
import { collisions, parts } from './collisions';
import { AXE } from './host';
import { begin, Pictures } from './pictures';
import { boxes, keepsLongWords, misfits } from './text-fits';
import { VIEWS } from './views';

const origin = inject('origin');

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/** WCAG 2.2 A and AA, and what axe recommends beyond. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Those of its rules that look at colours: all that can come out otherwise in another theme. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
/** Pixels by which two pictures of the same may differ: edges of round things aren't always drawn alike. */
const EDGES = 40;
const only = process.env['VIEW'];
/** Whether a picture that is other than in the run before is a failure: for changes that mustn't be seen. */
const steady = Boolean(process.env['STEADY']);
const views = VIEWS.filter((view) => !only || view.name.includes(only));

describe.skipIf(!origin)('every view', () => {
  let browser: Browser;
  let pages: Pages;
  let pictures: Pictures;

  beforeAll(async () => {
    // A look at some of the views leaves the pictures of the others where they are.
    if (!only) begin();
    browser = await launch();
    pages = new Pages(browser);
    pictures = new Pictures(await browser.newContext());
  });

  afterAll(async () => {
    const { changed, known } = pictures;
    if (known > 0)
      console.info(
        `${changed.length} of ${known} pictures differ from the run before: ${changed.join(', ')}`,
      );
    await browser?.close();
    if (steady) expect(changed, 'nothing looks other than in the run before').toEqual([]);
  });

  /** What axe finds: by all rules, or by those only for which colours count. */
  async function barriers(page: Page, colours = false): Promise<string[]> {
    const runOnly = colours
      ? ({ type: 'rule', values: COLOURS } as const)
      : ({ type: 'tag', values: TAGS } as const);
    return page.evaluate(async (runOnly) => {
      const { violations } = await window.axe.run(document, {
        runOnly: { type: runOnly.type, values: [...runOnly.values] },
        // Of what is well, nothing is described.
        reporter: 'no-passes',
      });
      return violations.flatMap((each) =>
        each.nodes.map((node) => `${each.id}: ${node.target.join(' ')} (${each.help})`),
      );
    }, runOnly);
  }

  /** Expects that the windows speak a language. */
  async function follows(expect: ExpectStatic, opened: Opened, lang: Lang): Promise<void> {
    const wanted = { lang: lang === 'zh-CN' ? lang : 'en', direction: lang === 'rtl' ? 'rtl' : 'ltr' };
    expect.soft(await spoken(opened), `it speaks what it was told to (${lang})`).toEqual(wanted);
  }

  /** Looks at what a page shows of a view in one language, in each of the themes; gives what stands there. */
  async function look(
    expect: ExpectStatic,
    opened: Opened,
    view: View,
    lang: Lang,
    themes: readonly Theme[],
  ): Promise<string[]> {
    const { page, errors } = opened;
    await page.evaluate(() => window.hold());
    await follows(expect, opened, lang);
    const stands = await page.evaluate(
      () => document.querySelector<HTMLElement>('[aria-current=page]')?.dataset['testid'],
    );
    expect.soft(stands, `its page stands (${lang})`).toBe(view.page && `nav-${view.page}`);
    if (lang === 'en') await page.addScriptTag({ url: `${origin}${AXE}` });
    const places: string[][] = [];
    let first: Buffer | null = null;
    for (const theme of themes) {
      await wear(page, theme);
      const picture = await taken(opened);
      first ??= picture;
      await pictures.keep(`${view.name}-${lang}-${theme}`, picture);
      places.push(await page.evaluate(boxes));
      if (lang === 'en')
        expect.soft(await barriers(page, theme !== themes[0]), `axe finds no barrier (${theme})`).toEqual([]);
    }
    if (lang === 'en' && first) {
      await wear(page, themes[0] ?? 'light');
      const { pixels } = await pictures.difference(first, await taken(opened));
      expect.soft(pixels, 'it looks the same after a change of theme and back').toBeLessThan(EDGES);
    }
    const fit = await page.evaluate(misfits);
    expect.soft(fit.wide, `nothing lies beside the window (${lang})`).toBe(0);
    expect.soft(fit.cut, `all text can be read (${lang})`).toEqual([]);
    expect.soft(await page.evaluate(collisions), `nothing lies on anything (${lang})`).toEqual([]);
    expect.soft(errors.splice(0), `nothing fails in the page (${lang})`).toEqual([]);
    expect.soft(places.at(-1), 'the themes differ in colours only').toEqual(places[0]);
    return page.evaluate(parts);
  }

  // Several at once, since much of the time is waiting until nothing moves.
  it.concurrent.for(views)('$name', (view, { expect }) =>
    pages.lend(async (opened) => {
      await show(opened, origin, view, 'long');
      await look(expect, opened, view, 'long', ['light']);
      let anew = view.anew ?? false;
      /** Shows it in another language, without loading it anew if nothing in it keeps its words. */
      const turn = async (lang: Lang) => {
        if (!anew) {
          // Before it may be loaded anew, which would hide that it didn't.
          await speak(opened, lang);
          await follows(expect, opened, lang);
          expect.soft(opened.errors.splice(0), `nothing fails on the way to it (${lang})`).toEqual([]);
          anew = await opened.page.evaluate(keepsLongWords);
        }
        if (anew) await show(opened, origin, view, lang);
      };
      await turn('zh-CN');
      const chinese = await look(expect, opened, view, 'zh-CN', ['light', 'dark']);
      await turn('en');
      const english = await look(expect, opened, view, 'en', ['light', 'dark']);
      expect.soft(chinese, 'both languages show the same things').toEqual(english);
      await turn('rtl');
      await look(expect, opened, view, 'rtl', ['dark']);
    }),
  );
});
