// @vitest-environment node
// The window's state over a recording gate: the queue, switching, sending, withdrawals.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FAREWELL } from '../src/review/farewell.svelte';
import { Review } from '../src/review/review.svelte';
import type { MessageView } from '../src/generated/MessageView';
import type { RequestView } from '../src/generated/RequestView';
import { FakeGate, fault, summary, view } from './fake-gate';
import { entry, FakeRecord, message } from './fake-record';

const settle = () => vi.advanceTimersByTimeAsync(0);

async function started(gate: FakeGate): Promise<Review> {
  const review = new Review(gate);
  await review.start();
  return review;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the queue', () => {
  it('is urgent first, then oldest first', async () => {
    const gate = new FakeGate([
      view('young', { summary: summary('young', { created_at: '2026-11-21T09:32:00Z' }) }),
      view('old', { summary: summary('old', { created_at: '2026-11-21T09:30:00Z' }) }),
      view('urgent', { summary: summary('urgent', { created_at: '2026-11-21T09:33:00Z', urgent: true }) }),
    ]);
    const review = await started(gate);
    expect(
      review.queue.map((request) => request.request_id),
      'urgent stands in front of older ones',
    ).toEqual(['urgent', 'old', 'young']);
    expect(review.reply?.id, 'the first is shown').toBe('urgent');
    await review.step(-1);
    expect(review.reply?.id, 'going back from the first arrives at the last').toBe('young');
  });

  it('keeps the request that a person writes in, and announces an urgent one', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    review.reply?.write('half a sen');
    gate.add(view('now', { summary: summary('now', { urgent: true }) }));
    await settle();
    expect(review.reply?.id, 'nothing is taken from under a person').toBe('a');
    expect(review.urgent?.request_id, 'but the urgent one is announced').toBe('now');
    await review.step(1);
    expect(review.reply?.id, 'J goes to the announced one').toBe('now');
    expect(review.urgent, 'shown means no longer announced').toBeNull();
  });

  it('shows a new request in an idle window after one round trip', async () => {
    const gate = new FakeGate();
    const review = await started(gate);
    const before = gate.commands.length;
    gate.add(view('new'));
    await settle();
    expect(review.reply?.id, 'nothing stood in its way').toBe('new');
    expect(
      gate.commands.slice(before).map((each) => each.command),
      'one question suffices',
    ).toEqual(['open_request']);
  });

  it('shows a request that came in full without asking', async () => {
    const gate = new FakeGate();
    const review = await started(gate);
    const before = gate.commands.length;
    gate.add(view('new'), false);
    await settle();
    expect(review.reply?.id, 'it is there').toBe('new');
    expect(gate.commands.slice(before), 'and nothing was asked').toEqual([]);
  });

  it('shows a new request in a hidden window only where nothing was begun', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    await review.later();
    gate.add(view('b'));
    await settle();
    expect(review.reply?.id, 'the untouched one gives way').toBe('b');
    review.reply?.write('begun');
    await review.later();
    gate.add(view('c'));
    await settle();
    expect(review.reply?.id, 'the begun one stays').toBe('b');
    gate.emit({ event: 'raise', request_id: 'c', by_person: true });
    await settle();
    expect(review.reply?.id, 'who raises one means that one').toBe('c');
  });

  it('keeps what a hidden window comes up with until it was seen, but for what is urgent', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    await review.later();
    gate.add(view('b'));
    await settle();
    review.vanished();
    gate.add(view('c'));
    await settle();
    expect(review.reply?.id, 'the window may be on the screen already, and is told of late').toBe('b');
    gate.add(view('now', { summary: summary('now', { urgent: true }) }));
    await settle();
    expect(review.reply?.id, 'what is urgent goes first').toBe('now');
    gate.add(view('also', { summary: summary('also', { urgent: true }) }));
    await settle();
    expect(review.reply?.id, 'and gives way to none').toBe('now');
    review.focused();
    review.vanished();
    gate.add(view('d'));
    await settle();
    expect(review.reply?.id, 'what was seen and left gives way').toBe('d');
    gate.emit({ event: 'request_closed', request_id: 'd', status: 'cancelled', undo_until: null });
    await settle();
    expect(review.reply?.id, 'what is withdrawn, too').toBe('also');
  });

  it('applies events that came while the snapshot was on its way', async () => {
    const gate = new FakeGate([view('gone')]);
    gate.meddle = (command) => {
      if (command.command === 'snapshot')
        gate.emit({ event: 'request_closed', request_id: 'gone', status: 'cancelled', undo_until: null });
    };
    const review = await started(gate);
    expect(review.queue, 'it was withdrawn before the snapshot arrived').toEqual([]);
    expect(review.reply, 'so it isn’t shown').toBeNull();
  });
});

