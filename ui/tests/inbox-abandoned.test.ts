// Requests whose agents are gone: how many there are, dismissing them together, and hearing that several are closed.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import './lazy';
import MainApp from '../src/MainApp.svelte';
import { Main } from '../src/state/main.svelte';
import { armed } from './armed';
import { FakeGate, fault, summary, view } from './fake-gate';
import { FakeRecord, session } from './fake-record';

afterEach(cleanup);

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 21, 9, minutes)).toISOString();

/** Requests in this order; those in capital letters are waited for. */
async function shown(ids: readonly string[], prepare: (gate: FakeGate) => void = () => undefined) {
  const views = ids.map((id, index) =>
    view(id, {
      summary: summary(id, { created_at: at(index), caller_waiting: id === id.toUpperCase() }),
    }),
  );
  const gate = new FakeGate(views);
  gate.record = new FakeRecord(3).answer;
  prepare(gate);
  const main = new Main(gate, { page: 'inbox', at: null });
  render(MainApp, { main });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  return { gate, main };
}

const keys = () => screen.queryAllByTestId('row').map((row) => row.dataset.key);
const title = () => screen.queryByTestId('request-title')?.textContent;
const focused = () => document.activeElement?.getAttribute('data-testid');

describe('requests whose agents are gone', () => {
  it('are dismissed together, after a question that says how many', async () => {
    const { gate } = await shown(['a', 'B', 'c', 'd']);
    await expect.poll(title).toBe('Title of a');
    const offer = await screen.findByTestId('abandoned-dismiss');
    expect(offer.textContent).toBe('Dismiss all whose agents are gone (3)');
    await fireEvent.click(offer);
    expect(screen.getByTestId('abandoned').textContent).toContain('Close 3 requests without an answer?');
    await expect.poll(focused, { message: 'the safe answer has the focus' }).toBe('abandoned-keep');
    await fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' });
    await expect.poll(focused, { message: 'Escape is a no' }).toBe('abandoned-dismiss');
    expect(gate.given('dismiss_abandoned'), 'nothing is dismissed').toEqual([]);
    await fireEvent.click(screen.getByTestId('abandoned-dismiss'));
    await fireEvent.click(screen.getByTestId('abandoned-confirm'));
    expect(gate.given('dismiss_abandoned'), 'nobody has read yet what is asked').toEqual([]);
    expect(screen.getByTestId('abandoned').textContent, 'and it says so').toContain('Nothing done');
    await armed();
    await fireEvent.click(screen.getByTestId('abandoned-confirm'));
    await expect.poll(keys, { message: 'what is waited for stays' }).toEqual(['request B']);
    expect(gate.given('dismiss_abandoned').map((each) => each.request_ids)).toEqual([['a', 'c', 'd']]);
    expect(gate.given('dismiss'), 'all at once').toEqual([]);
    await expect.poll(title, { message: 'what was open is gone, the next one comes up' }).toBe('Title of B');
    expect(screen.getByTestId('toast').textContent).toContain('3 requests dismissed');
    await expect.poll(focused, { message: 'the list has the keys' }).toBe('inbox-list');
    expect(screen.queryByTestId('abandoned'), 'nothing is left of it').toBeNull();
  });

  it('are none whose agents are there, though they don’t wait', async () => {
    const of = (id: string, gone: boolean) => session(`session-${id}`, { pending: 1, gone });
    const { gate } = await shown(['a', 'b', 'c'], (each) => {
      each.sessions = [of('a', false), of('b', true)];
    });
    const offer = await screen.findByTestId('abandoned-dismiss');
    expect(offer.textContent, 'a session that nobody knows any more is gone').toContain('(2)');
    gate.emit({ event: 'session_changed', session: of('a', true) });
    await expect
      .poll(() => offer.textContent, { message: 'it follows what the gate tells' })
      .toContain('(3)');
  });

  it('are not in the way of a search, nor worth a line where there is one', async () => {
    const { gate, main } = await shown(['a', 'b']);
    await screen.findByTestId('abandoned');
    main.inbox.search('Title');
    await expect.poll(() => screen.queryByTestId('abandoned')).toBeNull();
    main.inbox.search('');
    await screen.findByTestId('abandoned');
    gate.emit({ event: 'request_closed', request_id: 'b', status: 'answered', undo_until: null });
    await expect.poll(() => screen.queryByTestId('abandoned')).toBeNull();
  });

  it('stay when the gate refuses, which says why', async () => {
    const { gate } = await shown(['a', 'b']);
    gate.meddle = (command) => (command.command === 'dismiss_abandoned' ? fault('disk_full') : undefined);
    await fireEvent.click(await screen.findByTestId('abandoned-dismiss'));
    await armed();
    await fireEvent.click(screen.getByTestId('abandoned-confirm'));
    await expect.poll(() => screen.queryByTestId('fault')?.dataset.code).toBe('disk_full');
    expect(keys()).toEqual(['request a', 'request b']);
  });
});

describe('several requests that are closed elsewhere', () => {
  it('go at once, and don’t push out what was answered', async () => {
    const { gate } = await shown(['A', 'B', 'C', 'D']);
    await expect.poll(title).toBe('Title of A');
    gate.emit({ event: 'request_closed', request_id: 'D', status: 'answered', undo_until: null });
    gate.emit({ event: 'requests_closed', request_ids: ['B', 'C'], status: 'cancelled' });
    await expect.poll(keys).toEqual(['request A', 'answered D']);
    gate.emit({ event: 'requests_closed', request_ids: ['A'], status: 'cancelled' });
    await expect.poll(keys).toEqual(['answered D']);
    expect(title(), 'what is being read stays, and says that it is closed').toBe('Title of A');
  });
});
