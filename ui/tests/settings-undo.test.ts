// Settings that go back: to their default, and what was saved last, taken back where that belongs.
import { cleanup, fireEvent, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import './lazy';
import { change } from './fake-settings';
import { shown } from './settings-page';

afterEach(cleanup);

const input = (key: string) => screen.getByTestId(`setting-${key}-control`) as HTMLInputElement;
const note = () => screen.getByTestId('settings-note').textContent?.trim();

describe('going back', () => {
  it('to the default', async () => {
    const { gate, settings } = await shown((each) => each.set('window.font_size', 20, { default: 14 }));
    const reset = screen.getByTestId<HTMLButtonElement>('setting-window-font-size-reset');
    expect(reset.title).toBe('Back to the default: 14 pixels');
    expect(screen.getByTestId<HTMLButtonElement>('setting-window-theme-reset').disabled, 'it is it').toBe(
      true,
    );
    await fireEvent.click(reset);
    await expect.poll(() => settings.value('window.font_size')).toBe(14);
    expect(gate.given('save_settings')[0]?.values).toEqual({ 'window.font_size': null });
  });

  it('by the button and by Ctrl Z, but not out of a text', async () => {
    const { gate, press } = await shown((each) => (each.canUndo = true));
    input('window-font-size').focus();
    await press('z', { ctrlKey: true });
    expect(gate.given('undo_settings'), 'the field has its own').toEqual([]);
    screen.getByTestId('settings-tab-window').focus();
    await press('z', { ctrlKey: true });
    await expect.poll(() => gate.given('undo_settings').length).toBe(1);
    await expect.poll(note).toBe('Taken back.');
    expect(screen.queryByTestId('settings-undo'), 'nothing is left to take back').toBeNull();
  });

  it('says what it takes back, before and after', async () => {
    const at = new Date(0).toISOString();
    const { settings } = await shown((each) => {
      each.canUndo = true;
      each.changes = [
        change('c4', { by: 'person', undone: true }),
        change('c3', { by: 'person', at }),
        change('c2', { by: 'person', at, key: 'window.theme' }),
        change('c1', { by: 'file' }),
      ];
    });
    const undo = () => screen.getByTestId('settings-undo');
    await expect.poll(() => undo().textContent.trim()).toBe('Undo: Title of window.font_size and 1 more');
    settings.changes = settings.changes.filter((each) => each.change_id !== 'c2');
    window.dispatchEvent(new Event('focus'));
    await expect.poll(() => undo().textContent.trim()).toBe('Undo: Title of window.font_size');
    await fireEvent.click(undo());
    await expect.poll(note).toBe('Taken back: Title of window.font_size');
  });

  it('is offered where what it takes back is, and nowhere else', async () => {
    const at = new Date(0).toISOString();
    const { gate, settings, press } = await shown((each) => {
      each.canUndo = true;
      each.changes = [change('c1', { by: 'person', at })];
    });
    const offered = () => screen.queryByTestId('settings-undo')?.textContent.trim() ?? null;
    const opens = (place: string) => fireEvent.click(screen.getByTestId(`settings-tab-${place}`));
    const name = 'Undo: Title of window.font_size';
    await expect.poll(offered, { message: 'in its section' }).toBe(name);
    for (const place of ['notifications', 'network', 'keys', 'file']) {
      await opens(place);
      await expect.poll(offered, { message: place }).toBeNull();
      await press('z', { ctrlKey: true });
    }
    expect(gate.given('undo_settings'), 'nor does the key take back what isn’t seen').toEqual([]);
    await opens('changes');
    await expect.poll(offered, { message: 'in the list of changes' }).toBe(name);
    const search = screen.getByTestId('search');
    await fireEvent.input(search, { target: { value: 'theme' } });
    await expect.poll(offered, { message: 'not where a search found others' }).toBeNull();
    await fireEvent.input(search, { target: { value: 'font' } });
    await expect.poll(offered, { message: 'but where it found it' }).toBe(name);
    await fireEvent.input(search, { target: { value: '' } });

    settings.changes = [
      ...settings.changes,
      change('c2', { by: 'person', at, key: 'network.allowed_hosts' }),
    ];
    window.dispatchEvent(new Event('focus'));
    for (const place of ['window', 'network', 'file']) {
      await opens(place);
      const both = `${name} and 1 more`;
      await expect.poll(offered, { message: `of several sections: ${place}` }).toBe(both);
    }
    await opens('notifications');
    await expect.poll(offered).toBeNull();
  });
});
