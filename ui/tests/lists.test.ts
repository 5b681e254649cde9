// What is pure in the main window: the long list's maths, days, the sessions' order, the flow, keys, addresses.
import { describe, expect, it } from 'vitest';
import { listRows } from '../src/history/days';
import { destinationOf } from '../src/state/destination';
import { isMainWindow } from '../src/state/which-window';
import { flowOf, laterThan } from '../src/conversation/flow';
import { day, duration, span } from '../src/state/format';
import { listIntentionOf, mainIntentionOf } from '../src/state/main-keys';
import { orderedSessions, quietFor, withSession } from '../src/sessions/session-list';
import { drawn, offsetsOf, revealing, rowAt } from '../src/state/virtual';
import { before, checkpoint, entry, message, NOON, session } from './fake-record';

describe('a long list', () => {
  const offsets = offsetsOf([30, 70, 70, 30, 70]);

  it('draws the rows in the view and a few more', () => {
    expect(offsets, 'where each begins, and the height of all').toEqual([0, 30, 100, 170, 200, 270]);
    expect(drawn(offsets, 0, 100, 0), 'the row that begins at the lower edge is among them').toEqual({
      start: 0,
      end: 3,
    });
    expect(drawn(offsets, 110, 50, 0), 'a view inside of one row draws that').toEqual({ start: 2, end: 3 });
    expect(drawn(offsets, 110, 50, 1), 'one more on each side').toEqual({ start: 1, end: 4 });
    expect(drawn(offsets, 9_000, 100, 2), 'past the end, the last ones').toEqual({ start: 2, end: 5 });
    expect(drawn(offsetsOf([]), 0, 100, 2), 'nothing of nothing').toEqual({ start: 0, end: 0 });
  });

  it('finds the row at any place', () => {
    const at = [-5, 0, 29, 30, 99, 100, 269, 900].map((distance) => rowAt(offsets, distance));
    expect(at, 'a row holds its first pixel, not the next one’s').toEqual([0, 0, 0, 1, 1, 2, 4, 4]);
  });

  it('reveals a row with the least movement', () => {
    expect(revealing(offsets, 2, 0, 200), 'what is seen stays').toBe(0);
    expect(revealing(offsets, 4, 0, 200), 'below: up to its end').toBe(70);
    expect(revealing(offsets, 1, 150, 100), 'above: its beginning').toBe(30);
  });

  it('draws no more of ten thousand rows than of fifty', () => {
    const many = offsetsOf(Array.from({ length: 10_000 }, () => 72));
    const { start, end } = drawn(many, 300_000, 700, 8);
    expect(end - start, 'the view and what is beside it').toBeLessThan(30);
    expect(start * 72, 'around the view').toBeLessThan(300_000);
    expect(end * 72, 'all of it').toBeGreaterThan(300_700);
  });
});

describe('days', () => {
  it('stand above the first conversation of each', () => {
    const entries = [60, 3600 * 2, 3600 * 20, 3600 * 24 * 9].map((seconds, index) =>
      entry(`c${index}`, { updated_at: before(seconds) }),
    );
    const rows = listRows(entries, true, NOON).map((row) => (row.kind === 'day' ? row.label : row.index));
    const date = day(before(3600 * 24 * 9), NOON);
    expect(rows, 'the two of today share theirs').toEqual(['Today', 0, 1, 'Yesterday', 2, date, 3]);
    expect(
      listRows(entries, false, NOON).every((row) => row.kind === 'entry'),
      'what a search finds is in another order',
    ).toBe(true);
  });

  it('name the year only where it is another', () => {
    expect(day(before(3600 * 24 * 400), NOON), 'another year').toContain('2025');
    expect(day(before(3600 * 24 * 30), NOON), 'this year').not.toContain('2026');
  });
});

describe('times', () => {
  it('read as a person says them', () => {
    expect([0, 59_999, 60_000, 3_600_000, 47 * 3_600_000, 49 * 3_600_000].map(span)).toEqual([
      '0 s',
      '59 s',
      '1 min',
      '1 h',
      '47 h',
      '2 d',
    ]);
    expect([7_000, 663_000, 3_750_000].map(duration)).toEqual(['0:07', '11:03', '1:02:30']);
  });
});

describe('sessions', () => {
  const ids = (list: readonly { session_uuid: string }[]) => list.map((each) => each.session_uuid);

  it('stay in their places while they speak, and move down when they end', () => {
    const list = orderedSessions([
      session('old', { created_at: before(900), spoke_at: before(1) }),
      session('gone', { status: 'timeout', spoke_at: before(400) }),
      session('new', { created_at: before(10), spoke_at: before(10) }),
      session('done', { status: 'completed', spoke_at: before(300) }),
    ]);
    expect(ids(list), 'active ones by their beginning, ended ones by when they were heard').toEqual([
      'new',
      'old',
      'done',
      'gone',
    ]);
    const spoke = withSession(list, session('old', { created_at: before(900), spoke_at: before(0) }));
    expect(ids(spoke), 'speaking moves nothing').toEqual(ids(list));
    const ended = withSession(list, session('new', { status: 'stale', spoke_at: before(10) }));
    expect(ids(ended), 'a lost connection does').toEqual(['old', 'new', 'done', 'gone']);
  });

  it('are quiet since they last spoke or reported', () => {
    const progress = {
      progress_percent: 3,
      status_message: null,
      step_name: null,
      steps: [],
      updated_at: before(20),
    };
    expect(quietFor(session('a', { spoke_at: before(180) }), NOON)).toBe(180_000);
    expect(quietFor(session('a', { spoke_at: before(180), progress }), NOON), 'a report counts').toBe(20_000);
    expect(quietFor(session('a', { spoke_at: before(-5) }), NOON), 'clocks differ a little').toBe(0);
  });
});

