// @vitest-environment node
// What comes while something else is on its way: events during a load, news during a walk through older pages, keys during a look, failures after the person has gone on.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listRows } from '../src/history/days';
import { PACE as READING_PACE } from '../src/conversation/conversation.svelte';
import { REST } from '../src/conversation/reading.svelte';
import { PACE, PAUSE } from '../src/history/history.svelte';
import type { Main } from '../src/state/main.svelte';
import { Review } from '../src/review/review.svelte';
import { FakeGate, fault, summary, view } from './fake-gate';
import { before, checkpoint, entry, message, NOON, session } from './fake-record';
import { held, historyOf, mainAt, settle } from './record-help';

beforeEach(() => void vi.useFakeTimers({ now: NOON }));
afterEach(() => void vi.useRealTimers());

const idsOf = (list: readonly { session_uuid: string }[]) => list.map((each) => each.session_uuid);

describe('warnings', () => {
  const full = { ...fault('disk_full') };
  const other = { ...fault('disk_full'), message: 'Another disk is full.' };

  for (const [name, start] of [
    ['the main window', async (gate: FakeGate) => (await mainOn(gate)).warnings],
    [
      'the review window',
      async (gate: FakeGate) => {
        const review = new Review(gate);
        await review.start();
        return review.warnings;
      },
    ],
  ] as const) {
    it(`stand in ${name} from its start, each once, and one hides no other`, async () => {
      const gate = new FakeGate([view('a')]);
      gate.warnings = [fault('invalid_setting')];
      const warnings = await start(gate);
      const codes = () => warnings.list.map((each) => each.message);
      expect(codes(), 'what was known before').toEqual([fault('invalid_setting').message]);
      for (const each of [full, other, structuredClone(full)]) gate.emit({ event: 'warning', fault: each });
      expect(codes().length, 'the same one isn’t said twice').toBe(3);
      warnings.dismiss(full);
      gate.warnings = [fault('invalid_setting'), full, other];
      gate.emit({ event: 'resync' });
      await settle();
      expect(codes(), 'what was put aside doesn’t come back by itself').toEqual([
        fault('invalid_setting').message,
        other.message,
      ]);
      gate.emit({ event: 'warning', fault: full });
      expect(codes().length, 'but it does when it happens again').toBe(3);
    });

    it(`go from ${name} when the settings were mended`, async () => {
      const gate = new FakeGate([view('a')]);
      gate.warnings = [fault('settings_file'), full];
      const warnings = await start(gate);
      gate.warnings = [full];
      gate.emit({ event: 'settings_changed', settings: gate.settings });
      await settle();
      expect(warnings.list, 'what isn’t about them stays').toEqual([full]);
      gate.warnings = [];
      gate.emit({ event: 'resync' });
      await settle();
      expect(warnings.list, 'and goes when the gate no longer knows of it').toEqual([]);
    });
  }

  async function mainOn(gate: FakeGate): Promise<Main> {
    const { main } = await mainAt('sessions', (_, record) => (gate.record = record.answer), gate);
    return main;
  }
});

describe('a walk down to older messages', () => {
  async function restoring() {
    const opened = await mainAt('history', (_, each) => {
      each.messages = Array.from({ length: 60 }, (__, index) => message(index + 1));
      each.page = 20;
      each.checkpoints = [checkpoint('early', 5)];
    });
    const conversation = opened.main.history.reading.conversation;
    const point = conversation?.checkpoints[0];
    if (!conversation || !point) throw new Error('the first conversation is read, with its checkpoint');
    for (let times = 0; times < 2; times += 1) await conversation.loadOlder();
    return { ...opened, conversation, point };
  }

  it('gets there though something is said meanwhile', async () => {
    const { gate, record, conversation, point } = await restoring();
    const waiting = held(gate, record);
    const letGo = async () => {
      waiting.shift()?.go();
      await settle();
    };
    const restored = conversation.restore(point);
    await settle();
    await letGo();
    await letGo();
    expect(waiting.length, 'the walk has come to the second page').toBe(1);
    gate.emit({ event: 'session_changed', session: session('c0') });
    await settle(READING_PACE);
    while (waiting.length > 0) await letGo();
    await restored;
    const valid = conversation.messages.filter((each) => !each.superseded).map((each) => each.message_id);
    expect(conversation.messages.length, 'all of them are here').toBe(60);
    expect(valid, 'and marked, down to the checkpoint').toEqual([1, 2, 3, 4, 5]);
    const asked = gate.given('conversation').length;
    conversation.changed();
    await settle(READING_PACE);
    while (waiting.length > 0) await letGo();
    expect(gate.given('conversation').length, 'after that, news cost one page again').toBe(asked + 1);
  });
});