describe('sending', () => {
  it('moves to the next request at once, with the whole draft sent', async () => {
    const gate = new FakeGate([view('a'), view('b')]);
    const review = await started(gate);
    review.reply?.write('yes');
    await review.send('approved');
    const [sent] = gate.given('send_reply');
    expect(sent, 'the reply is the draft as it stood').toEqual({
      command: 'send_reply',
      request_id: 'a',
      digest: 'digest of a',
      decision: 'approved',
      draft: { text: 'yes', selected: [], comments: [], attachments: [], remarks: [] },
    });
    expect(review.reply?.id, 'the next one is there').toBe('b');
    await vi.advanceTimersByTimeAsync(60_000);
    const last = gate.commands.findLastIndex((each) => each.command === 'save_draft');
    const reply = gate.commands.findIndex((each) => each.command === 'send_reply');
    expect(last, 'no save of the draft may follow its reply').toBeLessThan(reply);
  });

  it('waits for a save in flight, so that it can’t overtake the reply', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    let release: () => void = () => undefined;
    gate.meddle = (command) =>
      command.command === 'save_draft' ? new Promise<void>((go) => (release = go)) : undefined;
    review.reply?.write('first');
    await vi.advanceTimersByTimeAsync(300);
    review.reply?.write('first and last');
    const sending = review.send(null);
    await settle();
    expect(gate.given('send_reply'), 'the save is still on its way').toEqual([]);
    release();
    await sending;
    expect(gate.given('send_reply')[0]?.draft.text, 'and the reply has the newest text').toBe(
      'first and last',
    );
  });

  it('never sends a decision to a request that asks for none', async () => {
    const gate = new FakeGate([view('a', { summary: summary('a', { approval: false }) })]);
    const review = await started(gate);
    review.reply?.write('hello');
    await review.send('approved');
    expect(gate.given('send_reply'), 'there is nothing to approve').toEqual([]);
  });

  it('says gently that an empty reply says nothing', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    await review.send(null);
    expect(gate.given('send_reply'), 'an empty reply isn’t sent').toEqual([]);
    expect(review.reply?.hint, 'and the person is told').toContain('Nothing to send');
  });

  it('hides after the last answer, unless another request comes', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    await review.send('approved');
    expect(review.farewell.standing, 'everything is answered').toBe(true);
    gate.add(view('b'));
    await vi.advanceTimersByTimeAsync(FAREWELL * 2);
    expect(gate.hidden, 'a new request keeps the window').toBe(0);
    expect(review.reply?.id, 'and is shown').toBe('b');
    await review.send('approved');
    await vi.advanceTimersByTimeAsync(FAREWELL);
    expect(gate.hidden, 'now it hides').toBe(1);
  });

  it('says that all is answered until the window is gone, and is seen where it can’t go', async () => {
    const gate = new FakeGate([view('a')]);
    let goes: (fault: unknown) => void = () => undefined;
    gate.hideWindow = () => new Promise((_, fail) => (goes = fail));
    const review = await started(gate);
    await review.send('approved');
    await vi.advanceTimersByTimeAsync(FAREWELL);
    expect([review.farewell.standing, review.hidden], 'it is on its way').toEqual([true, true]);
    goes(fault('internal'));
    await settle();
    expect([review.farewell.standing, review.hidden], 'it is still there').toEqual([false, false]);
    expect(review.fault?.code).toBe('internal');
  });

  it('keeps everything when the gate refuses', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    review.reply?.write('precious');
    gate.meddle = (command) => (command.command === 'send_reply' ? fault('disk_full') : undefined);
    await review.send(null);
    expect(review.reply?.text, 'the text stays').toBe('precious');
    expect(review.reply?.fault?.code, 'and the fault is shown').toBe('disk_full');
    await vi.advanceTimersByTimeAsync(300);
    expect(gate.given('save_draft').at(-1)?.draft.text, 'and it is saved as a draft').toBe('precious');
  });

  it('names the question that is on the screen, and shows another one that took its place', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    review.reply?.write('yes, but');
    const another = view('a', { digest: 'digest of another', summary: summary('a', { title: 'Another' }) });
    gate.alter(another);
    gate.emit({ event: 'request_changed', request: another.summary });
    await review.send('approved');
    expect(
      gate.given('send_reply').map((each) => each.digest),
      'not the one that it asks by now',
    ).toEqual(['digest of a']);
    expect(review.queue.length, 'nothing was answered').toBe(1);
    const { reply } = review;
    expect([reply?.view.digest, reply?.open], 'what it asks is shown').toEqual(['digest of another', true]);
    expect([reply?.text, reply?.fault?.code], 'with the words, and why').toEqual([
      'yes, but',
      'changed_question',
    ]);
    await review.send('approved');
    expect(gate.given('send_reply').at(-1)?.digest, 'now the person has seen it').toBe('digest of another');
    expect(review.queue, 'and it is answered').toEqual([]);
  });

  it('keeps what was written where another question took its place and nothing can be saved', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    review.reply?.write('precious');
    gate.alter(view('a', { digest: 'digest of another' }));
    gate.meddle = (command) => (command.command === 'save_draft' ? fault('disk_full') : undefined);
    await review.send(null);
    expect([review.reply?.text, review.reply?.view.digest], 'it stays as it was').toEqual([
      'precious',
      'digest of a',
    ]);
    expect(review.reply?.fault?.code, 'and says why it was not sent').toBe('changed_question');
  });

  it('shows what it asks by now when the person is back', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    gate.alter(view('a', { digest: 'digest of another' }));
    review.focused();
    await settle();
    expect(review.reply?.view.digest).toBe('digest of another');
  });

  it('asks nothing anew as the window comes up with what it was just given', async () => {
    const gate = new FakeGate([]);
    const review = await started(gate);
    review.vanished();
    gate.add(view('a'), false);
    await settle();
    review.focused();
    await settle();
    expect([review.reply?.id, gate.given('open_request')]).toEqual(['a', []]);
    await vi.advanceTimersByTimeAsync(1_000);
    review.focused();
    await settle();
    expect(gate.given('open_request').length, 'later it may have been written on elsewhere').toBe(1);
  });

  it('takes its own closing event for what it is', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    const reply = review.reply;
    gate.meddle = (command) => {
      if (command.command === 'send_reply')
        gate.emit({ event: 'request_closed', request_id: 'a', status: 'answered', undo_until: null });
    };
    await review.send('approved');
    expect(reply?.closed, '“answered from elsewhere” would be wrong').toBeNull();
    expect(review.farewell.standing, 'it was this window').toBe(true);
  });
});

