// A row of the history's list: what was found reads as it reads in the conversation.
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import HistoryRow from '../src/history/HistoryRow.svelte';
import { entry } from './fake-record';

afterEach(cleanup);

it('shows no marks of code in what was found, wherever a piece ends', () => {
  const pieces = [
    { text: '…Drop `retry_', hit: false },
    { text: 'webhook', hit: true },
    { text: '` and `', hit: false },
    { text: '`sled`', hit: true },
  ];
  const found = entry('c1', { hit: { message_id: 1, role: 'agent', pieces } });
  render(HistoryRow, { entry: found, place: 1, count: 1, byDay: false, chosen: false, onchoose: () => {} });
  const hit = screen.getByTestId('hit');
  expect(hit.textContent).toBe('…Drop retry_webhook and sled');
  const marked = [...hit.querySelectorAll('mark')].map((each) => each.textContent);
  expect(marked, 'and what was looked for is marked').toEqual(['webhook', 'sled']);
});

it('shows code in its title as code', () => {
  const titled = entry('c1', { title: 'Rename `Account`?' });
  render(HistoryRow, { entry: titled, place: 1, count: 1, byDay: false, chosen: false, onchoose: () => {} });
  const title = screen.getByTestId('entry').querySelector('.title');
  expect([title?.textContent, title?.getAttribute('title')]).toEqual(Array(2).fill('Rename Account?'));
  expect(title?.querySelector('code')?.textContent).toBe('Account');
});

it('says of a permission question what became of it, in its own words', () => {
  const pieces = [{ text: 'Use make', hit: true }];
  for (const [permission, words] of [
    [{ said: 'denied' }, 'You, denied:'],
    [{ said: 'edited' }, 'You, allowed, changed:'],
    [{ said: 'rule', kind: 'allows', what: 'npm test *' }, 'You, allowed for npm test *:'],
    [undefined, 'You:'],
  ] as const) {
    const hit = { message_id: 2, role: 'person' as const, pieces, ...(permission ? { permission } : {}) };
    const found = entry('c1', { hit });
    render(HistoryRow, { entry: found, place: 1, count: 1, byDay: false, chosen: false, onchoose: () => {} });
    const said = screen
      .getByTestId('hit')
      .textContent?.replace(/[\u2066-\u2069]/g, '')
      .replace(/\s+/g, ' ');
    expect(said).toBe(`${words} Use make`);
    cleanup();
  }
});
