// The settings page: saved as one changes it, taken back, and never losing what is being typed. Rendered
// whole over a recording gate.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import './lazy';
import App from '../src/App.svelte';
import MainApp from '../src/MainApp.svelte';
import { Main } from '../src/state/main.svelte';
import { Review } from '../src/review/review.svelte';
import { TYPING } from '../src/settings/settings.svelte';
import { FakeGate, fault } from './fake-gate';
import { change, FakeSettings, setting, size } from './fake-settings';
import { shown } from './settings-page';

afterEach(cleanup);

const control = (key: string) => screen.getByTestId(`setting-${key}-control`);
const input = (key: string) => control(key) as HTMLInputElement;
const type = (key: string, value: string) => fireEvent.input(control(key), { target: { value } });
const focused = () => document.activeElement?.getAttribute('data-testid');
const note = () => screen.getByTestId('settings-note').textContent?.trim();

describe('a change', () => {
  it('of a choice is saved at once, with what was seen', async () => {
    const { gate, settings } = await shown();
    await fireEvent.click(screen.getByTestId('setting-window-theme-dark'));
    await expect.poll(() => settings.value('window.theme')).toBe('dark');
    expect(gate.given('save_settings')).toEqual([
      { command: 'save_settings', values: { 'window.theme': 'dark' }, seen: { 'window.theme': 'system' } },
    ]);
    await expect.poll(note, { message: 'and said' }).toBe('Saved: Title of window.theme');
    expect(screen.getByTestId('settings-note').getAttribute('role'), 'aloud').toBe('status');
  });

  it('of a text waits until typing rests, and is worn meanwhile', async () => {
    const { gate, settings, main } = await shown();
    await type('window-font-size', '1');
    await type('window-font-size', '18');
    const worn = () => document.documentElement.style.getPropertyValue('--text-size');
    await expect.poll(worn, { message: 'the page tries it out' }).toBe('18px');
    expect(gate.given('save_settings'), 'nothing is saved yet').toEqual([]);
    await expect.poll(() => settings.value('window.font_size'), { timeout: TYPING + 5_000 }).toBe(18);
    expect(gate.given('save_settings').length, 'once').toBe(1);
    await expect.poll(note).toBe('Saved: Title of window.font_size');
    await tick();
    expect(worn(), 'and nothing goes back while the windows haven’t been told').toBe('18px');
    await type('window-font-size', '9');
    await tick();
    expect(worn(), 'nor for what can’t be').toBe('18px');
    const told = (font_size: number) => {
      settings.set('window.font_size', font_size);
      gate.emit({ event: 'settings_changed', settings: { ...gate.settings, font_size } });
    };
    told(18);
    await expect.poll(() => main.preview, { message: 'they know it themselves' }).toEqual({});
    told(20);
    await expect.poll(worn, { message: 'and follow what others do' }).toBe('20px');
  });

  it('of a text takes away nothing while somebody types on', async () => {
    const { settings } = await shown((each) =>
      each.settings.push(setting('window.words', { kind: 'text', max_chars: 40 }, '')),
    );
    await type('window-words', 'two ');
    await expect.poll(() => settings.value('window.words'), { timeout: TYPING + 5_000 }).toBe('two');
    await expect.poll(note).toBe('Saved: Title of window.words');
    await tick();
    expect(input('window-words').value, 'the next word is about to come').toBe('two ');
    await fireEvent.blur(input('window-words'));
    await expect.poll(() => input('window-words').value, { message: 'then it is put in order' }).toBe('two');
  });

  it('is saved when the field is left, and by Enter', async () => {
    const { settings } = await shown();
    await type('window-font-size', '20');
    await fireEvent.blur(input('window-font-size'));
    await expect.poll(() => settings.value('window.font_size')).toBe(20);
    await type('window-font-size', '21');
    await fireEvent.keyDown(input('window-font-size'), { key: 'Enter' });
    await expect.poll(() => settings.value('window.font_size')).toBe(21);
  });

  it('is saved when the person goes to another page', async () => {
    const { settings, main } = await shown();
    await type('window-font-size', '17');
    main.go('sessions');
    await expect.poll(() => settings.value('window.font_size')).toBe(17);
  });

  it('steps by arrows, and stops at the bounds', async () => {
    const { settings } = await shown();
    const field = input('window-font-size');
    await fireEvent.keyDown(field, { key: 'ArrowUp' });
    await expect.poll(() => field.value).toBe('15');
    await fireEvent.keyDown(field, { key: 'PageUp' });
    await expect.poll(() => field.value).toBe('24');
    expect(screen.getByTestId<HTMLButtonElement>('setting-window-font-size-more').disabled).toBe(true);
    expect(field.getAttribute('aria-valuenow')).toBe('24');
    await fireEvent.click(screen.getByTestId('setting-window-font-size-less'));
    await fireEvent.blur(field);
    await expect.poll(() => settings.value('window.font_size')).toBe(23);
  });

  it('of keys is pressed', async () => {
    const { settings } = await shown();
    await fireEvent.click(control('window-hotkey'));
    await expect.poll(() => control('window-hotkey').textContent).toContain('Press the keys');
    await fireEvent.keyDown(control('window-hotkey'), { key: 'q', code: 'KeyQ' });
    await expect.poll(() => screen.getByTestId('setting-window-hotkey').textContent).toContain('Hold Ctrl');
    await fireEvent.keyDown(control('window-hotkey'), {
      key: 'q',
      code: 'KeyQ',
      ctrlKey: true,
      altKey: true,
    });
    await expect.poll(() => settings.value('window.hotkey')).toBe('CmdOrCtrl+Alt+Q');
    expect(screen.getByTestId('setting-window-hotkey-later').textContent, 'and says when').toContain(
      'next start',
    );
  });

  it('of keys is given up by Escape, and closes nothing else', async () => {
    const { settings, main } = await shown();
    await fireEvent.click(control('window-hotkey'));
    await fireEvent.keyDown(control('window-hotkey'), { key: 'w', code: 'KeyW', ctrlKey: true });
    await fireEvent.click(control('window-hotkey'));
    await fireEvent.keyDown(control('window-hotkey'), { key: 'Escape', code: 'Escape' });
    await expect.poll(() => settings.value('window.hotkey')).toBe('CmdOrCtrl+W');
    expect(main.page, 'the window’s own keys weren’t meant').toBe('settings');
    expect((await screen.findByTestId('setting-window-hotkey-control')).textContent).toMatch(/Ctrl\s*W/);
  });

  it('of a list keeps the row that is being added', async () => {
    const { settings } = await shown(undefined, 'network');
    await fireEvent.click(screen.getByTestId('setting-network-allowed-hosts-add'));
    await expect.poll(focused).toBe('setting-network-allowed-hosts-row-0');
    await fireEvent.blur(document.activeElement as Element);
    await tick();
    await fireEvent.input(screen.getByTestId('setting-network-allowed-hosts-row-0'), {
      target: { value: 'gate' },
    });
    await fireEvent.click(screen.getByTestId('setting-network-allowed-hosts-add'));
    await expect
      .poll(() => settings.value('network.allowed_hosts'), { timeout: TYPING + 5_000 })
      .toEqual(['gate']);
    await expect
      .poll(focused, { message: 'the new row has the focus' })
      .toBe('setting-network-allowed-hosts-row-1');
    await fireEvent.click(screen.getByTestId('setting-network-allowed-hosts-remove-0'));
    await expect.poll(() => settings.value('network.allowed_hosts')).toEqual([]);
  });

  it('of quiet hours and of waiting', async () => {
    const { settings } = await shown(undefined, 'notifications');
    await fireEvent.click(screen.getByTestId('setting-notifications-quiet-hours-add'));
    await expect.poll(() => settings.value('notifications.quiet_hours')).toBe('22:00-07:00');
    const from = screen.getByTestId('setting-notifications-quiet-hours-from-0');
    await fireEvent.input(from, { target: { value: '21' } });
    await fireEvent.blur(from);
    await expect.poll(() => settings.value('notifications.quiet_hours')).toBe('21:00-07:00');
    await fireEvent.click(screen.getByTestId('setting-notifications-quiet-hours-remove-0'));
    await expect.poll(() => settings.value('notifications.quiet_hours')).toBe(null);
    await fireEvent.click(screen.getByTestId('settings-tab-waiting'));
    await fireEvent.click(await screen.findByTestId('setting-waiting-clients-add'));
    for (const [name, value] of [
      ['client', 'codex'],
      ['stdio', '290'],
    ])
      await fireEvent.input(screen.getByTestId(`setting-waiting-clients-${name}-0`), { target: { value } });
    await fireEvent.blur(screen.getByTestId('setting-waiting-clients-stdio-0'));
    await expect.poll(() => settings.value('waiting.clients')).toEqual({ codex: { stdio: 290 } });
  });
});

