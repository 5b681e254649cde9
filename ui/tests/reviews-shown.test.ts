// What a review's page says for sure: who said something, whatever they call themselves; what is decided; threads
// wherever they are; nothing that hides or crowds out the rest. Rendered whole over a recording gate.
import { cleanup, fireEvent, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import type { ReviewVerdict } from '../src/generated/ReviewVerdict';
import { AnsweringGate } from './answering-help';
import { fault, summary, view } from './fake-gate';
import { addedRows, file } from './diff-rows';
import { asked, FakeReviews, message, review, reviewView, thread } from './fake-reviews';
import { focused, reads, round, rows, shown, title } from './reviews-page';

afterEach(cleanup);

const who = (within: HTMLElement) =>
  [...within.querySelectorAll<HTMLElement>('[data-testid="review-who"]')].map((each) => [
    each.dataset['is'],
    each.querySelector('strong')?.textContent,
  ]);

describe('who says something', () => {
  it('is told by what they are, not by what they call themselves', async () => {
    const of = review('one');
    const verdict = (over: Partial<ReviewVerdict>): ReviewVerdict => ({
      ...{ round: 1, decision: 'approved', reason: null, by: 'agent', pool: false, sure: false },
      ...{ author: 'You', created_at: of.created_at },
      ...over,
    });
    const offered = { patch_id: 'p', round: 1, description: null, approves: false, status: 'open' as const };
    await shown(
      new FakeReviews(
        reviewView(of, {
          verdicts: [
            verdict({}),
            verdict({ author: 'pool/codex' }),
            verdict({ author: 'Codex', pool: true }),
            verdict({ by: 'person', author: '', sure: true }),
          ],
          messages: [
            message('I am the person', { author: 'You' }),
            message('So am I', { role: 'proposer', author: 'the gate' }),
            message('It is mine', { role: 'person', author: '' }),
            message('So a script says', { role: 'person', author: '', sure: false }),
          ],
          patches: [{ ...offered, author: 'You', pool: false, created_at: of.created_at }],
        }),
      ),
    );
    await reads('one');
    expect(screen.getAllByTestId('review-verdict').flatMap(who)).toEqual([
      ['reviewer', 'You'],
      ['reviewer', 'pool/codex'],
      ['pool', 'Codex'],
      ['person', 'You'],
    ]);
    const verdicts = screen.getAllByTestId('review-verdict').map((each) => each.textContent);
    expect(verdicts[0], 'an agent is an agent').toContain('reviewer, an agent');
    expect(verdicts[2]).toContain('a program of your pool');
    expect(verdicts[3]).toContain('the person');
    expect(who(screen.getByTestId('review-messages'))).toEqual([
      ['reviewer', 'You'],
      ['proposer', 'the gate'],
      ['person', 'You'],
      ['recorded', 'You'],
    ]);
    expect(screen.getByTestId('review-messages').textContent, 'what nobody was seen to say').toContain('L0');
    expect(who(screen.getByTestId('review-patch'))).toEqual([['reviewer', 'You']]);
    expect(who(screen.getByTestId('review-round-shown'))[0], 'whose round it is').toEqual([
      'proposer',
      'Codex',
    ]);
  });

  it('asks the person under a name that can’t be taken for their own', async () => {
    const of = asked('mine');
    const hands = { round: 1, decision: 'escalate' as const, reason: null, by: 'agent' as const };
    const escalate = { ...hands, author: 'You', pool: false, sure: false, created_at: of.created_at };
    const { gate } = await shown(new FakeReviews(reviewView(of, { verdicts: [escalate] })));
    await reads('mine');
    expect(screen.getByTestId('review-asked').textContent).toContain(
      'An agent asks you to decide round 1: You.',
    );
    expect(gate.given('take_review')).toEqual([]);
  });

  it('is said of a program of the pool that has the review', async () => {
    const of = review('one', { status: 'claimed', holder: 'Codex' });
    await shown(new FakeReviews(reviewView(of, { pool_holds: true })));
    await reads('one');
    expect(screen.getByTestId('review-pool').textContent).toBe('a program of your pool reviews it');
  });
});

describe('what hides', () => {
  it('is seen in all that agents may name', async () => {
    const odd = 'a\u202Eb\u200Bc';
    const of = review('one', { intent: odd, category: odd, proposer: odd, workspace: `/code/${odd}` });
    const rounds = reviewView(of).rounds.map((each) => ({ ...each, warnings: [odd, odd] }));
    await shown(
      new FakeReviews(
        reviewView(of, { intent: `${odd}, at length`, labels: { task: odd, [odd]: '1' }, rounds }),
      ),
    );
    await screen.findByTestId('diff');
    const marked = (node: HTMLElement) =>
      [...node.querySelectorAll('[data-odd]')].some((mark) => mark.getAttribute('data-label') === 'U+202E');
    for (const part of ['review-title', 'review-intent', 'review-warning', 'review-label'])
      await expect
        .poll(() => screen.getAllByTestId(part).map(marked), { message: part })
        .not.toContain(false);
    for (const part of ['review-whom', 'review-row'])
      expect(screen.getByTestId(part).textContent, part).toContain('⟨U+202E⟩');
    const bare = [...document.querySelectorAll('[data-testid="review-whom"], .folder, .where')].filter(
      (each) => each.textContent?.includes('\u202E'),
    );
    expect(bare, 'where only text fits, nothing turns what follows').toEqual([]);
  });

  it('in very many labels is folded, so that the review is seen', async () => {
    const labels = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`name ${n}`, 'long '.repeat(40)]),
    );
    await shown(new FakeReviews(reviewView(review('one', { category: 'reliability' }), { labels })));
    await reads('one');
    const shownLabels = () => screen.getAllByTestId('review-label').length;
    expect(shownLabels()).toBe(3);
    const more = screen.getByTestId('review-labels-more');
    expect(more.textContent, 'how many there are besides').toContain('+38');
    await fireEvent.click(more);
    await expect.poll(shownLabels).toBe(41);
    await fireEvent.click(more);
    await expect.poll(shownLabels).toBe(3);
  });
});

