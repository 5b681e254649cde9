// Taking back what was just done: a reply that is held, a request that was put off.
import { fireEvent, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FAREWELL } from '../src/review/farewell.svelte';
import { Review } from '../src/review/review.svelte';
import { holdLeft } from '../src/reply/undoables.svelte';
import { AnsweringGate, reply, shown, type } from './answering-help';
import { fault, summary, view } from './fake-gate';

const settle = () => vi.advanceTimersByTimeAsync(0);
const notes = () => screen.queryAllByTestId('undo-note');

describe('a reply that is held', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function started(gate: AnsweringGate): Promise<Review> {
    const review = new Review(gate);
    await review.start();
    return review;
  }

  it('keeps the window for as long as it can be taken back', async () => {
    const gate = new AnsweringGate([view('a')]);
    const review = await started(gate);
    await review.send('approved');
    expect(review.undoables.list.map((item) => item.request.request_id)).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(4_900);
    expect(gate.hidden, 'whoever wants to take it back needs the window').toBe(0);
    await vi.advanceTimersByTimeAsync(200);
    expect(review.undoables.list, 'its time is over').toEqual([]);
    await vi.advanceTimersByTimeAsync(FAREWELL);
    expect(gate.hidden, 'then it hides').toBe(1);
  });

  it('lets Escape hide the window at once', async () => {
    const gate = new AnsweringGate([view('a')]);
    const review = await started(gate);
    await review.send('approved');
    await review.later();
    expect(gate.hidden).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(gate.hidden, 'and not once more, when somebody has opened it again').toBe(1);
  });

  it('comes back with its draft, and can be sent anew', async () => {
    const gate = new AnsweringGate([view('a'), view('b')]);
    const review = await started(gate);
    review.reply?.write('too soon');
    await review.send('changes_requested');
    expect(review.reply?.id, 'the next one is there').toBe('b');
    review.reply?.write('half');
    await review.undo();
    expect(review.reply?.id, 'what was sent is back').toBe('a');
    expect(review.reply?.text, 'with its words').toBe('too soon');
    expect(review.queue.map((each) => each.request_id).sort(), 'both wait').toEqual(['a', 'b']);
    await review.step(1);
    expect(review.reply?.text, 'nothing of the other one is lost').toBe('half');
    await review.step(1);
    await review.send('approved');
    expect(
      gate.given('send_reply').map((each) => each.decision),
      'and the second answer is another',
    ).toEqual(['changes_requested', 'approved']);
  });

  it('is lost to nobody when it is too late', async () => {
    const gate = new AnsweringGate([view('a')]);
    const review = await started(gate);
    review.reply?.write('words');
    await review.send(null);
    gate.ends('a');
    await review.undo();
    const [item] = review.undoables.list;
    expect(item?.fault?.code, 'the person is told').toBe('not_pending');
    expect(gate.given('send_reply').length, 'the reply stands as it was sent').toBe(1);
    expect(review.undoables.last, 'and can’t be taken back once more').toBeUndefined();
    await vi.advanceTimersByTimeAsync(6_000);
    expect(gate.hidden, 'the window stays while there is something to read').toBe(0);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(gate.hidden, 'then it goes').toBe(1);
  });

  it('goes at once when it is told to', async () => {
    const gate = new AnsweringGate([view('a')]);
    const review = await started(gate);
    await review.send('approved');
    const [item] = review.undoables.list;
    if (!item) throw new Error('it is held');
    await review.sendNow(item);
    expect(gate.given('send_now')).toEqual([{ command: 'send_now', request_id: 'a' }]);
    expect(review.undoables.list).toEqual([]);
    await vi.advanceTimersByTimeAsync(FAREWELL);
    expect(gate.hidden, 'nothing keeps the window').toBe(1);
  });

  it('can’t be taken back after the gate has said that its agent has it', async () => {
    const gate = new AnsweringGate([view('a'), view('b')]);
    const review = await started(gate);
    await review.send('approved');
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'answered', undo_until: null });
    expect(review.undoables.list, 'the same event without a time ends it').toEqual([]);
  });

  it('shows nothing where nothing is held', async () => {
    const gate = new AnsweringGate([view('a')]);
    gate.settings = { ...gate.settings, undo_seconds: 0 };
    const review = await started(gate);
    await review.send('approved');
    expect(review.undoables.list).toEqual([]);
    await vi.advanceTimersByTimeAsync(FAREWELL);
    expect(gate.hidden, 'and the window hides as ever').toBe(1);
  });

  it('waits again in every window when another one took it back', async () => {
    const gate = new AnsweringGate([view('a'), view('b')]);
    const review = await started(gate);
    const other = view('a', { draft: { ...view('a').draft, text: 'from there' } });
    gate.emit({
      event: 'request_closed',
      request_id: 'a',
      status: 'answered',
      undo_until: '2126-01-01T00:00:00Z',
    });
    expect(review.reply?.closed, 'answered elsewhere').toBe('answered');
    expect(review.undoables.list, 'what others sent isn’t taken back here').toEqual([]);
    gate.emit({ event: 'request_added', request: other.summary, view: other, again: true });
    await settle();
    expect(review.reply?.closed, 'it waits again').toBeNull();
    expect(review.reply?.text, 'as it was sent').toBe('from there');
  });

  it('takes two back, the last one first', async () => {
    const gate = new AnsweringGate([view('a'), view('b'), view('c')]);
    const review = await started(gate);
    await review.send('approved');
    await review.send('approved');
    await review.undo();
    expect(review.reply?.id).toBe('b');
    await review.undo();
    expect(review.reply?.id).toBe('a');
  });

  it('measures by its own clock where the gate’s is another', () => {
    const now = Date.parse('2026-11-21T10:00:00Z');
    expect(holdLeft('2026-11-21T10:00:03Z', now, 5), 'what is left').toBe(3_000);
    expect(holdLeft('2026-11-21T09:00:03Z', now, 5), 'a clock that is behind').toBe(5_000);
    expect(holdLeft('2026-11-21T11:00:03Z', now, 5), 'one that is ahead').toBe(5_000);
  });
});

