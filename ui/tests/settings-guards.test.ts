// A guard gets weaker only where the person says so once more.
import { cleanup, fireEvent, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { TYPING } from '../src/settings/settings.svelte';
import './lazy';
import { fault } from './fake-gate';
import { shown } from './settings-page';

afterEach(cleanup);

describe('a guard that would get weaker', () => {
  /** The switch that stands at `from` is used, and the gate wants that confirmed: the page, and its question. */
  async function switched(from: boolean) {
    const page = await shown((settings, gate) => {
      settings.set('security.guard', from);
      gate.meddle = (command) =>
        command.command === 'save_settings' && command.values['security.guard'] === !from
          ? fault('needs_confirmation')
          : undefined;
    }, 'network');
    await fireEvent.click(screen.getByTestId('settings-tab-network'));
    await fireEvent.click(await screen.findByTestId('setting-security-guard-control'));
    return { page, dialog: await screen.findByTestId('weaken') };
  }

  async function asked() {
    const { page, dialog } = await switched(false);
    expect(dialog.textContent, 'it says what it means').toContain('Help of security.guard');
    expect(dialog.textContent, 'and that it is told').toContain('Each reply, the status and the doctor');
    expect(page.settings.value('security.guard'), 'nothing is changed yet').toBe(false);
    return page;
  }

  it('does so once the person has confirmed it', async () => {
    const { gate, settings } = await asked();
    await fireEvent.click(screen.getByTestId('weaken-yes'));
    await expect.poll(() => settings.value('security.guard')).toBe(true);
    expect(gate.given('weaken_guard')).toEqual([
      { command: 'weaken_guard', key: 'security.guard', value: true },
    ]);
    expect(screen.queryByTestId('weaken')).toBeNull();
  });

  it('asks about what is typed once it is whole, and tells of it only where others would answer', async () => {
    const { gate, settings } = await shown((_, gate) => {
      gate.meddle = (command) =>
        command.command === 'save_settings' ? fault('needs_confirmation') : undefined;
    }, 'network');
    await fireEvent.click(screen.getByTestId('setting-network-allowed-hosts-add'));
    const row = () => screen.getByTestId('setting-network-allowed-hosts-row-0');
    await fireEvent.input(row(), { target: { value: 'gate.lo' } });
    await expect
      .poll(() => gate.given('save_settings').length, { timeout: TYPING + 5_000 })
      .toBeGreaterThan(0);
    expect(screen.queryByTestId('weaken'), 'half a name is nothing to ask about').toBeNull();
    await fireEvent.input(row(), { target: { value: 'gate.local' } });
    await fireEvent.blur(row());
    const dialog = await screen.findByTestId('weaken');
    expect(dialog.textContent).not.toContain('Each reply');
    await fireEvent.click(screen.getByTestId('weaken-yes'));
    await expect.poll(() => settings.value('network.allowed_hosts')).toEqual(['gate.local']);
  });

  it('isn’t told where it is no weaker than by itself', async () => {
    const { dialog } = await switched(true);
    expect(dialog.textContent).toContain('nobody but you makes it weaker');
    expect(dialog.textContent).not.toContain('Each reply');
  });

  it('stays as it is where they think better of it', async () => {
    const { gate, settings } = await asked();
    await fireEvent.click(screen.getByTestId('weaken-no'));
    await expect.poll(() => screen.queryByTestId('weaken')).toBeNull();
    expect(gate.given('weaken_guard')).toEqual([]);
    expect(settings.value('security.guard')).toBe(false);
    expect(screen.queryByTestId('setting-security-guard-fault'), 'and nothing is wrong').toBeNull();
  });
});
