// Nothing is looked at too early: whatever a page still has before it is waited for.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { blank, launch } from './browser';

/** Longer than any frame, in milliseconds. */
const LATE = 300;
const origin = inject('origin');
const page = (body: string) => `<!doctype html><title>late</title><body><main></main>${body}</body>`;
const SAY = `const say = () => { document.querySelector('main').textContent = 'here'; };`;

describe.skipIf(!origin)('a page is still', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launch();
  });

  afterAll(() => browser?.close());

  const late: [string, string][] = [
    ['data came', `<script>${SAY} setTimeout(say, ${LATE});</script>`],
    [
      'the last of several timers acted',
      `<script>${SAY} setTimeout(() => setTimeout(() => setTimeout(say, ${LATE}), ${LATE}), ${LATE});</script>`,
    ],
    ['a script was loaded', `<script type="module">${SAY} import('/late.js').then(say);</script>`],
    ['what a loaded script loads was', `<script type="module">${SAY} import('/deep.js').then(say);</script>`],
    [
      'a thread answered',
      `<script>${SAY} const it = new Worker('/thread.js'); it.onmessage = say; it.postMessage(1);</script>`,
    ],
    ['a picture was loaded', `<script>${SAY}</script><img src="/late.svg" alt="" onload="say()">`],
    [
      'a movement ended',
      `<script>${SAY} document.body.animate([{ opacity: 0 }, {}], ${LATE}).onfinish = say;</script>`,
    ],
    [
      'frames were drawn one after the other',
      `<script>${SAY} let left = 30; const step = () => {
        document.body.dataset.left = String(left);
        if ((left -= 1) > 0) requestAnimationFrame(step); else say();
      }; step();</script>`,
    ],
  ];

  const files: Record<string, [string, string]> = {
    '/late.js': ['text/javascript', 'export const late = 1;'],
    '/deep.js': ['text/javascript', `await import('/late.js'); export const deep = 1;`],
    '/late.svg': ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    '/thread.js': ['text/javascript', `onmessage = () => setTimeout(() => postMessage(1), ${LATE});`],
  };

  it.each(late)('only when %s', async (_, body) => {
    const { page: opened, stillness, errors } = await blank(browser);
    await opened.route('**/*', async (route) => {
      const { pathname } = new URL(route.request().url());
      const [contentType, content] = files[pathname] ?? ['text/html', page(body)];
      if (pathname in files) await new Promise((resolve) => setTimeout(resolve, LATE));
      await route.fulfill({ contentType, body: content });
    });
    await opened.goto(`${origin}/late`, { waitUntil: 'commit' });
    await stillness.reached();
    expect(await opened.textContent('main'), 'it isn’t looked at before').toBe('here');
    expect(errors).toEqual([]);
    await opened.close();
  });

  it('when it is held and given no frames, too', async () => {
    const { page: opened, stillness } = await blank(browser);
    const none = '<script>requestAnimationFrame = () => 0;</script>';
    await opened.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: page(none) }));
    await opened.goto(`${origin}/frameless`);
    await opened.evaluate(() => window.hold());
    await stillness.reached();
    await opened.close();
  });

  it('and stays so when it is held', async () => {
    const { page: opened, stillness, errors } = await blank(browser);
    const quiet = page('');
    await opened.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: quiet }));
    await opened.goto(`${origin}/held`, { waitUntil: 'commit' });
    await stillness.reached();
    // All in one go: however slow the machine is, no time passes before it is held.
    await opened.evaluate((soon) => {
      const main = document.querySelector('main') ?? document.body;
      setTimeout(() => (main.textContent = 'here'), 2 * soon);
      window.hold();
      // What is begun now ends after that would have.
      setTimeout(() => setTimeout(() => setTimeout(() => (document.title = 'later'), soon), soon), soon);
    }, LATE);
    await stillness.reached();
    expect(await opened.title(), 'what is waited for goes on').toBe('later');
    expect(await opened.textContent('main'), 'what comes later doesn’t').toBe('');
    expect(errors).toEqual([]);
    await opened.close();
  });
});