describe('what is wrong', () => {
  it('is said beside the field while it is typed, and isn’t saved', async () => {
    const { gate, press } = await shown();
    await type('window-font-size', '99');
    const problem = await screen.findByTestId('setting-window-font-size-problem');
    expect(problem.textContent).toContain('Title of window.font_size: a whole number from 11 to 24.');
    expect(problem.closest('[aria-live]')?.getAttribute('aria-live'), 'it is read aloud').toBe('polite');
    const field = input('window-font-size');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    const described = field.getAttribute('aria-describedby')?.split(' ') ?? [];
    expect(
      described.some((id) => document.getElementById(id)?.contains(problem)),
      'the field names it',
    ).toBe(true);
    await fireEvent.blur(field);
    expect(gate.given('save_settings')).toEqual([]);
    field.focus();
    await press('Escape');
    await expect.poll(() => field.value, { message: 'Escape goes back to what holds' }).toBe('14');
  });

  it('the gate says so too', async () => {
    const refused = { code: 'setting_rejected' as const, message: '`a b` is no host.', mend: 'Write one.' };
    const { gate } = await shown(undefined, 'network');
    gate.meddle = (command) => (command.command === 'save_settings' ? refused : undefined);
    await fireEvent.click(screen.getByTestId('setting-network-allowed-hosts-add'));
    const row = await screen.findByTestId<HTMLInputElement>('setting-network-allowed-hosts-row-0');
    await fireEvent.input(row, { target: { value: 'a b' } });
    await fireEvent.blur(row);
    const problem = await screen.findByTestId('setting-network-allowed-hosts-problem');
    expect(problem.textContent).toContain('a b is no host. Write one.');
    expect(row.value, 'what was typed stands').toBe('a b');
  });

  it('in the file is told with the field, and on top', async () => {
    const { settings } = await shown((each) => {
      each.set('window.raise', null, { help: { id: 'As `it` says.' } });
      each.set('window.font_size', null, { fault: fault('invalid_setting'), set: true });
      each.problems = [
        { code: 'invalid_setting', message: 'line 3: `windwo` is unknown.', mend: 'Is it `window`?' },
      ];
    });
    expect(screen.getByTestId('setting-window-font-size-fault').textContent).toContain(
      'It failed: invalid_setting. Mend it.',
    );
    expect(screen.getByTestId('setting-window-raise').textContent, 'as code').toContain('As it says.');
    expect(screen.getByTestId('settings-problems').textContent).toContain('line 3');
    await type('window-font-size', '14');
    await fireEvent.blur(input('window-font-size'));
    await expect.poll(() => settings.settings[1]?.set, { message: 'saving puts it right' }).toBe(true);
    await fireEvent.click(within(screen.getByTestId('settings-problems')).getByRole('button'));
    expect((await screen.findByTestId('settings-file')).textContent, 'where the file is').toBe(
      '/home/me/config.yaml',
    );
  });

  it('in the file is heard of while the page stands, and told once', async () => {
    const { gate, settings } = await shown();
    const broken = { code: 'settings_file' as const, message: 'line 9: a tab.', mend: 'Mend it.' };
    settings.problems = [broken];
    gate.emit({ event: 'warning', fault: broken });
    expect((await screen.findByTestId('settings-problems')).textContent).toContain('line 9: a tab.');
    expect(screen.queryByTestId('warnings'), 'not twice').toBeNull();
    settings.problems = [];
    await fireEvent(window, new Event('focus'));
    await expect.poll(() => screen.queryByTestId('settings-problems'), { message: 'mended' }).toBeNull();
  });

  it('with the settings altogether offers to try again', async () => {
    const { gate } = await shown((_, each) => {
      each.meddle = (command) => (command.command === 'settings' ? fault('settings_file') : undefined);
    }, 'changes');
    const told = await screen.findByTestId('fault');
    gate.meddle = () => undefined;
    await fireEvent.click(within(told).getByRole('button'));
    expect(await screen.findByTestId('settings-tab-window')).toBeTruthy();
  });
});

