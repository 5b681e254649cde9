// Getting a speech model, the menu beside the button, and voice in the settings.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import MainApp from '../src/MainApp.svelte';
import type { SpeechModel } from '../src/generated/SpeechModel';
import { Main } from '../src/state/main.svelte';
import './lazy';
import '../src/voice/ModelsDialog.svelte';
import { fault, view } from './fake-gate';
import { ListeningGate, mic, press, speaking, strip } from './voice-help';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const model = (name: string, over: Partial<SpeechModel> = {}): SpeechModel => ({
  ...{ name, english_only: name.includes('.en'), bytes: 82_000_000, memory_bytes: 190_000_000 },
  ...{ recommended: false, imported: false, state: { state: 'absent' } },
  ...over,
});

const catalogue = [model('tiny.en-q8_0'), model('base-q8_0', { recommended: true }), model('small-q8_0')];

function bare(): ListeningGate {
  const gate = new ListeningGate([view('a')]);
  gate.voice = { ...gate.voice, readiness: 'no_model', model: null };
  gate.models = { ...gate.models, models: catalogue };
  return gate;
}

describe('the first use', () => {
  it('leads from the button to a model, and to speaking', async () => {
    const gate = bare();
    const { clock } = await speaking(gate);
    await press(clock, 600);
    const dialog = await screen.findByTestId('models-dialog');
    expect(gate.given('start_voice'), 'nothing is recorded for nothing').toEqual([]);
    expect(dialog.textContent).toContain('no sound is stored or leaves it');
    expect(dialog.textContent, 'the room on the disk').toContain('4.0 GB free');
    const get = within(dialog).getByTestId('model-get');
    expect(get.textContent?.trim()).toBe('Download (82 MB)');
    await fireEvent.click(get);
    expect(gate.given('download_model')).toEqual([{ command: 'download_model', name: 'base-q8_0' }]);
    gate.put('base-q8_0', { state: 'downloading', done: 41_000_000, speed: 8_200_000 });
    await expect
      .poll(() => screen.queryByTestId('model-facts')?.textContent)
      .toBe('41 MB of 82 MB · 8.2 MB/s · 5 s left');
    await fireEvent.click(screen.getByTestId('model-pause'));
    expect(gate.given('pause_download')).toEqual([{ command: 'pause_download', name: 'base-q8_0' }]);
    gate.put('base-q8_0', { state: 'paused', done: 41_000_000, fault: null });
    await fireEvent.click(await screen.findByTestId('model-resume'));
    expect(gate.given('download_model')).toHaveLength(2);
    gate.put('base-q8_0', { state: 'downloading', done: 61_500_000, speed: 8_200_000 });
    await fireEvent.click(screen.getByTestId('models-close'));
    await expect.poll(() => screen.queryByTestId('models-dialog')).toBeNull();
    expect(screen.getByTestId('mic-coming'), 'it goes on, and is seen').toBeTruthy();
    expect(mic().title).toContain('75 %');
    gate.put('base-q8_0', { state: 'installed' });
    gate.tell({ readiness: 'ready', model: 'base-q8_0' });
    await expect.poll(() => screen.queryByTestId('mic-coming')).toBeNull();
    await press(clock, 600);
    await expect.poll(() => gate.given('start_voice'), { message: 'one can speak at once' }).toHaveLength(1);
  });

  it('says why a download broke off, and tries again', async () => {
    const gate = bare();
    const { clock } = await speaking(gate);
    await press(clock, 20);
    await screen.findByTestId('models-dialog');
    await expect.poll(() => screen.queryByTestId('model-first')).not.toBeNull();
    gate.put('base-q8_0', { state: 'paused', done: 10, fault: fault('download') });
    const note = await screen.findByText('It failed: download.');
    await fireEvent.click(within(note.closest('[data-testid=fault]') as HTMLElement).getByRole('button'));
    await expect.poll(() => gate.given('download_model')).toHaveLength(1);
    await fireEvent.click(screen.getByTestId('model-cancel'));
    expect(gate.given('remove_model'), 'giving it up deletes what is there').toEqual([
      { command: 'remove_model', name: 'base-q8_0' },
    ]);
  });

  it('warns where the disk has no room, and says the gate’s refusal', async () => {
    const gate = bare();
    gate.models.free_bytes = 50_000_000;
    gate.meddle = (command) => (command.command === 'download_model' ? fault('disk_full') : undefined);
    const { clock } = await speaking(gate);
    await press(clock, 20);
    const dialog = await screen.findByTestId('models-dialog');
    await expect.poll(() => dialog.textContent).toContain('hardly room');
    await fireEvent.click(within(dialog).getByTestId('model-get'));
    await expect.poll(() => within(dialog).queryByTestId('fault')?.dataset['code']).toBe('disk_full');
  });

  it('takes a file instead, and says why it can’t', async () => {
    const gate = bare();
    const { clock } = await speaking(gate);
    await press(clock, 20);
    const dialog = await screen.findByTestId('models-dialog');
    const path = await within(dialog).findByTestId<HTMLInputElement>('model-path');
    gate.meddle = (command) => (command.command === 'import_model' ? fault('speech_model') : undefined);
    await fireEvent.input(path, { target: { value: ' /models/ggml-base.bin ' } });
    await fireEvent.click(within(dialog).getByTestId('model-import'));
    await expect.poll(() => within(dialog).queryByTestId('fault')?.dataset['code']).toBe('speech_model');
    expect(gate.given('import_model')).toEqual([{ command: 'import_model', path: '/models/ggml-base.bin' }]);
    gate.meddle = () => undefined;
    await fireEvent.click(within(dialog).getByTestId('model-import'));
    await expect.poll(() => path.value, { message: 'it is taken' }).toBe('');
  });
});

