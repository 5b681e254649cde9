// A reply's receipt in a conversation: its line, all of it, revoking it; a broken log; a reply that was taken back.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import './lazy';
import App from '../src/App.svelte';
import MainApp from '../src/MainApp.svelte';
import type { MessageView } from '../src/generated/MessageView';
import type { ReceiptView } from '../src/generated/ReceiptView';
import { speak } from '../src/i18n/text.svelte';
import { command, moment, revocable, short } from '../src/receipts/receipt';
import '../src/receipts/ReceiptDetails.svelte';
import { Review } from '../src/review/review.svelte';
import { Main } from '../src/state/main.svelte';
import { FakeGate, fault, view } from './fake-gate';
import { before, FakeRecord, message, NOON, receipt } from './fake-record';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const TREE = '4f1c'.repeat(10);
const BASE = '9ab2'.repeat(10);

/** The history at a conversation with one reply, which has this receipt. */
async function shown(of: ReceiptView | null, over: Partial<MessageView> = {}) {
  const gate = new FakeGate();
  const record = new FakeRecord(1);
  record.messages = [
    message(1),
    message(2, {
      ...{ request_id: 'request-1', decision: 'approved', answered_from: 'desktop', assurance: 'L1' },
      receipt: of,
      ...over,
    }),
  ];
  gate.record = record.answer;
  const main = new Main(gate, { page: 'history', at: null });
  render(MainApp, { main });
  await screen.findByTestId('messages');
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
  return { gate, record, main, press };
}

/** Opens all of the receipt. */
async function opened(of: ReceiptView, over: Partial<MessageView> = {}) {
  const page = await shown(of, over);
  const line = screen.getByTestId('receipt');
  line.focus();
  await fireEvent.click(line);
  return { ...page, line, details: await screen.findByTestId('receipt-details') };
}

const focused = () => document.activeElement?.getAttribute('data-testid');
const said = (testid: string) => screen.getByTestId(testid).textContent?.replace(/\s+/g, ' ').trim();

describe('a receipt', () => {
  it('is named by its first digits, as terminals do', () => {
    expect(short('3f9a41c2d5')).toBe('3f9a41c2…');
    expect(command(receipt('3'))).toBe(`review-gate verify ${'3'.repeat(64)}`);
  });

  it('is told with the days that it is good for', () => {
    expect(moment(before(3600), NOON)).toBe('Today, 11:00');
    expect(moment('2027-01-05T08:30:00', NOON)).toContain('2027');
  });

  it('can be revoked while it counts, and taken back instead while it is held', () => {
    const standings = ['held', 'good', 'withdrawn', 'expired', 'set_aside'] as const;
    expect(standings.filter((standing) => revocable(receipt('3', { standing })))).toEqual([
      'good',
      'set_aside',
    ]);
  });
});

describe('a reply', () => {
  it('has its receipt in one line, with where it was given and how sure that is', async () => {
    await shown(receipt('3'));
    const line = screen.getByTestId('receipt');
    expect(line.textContent).toBe('in the window · L1 · receipt 33333333…');
    expect(line.getAttribute('aria-expanded'), 'a screen reader hears that there is more').toBe('false');
    expect(screen.queryByTestId('receipt-details'), 'but nothing more stands there').toBeNull();
  });

  it.each([
    ['held', 'can be taken back'],
    ['expired', 'expired'],
    ['set_aside', 'its log was set aside'],
  ] as const)('says where a receipt that is %s stands', async (standing, words) => {
    await shown(receipt('3', { standing }));
    expect(screen.getByTestId('receipt').textContent).toBe(
      `in the window · L1 · receipt 33333333… · ${words}`,
    );
  });

  it('without a receipt says where it was given, as before', async () => {
    await shown(null, { answered_from: 'terminal' });
    expect(screen.queryByTestId('receipt')).toBeNull();
    expect(screen.getAllByTestId('message')[1]?.textContent).toContain('at a terminal');
  });

  it('says it in the language of the windows', async () => {
    await shown(receipt('3', { level: 'L0' }), { answered_from: 'script', assurance: 'L0' });
    try {
      // The windows follow the setting first.
      await speak('zh-CN');
      const said = () => screen.getByTestId('receipt').textContent;
      await vi.waitFor(() => expect(said()).toBe('由脚本给出；没有人看过 · L0 · 回执 33333333…'));
    } finally {
      await speak('en');
    }
  });
});