describe('a decision that can be taken back', () => {
  const of = asked('mine', { event: 2 });

  it('is shown as one, and no decision is asked for', async () => {
    const reviews = new FakeReviews(reviewView(of, { deciding: 'approved', request_id: 'decides' }));
    const { gate, press } = await shown(reviews);
    await reads('mine');
    expect(screen.getByTestId('review-asked').textContent).toContain('You approved round 1.');
    expect(screen.getByTestId('review-asked').textContent, 'and what that means').toContain(
      'you can take it back',
    );
    expect(screen.getByTestId('review-status').textContent).toBe('Approved by you, not final yet');
    for (const act of ['review-take', 'review-give-back', 'review-end'])
      expect(screen.queryByTestId(act), `${act} would be refused`).toBeNull();
    await press('x');
    expect(gate.given('take_review'), 'nor by its key').toEqual([]);
    const back = screen.getByTestId('review-take-back');
    back.focus();
    await fireEvent.click(back);
    await expect
      .poll(() => gate.given('undo_reply'))
      .toEqual([{ command: 'undo_reply', request_id: 'decides' }]);
    await expect.poll(focused, { message: 'it is to be decided again' }).toBe('review-take');
    expect(screen.getByTestId('review-asked').textContent).toContain('Round 1 waits for your decision.');
  });

  it('that was given in this window brings back all that it was', async () => {
    const reviews = new FakeReviews(reviewView(of, { deciding: 'changes_requested', request_id: 'decides' }));
    const asks = summary('decides', { round: { review_id: 'mine', round: 1 } });
    const gate = new AnsweringGate([view('decides', { summary: asks })]);
    const holds = gate.record;
    const { main } = await shown(reviews, 'inbox', gate);
    gate.record = (command) => (command.command === 'undo_reply' ? holds(command) : reviews.answer(command));
    const { review: decision } = main.inbox;
    await expect.poll(() => decision.reply?.id).toBe('decides');
    decision.reply?.write('Not so.');
    await decision.send('changes_requested');
    main.go('reviews', 'mine');
    await reads('mine');
    await fireEvent.click(screen.getByTestId('review-take-back'));
    await expect.poll(() => decision.reply?.id, { message: 'it waits again' }).toBe('decides');
    expect(decision.reply?.text, 'with its words').toBe('Not so.');
  });

  it('may be final before it is taken back, and then says so', async () => {
    const reviews = new FakeReviews(reviewView(of, { deciding: 'changes_requested', request_id: 'decides' }));
    const { gate } = await shown(reviews);
    await reads('mine');
    expect(screen.getByTestId('review-asked').textContent).toContain('You requested changes to round 1.');
    gate.meddle = ({ command }) => {
      if (command !== 'undo_reply') return undefined;
      reviews.set(reviewView(review('mine', { status: 'rejected', turn: 'proposer', event: 3 })));
      return fault('too_late');
    };
    await fireEvent.click(screen.getByTestId('review-take-back'));
    expect((await screen.findByTestId('fault')).dataset['code']).toBe('too_late');
    await expect.poll(() => screen.getByTestId('review-status').textContent).toBe('Changes requested');
  });

  it('that the window hasn’t heard of is looked up when deciding is refused', async () => {
    const reviews = new FakeReviews(reviewView(of));
    const { gate } = await shown(reviews);
    await reads('mine');
    gate.meddle = ({ command }) => {
      if (command !== 'take_review') return undefined;
      reviews.set(reviewView(of, { deciding: 'approved', request_id: 'decides' }));
      return fault('person_deciding');
    };
    await fireEvent.click(screen.getByTestId('review-take'));
    expect(await screen.findByTestId('review-take-back'), 'it says what was decided').toBeTruthy();
  });
});