describe('others', () => {
  it('change what nobody is at, and never what is being typed', async () => {
    const { gate, settings } = await shown();
    await type('window-font-size', '99');
    settings.set('window.font_size', 16);
    settings.set('window.theme', 'dark');
    gate.emit({ event: 'setting_changes', changes: [] });
    await expect
      .poll(() => screen.getByTestId<HTMLInputElement>('setting-window-theme-dark').checked)
      .toBe(true);
    expect(input('window-font-size').value, 'typed on').toBe('99');
    expect(screen.getByTestId('setting-window-font-size-conflict').textContent).toContain(
      'it is 16 pixels now',
    );
    await fireEvent.click(screen.getByTestId('setting-window-font-size-theirs'));
    await expect.poll(() => input('window-font-size').value).toBe('16');
  });

  it('are overruled when the person says so', async () => {
    const { gate, settings } = await shown();
    await type('window-font-size', '20');
    settings.set('window.font_size', 16);
    await fireEvent.blur(input('window-font-size'));
    const mine = await screen.findByTestId('setting-window-font-size-mine');
    expect(settings.value('window.font_size'), 'nothing is overwritten unseen').toBe(16);
    await fireEvent.click(mine);
    await expect.poll(() => settings.value('window.font_size')).toBe(20);
    expect(gate.given('save_settings').at(-1)?.seen, 'after it was seen').toEqual({ 'window.font_size': 16 });
    await expect.poll(() => screen.queryByTestId('setting-window-font-size-conflict')).toBeNull();
  });

  it('are named where the person is, with a way back', async () => {
    const { gate, settings } = await shown((each) => (each.changes = [change('c1')]));
    gate.emit({ event: 'setting_changes', changes: [change('c1'), change('mine', { by: 'person' })] });
    const toast = await screen.findByTestId('toast');
    expect(toast.textContent).toContain('Cursor changed “Title of window.font_size”: 14 pixels → 18 pixels');
    expect(screen.getAllByTestId('toast').length, 'one’s own needs no word').toBe(1);
    await fireEvent.click(within(toast).getByTestId('toast-action'));
    await expect.poll(() => gate.given('undo_setting_change').map((each) => each.change_id)).toEqual(['c1']);
    await fireEvent.click(screen.getByTestId('settings-tab-changes'));
    await expect.poll(() => settings.changes[0]?.undone).toBe(true);
  });

  it('are not told where they aren’t in effect: a warning speaks of a value that can’t be one', async () => {
    const { gate, settings } = await shown();
    settings.set('window.font_size', 14, { fault: fault('invalid_setting') });
    const wrong = change('wrong', { by: 'file', to: 400 });
    const good = change('good', { by: 'file', key: 'window.theme', from: 'system', to: 'dark' });
    gate.emit({ event: 'setting_changes', changes: [wrong, good] });
    await screen.findByTestId('toast');
    const told = screen.getAllByTestId('toast').map((each) => each.textContent.trim());
    expect(told.length, 'the one that holds').toBe(1);
    expect(told[0]).toContain('Title of window.theme');
  });

  it('are named in the review window, too', async () => {
    const gate = new FakeGate();
    gate.record = new FakeSettings().answer;
    render(App, { review: new Review(gate) });
    await expect.poll(() => gate.readied).toBe(1);
    for (const id of ['c1', 'c2']) {
      gate.emit({ event: 'setting_changes', changes: [change(id, { client: null, to: null })] });
      await expect.poll(() => screen.queryAllByTestId('toast').length).toBe(id === 'c1' ? 1 : 2);
    }
    expect(screen.getAllByTestId('toast')[1]?.textContent).toContain(
      'An agent changed “Title of window.font_size”: 14 pixels → default: 14 pixels',
    );
    await fireEvent.click(screen.getAllByTestId('toast-action')[1] as HTMLElement);
    await expect.poll(() => gate.given('undo_setting_change').map((each) => each.change_id)).toEqual(['c2']);
  });

  it.each(['main', 'review'])('are all named in the %s window, in their order', async (window) => {
    const gate = new FakeGate();
    gate.record = new FakeSettings().answer;
    if (window === 'main') render(MainApp, { main: new Main(gate, { page: 'sessions', at: null }) });
    else render(App, { review: new Review(gate) });
    await expect.poll(() => gate.readied).toBe(1);
    const asked = () => gate.given('settings').length;
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    gate.meddle = ({ command }) => (command === 'settings' && asked() === 1 ? held : undefined);
    for (const client of ['Cursor', 'Codex'])
      gate.emit({ event: 'setting_changes', changes: [change(client, { client })] });
    await expect.poll(asked, { message: 'the titles are asked for' }).toBeGreaterThan(0);
    answer();
    const named = () =>
      screen.queryAllByTestId('toast').map((toast) => /Cursor|Codex/.exec(toast.textContent ?? '')?.[0]);
    await expect.poll(named).toEqual(['Cursor', 'Codex']);
  });

  it('are heard of after events were lost, too', async () => {
    const { gate, settings } = await shown();
    settings.set('window.theme', 'dark');
    gate.emit({ event: 'resync' });
    await expect
      .poll(() => screen.getByTestId<HTMLInputElement>('setting-window-theme-dark').checked)
      .toBe(true);
  });

  it('wear off at once: the windows follow', async () => {
    const { gate } = await shown();
    gate.emit({ event: 'settings_changed', settings: { ...gate.settings, theme: 'dark', font_size: 19 } });
    const root = document.documentElement;
    await expect
      .poll(() => [root.dataset['theme'], root.style.getPropertyValue('--text-size')])
      .toEqual(['dark', '19px']);
  });

  it('are listed with when they did it', async () => {
    const { gate } = await shown(
      (each) => (each.changes = [change('c1'), change('c2', { by: 'file', client: null, undone: true })]),
      'changes',
    );
    const listed = await screen.findAllByTestId('change');
    expect(listed.map((each) => each.textContent?.includes('just now'))).toEqual([true, true]);
    expect(listed[1]?.textContent).toContain('taken back');
    await fireEvent.click(screen.getByTestId('undo-change'));
    await expect.poll(() => gate.given('undo_setting_change').length).toBe(1);
  });
});

