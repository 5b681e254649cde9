// A person who types at once: before the parts that come a moment later are there.
import { expect, it, vi } from 'vitest';
import { screen } from '@testing-library/svelte';
import { extras } from '../src/reply/extras';
import { AnsweringGate, reply, shown, type } from './answering-help';
import { view } from './fake-gate';

const held = vi.hoisted(() => {
  let release = () => {};
  const until = new Promise<void>((go) => (release = go));
  return { until, release };
});

vi.mock('../src/reply/extras', async () => {
  const { calmly } = await import('../src/state/calmly.svelte');
  return { extras: calmly(() => held.until.then(() => import('../src/reply/extra-parts'))) };
});

const offers = () => screen.queryAllByTestId('completion-offer').map((each) => each.textContent?.trim());

it('is offered files for what was typed before the page could look', async () => {
  const gate = new AnsweringGate([view('a')]);
  gate.files = (query) => [{ path: `src/${query}.rs`, positions: [0] }];
  await shown(gate);
  await type('See @deliv');
  expect(extras.parts, 'nothing could be offered yet').toBeNull();
  held.release();
  await expect.poll(offers).toEqual(['src/deliv.rs']);
  expect(reply().value, 'nothing is put in before it is chosen').toBe('See @deliv');
});
