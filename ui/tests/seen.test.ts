// Approving only what was on the screen, where the setting asks for that.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import './lazy';
import App from '../src/App.svelte';
import MainApp from '../src/MainApp.svelte';
import { everyKind } from '../src/dev/diff-fixtures';
import { paneOf, type Stage } from '../src/diff/pane.svelte';
import { pathOf } from '../src/diff/rows';
import type { DiffFile } from '../src/generated/DiffFile';
import type { RequestView } from '../src/generated/RequestView';
import { ReplyDraft } from '../src/reply/reply-draft.svelte';
import { Review } from '../src/review/review.svelte';
import '../src/seen/Unseen.svelte';
import { Main } from '../src/state/main.svelte';
import { answerable } from './armed';
import { FakeGate, view } from './fake-gate';
import { FakeRecord } from './fake-record';

/** Where the message ends, from the top of the window, which is 500 high. */
let end = 900;

beforeEach(() => {
  end = 900;
  document.body.dataset['keys'] = '';
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return this.matches('[data-end]') ? new DOMRect(0, end - 20, 100, 20) : new DOMRect(0, 0, 600, 500);
  });
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  // Files that were viewed are folded from then on.
  localStorage.clear();
  delete document.body.dataset['keys'];
});

async function shown(require_seen: boolean, ...views: RequestView[]) {
  const gate = new FakeGate(views);
  gate.settings = { ...gate.settings, require_seen };
  const review = new Review(gate);
  render(App, { review });
  await expect.poll(() => gate.readied).toBe(1);
  const scroll = async (to: number) => {
    end = to;
    await fireEvent.scroll(document.querySelector('main') as HTMLElement);
  };
  return { gate, review, scroll };
}
const approve = () => screen.getByTestId<HTMLButtonElement>('approve');
const unseen = () => screen.queryByTestId('unseen')?.textContent?.replace(/\s+/g, ' ').trim();

describe('where it isn’t asked for', () => {
  it('nothing is in the way of an approval', async () => {
    await shown(false, view('a'));
    expect([approve().disabled, unseen()]).toEqual([false, undefined]);
  });
});

describe('where only what was seen can be approved', () => {
  it('Approve is off until the end of the message was on the screen', async () => {
    const { gate, review, scroll } = await shown(true, view('a'));
    await expect.poll(unseen).toBe('Not seen yet: the end of the message Show E');
    expect(approve().disabled).toBe(true);
    expect(approve().getAttribute('aria-describedby')).toBe('unseen');
    await review.send('approved');
    expect(review.reply?.hint, 'a key says why').toContain('Not all of this was on the screen yet');
    expect(gate.given('send_reply')).toEqual([]);
    await scroll(480);
    await expect.poll(unseen).toBe(undefined);
    expect(approve().disabled).toBe(false);
    await scroll(900);
    expect(approve().disabled, 'what was seen stays seen').toBe(false);
  });

  it('Approve is off until each file of the changes was, too', async () => {
    const diff = everyKind();
    const { gate, review, scroll } = await shown(true, view('a', { diff }));
    await expect.poll(unseen).toContain('more files');
    await scroll(480);
    await expect.poll(unseen, { message: 'the message was' }).not.toContain('the end of the message');
    expect(approve().disabled).toBe(true);
    await review.send('approved');
    expect(gate.given('send_reply')).toEqual([]);
    const pane = paneOf(review.reply as ReplyDraft, diff.files);
    const [first] = diff.files.filter((_, index) => !pane.seen.has(index));
    expect(unseen(), 'it is named').toContain(pathOf(first as DiffFile));
    for (const file of diff.files.keys()) pane.view(file, true);
    await expect.poll(unseen).toBe(undefined);
    expect(approve().disabled).toBe(false);
  });

  it('the main window asks for it as well', async () => {
    const gate = new FakeGate([view('a')]);
    gate.settings = { ...gate.settings, require_seen: true };
    gate.record = new FakeRecord(0).answer;
    render(MainApp, { main: new Main(gate, { page: 'inbox', at: 'a' }) });
    await expect.poll(unseen).toContain('the end of the message');
    expect(approve().disabled).toBe(true);
  });

  it('everything else can be sent at once', async () => {
    const { gate, review } = await shown(true, view('a'));
    await expect.poll(unseen).not.toBe(undefined);
    await review.send('changes_requested');
    expect(gate.given('send_reply').map(({ decision }) => decision)).toEqual(['changes_requested']);
  });

  it('a key goes on to what wasn’t seen, and is no key while one types', async () => {
    await shown(true, view('a'));
    await expect.poll(unseen).not.toBe(undefined);
    await answerable();
    const main = document.querySelector('main') as HTMLElement;
    await fireEvent.keyDown(screen.getByTestId('reply-text'), { key: 'e' });
    expect(main.scrollTop).toBe(0);
    await fireEvent.keyDown(main, { key: 'e' });
    expect(main.scrollTop, 'as far as the end, which is less than a page away').toBeGreaterThan(300);
  });

  it('the rest of a long message has to be shown first', async () => {
    const long = view('a');
    const { scroll } = await shown(true, { ...long, message: { ...long.message, rest: 'and more' } });
    await scroll(480);
    await expect.poll(unseen).not.toBe(undefined);
    await fireEvent.click(screen.getByTestId('message-rest'));
    await scroll(480);
    await expect.poll(unseen).toBe(undefined);
  });
});

describe('a file of a diff', () => {
  const measures = {
    ...{ line: 20, cell: 8, head: 30, between: 10, bar: 20, comment: 80, text: 2000, tab: 4, wrap: true },
  };

  function laid(height: number) {
    const diff = everyKind();
    const pane = paneOf(new ReplyDraft(new FakeGate([]), view('a', { diff })), diff.files);
    let top = 0;
    const stage: Stage = {
      seen: () => ({ top, height, cover: 0 }),
      scrollBy: (distance) => (top += distance),
      soon: () => undefined,
      focus: () => undefined,
    };
    pane.enter(stage, measures, false);
    return { pane, all: diff.files.length, scrollTo: (to: number) => ((top = to), pane.scrolled()) };
  }

  it('is seen once its end was on the screen', () => {
    const { pane, scrollTo } = laid(100);
    expect([...pane.seen], 'its beginning isn’t enough').toEqual([]);
    scrollTo(5_000);
    expect(pane.seen.has(0), 'nor having been passed by').toBe(false);
    scrollTo(0);
    for (let top = 0; top < 600; top += 50) scrollTo(top);
    expect(pane.seen.has(0)).toBe(true);
  });

  it('isn’t by being folded away, but by being marked as viewed', () => {
    const { pane } = laid(100);
    pane.foldAll(true);
    expect([...pane.seen]).toEqual([]);
    pane.view(2, true);
    expect([...pane.seen]).toEqual([2]);
  });

  it('is gone to, page by page, until all of them were seen', () => {
    const { pane, all } = laid(200);
    pane.showFresh(true);
    for (let step = 0; step < 400 && pane.seen.size < all; step += 1) {
      const next = pane.bodies.find((body) => !pane.seen.has(body.index));
      if (next) pane.toUnseen(next.index);
    }
    expect(pane.seen.size).toBe(all);
  });
});