describe('the menu', () => {
  it('shows what is in use and changes it with one click', async () => {
    const gate = new ListeningGate([view('a')]);
    gate.models.models = [
      model('base-q8_0', { state: { state: 'installed' }, recommended: true }),
      model('small-q8_0', { state: { state: 'installed' } }),
      model('tiny-q8_0'),
    ];
    await speaking(gate);
    await fireEvent.contextMenu(mic());
    const panel = await screen.findByTestId('mic-menu-panel');
    const chosen = () =>
      within(panel)
        .getAllByRole('radio', { checked: true })
        .map((each) => each.textContent?.replace(/\s+/g, ' ').trim());
    await expect.poll(() => within(panel).queryAllByTestId('microphone').length).toBe(2);
    await expect.poll(() => within(panel).queryAllByTestId('model-choice').length).toBe(2);
    expect(chosen()).toEqual(['As the systemBuilt-in', 'Base99 languages q8_0']);
    await fireEvent.change(within(panel).getByTestId('voice-language'), { target: { value: 'de' } });
    await expect.poll(() => gate.given('save_settings').at(-1)?.values).toEqual({ 'voice.language': 'de' });
    await fireEvent.click(within(panel).getByText('Yeti'));
    await expect
      .poll(() => gate.given('save_settings').at(-1)?.values)
      .toEqual({ 'voice.microphone': 'yeti' });
    await expect.poll(() => screen.queryByTestId('mic-menu-panel'), { message: 'and closes' }).toBeNull();
    await fireEvent.click(screen.getByTestId('mic-menu'));
    await fireEvent.click((await screen.findAllByTestId('model-choice'))[1] as HTMLElement);
    await expect
      .poll(() => gate.given('save_settings').at(-1)?.values)
      .toEqual({ 'voice.model': 'small-q8_0' });
  });

  it('leads to the settings and to more models', async () => {
    const gate = new ListeningGate([view('a')]);
    gate.models.models = catalogue;
    await speaking(gate);
    await fireEvent.click(screen.getByTestId('mic-menu'));
    await fireEvent.click(await screen.findByTestId('voice-settings'));
    expect(gate.opened).toEqual([['settings', 'voice']]);
    await fireEvent.click(screen.getByTestId('mic-menu'));
    await fireEvent.click(await screen.findByTestId('model-more'));
    expect(await screen.findByTestId('models-dialog')).toBeTruthy();
    expect(strip()).toBeNull();
  });
});