describe('keys during a look', () => {
  const titled = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      entry(`c${index}`, { title: index % 2 ? 'odd' : 'even', updated_at: before(index * 3600) }),
    );

  async function searched() {
    const opened = await historyOf(0);
    opened.record.entries = titled(240);
    opened.history.search('odd');
    await settle(PAUSE);
    // The first one that was found is opened.
    await settle(REST);
    return opened;
  }

  it('don’t mix what was found with what is typed now', async () => {
    const { gate, record, history } = await searched();
    const titles = () => new Set(history.entries.map((each) => each.title));
    expect(history.entries.length, 'a page of what was looked for').toBe(50);
    history.search('even');
    await history.seen(40);
    expect([...titles()], 'the next page is of the list that stands').toEqual(['odd']);
    expect(history.entries.length, 'and it came').toBe(100);
    record.speak('c7');
    history.changed(session('c7', { title: 'odd' }), true);
    await settle(PACE);
    expect([...titles()], 'then it is the other list').toEqual(['even']);
    gate.record = record.answer;
    expect(history.found).toBe(true);
  });

  it('make no list of two when the record is read anew before the search', async () => {
    const { gate, record, history } = await searched();
    const waiting = held(gate, record);
    const renewing = history.start();
    history.search('even');
    await settle(PAUSE);
    waiting[1]?.go();
    await settle();
    waiting[0]?.go();
    await renewing;
    await settle();
    expect(new Set(history.entries.map((each) => each.title)), 'only what was looked for last').toEqual(
      new Set(['even']),
    );
  });

  it('make no list of two when it is read anew while the search is on its way', async () => {
    const { gate, record, history } = await searched();
    const waiting = held(gate, record);
    history.search('even');
    await settle(PAUSE);
    const renewing = history.start();
    const more = history.seen(45);
    waiting[0]?.go();
    await settle();
    for (const each of waiting.slice(1)) each.go();
    await Promise.all([renewing, more]);
    await settle();
    const titles = new Set(history.entries.map((each) => each.title));
    expect(titles, 'late answers about the list before are dropped').toEqual(new Set(['even']));
    const ids = idsOf(history.entries);
    expect(new Set(ids).size, 'and each is there once').toBe(ids.length);
  });

  it('a search that is refreshed before its answer is still the search', async () => {
    const { gate, record, history } = await searched();
    const waiting = held(gate, record);
    history.search('even');
    await settle(PAUSE);
    const refreshing = history.refresh();
    for (let each = waiting.shift(); each; each = waiting.shift()) {
      each.go();
      await settle();
    }
    await refreshing;
    expect(history.entries[0]?.title, 'what was typed').toBe('even');
    expect(history.list, 'and its view begins at the top').toBe(3);
  });

  it('days are told apart, also when one comes twice', () => {
    const day = 24 * 3600;
    const entries = [0, day, 1].map((seconds, index) =>
      entry(`c${index}`, { updated_at: before(seconds + 60) }),
    );
    const keys = listRows(entries, true, NOON).map((row) => row.key);
    expect(new Set(keys).size, 'no two rows are the same one').toBe(keys.length);
  });
});

describe('a list that nobody looked at', () => {
  it('has no hole where more than a page has changed', async () => {
    const { record, history } = await historyOf(200);
    for (const last of [40, 90]) await history.seen(last);
    expect(history.entries.length, 'as far as the person went').toBe(150);
    record.speak(...Array.from({ length: 70 }, (_, index) => `c${index + 60}`));
    await history.start();
    const order = [...record.entries]
      .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
      .map((each) => each.session_uuid);
    const ids = idsOf(history.entries);
    expect(ids, 'the rows are those of the record, without one left out').toEqual(order.slice(0, ids.length));
    for (let last = 90; history.next !== null; last += 50) await history.seen(last);
    expect(idsOf(history.entries), 'down to the last').toEqual(order);
  });

  it('has none where all of it has changed', async () => {
    const { gate, record, history } = await historyOf(160);
    await history.seen(10);
    record.speak(...Array.from({ length: 160 }, (_, index) => `c${159 - index}`).reverse());
    const asked = gate.given('history').length;
    await history.start();
    expect(gate.given('history').length - asked, 'no more is read than was there').toBeLessThanOrEqual(2);
    for (let last = 40; history.next !== null; last += 50) await history.seen(last);
    expect(idsOf(history.entries).slice(0, 3)).toEqual(['c159', 'c158', 'c157']);
    expect(history.entries.length, 'all').toBe(160);
  });

  it('stays the same list where nothing differs', async () => {
    const { history, record } = await historyOf(120);
    const { entries } = history;
    const first = entries[2];
    if (!first) throw new Error('there are that many');
    const { title, status, progress } = first;
    history.changed(session('c2', { title, status, progress }), true);
    history.changed(session('unknown'), false);
    expect(history.entries, 'nothing was said that it doesn’t say').toBe(entries);
    await settle(PACE);
    expect(history.entries, 'nor in the record').toBe(entries);
    history.changed(session('c2', { title: 'Now' }), false);
    expect(history.entries[2]?.title, 'what differs is seen').toBe('Now');
    expect(history.entries[3], 'and only that is drawn anew').toBe(entries[3]);
    record.speak('c9');
    await history.start();
    expect(history.entries[0]?.session_uuid).toBe('c9');
  });
});