describe('a request that is put off', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('makes room for the next one, keeps its draft and comes back when it is due', async () => {
    const gate = new AnsweringGate([view('a'), view('b')]);
    const review = new Review(gate);
    await review.start();
    review.reply?.write('not yet');
    await review.snooze('2126-01-01T00:00:00Z');
    expect(gate.given('snooze')[0]).toEqual({
      command: 'snooze',
      request_id: 'a',
      until: '2126-01-01T00:00:00Z',
    });
    expect(review.reply?.id, 'the next').toBe('b');
    expect(
      review.waiting.map((each) => each.request_id),
      'it doesn’t count',
    ).toEqual(['b']);
    await settle();
    expect(gate.given('save_draft').at(-1)?.draft.text, 'the draft is saved').toBe('not yet');
    await review.send('approved');
    expect(review.reply, 'nothing else waits').toBeNull();
    gate.emit({ event: 'request_due', request_id: 'a' });
    await settle();
    expect(review.reply?.id, 'it is due').toBe('a');
    expect(review.reply?.text).toBe('not yet');
  });

  it('is taken up again by Undo', async () => {
    const gate = new AnsweringGate([view('a')]);
    const review = new Review(gate);
    await review.start();
    await review.snooze(null);
    expect(review.farewell.standing, 'nothing else waits').toBe(true);
    await review.undo();
    expect(gate.given('wake').length).toBe(1);
    expect(review.reply?.id).toBe('a');
    expect(review.waiting.length).toBe(1);
  });

  it('is left alone by Later in the inbox, which goes on to the next one', async () => {
    const gate = new AnsweringGate([view('a'), view('b')]);
    const review = new Review(gate, Date.now, 'inbox');
    await review.start();
    await review.later();
    expect(review.reply?.id).toBe('b');
    expect(gate.hidden, 'the main window stays').toBe(0);
    expect(gate.given('snooze'), 'and nothing is put off').toEqual([]);
  });

  it('stays where it is when the gate refuses', async () => {
    const gate = new AnsweringGate([view('a'), view('b')]);
    const review = new Review(gate);
    await review.start();
    gate.meddle = (command) => (command.command === 'snooze' ? fault('database') : undefined);
    await review.snooze(null);
    expect(review.reply?.id).toBe('a');
    expect(review.reply?.fault?.code).toBe('database');
  });
});

