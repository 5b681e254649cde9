// The settings page in its window, over a recording gate.
import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect } from 'vitest';
import MainApp from '../src/MainApp.svelte';
import { Main } from '../src/state/main.svelte';
import { FakeGate } from './fake-gate';
import { FakeSettings } from './fake-settings';

/** Shows a tab of it, once `prepare` has changed what it finds. */
export async function shown(
  prepare: (settings: FakeSettings, gate: FakeGate) => void = () => undefined,
  section = 'window',
) {
  const gate = new FakeGate();
  const settings = new FakeSettings();
  gate.record = settings.answer;
  prepare(settings, gate);
  const main = new Main(gate, { page: 'settings', at: section });
  render(MainApp, { main });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  await screen.findByTestId(`settings-tab-${section}`);
  const press = (key: string, more: KeyboardEventInit = {}) =>
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
  return { gate, settings, main, press };
}
