// The Prompts page over a gate with prompts, rendered whole.
import { fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect } from 'vitest';
import './lazy';
import '../src/prompts/DeletedDialog.svelte';
import '../src/prompts/ImportDialog.svelte';
import '../src/prompts/SyncDialog.svelte';
import { MockPrompts } from '../src/dev/mock-prompts';
import MainApp from '../src/MainApp.svelte';
import { libraryOf } from '../src/prompts/library.svelte';
import { Main } from '../src/state/main.svelte';
import { AnsweringGate } from './answering-help';
import { fault } from './fake-gate';

export async function shown(
  scene = 'review',
  prepare: (gate: AnsweringGate, prompts: MockPrompts) => void = () => undefined,
) {
  const gate = new AnsweringGate();
  const prompts = new MockPrompts(scene, (event) => gate.emit(event));
  // The fixtures are shared: what a test writes is its own.
  prompts.files = structuredClone(prompts.files);
  gate.record = (command) => {
    const answer = prompts.command(command);
    if (!answer) throw fault('internal');
    return structuredClone(answer);
  };
  prepare(gate, prompts);
  const main = new Main(gate, { page: 'prompts', at: null });
  const library = libraryOf(main);
  render(MainApp, { main });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  await expect.poll(() => library.told ?? library.fault).not.toBeNull();
  await tick();
  const press = (key: string, more: KeyboardEventInit = {}) =>
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
  return { gate, main, library, prompts, press };
}

export const focused = () => document.activeElement?.getAttribute('data-testid');
export const titles = () =>
  screen.queryAllByTestId('prompt').map((row) => row.querySelector('.name')?.textContent?.trim());
export const chosen = () =>
  document.querySelector<HTMLElement>('[data-prompt][aria-selected=true]')?.dataset['prompt'] ?? null;
export const input = (field: HTMLElement, value: string) => fireEvent.input(field, { target: { value } });
export const source = () => screen.getByTestId<HTMLTextAreaElement>('prompt-text');

/** Goes to a prompt by its row. */
export async function go(id: string, tab?: string) {
  const row = await screen.findAllByTestId('prompt');
  await fireEvent.click(row.find((each) => each.dataset['prompt'] === id) as HTMLElement);
  await expect.poll(() => screen.queryByTestId('prompt-detail')?.dataset['prompt']).toBe(id);
  await screen.findByTestId('prompt-id-shown');
  if (tab) await fireEvent.click(screen.getByTestId(`prompt-tab-${tab}`));
}