describe('the page', () => {
  it('is gone through by keys', async () => {
    const { press, main } = await shown();
    await expect.poll(focused, { message: 'keys work at once' }).toBe('settings-tab-window');
    await press('ArrowDown');
    await expect.poll(focused).toBe('settings-tab-notifications');
    await press('End');
    await expect.poll(focused).toBe('settings-tab-file');
    await press('Home');
    await press('Enter');
    await expect
      .poll(() => document.activeElement?.closest('[data-testid="setting-window-theme"]'))
      .not.toBeNull();
    await press('Escape');
    await expect.poll(focused, { message: 'Escape comes back' }).toBe('settings-tab-window');
    await press('f', { ctrlKey: true });
    await expect.poll(focused).toBe('search');
    await press('Escape');
    await press(',', { ctrlKey: true });
    expect(main.page).toBe('settings');
    await press('1', { ctrlKey: true });
    await expect.poll(() => main.page).toBe('inbox');
    await press('g');
    await press(',');
    await expect.poll(() => main.page, { message: 'G and a comma' }).toBe('settings');
  });

  it('takes letters for keys nowhere, not in its list either', async () => {
    const { gate, main, press } = await shown();
    await expect.poll(focused).toBe('settings-tab-window');
    for (const key of 'dark again') await press(key);
    expect(gate.given('set_away')).toEqual([]);
    expect([main.page, main.quietOpen]).toEqual(['settings', false]);
  });

  it('searches every section, and says when nothing is found', async () => {
    await shown();
    await fireEvent.input(screen.getByTestId('search'), { target: { value: 'help hosts' } });
    expect(await screen.findByTestId('setting-network-allowed-hosts')).toBeTruthy();
    expect(screen.queryByTestId('setting-window-theme')).toBeNull();
    await fireEvent.input(screen.getByTestId('search'), { target: { value: 'zebra' } });
    expect((await screen.findByTestId('settings-nothing')).textContent).toBe('No setting holds “zebra”.');
  });

  it('leaves what comes from elsewhere alone, and says where', async () => {
    await shown((each) => each.set('window.font_size', 18, { source: 'environment' }));
    expect(input('window-font-size').readOnly).toBe(true);
    expect(screen.getByTestId('setting-window-font-size-fixed').textContent).toContain(
      'REVIEW_GATE__WINDOW__FONT_SIZE',
    );
  });

  it('says more than on and off where none is a value', async () => {
    const { settings } = await shown((each) => {
      each.settings.push(setting('window.login', { kind: 'switch' }, null, { optional: true }));
      each.settings.push(setting('window.days', size, null, { optional: true }));
    });
    await fireEvent.click(screen.getByTestId('setting-window-login-false'));
    await expect.poll(() => settings.value('window.login')).toBe(false);
    expect(input('window-days').placeholder).toBe('none');
  });

  it('shows how a request looks, and lets the sounds be heard', async () => {
    const tone = {
      ...{ connect: vi.fn(), start: vi.fn(), stop: vi.fn(), frequency: { value: 0 } },
    };
    const gain = { setValueAtTime: vi.fn(), linearRampToValueAtTime: vi.fn(), setTargetAtTime: vi.fn() };
    vi.stubGlobal(
      'AudioContext',
      class {
        currentTime = 0;
        destination = {};
        resume = () => Promise.resolve();
        createGain = () => ({ connect: vi.fn(), gain });
        createOscillator = () => tone;
      },
    );
    const { settings } = await shown((each) => {
      each.settings = each.settings.map((one) => ({
        ...one,
        section: one.section === 'window' ? 'appearance' : one.section,
      }));
    }, 'appearance');
    expect(screen.getByTestId('settings-preview')).toBeTruthy();
    await fireEvent.click(screen.getByTestId('settings-tab-notifications'));
    await fireEvent.click(await screen.findByTestId('play-soft'));
    await expect.poll(() => tone.start.mock.calls.length, { message: 'two tones' }).toBe(2);
    expect(settings.canUndo, 'listening changes nothing').toBe(false);
    vi.unstubAllGlobals();
  });
});