describe('an undo that fails', () => {
  it('is told, though the conversation was left', async () => {
    const { gate, main } = await mainAt('history', (_, each) => {
      each.messages = [1, 2, 3, 4].map((id) => message(id));
      each.checkpoints = [checkpoint('green', 2)];
    });
    const conversation = main.history.reading.conversation;
    const point = conversation?.checkpoints[0];
    if (!conversation || !point) throw new Error('it is read');
    await conversation.restore(point);
    main.history.select('c1');
    await settle();
    gate.meddle = (command) => (command.command === 'undo_restore' ? fault('disk_full') : undefined);
    const note = main.toasts.list[0];
    if (note) main.toasts.act(note);
    await settle();
    expect(
      main.toasts.list.map((each) => each.tone),
      'a note that is seen anywhere',
    ).toEqual(['danger']);
    expect(main.toasts.list[0]?.text, 'names what stays and why').toMatch(/green.*disk_full/);
  });

  it('is told when something else is still being done', async () => {
    const { gate, main } = await mainAt('history', (_, each) => {
      each.messages = [1, 2, 3, 4].map((id) => message(id));
      each.checkpoints = [checkpoint('green', 2)];
    });
    const conversation = main.history.reading.conversation;
    const point = conversation?.checkpoints[0];
    if (!conversation || !point) throw new Error('it is read');
    await conversation.restore(point);
    gate.meddle = (command) => (command.command === 'export' ? new Promise(() => undefined) : undefined);
    void conversation.exportAs('json');
    const note = main.toasts.list[0];
    if (note) main.toasts.act(note);
    await settle();
    expect(gate.given('undo_restore'), 'nothing was undone').toEqual([]);
    expect(
      main.toasts.list.map((each) => each.tone),
      'and that isn’t kept from the person',
    ).toEqual(['danger']);
  });

  it('is told, though another session is chosen', async () => {
    const { gate, main } = await mainAt('sessions', (each) => {
      each.sessions = [session('c0'), session('c1')];
    });
    await main.sessions.close('c0');
    main.sessions.select('c1');
    gate.meddle = (command) => (command.command === 'reopen_session' ? fault('database') : undefined);
    const note = main.toasts.list[0];
    if (note) main.toasts.act(note);
    await settle();
    expect(main.toasts.list.map((each) => each.tone)).toEqual(['danger']);
    expect(main.sessions.fault, 'the session that is read has no part in it').toBeNull();
  });
});

describe('an event that is newer than the snapshot', () => {
  /** From now on snapshots are answered as of when they were asked for, but late. */
  function slow(gate: FakeGate) {
    let go: () => void = () => undefined;
    const answer = gate.command.bind(gate);
    gate.command = async (command) => {
      const given = await answer(command);
      if (command.command === 'snapshot') await new Promise<void>((resolve) => (go = resolve));
      return given;
    };
    return () => go();
  }

  it('counts, also when the main window loads again', async () => {
    const { gate, main } = await mainAt('sessions', (each) => (each.sessions = [session('c0')]));
    const go = slow(gate);
    gate.emit({ event: 'resync' });
    await settle();
    gate.emit({ event: 'session_changed', session: session('c0', { pending: 2 }) });
    gate.emit({ event: 'request_closed', request_id: 'waits', status: 'answered', undo_until: null });
    go();
    await settle();
    expect(main.sessions.list[0]?.pending, 'the event came later').toBe(2);
    expect(main.waiting, 'nothing waits any more').toEqual([]);
  });

  it('counts in the review window', async () => {
    const gate = new FakeGate([view('a'), view('b')]);
    const review = new Review(gate);
    await review.start();
    const go = slow(gate);
    gate.emit({ event: 'resync' });
    await settle();
    gate.emit({ event: 'request_closed', request_id: 'b', status: 'cancelled', undo_until: null });
    gate.emit({
      event: 'request_added',
      request: summary('now', { urgent: true }),
      view: null,
      again: false,
    });
    go();
    await settle();
    expect(
      review.queue.map((each) => each.request_id),
      'one came, one went',
    ).toEqual(['now', 'a']);
    expect(review.urgent?.request_id, 'and it is announced').toBe('now');
  });

  it('isn’t lost when the load fails', async () => {
    const { gate, main } = await mainAt('sessions', (each) => (each.sessions = [session('c0')]));
    let fail: (fault: unknown) => void = () => undefined;
    gate.meddle = (command) =>
      command.command === 'snapshot' ? new Promise((resolve) => (fail = resolve)) : undefined;
    gate.emit({ event: 'resync' });
    await settle();
    gate.emit({ event: 'session_changed', session: session('c0', { pending: 3 }) });
    fail(fault('database'));
    await settle();
    expect(main.fault?.code, 'the failure is told').toBe('database');
    expect(main.sessions.list[0]?.pending, 'and the window lives on').toBe(3);
    gate.emit({ event: 'session_changed', session: session('c0', { pending: 4 }) });
    expect(main.sessions.list[0]?.pending).toBe(4);
  });
});