describe('the flow of a conversation', () => {
  it('has checkpoints where they were made', () => {
    const parts = flowOf(
      [1, 2, 3].map((id) => message(id)),
      [checkpoint('start', 0), checkpoint('mid', 2)],
      false,
      NOON,
    );
    expect(
      parts.map((part) => part.key),
      'before all, and after the second',
    ).toEqual(['checkpoint id of start', 'day 1', '1', '2', 'checkpoint id of mid', '3']);
  });

  it('keeps back checkpoints whose messages haven’t come yet', () => {
    const checkpoints = [checkpoint('far', 3), checkpoint('near', 11)];
    const kinds = (more: boolean) =>
      flowOf([message(11), message(12)], checkpoints, more, NOON).filter(
        (part) => part.kind === 'checkpoint',
      );
    expect(kinds(true).length, 'one belongs to an older page').toBe(1);
    expect(kinds(false).length, 'without older pages it stands at the top').toBe(2);
  });

  it('folds a run of superseded messages, with the checkpoints in it', () => {
    const marked = (id: number) => message(id, { superseded: true });
    const parts = flowOf(
      [message(1), message(2), marked(3), marked(4), message(5)],
      [checkpoint('back here', 2), checkpoint('left behind', 3)],
      false,
      NOON,
    );
    expect(parts.map((part) => part.kind)).toEqual([
      'day',
      'message',
      'message',
      'checkpoint',
      'superseded',
      'message',
    ]);
    const fold = parts.find((part) => part.kind === 'superseded');
    expect(fold?.items.map((item) => item.key)).toEqual(['3', 'checkpoint id of left behind', '4']);
    expect(fold?.count, 'it counts messages').toBe(2);
  });

  it('counts what a restore would mark', () => {
    const messages = [message(1), message(2), message(3, { superseded: true }), message(4)];
    expect(laterThan(messages, checkpoint('a', 1)), 'not what is marked already').toBe(2);
  });
});

describe('keys and addresses', () => {
  const press = (key: string, more: Partial<KeyboardEvent> = {}) => ({
    ...{ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false },
    ...{ repeat: false, isComposing: false },
    ...more,
  });

  it('mean one thing each, and nothing while typing', () => {
    expect(mainIntentionOf(press('/'), false)).toEqual({ kind: 'search' });
    expect(mainIntentionOf(press('/'), true), 'in a text it is a stroke').toBeNull();
    expect(mainIntentionOf(press('2', { ctrlKey: true }), true), 'with Ctrl also there').toEqual({
      kind: 'page',
      page: 'sessions',
    });
    expect(mainIntentionOf(press('h'), false), 'alone it is nothing').toBeNull();
    expect(mainIntentionOf(press('h'), false, true), 'after G it is a page').toEqual({
      kind: 'page',
      page: 'history',
    });
    expect(mainIntentionOf(press('Escape', { isComposing: true }), true), 'an input method’s').toBeNull();
  });

  it('move in a list, also when held', () => {
    const row = (direction: 1 | -1) => ({ kind: 'move', by: 'row', direction });
    expect(listIntentionOf(press('j', { repeat: true }))).toEqual(row(1));
    expect(listIntentionOf(press('ArrowUp'))).toEqual(row(-1));
    expect(listIntentionOf(press('PageDown'))).toEqual({ kind: 'move', by: 'page', direction: 1 });
    expect(listIntentionOf(press('Home'))).toEqual({ kind: 'move', by: 'end', direction: -1 });
    expect(listIntentionOf(press('Enter'))).toEqual({ kind: 'open' });
    expect(listIntentionOf(press('j', { ctrlKey: true })), 'that is another key').toBeNull();
  });

  it('an address names a window, a page and a conversation', () => {
    expect(destinationOf(''), 'the review window has none').toBeNull();
    expect(destinationOf('#mainly'), 'another word').toBeNull();
    expect(isMainWindow('#mainly'), 'and so it is of the review window').toBe(false);
    expect(isMainWindow('#main')).toBe(true);
    expect(destinationOf('#main')).toEqual({ page: 'inbox', at: null, query: '' });
    expect(destinationOf('#main/nowhere/0193'), 'a page that isn’t known').toEqual({
      page: 'inbox',
      at: null,
      query: '',
    });
    expect(destinationOf('#main/history')).toEqual({ page: 'history', at: null, query: '' });
    expect(destinationOf('#main/history/0193')).toEqual({ page: 'history', at: '0193', query: '' });
    expect(destinationOf('#main/history?became=approved&q=a%2Fb'), 'what it is narrowed down to').toEqual({
      page: 'history',
      at: null,
      query: 'became=approved&q=a%2Fb',
    });
  });
});