describe('a withdrawn request', () => {
  it('stays open with its draft, and can’t be answered', async () => {
    const gate = new FakeGate([view('a'), view('b')]);
    const review = await started(gate);
    review.reply?.write('my words');
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
    expect(review.reply?.closed, 'the banner says that it was withdrawn').toBe('cancelled');
    expect(review.reply?.text, 'the words are still there').toBe('my words');
    await review.send('approved');
    expect(gate.given('send_reply'), 'nothing can be sent any more').toEqual([]);
    await review.step(1);
    expect(review.reply?.id, 'the next one waits').toBe('b');
  });

  it('that others answered says so', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'answered', undo_until: null });
    expect(review.reply?.closed, 'someone answered at a terminal').toBe('answered');
    await review.step(1);
    expect(review.reply, 'after it nothing is left').toBeNull();
  });
});

describe('an answer from elsewhere', () => {
  const record = new FakeRecord(0);
  record.entries = [entry('session-a')];
  const paragraph = (text: string): MessageView['text'] => ({
    blocks: [{ kind: 'paragraph', children: [{ kind: 'text', text }] }],
    rest: null,
  });
  const replied = (over: Partial<MessageView> = {}) =>
    message(2, { request_id: 'a', answered_from: 'desktop', text: { blocks: [], rest: null }, ...over });

  /** What the window knows of a reply that came from elsewhere, after these words were written here. */
  async function after(words: string, reply: MessageView, over: Partial<RequestView> = {}) {
    const gate = new FakeGate([view('a', over)]);
    record.messages = [message(1, { request_id: 'a' }), reply];
    gate.record = record.answer;
    const review = await started(gate);
    if (words) review.reply?.write(words);
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'answered', undo_until: null });
    await vi.dynamicImportSettled();
    await settle();
    return review.reply?.answered;
  }

  it('says which window or program it came from, and what was decided', async () => {
    const unsent = false;
    expect(await after('', replied({ decision: 'approved' }))).toEqual({
      ...{ decision: 'approved', where: 'main', unsent },
    });
    expect(await after('', replied({ answered_from: 'terminal' }))).toEqual({
      ...{ decision: null, where: 'terminal', unsent },
    });
    expect(await after('', replied({ answered_from: 'notification' }))).toEqual({
      ...{ decision: null, where: 'notification', unsent },
    });
  });

  it('says that what was written here was not sent, only where it was not', async () => {
    const hello = replied({ text: paragraph('Hello, you.') });
    expect((await after('Something else', hello))?.unsent, 'it is still here').toBe(true);
    expect((await after('Hello, **you**.', hello))?.unsent, 'another window has sent it').toBe(false);
    expect((await after('', hello))?.unsent, 'nothing was written').toBe(false);
  });

  it('is one from elsewhere where the record doesn’t say more', async () => {
    expect(await after('', message(4))).toEqual({ decision: null, where: 'elsewhere', unsent: false });
  });
});

describe('later', () => {
  it('hides the window, saves, and answers nothing', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    review.reply?.write('not yet');
    await review.later();
    await settle();
    expect(gate.hidden, 'the window goes').toBe(1);
    expect(gate.given('save_draft').at(-1)?.draft.text, 'the draft is saved without waiting').toBe('not yet');
    expect([...gate.given('send_reply'), ...gate.given('dismiss')], 'and nothing is answered').toEqual([]);
  });
});
