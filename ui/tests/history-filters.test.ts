// What the history is narrowed down to: as the gate is asked, in the address, as chips, by keys, and where it hides everything.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { flushSync } from 'svelte';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import './lazy';
import { addressed, meant, NO_FILTERS, queryOf, type Filters } from '../src/history/filters';
import { whenWord } from '../src/history/labels';
import MainApp from '../src/MainApp.svelte';
import { followAddress } from '../src/state/address.svelte';
import { destinationOf } from '../src/state/destination';
import { Main } from '../src/state/main.svelte';
import { FakeGate } from './fake-gate';
import { FakeRecord, message, NOON } from './fake-record';
import { historyOf } from './record-help';

afterEach(cleanup);

async function shown(prepare: (record: FakeRecord) => void = () => undefined) {
  const gate = new FakeGate();
  const record = new FakeRecord(12);
  record.messages = [message(1), message(2)];
  for (const [place, each] of record.entries.entries())
    if (place % 2 === 0) record.became.set(each.session_uuid, 'approved');
  gate.record = record.answer;
  prepare(record);
  const main = new Main(gate, { page: 'history', at: null });
  render(MainApp, { main });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
  return { gate, record, main, press };
}

const ids = () => screen.queryAllByTestId('entry').map((entry) => entry.dataset.session);
const focused = () => document.activeElement?.getAttribute('data-testid');