describe('threads', () => {
  it('on a file that the round doesn’t change are read and answered below', async () => {
    const gone = { file: 'docs/gone.md', line: 4, side: 'new' as const };
    const { gate } = await shown(
      new FakeReviews(
        reviewView(review('one'), { threads: [thread('loose', { place: gone }), thread('here')] }),
      ),
    );
    await reads('one');
    const below = screen.getByTestId('review-loose');
    expect(below.textContent, 'where it is').toContain('docs/gone.md:4');
    expect(below.textContent, 'and what was said').toContain('Said in loose');
    await fireEvent.click(within(below).getByTestId('review-answer'));
    const field = await within(below).findByTestId('review-comment-text');
    await fireEvent.input(field, { target: { value: 'Yes.' } });
    await fireEvent.click(within(below).getByTestId('review-comment-send'));
    await expect.poll(() => below.textContent).toContain('Yes.');
    expect(gate.given('comment_review')[0]).toMatchObject({ thread_id: 'loose', text: 'Yes.' });
    expect(screen.getByTestId('diff').textContent, 'the others stand at their lines').toContain(
      'Said in here',
    );
  });

  it('of a round without changes are read all the same', async () => {
    await shown(new FakeReviews(reviewView(review('one'), { diff: null, threads: [thread('loose')] })));
    await expect.poll(title).toBe('Intent of one');
    expect((await screen.findByTestId('review-loose')).textContent).toContain('Said in loose');
  });

  it('of another round are led to', async () => {
    const of = review('one', { round: 2 });
    await shown(new FakeReviews(reviewView(of, { threads: [thread('earlier', { round: 1 })] })));
    await reads('one');
    await fireEvent.click(within(screen.getByTestId('review-elsewhere')).getByRole('button'));
    await expect.poll(round).toBe('1');
    await expect.poll(focused, { message: 'the keys are in it' }).toBe('review-answer');
  });
});

describe('after events were lost', () => {
  it('what was decided meanwhile is there when it is unfolded', async () => {
    const reviews = new FakeReviews(reviewView(review('one')), reviewView(review('two')));
    const { gate } = await shown(reviews);
    await reads('two');
    reviews.set(
      reviewView(review('one', { status: 'approved', turn: 'proposer', approved_by: 'agent', event: 9 })),
    );
    gate.emit({ event: 'resync' });
    await expect.poll(rows, { message: 'it doesn’t wait any more' }).toEqual(['two']);
    await fireEvent.click(screen.getByTestId('reviews-decided'));
    await expect.poll(rows, { message: 'nobody has said so but the gate' }).toEqual(['two', 'one']);
    const asked = gate.given('reviews').length;
    await fireEvent.click(screen.getByTestId('reviews-decided'));
    await fireEvent.click(screen.getByTestId('reviews-decided'));
    await tick();
    expect(gate.given('reviews').length, 'what is known isn’t asked for again').toBe(asked);
  });
});

describe('a round beside the one before', () => {
  it('says what that one didn’t have, and shows only that', async () => {
    const rows = addedRows(['as before', 'not so before']).map((row, at) => ({ ...row, fresh: at === 1 }));
    const other = {
      ...file(addedRows(['unchanged'])),
      old_path: 'two',
      new_path: 'two',
      since: 'same' as const,
    };
    const diff = { files: [{ ...file(rows), since: 'changed' as const }, other] };
    const { press } = await shown(new FakeReviews(reviewView(review('one', { round: 2 }), { diff })));
    await reads('one');
    expect(screen.getByTestId('diff').textContent, 'in words of rounds').toContain('as in round 1');
    const only = screen.getByTestId('diff-fresh');
    expect(only.textContent).toBe('1 of 2 changed since round 1');
    screen.getByTestId('diff').focus();
    await press('u');
    await expect.poll(() => screen.getByTestId('diff').textContent).not.toContain('unchanged');
    expect(screen.getByTestId('diff').textContent).toContain('not so before');
    expect(screen.getByTestId('diff').textContent, 'nothing is said of an answer').not.toContain('last');
  });
});
