// What a settings page hears of while it does something itself.
import { cleanup, fireEvent, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import './lazy';
import { shown } from './settings-page';

afterEach(cleanup);

describe('what is wrong in the file', () => {
  it('is heard of though something is taken back at that moment', async () => {
    const { gate, settings } = await shown((each) => (each.canUndo = true));
    const broken = { code: 'settings_file' as const, message: 'line 9: a tab.', mend: 'Mend it.' };
    const held: (() => void)[] = [];
    let answer = () => {};
    gate.meddle = ({ command }) => {
      if (command === 'settings') return new Promise<void>((done) => held.push(done));
      return command === 'undo_settings' ? new Promise<void>((done) => (answer = done)) : undefined;
    };
    await fireEvent.click(screen.getByTestId('settings-undo'));
    await expect.poll(() => gate.given('undo_settings').length).toBe(1);
    gate.emit({ event: 'warning', fault: broken });
    await expect.poll(() => held.length).toBe(1);
    answer();
    const note = () => screen.getByTestId('settings-note').textContent?.trim();
    await expect.poll(note, { message: 'as the settings were before' }).toBe('Taken back.');
    settings.problems = [broken];
    held.forEach((done) => done());
    const told = await screen.findByTestId('settings-problems');
    expect(told.textContent, 'what came in between is newer').toContain('line 9: a tab.');
  });
});