describe('a filter', () => {
  const asked = (over: Partial<Filters>) => queryOf({ ...NO_FILTERS, ...over }, ' two words ', NOON);
  const begins = (...day: [number, number, number]) => new Date(...day).toISOString();

  it('is asked of the gate, times as days of this place', () => {
    expect(asked({ became: 'approved', client: 'codex' })).toEqual({
      ...{ text: 'two words', became: 'approved', client: 'codex' },
      ...{ workspace: null, status: null, from: null, until: null },
    });
    const times = (when: string) => [asked({ when }).from, asked({ when }).until];
    expect(times('1'), 'today').toEqual([begins(2026, 10, 21), null]);
    expect(times('7'), 'today is one of them').toEqual([begins(2026, 10, 15), null]);
    expect(times('2026-11-02..2026-11-09'), 'the last day is part of it').toEqual([
      begins(2026, 10, 2),
      begins(2026, 10, 10),
    ]);
    expect(times('..2026-11-09')).toEqual([null, begins(2026, 10, 10)]);
  });

  it('stands in the address, and is found in it again', () => {
    const filters: Filters = {
      became: 'changes_requested',
      when: '2026-11-02..',
      client: 'claude-code',
      workspace: '/code/a & b?#',
      status: 'stale',
    };
    const address = addressed(filters, 'what’s “new”?');
    expect(address, 'nothing in it ends an address').not.toMatch(/[/#?]/);
    expect(meant(address)).toEqual({ filters, text: 'what’s “new”?' });
    expect(addressed(NO_FILTERS, '  '), 'nothing says nothing').toBe('');
    const junk = 'became=perhaps&when=2026-02-31..&status=odd&client=&else=1';
    expect(meant(junk), 'what is none of them is nothing').toEqual({ filters: NO_FILTERS, text: '' });
  });

  it('of time reads as a person says it', () => {
    const words = ['1', '30', '2026-11-02..2026-11-20', '2026-11-02..', '..2026-11-20'];
    const read = words.map((when) => whenWord(when, NOON));
    const [second] = read[3]?.split('Since ').slice(-1) ?? [];
    expect(read).toEqual([
      'Today',
      'Last 30 days',
      `${second} – Yesterday`,
      `Since ${second}`,
      'Until Yesterday',
    ]);
  });
});

describe('a list that is narrowed down', () => {
  it('is looked for further while pages hold nothing', async () => {
    const { gate, record, history } = await historyOf(130);
    record.looksThrough = 20;
    record.became.set('c125', 'expired');
    const before = gate.given('history').length;
    history.narrow('became', 'expired');
    await expect.poll(() => history.entries.map((each) => each.session_uuid)).toEqual(['c125']);
    expect(history.next, 'all were looked through').toBeNull();
    expect(gate.given('history').length - before, 'page by page').toBe(7);
  });

  it('goes on past pages that hold nothing, as far as the person sees', async () => {
    const { record, history } = await historyOf(130);
    record.looksThrough = 20;
    for (const id of ['c3', 'c60', 'c129']) record.became.set(id, 'approved');
    history.narrow('became', 'approved');
    const ids = () => history.entries.map((each) => each.session_uuid);
    await expect.poll(ids).toEqual(['c3']);
    await history.seen(0);
    await expect.poll(ids, { message: 'two pages further' }).toEqual(['c3', 'c60']);
    await history.seen(1);
    await expect.poll(ids).toEqual(['c3', 'c60', 'c129']);
  });
});

describe('the menu of filters', () => {
  it('opens by a key, stays open for several, and what is chosen stands as chips', async () => {
    const { press } = await shown((record) => {
      record.entries = record.entries.map((each, place) => (place < 4 ? { ...each, client: 'Codex' } : each));
    });
    await press('f');
    await expect.poll(focused, { message: 'the first choice has the focus' }).toBe('filter-became-approved');
    await fireEvent.click(screen.getByTestId('filter-became-approved'));
    await expect.poll(ids, { message: 'only those' }).toEqual(['c0', 'c2', 'c4', 'c6', 'c8', 'c10']);
    await fireEvent.click(await screen.findByTestId('filter-client-Codex'));
    await expect.poll(ids, { message: 'both hold' }).toEqual(['c0', 'c2']);
    await press('Escape');
    expect(screen.queryByTestId('filters-panel'), 'Escape closes it').toBeNull();
    expect(focused(), 'and goes back').toBe('filters');
    expect(screen.getByTestId('chip-client').textContent).toBe('Codex');
    await fireEvent.click(screen.getByTestId('chip-became'));
    await expect.poll(ids, { message: 'a chip takes its filter away' }).toEqual(['c0', 'c1', 'c2', 'c3']);
    await expect.poll(focused, { message: 'the keys go on at the next chip' }).toBe('chip-client');
    await fireEvent.click(screen.getByTestId('chip-client'));
    await expect.poll(focused, { message: 'and at the menu after the last' }).toBe('filters');
  });

  it('names agents that say no name, too', async () => {
    const { press } = await shown((record) => {
      record.entries = record.entries.map((each, place) => (place < 4 ? { ...each, client: '' } : each));
    });
    await press('f');
    const choice = await screen.findByTestId('filter-client-');
    expect(choice.textContent).toBe('An agent');
    await fireEvent.click(choice);
    await expect.poll(() => screen.queryByTestId('chip-client')?.textContent).toBe('An agent');
  });

  it('takes days, and none that isn’t one', async () => {
    const { main, press } = await shown();
    await press('F');
    const first = await screen.findByTestId<HTMLInputElement>('filter-when-first');
    // Where a page has no calendar, a day is text.
    first.type = 'text';
    await fireEvent.change(first, { target: { value: '2026-13-40' } });
    expect(first.getAttribute('aria-invalid')).toBe('true');
    expect(main.history.filters.when, 'it is not asked for').toBeNull();
    await fireEvent.change(first, { target: { value: '2026-11-20' } });
    await fireEvent.change(screen.getByTestId('filter-when-last'), { target: { value: '2026-11-21' } });
    expect(main.history.filters.when).toBe('2026-11-20..2026-11-21');
    expect(first.getAttribute('aria-invalid')).toBe('false');
  });

  it('says which filter hides everything, and takes it away with one click', async () => {
    const { main } = await shown();
    main.history.narrow('became', 'expired');
    main.history.narrow('when', '..2030-01-01');
    const nothing = await screen.findByTestId('nothing-found');
    expect(nothing.textContent).toMatch(/No conversation fits this: Expired and Until/);
    const without = await screen.findByTestId('without-became');
    expect(without.textContent).toBe('Without Expired');
    expect(screen.queryByTestId('without-when'), 'that one hides nothing').toBeNull();
    await fireEvent.click(without);
    await expect.poll(() => ids().length, { message: 'all of that time' }).toBeGreaterThan(4);
    expect(screen.getByTestId('chip-when'), 'the other one stays').toBeTruthy();
  });
});

describe('the address', () => {
  it('follows the filters, goes back to those before, and doesn’t count letters', async () => {
    history.replaceState(null, '', '#main/history');
    const { gate, main } = await shown();
    const stop = followAddress(main);
    onTestFinished(() => {
      stop();
      history.replaceState(null, '', '#');
    });
    flushSync();
    const steps = history.length;
    main.history.narrow('became', 'approved');
    flushSync();
    expect(location.hash).toBe('#main/history?became=approved');
    for (const text of ['T', 'Ti', 'Title of c1']) {
      main.history.search(text);
      flushSync();
    }
    expect(location.hash).toBe('#main/history?became=approved&q=Title+of+c1');
    expect(history.length - steps, 'one step back for the filter, one for all the words').toBe(2);
    await expect.poll(ids).toEqual(['c10']);

    const back = (hash: string) => {
      history.replaceState(null, '', hash);
      const to = destinationOf(hash);
      if (to) gate.go(to);
      flushSync();
    };
    back('#main/history?became=approved');
    await expect.poll(() => ids().length, { message: 'without the words' }).toBe(6);
    back('#main/history');
    await expect.poll(() => ids().length, { message: 'without the filter' }).toBeGreaterThan(6);
    expect(location.hash, 'nothing is added to it').toBe('#main/history');
    back('#main/history?status=stale&became=expired');
    expect(main.history.filters, 'in whatever order').toEqual({
      ...NO_FILTERS,
      became: 'expired',
      status: 'stale',
    });
    expect(location.hash, 'it is mended in its place').toBe('#main/history?became=expired&status=stale');
    main.go('inbox');
    flushSync();
    expect(location.hash).toBe('#main/inbox');
    main.go('history');
    expect(main.history.filters.became, 'another page leaves them as they are').toBe('expired');
  });

  it('is what the window begins with', async () => {
    const gate = new FakeGate();
    const record = new FakeRecord(3);
    gate.record = record.answer;
    const first = destinationOf('#main/history?status=completed&q=Title');
    const main = new Main(gate, first ?? { page: '', at: null });
    await main.start();
    const asked = gate.given('history').map(({ query }) => [query.status, query.text]);
    expect(asked, 'nothing else is asked for first').toEqual([['completed', 'Title']]);
  });
});
