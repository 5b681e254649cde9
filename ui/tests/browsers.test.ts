// The browsers that are signed in: who they are, signing them out, and the note when one signs in.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import './lazy';
import App from '../src/App.svelte';
import MainApp from '../src/MainApp.svelte';
import { usedWhen } from '../src/connect/browsers.svelte';
import type { SignedInBrowser } from '../src/generated/SignedInBrowser';
import { actions } from '../src/palette/groups';
import { Review } from '../src/review/review.svelte';
import type { MainPage } from '../src/state/destination';
import { Main } from '../src/state/main.svelte';
import { FakeGate } from './fake-gate';

afterEach(cleanup);

const MINUTE = 60_000;
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();

function browser(id: string, over: Partial<SignedInBrowser> = {}): SignedInBrowser {
  return {
    ...{ browser: id, name: 'Firefox', system: 'Linux', address: 'localhost:8321' },
    ...{ signed_in_at: ago(5 * MINUTE), used_at: ago(MINUTE), by_script: false, open: false, here: false },
    ...over,
  };
}

async function shown(browsers: SignedInBrowser[], page: MainPage = 'connect') {
  const gate = new FakeGate();
  gate.record = () => ({ clients: [], takes_questions: true });
  gate.browsers = browsers;
  const main = new Main(gate, { page, at: null });
  render(MainApp, { main });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  return { gate, main };
}

const rows = () => screen.queryAllByTestId('browser');
const focused = () => document.activeElement?.getAttribute('data-testid');

describe('the browsers', () => {
  it('stand with what is known of them', async () => {
    await shown([
      browser('script', { name: null, system: null, by_script: true, address: '127.0.0.1:8321' }),
      browser('own', { open: true, here: true }),
    ]);
    await screen.findByTestId('browsers');
    await expect.poll(() => rows().length).toBe(2);
    expect(rows().map((row) => row.textContent?.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(
        /A browser .*used within the last hour.*signed in 5 min ago.*by a script’s link.*127\.0\.0\.1:8321/,
      ),
      expect.stringMatching(/Firefox on Linux this browser.*open now.*by your link.*localhost:8321/),
    ]);
  });

  it('are told as used to the hour, which is how it is noted', () => {
    const now = Date.now();
    const used = (minutes: number, open = false) =>
      usedWhen(browser('a', { used_at: new Date(now - minutes * MINUTE).toISOString(), open }), now);
    expect(used(59)).toBe('used within the last hour');
    expect(used(180)).toBe('last used 3 h ago');
    expect(used(180, true)).toBe('open now');
  });

  it('teach how one is signed in where none is', async () => {
    const { gate } = await shown([]);
    expect((await screen.findByTestId('browsers-none')).textContent).toBe('No browser is signed in.');
    cleanup();
    let opened = 0;
    Object.assign(gate, { openInBrowser: () => Promise.resolve(void (opened += 1)) });
    render(MainApp, { main: new Main(gate, { page: 'connect', at: null }) });
    expect((await screen.findByTestId('browsers-none')).textContent).toContain('review-gate link');
    await fireEvent.click(screen.getByTestId('browsers-open'));
    expect(opened, 'the app opens it').toBe(1);
  });

  it('are signed out one by one, after a question that begins with keeping them', async () => {
    const { gate } = await shown([browser('one', { name: 'Chrome' }), browser('two')]);
    await expect.poll(() => rows().length).toBe(2);
    const [first] = rows() as [HTMLElement, HTMLElement];
    const button = within(first).getByTestId('browser-sign-out');
    expect(button.getAttribute('aria-label')).toBe('Sign out Chrome on Linux');
    await fireEvent.click(button);
    expect(focused(), 'Enter keeps it').toBe('browser-keep');
    await fireEvent.keyDown(screen.getByTestId('browser-keep'), { key: 'Escape' });
    await expect.poll(focused, { message: 'the keys are where they were' }).toBe('browser-sign-out');
    expect(gate.given('sign_out_browser')).toEqual([]);

    await fireEvent.click(within(first).getByTestId('browser-sign-out'));
    await fireEvent.click(screen.getByTestId('browser-sign-out-yes'));
    await expect.poll(() => rows().length).toBe(1);
    expect(gate.given('sign_out_browser')).toEqual([{ command: 'sign_out_browser', browser: 'one' }]);
    await expect.poll(focused, { message: 'and the next one has the keys' }).toBe('browser-sign-out');
    expect(screen.queryByTestId('browsers-sign-out-all'), 'one is signed out by its own button').toBeNull();
  });

  it('are all signed out at once', async () => {
    const { gate } = await shown([browser('one'), browser('two')]);
    await fireEvent.click(await screen.findByTestId('browsers-sign-out-all'));
    await fireEvent.click(screen.getByTestId('browser-sign-out-yes'));
    await screen.findByTestId('browsers-none');
    expect(gate.given('sign_out').length).toBe(1);
  });

  it('come and go while the page stands', async () => {
    const { gate } = await shown([]);
    await screen.findByTestId('browsers-none');
    gate.browsers = [browser('new')];
    gate.emit({ event: 'browser_signed_in', browser: browser('new') });
    await expect.poll(() => rows().length).toBe(1);
    gate.browsers = [];
    gate.emit({ event: 'browsers_signed_out' });
    await screen.findByTestId('browsers-none');
  });
});

describe('a browser that signs in', () => {
  it('is told in the main window, which leads to the list', async () => {
    const { gate, main } = await shown([browser('new')], 'inbox');
    gate.emit({ event: 'browser_signed_in', browser: browser('new', { by_script: true }) });
    const note = await screen.findByTestId('toast');
    expect(note.textContent).toContain(
      'Firefox on Linux signed in to the page at localhost:8321, by a script’s link.',
    );
    await fireEvent.click(within(note).getByTestId('toast-action'));
    expect(main.page).toBe('connect');
  });

  it('is told in the review window', async () => {
    const gate = new FakeGate();
    render(App, { review: new Review(gate) });
    await expect.poll(() => gate.readied).toBeGreaterThan(0);
    gate.emit({ event: 'browser_signed_in', browser: browser('new') });
    const note = await screen.findByTestId('toast');
    expect(note.textContent).toContain('Firefox on Linux signed in to the page at localhost:8321.');
    await fireEvent.click(within(note).getByTestId('toast-action'));
    expect(gate.opened).toEqual([['connect', undefined]]);
  });
});

describe('the palette', () => {
  it('opens the page in a browser where the window is the app’s', () => {
    const gate = new FakeGate();
    const labels = () =>
      actions(new Main(gate, { page: 'inbox', at: null })).entries.map(({ label }) => label);
    expect(labels()).not.toContain('Open in browser');
    Object.assign(gate, { openInBrowser: () => Promise.resolve() });
    expect(labels()).toContain('Open in browser');
  });
});
