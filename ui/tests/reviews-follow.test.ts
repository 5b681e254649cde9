// What a review has from elsewhere: threads of earlier rounds at their lines, other reviews of the same files, what became of
// what was approved, and what the pool's programs did. Rendered whole over a recording gate.
import { cleanup, fireEvent, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import type { Followed } from '../src/generated/Followed';
import type { ReviewRun } from '../src/generated/ReviewRun';
import type { ReviewSummary } from '../src/generated/ReviewSummary';
import { dollars } from '../src/reviews/words';
import { fault } from './fake-gate';
import { FakeReviews, message, review, reviewView, thread } from './fake-reviews';
import { before } from './fake-record';
import { focused, reads, round, shown, title } from './reviews-page';

afterEach(cleanup);

const place = (line?: number, file = 'src/one.rs'): Followed['place'] =>
  line === undefined ? { file, side: 'new' } : { file, line, side: 'new' };
const threads = () => screen.queryAllByTestId('review-thread');
const odd = (node?: HTMLElement) =>
  [...(node?.querySelectorAll('[data-odd]') ?? [])].map((mark) => mark.getAttribute('data-label'));
const saying = (words: string) => threads().find((each) => each.textContent.includes(words));

describe('an open thread of an earlier round', () => {
  const of = review('one', { round: 2 });
  const earlier = (follows: Followed, file = 'src/one.rs') =>
    new FakeReviews(
      reviewView(of, { threads: [thread('earlier', { round: 1, place: place(2, file), follows })] }),
    );

  it('stands at its line, and says which round it is from', async () => {
    const { gate } = await shown(earlier({ place: place(3), quoted: [] }));
    await reads('one');
    const there = await within(screen.getByTestId('diff')).findByTestId('review-thread');
    expect(there.textContent).toContain('Said in earlier');
    expect(there.textContent, 'where it is now').toContain('line 3');
    expect(within(there).getByTestId('review-thread-from').textContent).toBe('from round 1');
    expect(screen.queryByTestId('review-elsewhere'), 'it is named once').toBeNull();
    await fireEvent.click(within(there).getByTestId('review-answer'));
    const field = await screen.findByTestId('review-comment-text');
    await fireEvent.input(field, { target: { value: 'Still.' } });
    await fireEvent.click(screen.getByTestId('review-comment-send'));
    await expect.poll(() => saying('Still.')?.textContent).toContain('Said in earlier');
    expect(gate.given('comment_review')[0], 'it is answered where it stands').toMatchObject({
      ...{ thread_id: 'earlier', place: null, round: null },
    });
  });

  it('leads to where it began', async () => {
    await shown(earlier({ place: place(3), quoted: [] }));
    await reads('one');
    await fireEvent.click(await screen.findByTestId('review-thread-from'));
    await expect.poll(round).toBe('1');
    await expect.poll(focused, { message: 'the keys are in it' }).toBe('review-answer');
    expect(screen.queryByTestId('review-thread-from'), 'it is at home there').toBeNull();
    expect(saying('Said in earlier')?.textContent).toContain('line 2');
  });

  it('stands at its file with the lines as they were, where these are gone', async () => {
    await shown(earlier({ place: place(), quoted: ['let gone = 1;', 'let\u200b hidden = 2;'] }));
    await reads('one');
    const there = await within(screen.getByTestId('diff')).findByTestId('review-thread');
    expect(there.textContent).toContain('aren’t in these changes any more');
    const quoted = within(there).getByTestId('review-thread-quoted');
    await expect.poll(() => quoted.textContent).toContain('let gone = 1;');
    await expect.poll(() => odd(quoted), { message: 'with what hides in them' }).toEqual(['U+200B']);
  });

  it('stands below the changes where these don’t have its file', async () => {
    const gone = 'docs/gone.md';
    await shown(earlier({ place: place(undefined, gone), quoted: ['# Gone'] }, gone));
    await reads('one');
    const below = await screen.findByTestId('review-loose');
    expect(below.textContent, 'where it was').toContain('docs/gone.md:2');
    expect(below.textContent).toContain('from round 1');
    expect(below.textContent).toContain('# Gone');
  });

  it('stays where it is when it is settled there', async () => {
    const reviews = earlier({ place: place(3), quoted: [] });
    const { gate } = await shown(reviews);
    await reads('one');
    const settled = thread('earlier', { round: 1, place: place(2), follows: null, resolved: true });
    await screen.findByTestId('review-thread-from');
    reviews.set(reviewView({ ...of, event: 2 }, { threads: [settled] }));
    gate.emit({ event: 'review_changed', review: { ...of, event: 2 } });
    await expect.poll(() => threads().map((each) => each.dataset['resolved'])).toEqual(['true']);
    expect(screen.queryByTestId('review-elsewhere'), 'nothing moves from under the eye').toBeNull();
  });

  it('is led to where it follows nobody', async () => {
    const settled = thread('earlier', { round: 1, resolved: true });
    await shown(new FakeReviews(reviewView(of, { threads: [settled] })));
    await reads('one');
    expect(screen.getByTestId('review-elsewhere').textContent).toContain('Said in earlier');
    expect(threads()).toEqual([]);
  });
});

describe('other reviews of the same files', () => {
  it('are named, and opened by their names', async () => {
    const [one, two] = [review('one'), review('two', { proposer: 'Cursor' })];
    await shown(new FakeReviews(reviewView(two), reviewView(one, { overlaps: [two] })));
    await fireEvent.click(await screen.findByText('Intent of one'));
    await reads('one');
    const line = screen.getByTestId('review-overlaps');
    expect(line.textContent).toContain('Another review changes these files, too:');
    const other = within(line).getByTestId('review-overlap');
    expect(other.title, 'whose it is, and how it stands').toBe('Cursor · Waits for a reviewer');
    await fireEvent.click(other);
    await reads('two');
    expect(screen.queryByTestId('review-overlaps'), 'this one was told of none').toBeNull();
    await expect.poll(focused, { message: 'the keys are in the review' }).toBe('review');
  });

  it('are looked for again when one comes, goes or has another round', async () => {
    const [one, two] = [review('one'), review('two')];
    const reviews = new FakeReviews(reviewView(one));
    const { gate } = await shown(reviews);
    await reads('one');
    reviews.set(reviewView(one, { overlaps: [two] }));
    gate.emit({ event: 'review_changed', review: two });
    await screen.findByTestId('review-overlaps');
    const looked = gate.given('review').length;
    gate.emit({ event: 'review_changed', review: { ...two, status: 'claimed', event: 2 } });
    expect(gate.given('review').length, 'that changes none of its files').toBe(looked);
    reviews.set(reviewView(one));
    gate.emit({ event: 'review_changed', review: { ...two, status: 'closed', event: 3 } });
    await expect.poll(() => screen.queryByTestId('review-overlaps')).toBeNull();
  });

  it('of any number take little room', async () => {
    const others = Array.from({ length: 9 }, (_, index) => review(`other-${index}`));
    await shown(new FakeReviews(reviewView(review('one'), { overlaps: others })));
    await reads('one');
    expect(screen.getAllByTestId('review-overlap').length).toBe(3);
    await fireEvent.click(screen.getByTestId('review-overlaps-more'));
    await expect.poll(() => screen.getAllByTestId('review-overlap').length).toBe(9);
    expect(document.activeElement?.textContent, 'the keys go on').toBe('Intent of other-3');
  });
});

describe('a round that is the same patch on another base', () => {
  it('has the approvals of agents, and says whose round they are of', async () => {
    const of = review('one', { round: 3, status: 'approved', turn: 'proposer', approved_by: 'agent' });
    const said = { by: 'agent' as const, pool: false, sure: false, created_at: before(90), reason: null };
    const view = reviewView(of, {
      verdicts: [
        { ...said, round: 1, decision: 'approved', author: 'Codex' },
        { ...said, round: 1, decision: 'comment', author: 'Cursor' },
        { ...said, round: 1, decision: 'approved', author: '', by: 'person', sure: true },
        { ...said, round: 3, decision: 'approved', author: 'Gemini CLI' },
      ],
    });
    view.rounds = view.rounds.map((each) => ({
      ...each,
      carried_from: each.round > 1 ? each.round - 1 : null,
    }));
    await shown(new FakeReviews(view));
    await fireEvent.click(await screen.findByTestId('reviews-decided'));
    await fireEvent.click(await screen.findByText('Intent of one'));
    await reads('one');
    expect(screen.getByTestId('review-carried').textContent).toContain('the same patch as round 2');
    const verdicts = screen.getAllByTestId('review-verdict').map((each) => each.textContent);
    expect(verdicts.length, 'neither another’s comment nor the person’s word').toBe(2);
    expect(verdicts[0]).toContain('Codex');
    expect(screen.getAllByTestId('review-round').map((each) => each.getAttribute('aria-label'))).toEqual([
      'Round 1, approved',
      'Round 2, approved',
      'Round 3, approved',
    ]);
  });
});

describe('what is said to be applied', () => {
  const applied = (over: Partial<ReviewSummary>) =>
    review('one', { status: 'closed', outcome: 'applied', turn: 'nobody', ...over });
  const became = () => screen.getByTestId('review-became').textContent;

  it('is told where it isn’t what was approved, with its files', async () => {
    const results = [
      { found: 'differs' as const, paths: ['src/a.rs'], extra: ['b\u202e.sql'] },
      { patch_id: 'patch', found: 'missing' as const },
    ];
    const found = { found: 'differs' as const, round: 1, commit: '7d04c19be2a83f60517c', results };
    await shown(new FakeReviews(reviewView(applied({ found: 'differs' }), { applied: found })));
    await fireEvent.click(await screen.findByTestId('reviews-decided'));
    await fireEvent.click(await screen.findByText('Intent of one'));
    const note = await screen.findByTestId('review-applied');
    expect(note.textContent).toContain('Commit 7d04c19be2a8 isn’t what was approved.');
    expect(note.textContent).toContain('src/a.rs');
    expect(odd(note), 'what hides in a name is seen').toEqual(['U+202E']);
    expect(became(), 'the list says it, too').toBe('Applied, not as approved');
  });

  it('is quiet where it is what was approved', async () => {
    const results = [{ found: 'equivalent' as const }];
    const found = { found: 'equivalent' as const, round: 1, commit: null, results };
    await shown(new FakeReviews(reviewView(applied({ found: 'equivalent' }), { applied: found })));
    await fireEvent.click(await screen.findByTestId('reviews-decided'));
    await fireEvent.click(await screen.findByText('Intent of one'));
    await reads('one');
    expect(became()).toBe('Applied as approved');
    expect(screen.queryByTestId('review-applied')).toBeNull();
  });
});

describe('runs of the pool', () => {
  const run = (over: Partial<ReviewRun>): ReviewRun => ({
    ...{ program: 'Codex', round: 1, end: 'answered', code: null, ended_at: before(60) },
    ...{ took_millis: 94_000, micro_dollars: 120_000, printed: '' },
    ...over,
  });

  it('are folded, and tell what they took and what one printed that failed', async () => {
    const reviews = new FakeReviews(reviewView(review('one'), { runs: 2, failed_runs: 1 }));
    const printed = '<b>out of</b> memory \u202e here';
    reviews.runs = [run({}), run({ end: 'crashed', code: 3, micro_dollars: null, printed })];
    const { gate } = await shown(reviews);
    await reads('one');
    const fold = screen.getByTestId('review-runs-fold');
    expect(fold.textContent).toContain('2 runs of your pool');
    expect(fold.textContent).toContain('1 failed');
    expect(gate.given('review_runs'), 'what it printed isn’t asked for unseen').toEqual([]);
    await fireEvent.click(fold);
    await expect.poll(() => screen.getAllByTestId('review-run').length).toBe(2);
    const [good, bad] = screen.getAllByTestId('review-run');
    expect(good?.textContent).toContain('gave its verdict');
    expect(good?.textContent, 'time and money').toMatch(/1 min · \$0\.12/);
    expect(bad?.textContent).toContain('ended with code 3');
    expect(bad?.querySelector('b'), 'text stays text').toBeNull();
    await expect.poll(() => bad?.querySelector('pre')?.textContent).toContain('<b>out of</b> memory');
    await expect.poll(() => odd(bad), { message: 'with what hides in it' }).toEqual(['U+202E']);
  });

  it('say why they can’t be told of, and are asked for again', async () => {
    const reviews = new FakeReviews(reviewView(review('one'), { runs: 1 }));
    reviews.runs = [run({ end: 'late' })];
    const { gate } = await shown(reviews);
    await reads('one');
    gate.meddle = ({ command }) => (command === 'review_runs' ? fault('internal') : undefined);
    await fireEvent.click(screen.getByTestId('review-runs-fold'));
    const said = await screen.findByTestId('fault');
    gate.meddle = () => undefined;
    await fireEvent.click(within(said).getByRole('button'));
    expect((await screen.findByTestId('review-run')).textContent).toContain('came too late');
  });

  it('aren’t spoken of where there was none', async () => {
    await shown(new FakeReviews(reviewView(review('one'), { messages: [message('Hello.')] })));
    await expect.poll(title).toBe('Intent of one');
    await screen.findByTestId('review-messages');
    expect(screen.queryByTestId('review-runs')).toBeNull();
  });

  it.each([
    [1_200_000, '$1.20'],
    [120_000, '$0.12'],
    [1750, '$0.0018'],
    [0, '$0.00'],
  ])('%d millionths of a dollar are %s', (millionths, said) => {
    expect(dollars(millionths)).toBe(said);
  });
});
