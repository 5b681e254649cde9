// Typing is never lost: saving, failing, switching, attaching.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LONGEST, PAUSE } from '../src/reply/draft-lane';
import { ATTACHMENT_BYTES, ATTACHMENTS } from '../src/reply/rules';
import { Review } from '../src/review/review.svelte';
import { FakeGate, fault, view } from './fake-gate';

async function started(gate: FakeGate): Promise<Review> {
  const review = new Review(gate);
  await review.start();
  return review;
}

describe('a draft', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is saved after a pause and restored when its request is opened again', async () => {
    const options = [{ label: 'x' }, { label: 'y' }];
    const gate = new FakeGate([view('a', { options })]);
    const review = await started(gate);
    review.reply?.write('h');
    review.reply?.write('hello');
    review.reply?.toggle('y');
    expect(gate.given('save_draft'), 'not at every key').toEqual([]);
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect(
      gate.given('save_draft').map((each) => each.draft.text),
      'once, with the newest',
    ).toEqual(['hello']);
    expect(review.reply?.saveState, 'and the person sees it').toBe('saved');

    const again = await started(gate);
    expect(again.reply?.text, 'the text is back').toBe('hello');
    expect(again.reply?.selected, 'and the choice').toEqual(['y']);
  });

  it('is stored every second while somebody types without a pause, and says so when they rest', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    const said = new Set<string | undefined>();
    let text = '';
    for (let typed = 0; typed < 5_000; typed += 100) {
      text += 'x';
      review.reply?.write(text);
      await vi.advanceTimersByTimeAsync(100);
      const stored = gate.given('save_draft').at(-1)?.draft.text.length ?? 0;
      expect(text.length - stored, 'a kill takes no more than a second').toBeLessThan(10);
      said.add(review.reply?.saveState);
    }
    expect(gate.given('save_draft').length, 'not at every key').toBeLessThan(10);
    expect([...said], 'it doesn’t flicker meanwhile').toEqual(['saving']);
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect(gate.given('save_draft').at(-1)?.draft.text, 'all of it').toBe(text);
    expect(review.reply?.saveState).toBe('saved');
    await vi.advanceTimersByTimeAsync(LONGEST);
    expect(gate.given('save_draft').at(-2)?.draft.text, 'nothing is stored twice').not.toBe(text);
  });

  it('loses nothing when the person switches while a save is in flight', async () => {
    const gate = new FakeGate([view('a'), view('b')]);
    const review = await started(gate);
    const holds: (() => void)[] = [];
    gate.meddle = (command) =>
      command.command === 'save_draft' ? new Promise<void>((go) => holds.push(go)) : undefined;
    review.reply?.write('one');
    await vi.advanceTimersByTimeAsync(PAUSE);
    review.reply?.write('one two');
    await review.step(1);
    expect(review.reply?.id, 'the person is elsewhere').toBe('b');
    await review.step(-1);
    expect(review.reply?.text, 'and finds everything on coming back, though the gate is behind').toBe(
      'one two',
    );
    holds.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
    holds.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(
      gate.given('save_draft').map((each) => each.draft.text),
      'saves stay in order',
    ).toEqual(['one', 'one two']);
  });

  it('is tried again after a failure, and the fault is shown until then', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    let failing = true;
    gate.meddle = (command) => (command.command === 'save_draft' && failing ? fault('database') : undefined);
    review.reply?.write('stubborn');
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect(review.reply?.saveState, 'the person knows').toBe('failed');
    expect(review.reply?.saveFault?.code, 'and why').toBe('database');
    failing = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(review.reply?.saveState, 'it is saved by itself').toBe('saved');
    expect(review.reply?.saveFault, 'and the fault goes').toBeNull();
    expect(gate.given('save_draft').at(-1)?.draft.text, 'with what was typed').toBe('stubborn');
  });

  it('holds a comment before it is finished, and drops an empty one', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    const place = { file: 'src/a.rs', line: 7, side: 'new' as const };
    const comment = review.reply?.comment(place);
    if (!comment) throw new Error('a pending request takes comments');
    review.reply?.writeComment(comment, 'half');
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect(gate.given('save_draft').at(-1)?.draft.comments, 'unfinished words are words').toEqual([
      { ...place, body: 'half' },
    ]);
    review.reply?.writeComment(comment, '  ');
    review.reply?.finishComment(comment);
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect(gate.given('save_draft').at(-1)?.draft.comments, 'an empty comment says nothing').toEqual([]);
  });

  it('chooses one option or several, as the request allows', async () => {
    const options = [{ label: 'x' }, { label: 'y', recommended: true }, { label: 'z' }];
    const one = await started(new FakeGate([view('a', { options })]));
    expect(one.reply?.selected, 'a recommendation is no choice').toEqual([]);
    one.reply?.toggle('x');
    one.reply?.toggle('z');
    expect(one.reply?.selected, 'the later choice replaces the earlier').toEqual(['z']);
    one.reply?.toggle('z');
    expect(one.reply?.selected, 'and can be taken back').toEqual([]);
    const many = await started(new FakeGate([view('a', { options, allow_multiple: true })]));
    many.reply?.toggle('z');
    many.reply?.toggle('x');
    expect(many.reply?.selected, 'in the order of the request').toEqual(['x', 'z']);
  });
});

