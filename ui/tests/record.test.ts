// @vitest-environment node
// The main window's state over a recording gate: the history's pages and searches, reading, restoring, deleting, sessions.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PACE as READING_PACE } from '../src/conversation/conversation.svelte';
import { PACE, PAUSE } from '../src/history/history.svelte';
import { Main } from '../src/state/main.svelte';
import { REST } from '../src/conversation/reading.svelte';
import { NOTE, Toasts } from '../src/state/toasts.svelte';
import { FakeGate, fault } from './fake-gate';
import { before, checkpoint, entry, FakeRecord, message, NOON, session } from './fake-record';
import { held, historyOf, mainAt, settle } from './record-help';

beforeEach(() => void vi.useFakeTimers({ now: NOON }));
afterEach(() => void vi.useRealTimers());

const texts = (gate: FakeGate) => gate.given('history').map((each) => each.query.text);

describe('the history’s pages', () => {
  it('come ahead of the person, each once', async () => {
    const { gate, history } = await historyOf(230);
    await history.seen(10);
    expect(history.entries.length, 'the second page is here before the first ends').toBe(100);
    await history.seen(12);
    await history.seen(20);
    expect(history.entries.length, 'nothing more is needed there').toBe(100);
    await Promise.all([history.seen(60), history.seen(61)]);
    expect(history.entries.length, 'two sights of the same rows are one question').toBe(150);
    expect(
      gate.given('history').map((each) => each.cursor),
      'each page was asked for once',
    ).toEqual([null, `${before(49 * 3600)} c49`, `${before(99 * 3600)} c99`]);
  });

  it('end where the record ends', async () => {
    const { gate, history } = await historyOf(120);
    for (const last of [30, 80, 119]) await history.seen(last);
    expect(history.entries.length).toBe(120);
    expect(history.next, 'no page follows').toBeNull();
    const asked = gate.commands.length;
    await history.seen(119);
    expect(gate.commands.length, 'and none is asked for').toBe(asked);
  });

  it('are read again as far as the person has gone when the record changes', async () => {
    const { record, history } = await historyOf(300);
    await history.seen(40);
    await history.seen(90);
    history.select('c70');
    record.entries = [
      entry('newest', { updated_at: before(-60) }),
      ...record.entries.filter((each) => each.session_uuid !== 'c3'),
    ];
    await history.refresh();
    expect(history.entries[0]?.session_uuid, 'the new one is on top').toBe('newest');
    expect(history.entries.length, 'the person’s rows are all there').toBeGreaterThanOrEqual(91);
    expect(history.selected, 'the choice holds').toBe('c70');
    expect(history.place, 'and is found in its new place').toBe(70);
    expect(history.list, 'the list is the same one, so its view keeps its place').toBe(1);
  });

  it('keep their order while sessions speak, by one question at a time, and only while they are seen', async () => {
    const { gate, record, main } = await mainAt('history', (_, each) => {
      each.entries = new FakeRecord(170).entries;
    });
    for (const last of [40, 90]) await main.history.seen(last);
    const asked = () => gate.given('history').length;
    const first = asked();
    record.speak('c2');
    const speak = () => gate.emit({ event: 'session_changed', session: session('c2', { title: 'Now' }) });
    for (let times = 0; times < 9; times += 1) speak();
    expect(main.history.entries[2]?.title, 'its row says it at once').toBe('Now');
    await settle(PACE);
    expect(asked(), 'all of that is one question').toBe(first + 1);
    const ids = main.history.entries.map((each) => each.session_uuid);
    expect(ids.slice(0, 4), 'the one that spoke is on top').toEqual(['c2', 'c0', 'c1', 'c3']);
    expect([ids.length, new Set(ids).size], 'and nothing is lost or twice').toEqual([150, 150]);
    main.looked(false);
    speak();
    await settle(PACE * 2);
    expect(asked(), 'nobody looks').toBe(first + 1);
    main.looked(true);
    expect(asked(), 'somebody looks again').toBe(first + 2);
  });

  it('of a list that is gone don’t mix with the next one', async () => {
    const { gate, record, history } = await historyOf(200);
    const waiting = held(gate, record);
    const more = history.seen(40);
    history.narrow('status', 'completed');
    await settle();
    waiting[1]?.go();
    await settle();
    expect(history.entries, 'nothing is completed').toEqual([]);
    waiting[0]?.go();
    await more;
    expect(history.entries, 'a late page of the list before is dropped').toEqual([]);
  });
});

