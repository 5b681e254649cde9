// Where things stand in a real browser: what must not be covered, squeezed out, or lost from sight.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { blank, launch, show, taking, wear, type Opened, type View } from './browser';

const origin = inject('origin');

/** Of two colours, each red, green and blue up to 255 (WCAG 2.2, relative luminance). */
function contrast(...colours: number[][]): number {
  const bright = colours.map((colour) => {
    const [red = 0, green = 0, blue = 0] = colour.map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  });
  return (Math.max(...bright) + 0.05) / (Math.min(...bright) + 0.05);
}

describe.skipIf(!origin)('the place of', () => {
  let browser: Browser;
  let opened: Opened;
  let views = 0;

  beforeAll(async () => {
    browser = await launch();
    opened = await blank(browser);
  });

  afterAll(() => browser?.close());

  async function shown(view: View): Promise<Page> {
    const { page, errors } = opened;
    await page.mouse.move(0, 0);
    // One page for all of them; a name of its own has each loaded anew.
    views += 1;
    await show(opened, origin, { ...view, name: `${view.name}-${views}` }, 'en');
    expect(errors).toEqual([]);
    return page;
  }

  /** Waits until what scrolls has stood still for some frames. */
  const settled = (page: Page) =>
    page.evaluate(async () => {
      const main = document.querySelector('.middle > main') ?? document.body;
      let [still, before] = [0, ''];
      while (still < 10) {
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 16)));
        const now = `${main.scrollTop} ${main.scrollHeight}`;
        still = now === before ? still + 1 : 0;
        before = now;
      }
    });

  describe('a diff', () => {
    /** The first line that is wholly seen below what sticks to the top, and how far below it is. */
    const top = (page: Page) =>
      page.evaluate(() => {
        const edge = document.querySelector('.middle > main')?.getBoundingClientRect().top ?? 0;
        for (const row of document.querySelectorAll<HTMLElement>('[data-testid=diff-row]')) {
          const box = row.getBoundingClientRect();
          if (box.top < edge + 80) continue;
          const { side, line } = row.dataset;
          return { row: `${side} ${line}`, line: Number(line), below: Math.round(box.top - edge) };
        }
        return null;
      });

    it.each([
      ['diff', 0.25],
      ['diff-large', 0.1],
      ['diff-many', 0.7],
    ] as const)('stays when it is shown side by side and back: %s', async (scene, part) => {
      const page = await shown({ name: `split-${scene}`, scene, width: 1440, height: 800 });
      await page.evaluate((share) => {
        const main = document.querySelector('.middle > main');
        const diff = document.querySelector('[data-testid=diff]');
        if (!main || !diff) return;
        const begin = diff.getBoundingClientRect().top - main.getBoundingClientRect().top + main.scrollTop;
        main.scrollTop = begin + diff.clientHeight * share;
      }, part);
      await settled(page);
      const before = await top(page);
      expect(before, 'it is in the changes').not.toBeNull();
      for (const turn of ['there', 'back', 'there', 'back']) {
        await page.evaluate(() => document.querySelector<HTMLElement>('[data-testid=diff-split]')?.click());
        await settled(page);
        const now = await top(page);
        if (turn === 'back') expect(now, 'what was at the top is there again').toEqual(before);
        else
          expect(Math.abs((now?.line ?? 0) - (before?.line ?? 0)), 'about the same lines').toBeLessThan(12);
      }
    });
  });

  it('the end of a long message is reached by End', async () => {
    const page = await shown({ name: 'end', scene: 'mib' });
    // As where the engine doesn't keep in its place what is read.
    await page.evaluate(() => {
      const main = document.querySelector<HTMLElement>('.middle > main');
      if (main) main.style.overflowAnchor = 'none';
      CSS.supports = () => false;
    });
    await page.locator('.middle > main').focus();
    await page.keyboard.press('End');
    await settled(page);
    const left = () =>
      page.evaluate(() => {
        const main = document.querySelector('.middle > main');
        return main ? main.scrollHeight - main.scrollTop - main.clientHeight : null;
      });
    expect(await left(), 'nothing is left below').toBeLessThan(2);
  });

  it.each([
    ['review', 'Control+Home', '@b', 0],
    // The word goes to the next line, though the blank before it doesn’t.
    ['review', 'Control+End', ' @b', 1],
    ['plan', 'Control+Home', '/', 0],
    ['plan', 'Control+Home', 'first line\nthen @b', 1],
  ] as const)(
    'a list at the caret leaves the line free that is typed in: %s, %s, %j',
    async (scene, begin, text, line) => {
      const page = await shown({ name: `caret-${scene}`, scene });
      await page.locator('#reply-text').focus();
      await page.keyboard.press(begin);
      for (const [at, part] of text.split('\n').entries()) {
        if (at > 0) await page.keyboard.press('Enter');
        await page.keyboard.type(part);
      }
      await page.locator('[data-testid=completion-offer]').first().waitFor();
      const [list, typed] = await page.evaluate((lines) => {
        const field = document.querySelector('#reply-text') as HTMLTextAreaElement;
        const { lineHeight, paddingTop } = getComputedStyle(field);
        const height = Number.parseFloat(lineHeight);
        const top = field.getBoundingClientRect().top + Number.parseFloat(paddingTop) + lines * height;
        const box = document.querySelector('[data-testid=completion]')?.getBoundingClientRect();
        return [
          { top: box?.top ?? 0, bottom: box?.bottom ?? 0 },
          { top, bottom: top + height },
        ];
      }, line);
      const apart = list.bottom <= typed.top ? typed.top - list.bottom : list.top - typed.bottom;
      expect(apart, 'above it or below it').toBeGreaterThanOrEqual(0);
      expect(apart, 'and beside it').toBeLessThan(16);
    },
  );

  it('the name of an agent is whole while its workspace has room', async () => {
    const page = await shown({ name: 'agent-name', scene: 'review' });
    const cut: string[] = [];
    for (let width = 480; width <= 1000; width += 13) {
      await page.setViewportSize({ width, height: 780 });
      const [name, workspace] = await page.evaluate(() => {
        const wide = (part: string) =>
          document.querySelector(`header ${part}`)?.getBoundingClientRect().width ?? 0;
        return [wide('.client bdi') - wide('.client'), wide('.workspace')] as const;
      });
      // A part of a pixel that is missing is enough for dots in the place of letters.
      if (name > 0.02 && workspace > 8)
        cut.push(`${width}: ${name} px too few, ${workspace} px for the workspace`);
    }
    expect(cut).toEqual([]);
  });

  const noted: View[] = [
    { name: 'note', scene: 'agent-changes', until: '[data-testid=toast]' },
    { name: 'note', scene: 'agent-changes', page: 'inbox', until: '[data-testid=toast]' },
    { name: 'note', scene: 'agent-changes', page: 'inbox', width: 900, until: '[data-testid=toast]' },
    { name: 'note', scene: 'agent-changes', page: 'inbox', width: 620, until: '[data-testid=toast]' },
    { name: 'note', scene: 'agent-changes', page: 'settings', until: '[data-testid=toast]' },
    { name: 'note', scene: 'agent-changes', page: 'history', until: '[data-testid=toast]' },
  ];
  it.each(noted)('a note covers no button: $page $width', async (view) => {
    const page = await shown(view);
    const covered = await page.evaluate(() => {
      const toast = document.querySelector('[data-testid=toast]')?.getBoundingClientRect();
      if (!toast) return ['there is no note'];
      return [...document.querySelectorAll('button, input, textarea, select, [role=option]')].flatMap(
        (each) => {
          if (each.closest('.toasts, .visually-hidden') || !each.checkVisibility()) return [];
          const box = each.getBoundingClientRect();
          let [begin, end] = [box.top, box.bottom];
          // What is scrolled away isn't seen.
          for (let at = each.parentElement; at; at = at.parentElement) {
            if (getComputedStyle(at).overflowY === 'visible') continue;
            const clip = at.getBoundingClientRect();
            [begin, end] = [Math.max(begin, clip.top), Math.min(end, clip.bottom)];
          }
          const apart =
            box.right <= toast.left || box.left >= toast.right || end <= toast.top || begin >= toast.bottom;
          return apart || end - begin < 1
            ? []
            : [each.getAttribute('data-testid') ?? each.textContent ?? each.tagName];
        },
      );
    });
    expect(covered).toEqual([]);
  });

  const small: View[] = [
    { name: 'small', scene: 'review', width: 760, height: 520, more: { size: '24' } },
    { name: 'small', scene: 'review', page: 'inbox', width: 760, height: 520, more: { size: '24' } },
    { name: 'small', scene: 'plain', width: 480, height: 420, more: { size: '24' } },
  ];
  it.each(small)('the question is never lost above its buttons: $page $scene', async (view) => {
    const page = await shown(view);
    if (view.page) await page.keyboard.press('Enter');
    const look = () =>
      page.evaluate(() => {
        const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
        const request = document.querySelector('.request')?.getBoundingClientRect();
        const main = document.querySelector('.middle > main')?.getBoundingClientRect();
        const send = document.querySelector('[data-testid=send]')?.getBoundingClientRect();
        const [begin, end] = [
          Math.max(main?.top ?? 0, request?.top ?? 0),
          Math.min(main?.bottom ?? 0, innerHeight),
        ];
        return { lines: (end - begin) / rem / 1.5, below: (send?.bottom ?? Infinity) - innerHeight };
      });
    expect((await look()).lines, 'some lines of it are seen').toBeGreaterThanOrEqual(3);
    await page.mouse.move((view.width ?? 0) / 2, (view.height ?? 0) - 5);
    await page.mouse.wheel(0, 500);
    await expect
      .poll(async () => (await look()).below, { message: 'the buttons can be reached' })
      .toBeLessThan(1);
    expect((await look()).lines, 'and the question is still seen').toBeGreaterThan(1);
  });

  it.each([
    [760, 520],
    [1180, 420],
    [480, 300],
  ])(
    'every place of the rail can be brought into the window, and none is cut for good: %i × %i',
    async (width, height) => {
      const page = await shown({
        name: 'rail',
        scene: 'inbox',
        page: 'inbox',
        width,
        height,
        more: { size: '24' },
      });
      const lost = await page.evaluate(() => {
        const nav = document.querySelector('nav');
        if (!nav) return ['there is no rail'];
        const name = (each: Element) => each.getAttribute('data-testid') ?? each.className;
        const buttons = [...nav.querySelectorAll('button')].flatMap((button) => {
          button.scrollIntoView({ block: 'nearest' });
          const box = button.getBoundingClientRect();
          const at = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
          const whole = box.top > -1 && box.bottom < innerHeight + 1 && button.contains(at);
          return whole ? [] : [`${name(button)}: ${box.top} to ${box.bottom}`];
        });
        const cut = [nav, ...nav.querySelectorAll('div')].filter(
          (each) => each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflowY !== 'auto',
        );
        return [...buttons, ...cut.map((each) => `${name(each)} is cut`)];
      });
      expect(lost).toEqual([]);
      expect(await page.evaluate(() => document.scrollingElement?.scrollTop), 'the window stays').toBe(0);
    },
  );

  it('code stands out from the cards of a conversation', async () => {
    const page = await shown({
      name: 'code',
      scene: 'review',
      page: 'history',
      until: '[data-testid=message] .text :not(pre) > code',
    });
    for (const theme of ['light', 'dark'] as const) {
      await wear(page, theme);
      const grounds = await page.evaluate(() => {
        const code = document.querySelector('[data-testid=message] .text :not(pre) > code');
        const ground = (of: Element) =>
          (getComputedStyle(of).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
        return ['agent', 'person'].map((role) => {
          const card = document.querySelector(`[data-testid=message][data-role=${role}]`);
          // The one that there is, in each of them.
          const chip = code?.cloneNode(true) as Element;
          card?.append(chip);
          const found = { role, card: ground(card ?? document.body), chip: ground(chip) };
          chip.remove();
          return found;
        });
      });
      for (const { role, card, chip } of grounds) {
        expect([card.length, chip.length], 'both have a ground of their own, and whole').toEqual([3, 3]);
        expect(contrast(card, chip), `${theme}, ${role}: ${chip} on ${card}`).toBeGreaterThan(1.12);
      }
    }
  });

  it('the box “Viewed” is as dark as what is around it', async () => {
    const page = await shown({ name: 'viewed', scene: 'diff' });
    await wear(page, 'dark');
    const boxes = await page.evaluate(() =>
      [...document.querySelectorAll('[data-testid=diff-viewed]')].map((box) => {
        const { appearance, backgroundColor } = getComputedStyle(box);
        const [red = 255, green = 255, blue = 255] = (backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
        return { appearance, light: Math.max(red, green, blue) };
      }),
    );
    expect(boxes.length, 'the files have boxes').toBeGreaterThan(0);
    for (const { appearance, light } of boxes) {
      expect(appearance, 'the system, which may be light, doesn’t draw it').toBe('none');
      expect(light, 'of 255').toBeLessThan(96);
    }
  });

  it.each(['inbox', 'history', 'sessions', 'prompts', undefined])(
    'no ring is drawn around a whole pane: %s',
    async (at) => {
      const page = await shown({ name: 'rings', scene: 'review', ...(at ? { page: at } : {}) });
      const rings = new Set<string>();
      const seen = new Set<string>();
      await taking(page);
      for (let tab = 0; tab < 40; tab += 1) {
        await page.keyboard.press('Tab');
        const { name, share, ring } = await page.evaluate(() => {
          const each = document.activeElement ?? document.body;
          const { width, height } = each.getBoundingClientRect();
          const { outlineStyle, outlineWidth } = getComputedStyle(each);
          return {
            name: `${each.tagName} ${each.getAttribute('data-testid') ?? each.className}`,
            share: (width * height) / (innerWidth * innerHeight),
            ring: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0,
          };
        });
        seen.add(name);
        // Of panes, lists and diffs; a row or a field is smaller.
        if (ring && share > 0.15) rings.add(name);
      }
      expect(seen.size, 'Tab goes from one thing to the next').toBeGreaterThan(4);
      expect([...rings]).toEqual([]);
    },
  );
});