describe('the settings', () => {
  async function opened(gate: ListeningGate) {
    gate.settled.settings.push({
      ...(gate.settled.settings.at(-1) as (typeof gate.settled.settings)[number]),
      key: 'voice.mirror',
      kind: { kind: 'text', max_chars: 20 },
      value: '',
      default: '',
    });
    const main = new Main(gate, { page: 'settings', at: 'voice' });
    render(MainApp, { main });
    return screen.findByTestId('speech-models');
  }

  it('list the models, use one and remove one after a question', async () => {
    const gate = new ListeningGate([]);
    gate.models.models = [
      model('base-q8_0', { state: { state: 'installed' }, recommended: true }),
      model('small-q8_0', { state: { state: 'installed' } }),
      model('mine.bin', { state: { state: 'installed' }, imported: true }),
      model('tiny-q8_0'),
    ];
    const list = await opened(gate);
    await expect.poll(() => within(list).queryAllByTestId('model').length).toBe(4);
    const row = (name: string) =>
      within(list)
        .getAllByTestId('model')
        .find((each) => each.dataset['model'] === name) as HTMLElement;
    expect(within(row('base-q8_0')).queryByTestId('model-use'), 'it is in use').toBeNull();
    const folded = ['base-q8_0', 'small-q8_0', 'mine.bin', 'tiny-q8_0'].filter((name) =>
      row(name).closest('details'),
    );
    expect(folded, 'whoever doesn’t ask for all sees what most choose among and what is here').toEqual([
      'tiny-q8_0',
    ]);
    expect(row('small-q8_0').textContent, 'and which of them it is').toContain('good');
    await fireEvent.click(within(row('small-q8_0')).getByTestId('model-use'));
    await expect
      .poll(() => gate.given('save_settings').at(-1)?.values)
      .toEqual({ 'voice.model': 'small-q8_0' });
    await fireEvent.click(within(row('mine.bin')).getByTestId('model-remove'));
    expect(gate.given('remove_model'), 'asked about first').toEqual([]);
    await fireEvent.click(within(row('mine.bin')).getByTestId('model-remove-yes'));
    expect(gate.given('remove_model')).toEqual([{ command: 'remove_model', name: 'mine.bin' }]);
    await fireEvent.click(within(row('tiny-q8_0')).getByTestId('model-download'));
    expect(gate.given('download_model')).toEqual([{ command: 'download_model', name: 'tiny-q8_0' }]);
  });

  it('choose the microphone from those that there are, and hold lines of text', async () => {
    const gate = new ListeningGate([]);
    await opened(gate);
    const select = await screen.findByTestId<HTMLSelectElement>('voice-microphone-control');
    await expect.poll(() => select.options.length).toBe(3);
    await fireEvent.change(select, { target: { value: 'yeti' } });
    await expect
      .poll(() => gate.given('save_settings').at(-1)?.values)
      .toEqual({ 'voice.microphone': 'yeti' });
    expect(screen.queryByTestId('setting-voice-microphone'), 'not as an id to be typed').toBeNull();
    const mirror = screen.getByTestId<HTMLInputElement>('setting-voice-mirror-control');
    await fireEvent.input(mirror, { target: { value: 'x'.repeat(21) } });
    await fireEvent.blur(mirror);
    expect(mirror.getAttribute('aria-invalid'), 'longer than it may be').toBe('true');
    await fireEvent.input(mirror, { target: { value: ' https://m.example ' } });
    await fireEvent.blur(mirror);
    await expect
      .poll(() => gate.given('save_settings').at(-1)?.values)
      .toEqual({ 'voice.mirror': 'https://m.example' });
  });
});