describe('searching', () => {
  it('waits for a pause in typing', async () => {
    const { gate, history } = await historyOf(12);
    for (const text of ['T', 'Ti', 'Title of c1']) history.search(text);
    await settle(PAUSE - 1);
    expect(texts(gate), 'not at every key').toEqual([null]);
    await settle(1);
    expect(texts(gate), 'once, for all of it').toEqual([null, 'Title of c1']);
    expect(
      history.entries.map((each) => each.session_uuid),
      'what was found',
    ).toEqual(['c11', 'c10', 'c1']);
    expect(history.found, 'and it is no list by days').toBe(true);
  });

  it('shows one of what was found, and goes on from there', async () => {
    const { history } = await historyOf(12);
    const reads = () => [history.selected, history.reading.conversation?.id ?? null];
    await settle();
    expect(reads(), 'the latest one').toEqual(['c0', 'c0']);
    history.search('c2');
    await settle(PAUSE);
    await settle(REST);
    expect(reads(), 'another than what was found is shown no longer').toEqual(['c2', 'c2']);
    history.search('zebra');
    await settle(PAUSE);
    expect(reads(), 'nothing was found').toEqual([null, null]);
    history.search('c');
    await settle(PAUSE);
    await settle(REST);
    history.move(1);
    await settle(REST);
    const chosen = history.selected;
    history.search('c1');
    await settle(PAUSE);
    await settle(REST);
    expect(chosen, 'the second one').toBe('c10');
    expect(reads(), 'what is chosen stays where it is found as well').toEqual(['c10', 'c10']);
  });

  it('drops an answer that a newer question has overtaken', async () => {
    const { gate, record, history } = await historyOf(12);
    const waiting = held(gate, record);
    history.search('c1');
    await settle(PAUSE);
    history.search('c2');
    await settle(PAUSE);
    waiting[1]?.go();
    await settle();
    waiting[0]?.go();
    await settle();
    expect(
      history.entries.map((each) => each.session_uuid),
      'the slow answer to “c1” came too late',
    ).toEqual(['c2']);
  });

  it('clears everything with one click', async () => {
    const { gate, history } = await historyOf(3);
    history.search('zebra');
    history.narrow('status', 'stale');
    history.narrow('when', '7');
    await settle(PAUSE);
    expect(history.entries.length).toBe(0);
    expect(history.filtered, 'the page knows why nothing is there').toBe(true);
    history.clear();
    await settle();
    expect([history.text, history.filtered, history.entries.length]).toEqual(['', false, 3]);
    const last = gate.given('history').at(-1);
    expect(last?.query, 'nothing is filtered').toEqual({
      ...{ text: null, status: null, workspace: null, client: null },
      ...{ became: null, from: null, until: null },
    });
  });

  it('looks again until the search has caught up', async () => {
    const { record, history } = await historyOf(3);
    record.unindexed = 40;
    history.search('c');
    await settle(PAUSE);
    expect(history.unindexed, 'it says how far behind it is').toBe(40);
    record.unindexed = 0;
    await settle(PACE);
    expect(history.unindexed, 'and comes back by itself').toBe(0);
  });

  it('a failure says so and keeps the list', async () => {
    const { gate, history } = await historyOf(3);
    gate.meddle = () => fault('database');
    history.search('c1');
    await settle(PAUSE);
    expect(history.fault?.code).toBe('database');
    expect(history.entries.length, 'what was there is still there').toBe(3);
    gate.meddle = () => undefined;
    await history.retry();
    expect([history.fault, history.entries.length], 'trying again helps').toEqual([null, 1]);
  });
});

describe('moving in the list', () => {
  it('stops at both ends and reads the one that the person rests on', async () => {
    const { gate, history } = await historyOf(5);
    const read = () => gate.given('conversation').map((each) => each.session_uuid);
    expect(read(), 'the first is read at once').toEqual(['c0']);
    history.move(-1);
    expect(history.selected, 'there is nothing above').toBe('c0');
    for (let step = 0; step < 9; step += 1) history.move(1);
    expect(history.selected, 'nor below the last').toBe('c4');
    await settle(REST);
    expect(read(), 'those in between were only passed').toEqual(['c0', 'c4']);
    expect(history.reading.conversation?.id).toBe('c4');
  });

  it('a slow conversation doesn’t come up after another was chosen', async () => {
    const { gate, record, history } = await historyOf(3);
    const waiting = held(gate, record);
    history.select('c1');
    history.select('c2');
    await settle();
    waiting[1]?.go();
    await settle();
    waiting[0]?.go();
    await settle();
    expect(history.reading.conversation?.id).toBe('c2');
  });
});

