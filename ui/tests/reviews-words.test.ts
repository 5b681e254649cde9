// What the person writes in reviews: nothing of it is lost, and it stands where it was meant. Rendered whole over a
// recording gate.
import { cleanup, fireEvent, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { carried, restOf } from '../src/reviews/carry';
import { addedRows, file } from './diff-rows';
import { fault } from './fake-gate';
import { FakeReviews, review, reviewView, thread } from './fake-reviews';
import { comments, focused, reads, round, rows, shown } from './reviews-page';

afterEach(cleanup);

const value = (id: string) => (screen.queryByTestId(id) as HTMLTextAreaElement | null)?.value;
const said = (gate: { given(command: 'comment_review'): unknown[] }) => gate.given('comment_review').length;

/** Lets a command wait until it is let go. */
function held(): { until: Promise<void>; go: () => void } {
  let go = () => {};
  const until = new Promise<void>((resolve) => (go = resolve));
  return { until, go };
}

describe('a comment on a round that isn’t the newest any more', () => {
  const begun = review('one', { round: 2, event: 3 });
  const next = { ...begun, round: 3, event: 4 };

  /** A comment was begun on round 2, and round 3 has come. */
  async function late(third: Parameters<typeof reviewView>[1] = {}) {
    const reviews = new FakeReviews(reviewView(begun));
    const { gate, press } = await shown(reviews);
    await reads('one');
    const field = await comments('Why?', press);
    const place = reviewView(begun).diff;
    reviews.set(reviewView(next, third));
    reviews.diffs.set('one 2', place);
    gate.emit({ event: 'review_changed', review: next });
    await screen.findByTestId('review-draft-late');
    return { gate, press, field };
  }

  it('isn’t sent, and says so', async () => {
    const { gate, field } = await late();
    expect(screen.getByTestId('review-draft-late').textContent).toContain('Round 3 has come');
    expect(field.value, 'its words stay').toBe('Why?');
    expect(
      screen.queryByTestId('review-comment-send'),
      'it would stand on a round that nobody read',
    ).toBeNull();
    await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
    expect(said(gate), 'nor by its key').toBe(0);
  });

  it('is carried over to the same line, which may stand elsewhere', async () => {
    const lines = ['a new first line', '    unchanged(3, "some words of code");', 'and more'];
    const { gate } = await late({ diff: { files: [file(addedRows(lines))] } });
    await fireEvent.click(screen.getByTestId('review-comment-carry'));
    await expect.poll(round).toBe('3');
    await expect.poll(() => value('review-comment-text'), { message: 'with its words' }).toBe('Why?');
    await expect.poll(focused, { message: 'the keys are at it' }).toBe('review-comment-text');
    await fireEvent.click(screen.getByTestId('review-comment-send'));
    await expect
      .poll(() => gate.given('comment_review').map(({ place, round }) => [place, round]))
      .toEqual([[{ file: 'src/one.rs', line: 2, side: 'new' }, 3]]);
    expect(screen.queryByTestId('review-unsent-round'), 'none is left behind').toBeNull();
  });

  it('goes into the message to all where its file is gone', async () => {
    await late({ diff: { files: [{ ...file(addedRows(['x'])), old_path: 'other', new_path: 'other' }] } });
    await fireEvent.click(screen.getByTestId('review-comment-carry'));
    await expect.poll(() => value('review-text')).toContain('Why?');
    expect(value('review-text'), 'which says what it is about').toMatch(
      /^On src\/one\.rs(:\d+)? of round 2:/,
    );
    await expect.poll(focused).toBe('review-text');
  });

  it('is carried over even while something else happens to the review', async () => {
    const { gate } = await late();
    const looking = held();
    gate.meddle = ({ command }) => (command === 'review' ? looking.until : undefined);
    await fireEvent.click(screen.getByTestId('review-comment-carry'));
    gate.emit({ event: 'review_changed', review: { ...next, event: 5 } });
    looking.go();
    await expect.poll(round, { message: 'the round that was asked for' }).toBe('3');
    await expect.poll(() => value('review-comment-text'), { message: 'with its words' }).toContain('Why?');
  });

  it('is found again from the newer round', async () => {
    await late();
    await fireEvent.click(screen.getByTestId('review-newest'));
    await expect.poll(round).toBe('3');
    expect(screen.queryByTestId('review-comment-text'), 'it was written on another round').toBeNull();
    const note = screen.getByTestId('review-unsent-round');
    expect(note.textContent).toContain('1 comment on round 2 isn’t sent.');
    await fireEvent.click(within(note).getByRole('button'));
    await expect.poll(round).toBe('2');
    await expect.poll(() => value('review-comment-text')).toBe('Why?');
  });
});

describe('what is typed', () => {
  it('while a message is sent stays', async () => {
    const { gate, press } = await shown(new FakeReviews(reviewView(review('one'))));
    await reads('one');
    await press('r');
    const field = screen.getByTestId('review-text') as HTMLTextAreaElement;
    await fireEvent.input(field, { target: { value: 'Wait.' } });
    const sending = held();
    gate.meddle = ({ command }) => (command === 'comment_review' ? sending.until : undefined);
    await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
    await fireEvent.input(field, { target: { value: 'Wait. And one thing more' } });
    sending.go();
    await expect.poll(() => field.value, { message: 'only what was sent goes' }).toBe('And one thing more');
  });

  it('in a comment that is being sent stays', async () => {
    const { gate, press } = await shown(new FakeReviews(reviewView(review('one'))));
    await reads('one');
    const field = await comments('Why?', press);
    const sending = held();
    gate.meddle = ({ command }) => (command === 'comment_review' ? sending.until : undefined);
    await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
    await fireEvent.input(field, { target: { value: 'Why? Since when?' } });
    sending.go();
    await expect.poll(() => screen.queryByTestId('review-thread')?.textContent).toContain('Why?');
    expect(value('review-comment-text')).toBe('Since when?');
  });

  it('stays when the review ends, and can be copied', async () => {
    const of = review('one', { event: 2 });
    const reviews = new FakeReviews(reviewView(of));
    const { gate, press } = await shown(reviews);
    await reads('one');
    await comments('On this line', press);
    await fireEvent.input(screen.getByTestId('review-text'), { target: { value: 'To all' } });
    const over = { ...of, event: 3, status: 'closed' as const, outcome: 'withdrawn' as const };
    reviews.set(reviewView(over));
    gate.emit({ event: 'review_changed', review: over });
    await screen.findByTestId('review-over');
    expect(value('review-text'), 'what was written to all').toBe('To all');
    expect(value('review-comment-text'), 'what was written on a line').toBe('On this line');
    expect(screen.getByTestId('review-over-unsent').textContent).toContain('wasn’t sent');
    expect(screen.getAllByRole('button', { name: 'Copy what you wrote' }).length, 'each of them').toBe(2);
    expect(screen.queryByTestId('review-send'), 'it can’t be sent').toBeNull();
    await fireEvent.click(screen.getByTestId('review-discard'));
    await expect.poll(() => screen.queryByTestId('review-text')).toBeNull();
  });

  it('and discarded can be brought back', async () => {
    const { press } = await shown(new FakeReviews(reviewView(review('one'))));
    await reads('one');
    await comments('Why?', press);
    await fireEvent.click(screen.getByTestId('review-comment-discard'));
    await expect.poll(() => screen.queryByTestId('review-comment-text')).toBeNull();
    await fireEvent.click(await screen.findByTestId('toast-action'));
    await expect.poll(() => value('review-comment-text')).toBe('Why?');
  });

  it('and discarded can be brought back from another review, too', async () => {
    const { press } = await shown(new FakeReviews(reviewView(review('one')), reviewView(review('two'))));
    await reads('two');
    await comments('Why?', press);
    await fireEvent.click(screen.getByTestId('review-comment-discard'));
    const other = screen.getAllByTestId('review-row')[rows().indexOf('one')] as HTMLElement;
    await fireEvent.click(other);
    await reads('one');
    await fireEvent.click(await screen.findByTestId('toast-action'));
    const row = screen.getAllByTestId('review-row')[rows().indexOf('two')] as HTMLElement;
    await expect.poll(() => row.textContent, { message: 'its row says so' }).toContain('not sent');
    await fireEvent.click(row);
    await reads('two');
    await expect.poll(() => value('review-comment-text')).toBe('Why?');
  });

  it('stays where the gate knows of a newer round before the window does', async () => {
    const { gate, press } = await shown(new FakeReviews(reviewView(review('one'))));
    await reads('one');
    const field = await comments('Why?', press);
    gate.meddle = ({ command }) => (command === 'comment_review' ? fault('stale_round') : undefined);
    const looked = gate.given('review').length;
    await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
    expect((await screen.findByTestId('fault')).dataset['code']).toBe('stale_round');
    expect(value('review-comment-text')).toBe('Why?');
    await expect
      .poll(() => gate.given('review').length, { message: 'it is looked at again' })
      .toBeGreaterThan(looked);
  });
});

describe('Escape', () => {
  it('leaves a draft and no more', async () => {
    const { press } = await shown(new FakeReviews(reviewView(review('one'))));
    await reads('one');
    const field = await comments('Why?', press);
    await fireEvent.keyDown(field, { key: 'Escape' });
    await expect.poll(focused, { message: 'back at the lines' }).toBe('diff');
    expect(value('review-comment-text'), 'the words stay').toBe('Why?');
    const discard = screen.getByTestId('review-comment-discard');
    discard.focus();
    await fireEvent.keyDown(discard, { key: 'Escape' });
    await expect.poll(focused, { message: 'nor from its buttons' }).toBe('diff');
  });

  it('keeps a question open to nobody else: of a patch, of the end', async () => {
    const of = review('one');
    const offered = { patch_id: 'p', round: 1, description: null, approves: false, status: 'open' as const };
    const by = { author: 'Cursor', pool: false, created_at: of.created_at };
    await shown(new FakeReviews(reviewView(of, { patches: [{ ...offered, ...by }] })));
    await reads('one');
    await fireEvent.click(screen.getByTestId('patch-reject'));
    await expect.poll(focused).toBe('patch-cancel');
    await fireEvent.keyDown(screen.getByTestId('patch-cancel'), { key: 'Escape' });
    await expect
      .poll(focused, { message: 'the question is gone, the patch has the keys' })
      .toBe('patch-reject');
    await fireEvent.click(screen.getByTestId('review-end'));
    await expect.poll(focused).toBe('review-keep');
    await fireEvent.keyDown(screen.getByTestId('review-keep'), { key: 'Escape' });
    await expect.poll(focused).toBe('review-end');
  });
});

describe('after an act the keys are somewhere sensible', () => {
  it('when what had them is gone', async () => {
    const of = review('one', { status: 'awaiting_person', turn: 'person', event: 1 });
    const reviews = new FakeReviews(reviewView(of, { threads: [thread('here')] }));
    const { gate } = await shown(reviews);
    await reads('one');
    const back = screen.getByTestId('review-give-back');
    back.focus();
    const given = review('one', { event: 2 });
    gate.meddle = ({ command }) => {
      if (command === 'give_back_review') reviews.set(reviewView(given, { threads: [thread('here')] }));
    };
    await fireEvent.click(back);
    await expect.poll(focused, { message: 'the button that stands in its place' }).toBe('review-take');
    const resolve = screen.getByTestId('review-resolve');
    resolve.focus();
    await fireEvent.click(resolve);
    await expect.poll(focused, { message: 'the row that the thread is now' }).toBe('review-thread-fold');
    gate.meddle = ({ command }) => {
      if (command === 'end_review')
        reviews.set(reviewView(review('one', { event: 3, status: 'closed', outcome: 'withdrawn' })));
    };
    await fireEvent.click(screen.getByTestId('review-end'));
    screen.getByTestId('review-end-yes').focus();
    await fireEvent.click(screen.getByTestId('review-end-yes'));
    await screen.findByTestId('review-over');
    await expect.poll(focused, { message: 'the review as a whole' }).toBe('review');
  });

  it('when it was refused: at what was pressed', async () => {
    const { gate } = await shown(new FakeReviews(reviewView(review('one'))));
    await reads('one');
    gate.meddle = ({ command }) => (command === 'take_review' ? fault('internal') : undefined);
    const take = screen.getByTestId('review-take');
    take.focus();
    await fireEvent.click(take);
    await screen.findByTestId('fault');
    expect(focused()).toBe('review-take');
  });
});

describe('pure', () => {
  const place = (line: number, start_line?: number) => ({
    ...{ file: 'src/one.rs', side: 'new' as const, line },
    ...(start_line === undefined ? {} : { start_line }),
  });

  it('a place is found again by its lines, the nearest of several', () => {
    const from = [file(addedRows(['a', 'b', 'c']))];
    const to = [file(addedRows(['b', 'c', 'x', 'y', 'b', 'c']))];
    expect(carried(place(3, 2), from, to)).toEqual({ kind: 'lines', place: place(2, 1) });
    expect(carried(place(1), from, to), 'else it stands at the file, with the line').toEqual({
      kind: 'file',
      place: place(0),
      quoted: '```\na\n```',
    });
    expect(carried(place(2), from, []).kind, 'or nowhere').toBe('gone');
    const fenced = [file(addedRows(['````']))];
    expect(carried(place(1), fenced, []), 'a quote ends where it ends').toEqual({
      kind: 'gone',
      quoted: '`````\n````\n`````',
    });
  });

  it('what was typed while words were sent stays', () => {
    expect(restOf('One', 'One')).toBe('');
    expect(restOf('One. Two', 'One. ')).toBe('Two');
    expect(restOf('Another', 'One'), 'what was changed within stays whole').toBe('Another');
  });
});