describe('attachments', () => {
  const file = (name: string) => new File(['abc'], name, { type: 'text/plain' });

  it('are stored as base64 and named in the draft', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    await review.reply?.attach([file('notes.txt')]);
    expect(gate.given('attach')[0], 'the bytes as they are').toMatchObject({
      name: 'notes.txt',
      data: 'YWJj',
    });
    expect(review.reply?.draft().attachments, 'the draft names it').toEqual(['file-1']);
  });

  it('that are too large or too many are refused here, each with its reason', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    const large = file('large.bin');
    Object.defineProperty(large, 'size', { value: ATTACHMENT_BYTES + 1 });
    await review.reply?.attach([
      large,
      ...Array.from({ length: ATTACHMENTS + 1 }, (_, index) => file(`${index}.txt`)),
    ]);
    const refused = review.reply?.files.filter((each) => each.state === 'refused') ?? [];
    expect(
      refused.map((each) => each.name),
      'the large one and the one too many',
    ).toEqual(['large.bin', `${ATTACHMENTS}.txt`]);
    expect(refused[0]?.problem, 'the bound is named').toContain('10 MiB');
    expect(refused[1]?.problem, 'and the other one too').toContain('20 files');
    expect(gate.given('attach').length, 'the others are attached').toBe(ATTACHMENTS);
  });

  it('hold the reply back until they are there, and arrive where they were chosen', async () => {
    const gate = new FakeGate([view('a'), view('b')]);
    const review = await started(gate);
    let release: () => void = () => undefined;
    const held = new Promise<void>((go) => (release = go));
    gate.meddle = (command) => (command.command === 'attach' ? held : undefined);
    const reply = review.reply;
    const attaching = reply?.attach([file('slow.txt')]);
    await review.send('approved');
    expect(gate.given('send_reply'), 'a reply without its file would be another reply').toEqual([]);
    expect(reply?.hint, 'and the person is told').toContain('being attached');
    await review.step(1);
    release();
    await attaching;
    expect(review.reply?.draft().attachments, 'not in the request that is shown now').toEqual([]);
    await review.step(-1);
    expect(review.reply?.draft().attachments, 'but in its own').toEqual(['file-1']);
  });

  it('that fail say why and don’t count', async () => {
    const gate = new FakeGate([view('a')]);
    const review = await started(gate);
    gate.meddle = (command) => (command.command === 'attach' ? fault('disk_full') : undefined);
    await review.reply?.attach([file('a.txt')]);
    expect(review.reply?.files[0]?.problem, 'the gate’s reason').toContain('disk_full');
    expect(review.reply?.draft().attachments, 'nothing to name').toEqual([]);
  });
});
