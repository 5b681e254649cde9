// The reviews' page: whose turn it is, rounds, threads, patches, and that the person decides in the inbox. Rendered whole
// over a recording gate.
import { cleanup, fireEvent, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { connections } from '../src/connect/snippets';
import { factsOf } from '../src/inbox/facts';
import { groupOf, reviewRows } from '../src/reviews/rows';
import { fault, summary, view } from './fake-gate';
import { asked, FakeReviews, message, review, reviewView, thread, words } from './fake-reviews';
import { focused, reads, round, rows, shown, turns } from './reviews-page';

afterEach(cleanup);

describe('the place in the rail', () => {
  it('comes with the first review, and its keys lead to the page before that', async () => {
    const { gate, press } = await shown(new FakeReviews(), 'history');
    expect(screen.queryByTestId('nav-reviews'), 'nobody uses it yet').toBeNull();
    await press('7', { ctrlKey: true });
    const empty = await screen.findByTestId('reviews-empty');
    expect(empty.textContent, 'it says how two agents are connected').toContain('mcp --toolset broker');
    expect(empty.textContent, 'over HTTP as well').toContain('/mcp/broker');
    expect(screen.getByTestId('nav-reviews').getAttribute('aria-current'), 'where one is, is there').toBe(
      'page',
    );
    await press('3', { ctrlKey: true });
    await expect.poll(() => screen.queryByTestId('nav-reviews')).toBeNull();
    gate.emit({ event: 'review_changed', review: asked('one') });
    const place = await screen.findByTestId('nav-reviews');
    expect(within(place).getByTestId('count-reviews').textContent, 'it waits for the person').toBe('1');
  });

  it('counts what waits for the person, and only that', async () => {
    const others = [review('two'), review('three', { status: 'awaiting_person', turn: 'proposer' })];
    const { gate } = await shown(
      new FakeReviews(...[asked('one'), ...others].map((each) => reviewView(each))),
      'history',
    );
    expect((await screen.findByTestId('count-reviews')).textContent).toBe('1');
    gate.emit({ event: 'review_changed', review: review('one', { event: 2 }) });
    await expect
      .poll(() => screen.queryByTestId('count-reviews'), { message: 'it is another’s turn now' })
      .toBeNull();
  });
});

describe('the list', () => {
  it('is grouped by turn, the person’s first, and folds what is decided', async () => {
    const { press } = await shown(
      new FakeReviews(
        reviewView(review('waits')),
        reviewView(review('rejected', { status: 'rejected', turn: 'proposer' })),
        reviewView(review('agent', { status: 'approved', turn: 'proposer', approved_by: 'agent' })),
        reviewView(review('person', { status: 'approved', turn: 'proposer', approved_by: 'person' })),
        reviewView(asked('mine')),
      ),
    );
    await reads('mine');
    expect(turns()).toEqual(['person', 'reviewer', 'proposer']);
    expect(rows(), 'what is decided is folded').toEqual(['mine', 'waits', 'rejected']);
    await press('End');
    await press('Enter');
    await expect.poll(rows).toEqual(['mine', 'waits', 'rejected', 'person', 'agent']);
    const became = screen.getAllByTestId('review-became').map((each) => each.textContent);
    expect(became, 'an agent’s approval is never the person’s').toEqual([
      'Changes requested',
      'Approved by you',
      'Approved by agents, not by you',
    ]);
  });

  it('follows what happens, and never goes back to what is older', async () => {
    const { gate } = await shown(
      new FakeReviews(reviewView(review('one', { event: 5 })), reviewView(review('two'))),
    );
    await reads('two');
    gate.emit({ event: 'review_changed', review: asked('one', { event: 6 }) });
    await expect.poll(turns).toEqual(['person', 'reviewer']);
    gate.emit({ event: 'review_changed', review: review('one', { event: 5 }) });
    await tick();
    expect(turns(), 'an event that comes late changes nothing').toEqual(['person', 'reviewer']);
  });

  it('asks for the pages after the first as they are come to', async () => {
    const reviews = new FakeReviews(...Array.from({ length: 130 }, (_, n) => reviewView(review(`r${n}`))));
    const { gate, main } = await shown(reviews);
    await expect.poll(() => rows().length).toBeGreaterThan(0);
    for (let step = 0; step < 3; step += 1) {
      await fireEvent.keyDown(screen.getByTestId('reviews-list'), { key: 'End' });
      await tick();
    }
    const cursors = () =>
      gate.given('reviews').flatMap(({ status, cursor }) => (status === 'created' && cursor ? [cursor] : []));
    await expect.poll(cursors, { message: 'each page once, in their order' }).toEqual(['50', '100']);
    expect(main.fault).toBeNull();
  });

  it('is narrowed down to where they stand', async () => {
    const { gate } = await shown(
      new FakeReviews(
        reviewView(asked('mine')),
        reviewView(review('over', { status: 'closed', turn: 'nobody' })),
      ),
    );
    await reads('mine');
    await fireEvent.change(screen.getByTestId('reviews-filter'), { target: { value: 'closed' } });
    await expect.poll(rows).toEqual(['over']);
    expect(gate.given('reviews').at(-1), 'the gate is asked for them').toMatchObject({ status: 'closed' });
    await fireEvent.change(screen.getByTestId('reviews-filter'), { target: { value: 'rejected' } });
    expect((await screen.findByTestId('reviews-none')).textContent).toContain('No review stands so.');
  });
});

describe('deciding', () => {
  it('is done in the inbox: X takes the review and opens its request once that is there', async () => {
    const reviews = new FakeReviews(reviewView(asked('mine')));
    const { gate, main, press } = await shown(reviews);
    await reads('mine');
    expect(screen.getByTestId('review-take').textContent).toContain('Decide…');
    await press('x');
    await expect
      .poll(() => gate.given('take_review'))
      .toEqual([{ command: 'take_review', review_id: 'mine' }]);
    await tick();
    expect(main.page, 'its request hasn’t come yet').toBe('reviews');
    const asks = summary('decides', { round: { review_id: 'mine', round: 1 } });
    gate.add(view('other'));
    gate.add(view('decides', { summary: asks }));
    await expect.poll(() => main.page, { message: 'now the person is led there' }).toBe('inbox');
    await expect.poll(() => main.inbox.review.reply?.id, { message: 'to this request' }).toBe('decides');
    expect((await screen.findByTestId('round')).textContent, 'which says what it is').toContain(
      'A review, round 1',
    );
    await fireEvent.click(screen.getByTestId('round-open'));
    await reads('mine');
    expect(gate.given('send_reply'), 'nothing was decided on the way').toEqual([]);
  });

  it('takes over what agents have, and says why where it can’t', async () => {
    const { gate } = await shown(
      new FakeReviews(reviewView(review('theirs', { status: 'claimed', holder: 'Gemini CLI' }))),
    );
    await reads('theirs');
    expect(screen.getByTestId('review-take').textContent).toContain('Take over');
    gate.meddle = ({ command }) => (command === 'take_review' ? fault('wrong_state') : undefined);
    await fireEvent.click(screen.getByTestId('review-take'));
    expect((await screen.findByTestId('fault')).dataset['code']).toBe('wrong_state');
  });

  it('is a quiet fact of the request’s row, without an agent that isn’t waiting', () => {
    const facts = factsOf(summary('r', { caller_waiting: false, round: { review_id: 'mine', round: 2 } }));
    expect(facts.map(({ id, n }) => [id, n])).toEqual([['round', 2]]);
  });
});

describe('a review', () => {
  it('says what is asked above its rounds, and what it has of what it needs', async () => {
    const of = asked('mine', { round: 2, need: { agents: 2, person: true }, approvals: 1, stale: true });
    const escalates = { round: 2, decision: 'escalate' as const, reason: words('Both work.') };
    await shown(
      new FakeReviews(
        reviewView(of, {
          verdicts: [
            {
              ...escalates,
              by: 'agent',
              pool: false,
              sure: false,
              author: 'Claude Code',
              created_at: of.created_at,
            },
          ],
        }),
      ),
    );
    await reads('mine');
    const note = screen.getByTestId('review-asked');
    expect(note.textContent).toContain('An agent asks you to decide round 2: Claude Code.');
    expect(note.textContent, 'in its words').toContain('Both work.');
    const follows = note.compareDocumentPosition(screen.getAllByTestId('review-round')[0] as HTMLElement);
    expect(follows & Node.DOCUMENT_POSITION_FOLLOWING, 'the rounds come below').toBeTruthy();
    expect(screen.getByTestId('review-need').textContent).toBe('needs 2 agents, and you');
    expect(screen.getByTestId('review-approvals').textContent).toBe('1 of 2 approved by agents');
    expect(screen.getByTestId('review-stale')).toBeTruthy();
  });

  it('goes from round to round, and stays at the one that is read when a newer comes', async () => {
    const of = review('one', { round: 2, event: 3 });
    const reviews = new FakeReviews(
      reviewView(of, {
        verdicts: [
          {
            round: 1,
            decision: 'rejected',
            reason: null,
            by: 'agent',
            pool: false,
            sure: false,
            author: 'Cursor',
            created_at: of.created_at,
          },
        ],
      }),
    );
    const { gate, press } = await shown(reviews);
    await reads('one');
    expect(round(), 'the newest first').toBe('2');
    expect(screen.getAllByTestId('review-round')[0]?.getAttribute('aria-label')).toBe(
      'Round 1, changes requested',
    );
    await press('[');
    await expect.poll(round).toBe('1');
    expect(screen.getByTestId('review-verdict').textContent).toContain('requested changes');
    await press('[');
    await press(']');
    await expect.poll(round).toBe('2');
    const next = { ...of, round: 3, event: 4 };
    reviews.set(reviewView(next));
    gate.emit({ event: 'review_changed', review: next });
    const newest = await screen.findByTestId('review-newest');
    expect(round(), 'what is read doesn’t go from under the eye').toBe('2');
    await fireEvent.click(newest);
    await expect.poll(round).toBe('3');
  });

  it('shows threads at their lines, answers and settles them, and names those of other rounds', async () => {
    const of = review('one', { round: 2 });
    const earlier = thread('earlier', { round: 1, messages: [message('Asked before')] });
    const { gate } = await shown(
      new FakeReviews(reviewView(of, { threads: [thread('here', { round: 2 }), earlier] })),
    );
    await reads('one');
    const card = await screen.findByTestId('review-thread');
    expect(card.textContent, 'between the lines').toContain('Said in here');
    expect(screen.getByTestId('diff').contains(card)).toBe(true);
    expect(screen.getByTestId('review-elsewhere').textContent).toContain('Asked before');
    await fireEvent.click(within(card).getByTestId('review-answer'));
    const field = await within(card).findByTestId('review-comment-text');
    await fireEvent.input(field, { target: { value: 'Yes.' } });
    await fireEvent.click(within(card).getByTestId('review-comment-send'));
    await expect.poll(() => card.textContent).toContain('Yes.');
    await fireEvent.click(within(card).getByTestId('review-resolve'));
    await expect.poll(() => card.dataset['resolved']).toBe('true');
    expect(within(card).queryAllByTestId('review-said'), 'a settled one is one row').toEqual([]);
    await fireEvent.click(within(card).getByTestId('review-thread-fold'));
    expect(within(card).queryAllByTestId('review-said').length).toBe(2);
    expect(
      gate.given('comment_review').map(({ thread_id, text, resolve }) => [thread_id, text, resolve]),
    ).toEqual([
      ['here', 'Yes.', null],
      ['here', '', true],
    ]);
  });

  it('takes a comment on a line of the newest round, and keeps it where it wasn’t taken', async () => {
    const { gate, press } = await shown(new FakeReviews(reviewView(review('one', { round: 2 }))));
    await reads('one');
    screen.getByTestId('diff').focus();
    await press('j');
    await press('j');
    await press('c');
    const field = await screen.findByTestId('review-comment-text');
    await fireEvent.input(field, { target: { value: 'Why?' } });
    expect(await screen.findByTestId('review-unsent'), 'its row says that it isn’t sent').toBeTruthy();
    gate.meddle = ({ command }) => (command === 'comment_review' ? fault('wrong_state') : undefined);
    await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
    await screen.findByTestId('fault');
    expect((screen.getByTestId('review-comment-text') as HTMLTextAreaElement).value).toBe('Why?');
    gate.meddle = () => undefined;
    await fireEvent.click(screen.getByTestId('review-comment-send'));
    await expect.poll(() => screen.queryByTestId('review-thread')?.textContent).toContain('Why?');
    expect(gate.given('comment_review').at(-1)?.place).toMatchObject({ file: 'src/one.rs', side: 'new' });
    await press('[');
    await fireEvent.click(screen.getAllByTestId('review-round')[0] as HTMLElement);
    await expect.poll(round).toBe('1');
    (await screen.findByTestId('diff')).focus();
    await press('j');
    await press('c');
    expect(screen.queryByTestId('review-comment-text'), 'an older round takes none').toBeNull();
  });

  it('keeps a message that isn’t sent while another review is read', async () => {
    const { gate, press } = await shown(
      new FakeReviews(reviewView(review('one')), reviewView(review('two'))),
    );
    await reads('two');
    await press('r');
    await expect.poll(focused).toBe('review-text');
    await fireEvent.input(screen.getByTestId('review-text'), { target: { value: 'Both of you: wait.' } });
    await press('x');
    expect(gate.given('take_review'), 'a letter in a text is a letter').toEqual([]);
    await fireEvent.click(screen.getAllByTestId('review-row')[1] as HTMLElement);
    await reads('one');
    await fireEvent.click(screen.getAllByTestId('review-row')[0] as HTMLElement);
    await reads('two');
    const field = screen.getByTestId('review-text') as HTMLTextAreaElement;
    expect(field.value).toBe('Both of you: wait.');
    await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
    await expect
      .poll(() => screen.queryByTestId('review-messages')?.textContent)
      .toContain('Both of you: wait.');
    expect(field.value, 'it is said').toBe('');
  });

  it('makes a patch the next round only after it was asked again', async () => {
    const of = asked('mine');
    const offered = {
      patch_id: 'p',
      round: 1,
      description: words('Shorter.'),
      approves: true,
      status: 'open' as const,
    };
    const { gate } = await shown(
      new FakeReviews(
        reviewView(of, {
          patches: [{ ...offered, author: 'Claude Code', pool: false, created_at: of.created_at }],
        }),
      ),
    );
    await reads('mine');
    const card = screen.getByTestId('review-patch');
    await fireEvent.click(within(card).getByTestId('patch-fold'));
    await expect.poll(() => within(card).queryByTestId('diff'), { message: 'its own diff' }).not.toBeNull();
    expect(within(card).getByTestId('patch-approves').textContent).toContain('its author’s approval');
    await fireEvent.click(within(card).getByTestId('patch-accept'));
    expect(gate.given('settle_review_patch'), 'it can’t be taken back').toEqual([]);
    expect(card.textContent).toContain('This isn’t your approval.');
    expect(focused(), 'a key pressed by habit does nothing').toBe('patch-cancel');
    await fireEvent.click(within(card).getByTestId('patch-confirm'));
    await expect
      .poll(() => gate.given('settle_review_patch'))
      .toEqual([{ command: 'settle_review_patch', review_id: 'mine', patch_id: 'p', accept: true }]);
  });

  it('is given back while agents can decide it, and ended only after it was asked', async () => {
    const { gate } = await shown(new FakeReviews(reviewView(asked('mine'))));
    await reads('mine');
    await fireEvent.click(screen.getByTestId('review-end'));
    await screen.findByTestId('review-end-ask');
    expect(gate.given('end_review')).toEqual([]);
    await fireEvent.keyDown(screen.getByTestId('review-keep'), { key: 'Escape' });
    await expect
      .poll(() => screen.queryByTestId('review-end-ask'), { message: 'Escape keeps it' })
      .toBeNull();
    await fireEvent.click(screen.getByTestId('review-give-back'));
    await expect.poll(() => gate.given('give_back_review').length).toBe(1);
    gate.emit({ event: 'review_changed', review: asked('mine', { event: 2, approvals: 1 }) });
    await expect
      .poll(() => screen.queryByTestId('review-give-back'), { message: 'only the person is missing' })
      .toBeNull();
    const over = review('mine', { event: 3, status: 'closed', outcome: 'withdrawn', turn: 'nobody' });
    gate.emit({ event: 'review_changed', review: over });
    expect((await screen.findByTestId('review-over')).textContent).toContain('Withdrawn');
    expect(screen.queryByTestId('review-take'), 'nothing can be done any more').toBeNull();
  });
});

describe('pure', () => {
  it('a review belongs to whoever has to do the next thing', () => {
    const of = (
      status: 'created' | 'rejected' | 'approved' | 'closed',
      turn: 'reviewer' | 'proposer' | 'nobody',
    ) => groupOf({ status, turn });
    expect([
      of('created', 'reviewer'),
      of('rejected', 'proposer'),
      of('approved', 'proposer'),
      of('closed', 'nobody'),
    ]).toEqual(['reviewer', 'proposer', 'decided', 'decided']);
  });

  it('the latest changed comes first, and none is without a heading', () => {
    const all = [review('old', { updated_at: '2026-11-20T00:00:00Z' }), review('new'), asked('mine')];
    const shape = { decidedOpen: false, folds: false, more: () => false };
    expect(reviewRows(all, shape).map((row) => row.key)).toEqual([
      'of person',
      'mine',
      'of reviewer',
      'new',
      'old',
    ]);
  });

  it('the review tools are a server beside the gate’s own', () => {
    const texts = connections('/bin/review-gate', 'broker').map(({ text }) => text);
    for (const text of texts) expect(text).toContain('review-gate-broker');
    expect(texts[0]).toBe(
      'claude mcp add --scope user review-gate-broker -- /bin/review-gate mcp --toolset broker',
    );
  });
});