describe('the file', () => {
  it('is exported', async () => {
    await shown(undefined, 'file');
    await fireEvent.click(await screen.findByTestId('settings-export'));
    expect((await screen.findByTestId('settings-exported')).textContent).toBe('version: 1\n');
  });

  it('is imported after a look at what would change', async () => {
    const { gate, settings } = await shown(undefined, 'file');
    const text = await screen.findByTestId('import-text');
    expect(screen.getByTestId<HTMLButtonElement>('import-look').disabled).toBe(true);
    await fireEvent.input(text, { target: { value: 'window:\n  font_size: 20\n' } });
    await fireEvent.click(screen.getByTestId('import-look'));
    const difference = await screen.findByTestId('import-difference');
    expect(difference.textContent).toMatch(/default: 14 pixels\s*20 pixels/);
    expect(gate.given('import_settings'), 'nothing yet').toEqual([]);
    await fireEvent.click(screen.getByTestId('import-apply'));
    await expect.poll(() => settings.value('window.font_size')).toBe(20);
    await expect.poll(() => screen.queryByTestId('import-preview')).toBeNull();
  });

  it('that is picked is looked at, but not one that is too large', async () => {
    const { gate } = await shown(undefined, 'file');
    const picker = await screen.findByTestId('import-file');
    const large = new File(['x'.repeat(1024 * 1024 + 1)], 'big.yaml');
    await fireEvent.change(picker, { target: { files: [large] } });
    expect((await screen.findByTestId('fault')).textContent).toContain('big.yaml is larger');
    // jsdom's files can't be read.
    const file = Object.assign(new File([], 'mine.yaml'), { text: () => Promise.resolve('version: 1\n') });
    await fireEvent.change(picker, { target: { files: [file] } });
    await expect
      .poll(() => gate.given('preview_settings_import').map((each) => each.text))
      .toEqual(['version: 1\n']);
  });
});

