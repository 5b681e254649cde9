// The palette: what words find, and going there by keys. Rendered whole over a recording gate.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import './lazy';
import MainApp from '../src/MainApp.svelte';
import { found, MOST, type PaletteEntry } from '../src/palette/entries';
import { opensPalette } from '../src/palette/keys';
import { Main } from '../src/state/main.svelte';
import { answerable } from './armed';
import { FakeGate, summary, view } from './fake-gate';
import { FakeSettings } from './fake-settings';
import { FakeRecord, session } from './fake-record';

afterEach(cleanup);

const named = (label: string, over: Partial<PaletteEntry> = {}): PaletteEntry => ({
  ...{ key: label, label, icon: 'inbox', act: () => undefined },
  ...over,
});

describe('what words find', () => {
  const groups = [
    { name: 'one', entries: [named('Two queues', { hint: 'infra · Codex' }), named('Retry')] },
    { name: 'settings', asked: true, entries: [named('Font size', { words: 'window.font_size' })] },
  ];
  const labels = (text: string) =>
    found(groups, text).map(({ name, entries }) => [name, ...entries.map(({ label }) => label)]);

  it('is whatever holds all of them, in its name, its hint or its other words', () => {
    expect(labels('CODEX queue')).toEqual([['one', 'Two queues']]);
    expect(labels('font_')).toEqual([['settings', 'Font size']]);
    expect(labels('zebra')).toEqual([]);
  });

  it('is all but what has to be asked for, where there are none', () => {
    expect(labels(' ')).toEqual([['one', 'Two queues', 'Retry']]);
  });

  it('is never more than can be looked at', () => {
    const many = Array.from({ length: 90 }, (_, index) => named(`request ${index}`));
    expect(found([{ name: 'many', entries: many }], 'request')[0]?.entries.length).toBe(MOST);
  });
});

describe('its key', () => {
  const press = { ctrlKey: true, metaKey: false, shiftKey: false, altKey: false, repeat: false };
  it('is Ctrl K, but not where one replies', () => {
    expect(opensPalette({ ...press, key: 'k', isComposing: false }, false)).toBe(true);
    expect(opensPalette({ ...press, key: 'k', isComposing: false }, true), 'these are snippets').toBe(false);
    expect(opensPalette({ ...press, key: 'k', isComposing: true }, false)).toBe(false);
    expect(opensPalette({ ...press, key: 'k', isComposing: false, ctrlKey: false }, false)).toBe(false);
  });
});

describe('the palette', () => {
  async function opened() {
    const gate = new FakeGate([
      view('a', { summary: summary('a', { title: 'Use `two` queues?', approval: false }) }),
      view('b', { summary: summary('b', { title: 'Retry?', created_at: '2026-11-21T10:00:00Z' }) }),
    ]);
    gate.sessions = [session('c1', { title: 'Move the table' })];
    const [settings, record] = [new FakeSettings(), new FakeRecord(3)];
    gate.record = (command) =>
      command.command === 'settings' ? settings.answer(command) : record.answer(command);
    const main = new Main(gate, { page: 'inbox', at: null });
    render(MainApp, { main });
    await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
    await expect.poll(() => main.inbox.review.reply?.id).toBe('a');
    screen.getByTestId('inbox-list').focus();
    const press = (key: string, more: KeyboardEventInit = {}) =>
      fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
    await press('k', { ctrlKey: true });
    const field = await screen.findByTestId<HTMLInputElement>('palette-text');
    const type = (value: string) => fireEvent.input(field, { target: { value } });
    return { gate, main, press, type, field };
  }
  const labels = () =>
    screen.queryAllByTestId('palette-entry').map((each) => each.querySelector('.label')?.textContent);
  const gone = () => expect.poll(() => screen.queryByTestId('palette')).toBeNull();
  const focused = () => document.activeElement?.getAttribute('data-testid');

  it('names its row to whoever hears it, and moves by keys', async () => {
    const { field, press } = await opened();
    expect(document.activeElement, 'keys are words at once').toBe(field);
    await expect.poll(() => labels().slice(0, 3)).toEqual(['Use two queues?', 'Retry?', 'Move the table']);
    const at = () => document.getElementById(field.getAttribute('aria-activedescendant') ?? '');
    expect([at()?.role, at()?.getAttribute('aria-selected')]).toEqual(['option', 'true']);
    await press('ArrowDown');
    expect(at()?.textContent).toContain('Retry?');
    await press('ArrowUp');
    await press('ArrowUp');
    expect(at()?.textContent, 'from the first to the last').toContain('Close the window');
  });

  it('goes to a request, a session, a page and a setting', async () => {
    const { main, press, type } = await opened();
    await type('retry');
    await expect.poll(labels).toEqual(['Retry?']);
    await press('Enter');
    await expect.poll(() => main.inbox.review.reply?.id).toBe('b');
    await gone();
    for (const [words, page] of [
      ['move', 'sessions'],
      ['doctor', 'doctor'],
    ] as const) {
      await press('k', { ctrlKey: true });
      await fireEvent.input(await screen.findByTestId('palette-text'), { target: { value: words } });
      await expect.poll(() => labels().length).toBe(1);
      await press('Enter');
      await expect.poll(() => main.page).toBe(page);
      await gone();
    }
    await expect.poll(focused, { message: 'the page has the keys' }).toBe('doctor-page');
    await press('k', { ctrlKey: true });
    await fireEvent.input(await screen.findByTestId('palette-text'), { target: { value: 'font_size' } });
    await expect
      .poll(labels, { message: 'found by its name in the file' })
      .toEqual(['Title of window.font_size']);
    await press('Enter');
    await expect.poll(focused, { message: 'and one is in it' }).toBe('setting-window-font-size-control');
  });

  it('takes what is typed before it stands for its own', async () => {
    const { gate, main, press } = await opened();
    await press('Escape');
    await gone();
    // Both before anything is drawn.
    void press('k', { ctrlKey: true });
    void fireEvent.keyDown(screen.getByTestId('inbox-list'), { key: 'a' });
    await screen.findByTestId('palette');
    expect(gate.given('set_away'), 'nobody has gone away').toEqual([]);
    expect(main.paletteOpen).toBe(true);
  });

  it('does what is named', async () => {
    const { gate, press, type } = await opened();
    await type('i’m away');
    await press('Enter');
    await expect.poll(() => gate.given('set_away')).toEqual([{ command: 'set_away', away: true }]);
  });

  it('keeps its keys to itself, says that nothing is found, and gives the focus back', async () => {
    const { gate, main, press, type } = await opened();
    await type('zebra');
    expect(screen.getByTestId('palette').textContent).toContain('Nothing holds these words.');
    await press('Enter');
    await press('Enter', { ctrlKey: true, shiftKey: true });
    await press('2', { ctrlKey: true });
    expect([main.page, gate.given('send_reply')], 'what lies below hears nothing').toEqual(['inbox', []]);
    await press('Escape');
    await gone();
    expect(focused()).toBe('inbox-list');
  });

  it('leaves the key to the snippets in a reply, and opens over no dialog', async () => {
    const { main, press } = await opened();
    await press('Escape');
    await gone();
    await answerable();
    await fireEvent.keyDown(screen.getByTestId('reply-text'), { key: 'k', ctrlKey: true });
    expect([main.paletteOpen, main.inbox.review.snippetsOpen]).toEqual([false, true]);
    main.inbox.review.snippetsOpen = false;
    main.sheetOpen = true;
    await screen.findByTestId('shortcut-sheet');
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    expect(main.paletteOpen).toBe(false);
  });
});