describe('all of a receipt', () => {
  it('stands below its line, each digest whole, until Escape folds it', async () => {
    const { line, details, press } = await opened(receipt('3', { tree: TREE, base: BASE }));
    expect(line.getAttribute('aria-expanded')).toBe('true');
    expect(details.getAttribute('aria-label'), 'it has a name').toBe('Receipt 33333333…');
    expect([said('receipt-digest'), said('receipt-tree'), said('receipt-base')]).toEqual([
      '3'.repeat(64),
      TREE,
      BASE,
    ]);
    expect(said('receipt-check')).toBe(`review-gate verify ${'3'.repeat(64)}`);
    expect(said('receipt-for')).toContain('this tree on this base');
    expect(screen.queryByTestId('receipt-standing'), 'nothing is odd').toBeNull();
    within(details).getByLabelText('Copy the tree').focus();
    await press('Escape');
    expect(screen.queryByTestId('receipt-details')).toBeNull();
    expect(focused(), 'and the line has the keys again').toBe('receipt');
  });

  it('is copied by its buttons', async () => {
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { clipboard: { writeText } }));
    try {
      const { details } = await opened(receipt('3'));
      await fireEvent.click(within(details).getByLabelText('Copy the command'));
      expect(writeText).toHaveBeenCalledWith(`review-gate verify ${'3'.repeat(64)}`);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('stands for the question, and its changes where it had some', async () => {
    const { record, main } = await opened(receipt('3'));
    expect(said('receipt-for')).toBe('the question, as it was shown.');
    record.messages = record.messages.map((each) => ({ ...each, has_diff: each.role === 'agent' }));
    await main.history.reading.conversation?.load();
    await expect.poll(() => said('receipt-for')).toBe('the question and its changes, as they were shown.');
  });

  it('says when it has no end', async () => {
    await opened(receipt('3', { expires: null }), { decision: null });
    expect(said('receipt-good')).toMatch(/^from .+ on$/);
  });

  it.each([
    [{ standing: 'held' }, /^Not good yet: until .+ can be taken back\.$/],
    [{ standing: 'expired' }, /^Its time is over/],
    [{ standing: 'withdrawn', withdrawn_at: before(60) }, /^Revoked: .+ can’t be undone\.$/],
  ] as const)('that is %o says so, and can’t be revoked', async (over, words) => {
    await opened(receipt('3', over));
    expect(said('receipt-standing')).toMatch(words);
    expect(screen.queryByTestId('revoke')).toBeNull();
  });
});

describe('revoking', () => {
  it('asks first, says what follows, and is kept by Escape', async () => {
    const { gate, press } = await opened(receipt('3'));
    await fireEvent.click(screen.getByTestId('revoke'));
    const words = said('revoke-ask');
    expect(words).toContain('Revoke this approval?');
    expect(words, 'what follows').toContain('good for nothing');
    expect(words, 'and that there is no way back').toContain('It can’t be undone');
    expect(focused(), 'Enter does nothing that can’t be undone').toBe('revoke-keep');
    await press('Escape');
    await expect.poll(focused, { message: 'the keys go back' }).toBe('revoke');
    expect(screen.queryByTestId('revoke-ask')).toBeNull();
    expect(screen.getByTestId('receipt-details'), 'the rest stays').toBeTruthy();
    expect(gate.given('withdraw_receipt')).toEqual([]);
  });

  it('shows the reply as revoked, with when, and no way to undo it', async () => {
    const { gate } = await opened(receipt('3'));
    await fireEvent.click(screen.getByTestId('revoke'));
    await fireEvent.click(screen.getByTestId('revoke-confirm'));
    expect((await screen.findByTestId('revoked')).textContent).toMatch(/^revoked: .*\d\d:\d\d$/);
    expect(gate.given('withdraw_receipt').map((each) => each.receipt)).toEqual(['3'.repeat(64)]);
    expect(screen.getByTestId('decision').classList.contains('approved'), 'it is no approval now').toBe(
      false,
    );
    expect(focused(), 'the keys are with the reply').toBe('receipt');
    await fireEvent.click(screen.getByTestId('receipt'));
    expect((await screen.findByTestId('receipt-standing')).textContent).toContain('That can’t be undone');
    expect(screen.queryByTestId('revoke')).toBeNull();
    expect((await screen.findByTestId('toast')).textContent).toContain('Revoked');
    expect(screen.queryByTestId('toast-action'), 'nothing is offered that can’t be').toBeNull();
  });

  it('that fails says why, and leaves it as it was', async () => {
    const { gate } = await opened(receipt('3'));
    gate.meddle = ({ command: name }) => (name === 'withdraw_receipt' ? fault('disk_full') : undefined);
    await fireEvent.click(screen.getByTestId('revoke'));
    await fireEvent.click(screen.getByTestId('revoke-confirm'));
    expect((await screen.findByTestId('fault')).dataset.code).toBe('disk_full');
    expect(screen.queryByTestId('revoked')).toBeNull();
    await fireEvent.click(screen.getByTestId('receipt'));
    expect(await screen.findByTestId('revoke'), 'it can be tried again').toBeTruthy();
  });
});

describe('a question that was left', () => {
  it('waits for no word any more', async () => {
    const { main, line } = await opened(receipt('3'));
    await fireEvent.click(screen.getByTestId('revoke'));
    expect(main.history.reading.conversation?.asking).toBe('3'.repeat(64));
    await fireEvent.click(line);
    await expect.poll(() => main.history.reading.conversation?.asking).toBeNull();
  });
});

describe('a broken log of receipts', () => {
  it('is a warning that leads to the doctor, in the main window', async () => {
    const { gate, main } = await shown(null);
    gate.emit({ event: 'warning', fault: fault('receipts') });
    await fireEvent.click(await screen.findByText('Open the doctor'));
    expect(main.page).toBe('doctor');
  });

  it('and in the review window', async () => {
    const gate = new FakeGate([view('a')]);
    gate.warnings = [fault('receipts'), fault('disk_full')];
    render(App, { review: new Review(gate) });
    const [only, ...more] = await screen.findAllByText('Open the doctor');
    expect(more, 'other warnings lead nowhere').toEqual([]);
    await fireEvent.click(only as HTMLElement);
    expect(gate.opened).toEqual([['doctor', undefined]]);
  });
});

describe('a reply whose receipt can’t be written', () => {
  it('is a draft again, and says why and what to do', async () => {
    const gate = new FakeGate([view('a')]);
    const review = new Review(gate);
    await review.start();
    review.reply?.write('yes, but');
    gate.meddle = ({ command: name }) => {
      if (name !== 'send_reply') return undefined;
      // It was in the record already.
      gate.emit({ event: 'request_closed', request_id: 'a', status: 'answered', undo_until: before(0) });
      return fault('receipts');
    };
    await review.send('approved');
    const { reply } = review;
    expect([reply?.open, reply?.text, reply?.fault?.code], 'its words, and why').toEqual([
      true,
      'yes, but',
      'receipts',
    ]);
    expect(
      review.queue.map((each) => each.request_id),
      'it waits again',
    ).toEqual(['a']);
    expect(review.undoables.last, 'nothing was sent that could be taken back').toBeFalsy();
    gate.meddle = () => undefined;
    await review.send('approved');
    expect(review.queue, 'and is sent when the person tries again').toEqual([]);
  });
});