describe('the size of text', () => {
  const toasts = () => screen.queryAllByTestId('toast').map((each) => each.textContent?.trim());

  it('is changed by keys wherever the person is, within its bounds', async () => {
    const { gate, settings, main } = await shown();
    main.go('connect');
    await screen.findByTestId('connect-page');
    const press = (key: string, more: KeyboardEventInit = { ctrlKey: true }) =>
      fireEvent.keyDown(document.body, { key, ...more });
    expect(await press('+'), 'nothing else is done with the key').toBe(false);
    await press('=');
    await expect.poll(() => settings.value('window.font_size'), { message: 'each counts' }).toBe(16);
    await expect.poll(toasts, { message: 'one note, of the last' }).toEqual(['Text has 16 px.']);
    await press('-', { metaKey: true });
    await expect.poll(() => settings.value('window.font_size')).toBe(15);
    await press('0');
    await expect.poll(() => gate.given('save_settings').at(-1)?.values).toEqual({ 'window.font_size': null });
    await expect.poll(toasts, { message: 'the usual size' }).toEqual(['Text has 14 px.']);
    settings.set('window.font_size', 24);
    const saved = gate.given('save_settings').length;
    await press('+');
    await expect.poll(toasts).toEqual(['Text has 24 px, the largest there is.']);
    expect(gate.given('save_settings').length, 'there is nothing to save').toBe(saved);
    expect(await press('+', { ctrlKey: true, altKey: true }), 'AltGr types signs').toBe(true);
    expect(await press('+', {}), 'and so does the key alone').toBe(true);
  });

  it('is changed by the same keys in the review window, or it is said why not', async () => {
    const gate = new FakeGate();
    const settings = new FakeSettings();
    gate.record = settings.answer;
    render(App, { review: new Review(gate) });
    await expect.poll(() => gate.readied).toBe(1);
    await fireEvent.keyDown(document.body, { key: '-', ctrlKey: true });
    await expect.poll(toasts).toEqual(['Text has 13 px.']);
    gate.meddle = (command) => (command.command === 'save_settings' ? fault('settings_file') : undefined);
    await fireEvent.keyDown(document.body, { key: '-', ctrlKey: true });
    await expect
      .poll(toasts)
      .toContainEqual(
        expect.stringContaining('The size of text could not be changed: It failed: settings_file.'),
      );
  });
});