describe('a conversation', () => {
  async function reading(messages: number, prepare: (record: FakeRecord) => void = () => undefined) {
    const { gate, record, main } = await mainAt('history', (_, each) => {
      each.messages = Array.from({ length: messages }, (__, index) => message(index + 1));
      each.page = 20;
      prepare(each);
    });
    const conversation = main.history.reading.conversation;
    if (!conversation) throw new Error('the first conversation is read');
    const ids = () => conversation.messages.map((each) => each.message_id);
    return { gate, record, main, conversation, ids };
  }

  it('loads older messages once each, up to the first', async () => {
    const { gate, conversation, ids } = await reading(45);
    expect(ids()[0], 'the newest page').toBe(26);
    await Promise.all([conversation.loadOlder(), conversation.loadOlder()]);
    expect([ids()[0], ids().length], 'the page before it, once').toEqual([6, 40]);
    await conversation.loadOlder();
    await conversation.loadOlder();
    expect([ids()[0], ids().length, conversation.older], 'all').toEqual([1, 45, null]);
    expect(gate.given('conversation').length, 'three pages').toBe(3);
  });

  it('shows what is said meanwhile, and keeps older pages', async () => {
    const { record, main, conversation, ids, gate } = await reading(45);
    await conversation.loadOlder();
    const known = conversation.messages[10];
    record.messages = [...record.messages, message(46)];
    for (let times = 0; times < 5; times += 1)
      gate.emit({ event: 'session_changed', session: session('c0') });
    const asked = gate.given('conversation').length;
    await settle(READING_PACE);
    expect(gate.given('conversation').length, 'many events are one look').toBe(asked + 1);
    expect([ids()[0], ids().at(-1), ids().length]).toEqual([6, 46, 41]);
    expect(conversation.messages[10], 'what was there is not drawn anew').toBe(known);
    expect(main.fault).toBeNull();
  });

  it('starts anew when more was said than a page holds', async () => {
    const { record, conversation, ids } = await reading(30);
    record.messages = Array.from({ length: 90 }, (_, index) => message(index + 1));
    conversation.changed();
    await settle(READING_PACE);
    expect([ids()[0], ids().length], 'without a gap in it').toEqual([71, 20]);
    await conversation.loadOlder();
    expect(ids()[0], 'and what lies between can be reached').toBe(51);
  });

  it('is taken back to a checkpoint, says so, and takes that back', async () => {
    const { gate, main, conversation } = await reading(6, (each) => {
      each.checkpoints = [checkpoint('green', 4)];
    });
    const view = conversation.checkpoints[0];
    if (!view) throw new Error('there is a checkpoint');
    conversation.asking = view.checkpoint.checkpoint_id;
    await conversation.restore(view);
    expect(conversation.asking, 'the question is answered').toBeNull();
    const marked = () =>
      conversation.messages.filter((each) => each.superseded).map((each) => each.message_id);
    expect(marked(), 'the later ones').toEqual([5, 6]);
    expect(conversation.restored?.superseded, 'the standing note knows them').toBe(2);
    const toast = main.toasts.list[0];
    expect(toast?.text).toContain('green');
    if (toast) main.toasts.act(toast);
    await settle();
    expect(gate.given('undo_restore').map((each) => each.restore_id)).toEqual(['restore-1']);
    expect(marked(), 'none is marked any more').toEqual([]);
    expect(conversation.restored, 'and nothing stands').toBeNull();
  });

  it('marks older pages too', async () => {
    const { conversation } = await reading(45, (each) => {
      each.checkpoints = [checkpoint('early', 8)];
    });
    await conversation.loadOlder();
    const view = conversation.checkpoints[0];
    if (view) await conversation.restore(view);
    expect(
      conversation.messages.filter((each) => !each.superseded).map((each) => each.message_id),
      'all after the checkpoint are marked, on both pages',
    ).toEqual([6, 7, 8]);
  });

  it('goes for good, and the one in its place is read', async () => {
    const { main, gate } = await reading(2);
    await main.remove();
    expect(gate.given('delete_conversation').map((each) => each.session_uuid)).toEqual(['c0']);
    expect(main.history.entries.map((each) => each.session_uuid)).toEqual(['c1', 'c2']);
    await settle();
    expect([main.history.selected, main.history.reading.conversation?.id]).toEqual(['c1', 'c1']);
  });

  it('stays when the gate refuses to delete it', async () => {
    const { main, gate, conversation } = await reading(2);
    gate.meddle = (command) =>
      command.command === 'delete_conversation' ? fault('still_pending') : undefined;
    await main.remove();
    expect(conversation.fault?.code, 'the person is told').toBe('still_pending');
    expect(main.history.entries.length, 'nothing is gone').toBe(3);
    expect(main.toasts.list, 'nor said to be').toEqual([]);
  });

  it('that is deleted elsewhere leaves the page', async () => {
    const { main, gate, record } = await reading(2);
    record.entries = record.entries.slice(1);
    gate.emit({ event: 'history_changed' });
    await settle();
    expect(main.history.entries.map((each) => each.session_uuid)).toEqual(['c1', 'c2']);
    expect(main.history.reading.conversation?.id, 'what is gone isn’t read').not.toBe('c0');
  });

  it('is exported, and says where to', async () => {
    const { main, gate, conversation } = await reading(2);
    await conversation.exportAs('json');
    expect(gate.given('export')).toEqual([
      { command: 'export', session_uuid: 'c0', format: 'json', path: null },
    ]);
    expect([main.toasts.list[0]?.text, main.toasts.list[0]?.copy]).toEqual([
      'Exported to /downloads/it.json',
      '/downloads/it.json',
    ]);
  });
});