describe('on the page', () => {
  it('the note counts, Ctrl+Z takes it back, and typing keeps its own undo', async () => {
    const gate = new AnsweringGate([
      view('a'),
      view('b', { summary: summary('b', { approval: false, created_at: '2026-11-21T10:00:00Z' }) }),
    ]);
    const { review, press } = await shown(gate);
    await type('first');
    await fireEvent.click(screen.getByTestId('approve'));
    await expect
      .poll(() => notes()[0]?.textContent?.replace(/\s+/g, ' '))
      .toMatch(/Approved “Title of a”.*Undo \([45] s\).*Send now/);
    await expect.poll(() => review.reply?.id).toBe('b');
    await type('something of its own');
    await press('z', { ctrlKey: true }, reply());
    expect(gate.given('undo_reply'), 'that undoes what was typed').toEqual([]);
    await press('z', { ctrlKey: true });
    await expect.poll(() => screen.getByTestId('request-title').textContent).toBe('Title of a');
    expect(reply().value).toBe('first');
    expect(notes(), 'the note has done its work').toEqual([]);
  });

  it('the note names what was decided of which request, without the marks of its code', async () => {
    const title = 'Use `serde` for the settings, the record and everything that is sent?';
    const gate = new AnsweringGate([
      view('a', { summary: summary('a', { title }) }),
      view('b', { summary: summary('b', { approval: false, created_at: '2026-11-21T10:00:00Z' }) }),
    ]);
    const { review } = await shown(gate);
    await review.send('changes_requested');
    const said = () => notes().map((each) => each.querySelector('.text')?.textContent.trim());
    await expect
      .poll(said)
      .toEqual(['Changes requested: “Use serde for the settings, the record and every…”']);
    await type('so be it');
    await review.send(null);
    await expect.poll(() => said().at(-1)).toBe('Replied to “Title of b”');
  });

  it('Ctrl+Z in a reply that nobody has touched takes the one before back', async () => {
    const gate = new AnsweringGate([
      view('a'),
      view('b', { summary: summary('b', { approval: false, created_at: '2026-11-21T10:00:00Z' }) }),
    ]);
    const { review, press } = await shown(gate);
    await fireEvent.click(screen.getByTestId('approve'));
    await expect.poll(() => review.reply?.id).toBe('b');
    await tick();
    expect(document.activeElement, 'writing begins by itself there').toBe(reply());
    await press('z', { ctrlKey: true }, reply());
    await expect.poll(() => review.reply?.id).toBe('a');
  });

  it('says on the farewell too what went wrong', async () => {
    const gate = new AnsweringGate([view('a')]);
    await shown(gate);
    await fireEvent.click(screen.getByTestId('approve'));
    await screen.findByTestId('all-answered');
    gate.ends('a');
    await fireEvent.click(await screen.findByTestId('undo-send'));
    await expect.poll(() => notes()[0]?.textContent).toContain('It failed: not_pending. Mend it.');
    expect(document.body.textContent, 'no marks of code are read aloud either').not.toContain('`');
    expect(screen.getByTestId('all-answered'), 'and nothing else changes').toBeTruthy();
  });

  it('offers times to come back, by keys too', async () => {
    const gate = new AnsweringGate([view('a', { options: [{ label: 'x' }] }), view('b')]);
    const { review, press } = await shown(gate);
    await press('s');
    await expect.poll(() => document.activeElement?.getAttribute('data-testid')).toBe('snooze-quarter');
    const before = Date.now();
    await fireEvent.keyDown(document.activeElement as Element, { key: '2' });
    await expect.poll(() => gate.given('snooze').length).toBe(1);
    const until = Date.parse(gate.given('snooze')[0]?.until ?? '');
    expect(Math.round((until - before) / 60_000), 'the second is an hour').toBe(60);
    expect(gate.given('save_draft'), 'and chose no option').toEqual([]);
    await expect.poll(() => review.reply?.id).toBe('b');
    expect(notes()[0]?.textContent).toContain('“Title of a” is put off until');
  });

  it('shows what was put off where nothing else waits', async () => {
    const put = summary('a', { snoozed: { until: '2126-01-01T00:00:00Z' } });
    const { review } = await shown(new AnsweringGate([view('a', { summary: put })]));
    expect(screen.getByTestId('empty-state'), 'nothing waits').toBeTruthy();
    await fireEvent.click(screen.getByText('Title of a'));
    await expect.poll(() => review.reply?.id).toBe('a');
    expect(screen.getByTestId('snoozed').textContent).toContain('put off until');
    await fireEvent.click(screen.getByTestId('snooze'));
    await fireEvent.click(screen.getByTestId('wake'));
    await expect.poll(() => screen.queryByTestId('snoozed')).toBeNull();
  });
});
