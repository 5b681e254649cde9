// Speaking in a real browser: what jsdom has no undo, no layout and no pointer for.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launch, open } from './browser';

const origin = inject('origin');
const SPOKEN =
  'Please add a test for the last attempt, and say in the changelog that errors are no longer swallowed.';

describe.skipIf(!origin)('speaking', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launch();
  });

  afterAll(() => browser?.close());

  const text = (page: Page) => page.locator('#reply-text').inputValue();

  async function shown(scene: string): Promise<Page> {
    const { page, errors } = await open(browser, origin, { name: scene, scene }, 'en');
    expect(errors).toEqual([]);
    await page.locator('#reply-text').fill('');
    await page.locator('#reply-text').pressSequentially('One. ');
    return page;
  }

  it('is taken back by one step of the field’s undo, whatever was typed around it', async () => {
    const page = await shown('voice-marked');
    await page.locator('[data-testid=mic]').click();
    await page.locator('[data-testid=spoken-mark]').waitFor({ state: 'attached' });
    expect(await text(page)).toBe(`One. ${SPOKEN}`);
    await page.keyboard.type(' Two.');
    expect(await text(page), 'the caret is behind the words').toBe(`One. ${SPOKEN} Two.`);
    await page.keyboard.press('Control+z');
    expect(await text(page), 'first what was typed after them').toBe(`One. ${SPOKEN}`);
    await page.keyboard.press('Control+z');
    expect(await text(page), 'then all of them, and nothing else').toBe('One. ');
    expect(await page.locator('[data-testid=spoken-mark]').count()).toBe(0);
    await page.keyboard.press('Control+Shift+z');
    expect(await text(page)).toBe(`One. ${SPOKEN}`);
    await page.close();
  });

  it('shows what is heard where it will stand, and the bar keeps its place', async () => {
    const page = await shown('voice-recording');
    const mic = page.locator('[data-testid=mic]');
    const row = page.locator('.row:has([data-testid=mic])');
    const [place, bar] = [await mic.boundingBox(), await row.boundingBox()];
    await mic.click();
    await page.locator('[data-testid=voice-time]:text("0:06")').waitFor();
    expect(await mic.boundingBox(), 'the button stays under the pointer').toEqual(place);
    expect((await row.boundingBox())?.height, 'and the bar as high').toBe(bar?.height);
    const heard = await page.evaluate(() =>
      [...document.querySelectorAll('[data-testid=spoken-live] [data-text]')]
        .map((piece) => piece.getAttribute('data-text'))
        .join(''),
    );
    expect(heard).toBe(`One. ${SPOKEN}`);
    const [field, words] = await page.evaluate(() => {
      const behind = document.querySelector('[data-testid=spoken-live]');
      const area = document.querySelector('#reply-text');
      return [area?.clientHeight ?? 0, behind?.scrollHeight ?? 0];
    });
    expect(field, 'the field grows with what is heard').toBeGreaterThanOrEqual(words ?? 0);
    await page.keyboard.press('Escape');
    await page.locator('[data-testid=voice-strip]').waitFor({ state: 'detached' });
    expect(await text(page)).toBe('One. ');
    const colour = () =>
      page.evaluate(() => getComputedStyle(document.querySelector('#reply-text') ?? document.body).color);
    await expect.poll(colour, { message: 'and its text is seen again' }).not.toBe('rgba(0, 0, 0, 0)');
    await page.close();
  });

  it('lasts as long as the button is held', async () => {
    const page = await shown('voice');
    await page.locator('[data-testid=mic]').hover();
    await page.mouse.down();
    await page.locator('[data-testid=voice-time]:text("0:02")').waitFor();
    await page.mouse.move(5, 5);
    expect(await page.locator('[data-kind=recording]').count(), 'also beside it').toBe(1);
    await page.mouse.up();
    await page.locator('[data-testid=spoken-mark]').waitFor({ state: 'attached' });
    expect(await text(page)).toBe(`One. ${SPOKEN}`);
    await page.close();
  });
});