describe('the sessions page', () => {
  const closing = () =>
    mainAt('sessions', (gate) => {
      gate.sessions = [session('c0'), session('c1', { status: 'completed' })];
    });

  it('follows its sessions, and counts what waits', async () => {
    const { gate, main } = await closing();
    expect(main.sessions.selected, 'one is always chosen').toBe('c0');
    expect([main.sessions.active.length, main.waiting.length]).toEqual([1, 1]);
    gate.emit({ event: 'session_changed', session: session('c0', { status: 'timeout' }) });
    expect(main.sessions.active.length, 'timed out').toBe(0);
    gate.emit({ event: 'request_closed', request_id: 'waits', status: 'answered', undo_until: null });
    expect(main.waiting.length).toBe(0);
    gate.emit({ event: 'session_forgotten', session_uuid: 'c0' });
    expect(main.sessions.selected, 'the next one takes the place of what is gone').toBe('c1');
    gate.emit({ event: 'session_forgotten', session_uuid: 'c1' });
    expect([main.sessions.list.length, main.sessions.selected]).toEqual([0, null]);
  });

  it('closes a session, and takes that back within its time', async () => {
    const { gate, main } = await closing();
    await main.sessions.close('c0');
    const toast = main.toasts.list[0];
    await settle(NOTE - 1);
    expect(main.toasts.list.length, 'five seconds to think').toBe(1);
    if (toast) main.toasts.act(toast);
    await settle();
    expect(gate.given('reopen_session').map((each) => each.session_uuid)).toEqual(['c0']);
    if (toast) main.toasts.act(toast);
    expect(gate.given('reopen_session').length, 'only once').toBe(1);
    await main.sessions.close('c0');
    await settle(NOTE);
    expect(main.toasts.list, 'then the offer goes').toEqual([]);
  });

  it('says that a question still waits', async () => {
    const { gate, main } = await closing();
    gate.meddle = (command) => (command.command === 'close_session' ? fault('still_pending') : undefined);
    await main.sessions.close('c0');
    expect([main.sessions.fault?.code, main.toasts.list.length]).toEqual(['still_pending', 0]);
    main.sessions.select('c1');
    expect(main.sessions.fault, 'that belongs to the other one').toBeNull();
  });

  it('applies what happened while the first answer was on its way', async () => {
    const gate = new FakeGate();
    gate.record = new FakeRecord(2).answer;
    gate.sessions = [session('c0')];
    gate.meddle = (command) => {
      if (command.command === 'snapshot')
        queueMicrotask(() => gate.emit({ event: 'session_changed', session: session('c0', { pending: 2 }) }));
    };
    const main = new Main(gate, { page: 'sessions', at: null });
    await main.start();
    expect(main.sessions.list[0]?.pending, 'the event is newer than the answer').toBe(2);
  });

  it('is sent to a page and a conversation by its host', async () => {
    const { gate, main } = await closing();
    gate.go({ page: 'history', at: 'c2' });
    await settle();
    expect([main.page, main.history.selected, main.history.reading.inside]).toEqual(['history', 'c2', true]);
    expect(main.history.reading.conversation?.id, 'and it is read').toBe('c2');
  });
});

describe('notes', () => {
  it('stay while the person is with them', async () => {
    const toasts = new Toasts();
    toasts.show('kept');
    await settle(NOTE - 1);
    toasts.hold();
    await settle(NOTE * 3);
    expect(toasts.list.length, 'under the pointer it stays').toBe(1);
    toasts.release();
    await settle(NOTE);
    expect(toasts.list.length, 'then it goes').toBe(0);
  });

  it('are never a pile', () => {
    const toasts = new Toasts();
    for (let count = 0; count < 9; count += 1) toasts.show(`note ${count}`);
    expect(toasts.list.map((each) => each.text)).toEqual(['note 6', 'note 7', 'note 8']);
  });
});
