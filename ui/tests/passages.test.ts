// Comments on passages of an agent's message: places and quotes, the selection, the keys, the draft.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import App from '../src/App.svelte';
import type { Block } from '../src/generated/Block';
import type { Inline } from '../src/generated/Inline';
import type { Remark } from '../src/generated/Remark';
import { layoutOf } from '../src/markdown/stretches';
import { Finder, inkOf, passageOf, quoted, quoteOf } from '../src/passages/quote';
import { QUOTE_CHARS } from '../src/reply/remarks.svelte';
import { Review } from '../src/review/review.svelte';
import { armed } from './armed';
import { FakeGate, summary, view } from './fake-gate';

afterEach(() => {
  cleanup();
  getSelection()?.removeAllRanges();
});

const text = (words: string): Inline => ({ kind: 'text', text: words });
const paragraph = (...children: Inline[]): Block => ({ kind: 'paragraph', children });
const link: Inline = { kind: 'link', href: 'https://github.com/x', children: [text('the issue')] };

const PLAN: Block[] = [
  { kind: 'heading', level: 1, children: [text('Plan')] },
  paragraph(
    text('First see '),
    link,
    text(' and '),
    { kind: 'strong', children: [text('then')] },
    text(' begin.'),
  ),
  {
    kind: 'list',
    start: 1,
    items: [
      { checked: null, children: [paragraph(text('port the callers'))] },
      { checked: null, children: [paragraph(text('remove the runner'))] },
    ],
  },
  { kind: 'code', language: '', text: 'fn main() {\n    run();\n}\n' },
  { kind: 'table', head: [[text('A')], [text('B')]], rows: [[[text('one')], [text('two')]]] },
];

describe('quotes', () => {
  const { leaves } = layoutOf({ blocks: PLAN, rest: null });
  const finder = new Finder(leaves);
  const found = (quote: string) => {
    const passage = finder.find(quote);
    return passage && quoteOf(leaves, passage);
  };

  it('are the words between two places', () => {
    const passage = { from: { leaf: 1, ink: 5 }, to: { leaf: 3, ink: inkOf('remove') } };
    expect(quoteOf(leaves, passage)).toBe('see the issue and then begin.\n\nport the callers\n\nremove');
  });

  it('keep lines of code and cells of tables apart', () => {
    const whole = leaves.map((_, index) => passageOf(leaves, index));
    expect(whole.map((passage) => passage && quoteOf(leaves, passage))).toEqual([
      'Plan',
      'First see the issue and then begin.',
      'port the callers',
      'remove the runner',
      'fn main() {\n    run();\n}',
      'A\tB\none\ttwo',
    ]);
  });

  it('are found again by their text, however its lines are broken', () => {
    for (const quote of ['the issue and then', 'begin.\n\nport', 'main() {\n  run()', 'one\ttwo', 'Plan'])
      expect(inkOf(found(quote) ?? ''), quote).toBe(inkOf(quote));
    expect(found('Remove the runner'), 'letters count').toBeNull();
    expect(found(' \n '), 'nothing is nowhere').toBeNull();
  });

  it('stand at their first place', () => {
    const twice = layoutOf({
      blocks: [paragraph(text('again')), paragraph(text('again'))],
      rest: null,
    }).leaves;
    expect(new Finder(twice).find('again')?.from).toEqual({ leaf: 0, ink: 0 });
  });

  it('hold a bound number of characters, none of them half', () => {
    const long = layoutOf({ blocks: [paragraph(text(`a${'👍'.repeat(5_000)}`))], rest: null }).leaves;
    const last = long.length - 1;
    const end = passageOf(long, last)?.to ?? { leaf: 0, ink: 0 };
    const quote = quoteOf(long, { from: { leaf: 0, ink: 0 }, to: end });
    expect(quote.length).toBeLessThanOrEqual(QUOTE_CHARS);
    expect(quote.length).toBeGreaterThan(QUOTE_CHARS - 10);
    expect(() => encodeURIComponent(quote), 'no half of a pair').not.toThrow();
  });

  it('become a Markdown quotation', () => {
    expect(quoted(' one\n\ntwo ')).toBe('> one\n>\n> two\n\n');
  });
});

async function shown(remarks: Remark[] = [], blocks = PLAN) {
  const draft = { text: '', selected: [], comments: [], attachments: [], remarks };
  const gate = new FakeGate([view('a', { message: { blocks, rest: null }, draft }), view('b')]);
  const review = new Review(gate, () => 1_000_000);
  const { container } = render(App, { review });
  await expect.poll(() => gate.readied).toBe(1);
  await armed();
  const layer = () => container.querySelector('[data-commentable]');
  await expect.poll(layer, { message: 'what lies over the message must come' }).not.toBeNull();
  await tick();
  const press = (key: string, more: KeyboardEventInit = {}) =>
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
  const leaf = (index: number) =>
    container.querySelectorAll<HTMLElement>('[data-leaf]')[index] as HTMLElement;
  return { gate, review, container, press, leaf };
}

/** Selects from the first of these words to the last, as a pointer does. */
async function select(from: HTMLElement, first: string, to: HTMLElement, last: string) {
  const place = (root: HTMLElement, words: string) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(words) ?? -1;
      if (at !== -1) return { node, at };
    }
    throw new Error(`there is no “${words}”`);
  };
  await fireEvent.pointerDown(from);
  const [start, end] = [place(from, first), place(to, last)];
  getSelection()?.setBaseAndExtent(start.node, start.at, end.node, end.at + last.length);
  await fireEvent(document, new Event('selectionchange'));
  await fireEvent.pointerUp(window);
}

const type = (body: string) =>
  fireEvent.input(screen.getByTestId('remark-text'), { target: { value: body } });
const stored = (review: Review) => review.reply?.draft().remarks;
const focused = () => document.activeElement?.textContent?.trim();

describe('a selection', () => {
  it('can be commented on, and the comment goes with the reply', async () => {
    const { gate, review, leaf } = await shown();
    await select(leaf(1), 'see', leaf(2), 'port the');
    await fireEvent.click(await screen.findByTestId('passage-comment'));
    await type('Say more');
    await expect
      .poll(() => gate.given('save_draft').at(-1)?.draft.remarks, { message: 'saved as it is typed' })
      .toEqual([{ quote: 'see the issue and then begin.\n\nport the', body: 'Say more' }]);
    await fireEvent.click(screen.getByTestId('remark-save'));
    const card = screen.getByTestId('remark');
    expect(card.textContent).toContain('Say more');
    expect(leaf(2).parentElement?.contains(card), 'it stands below the end of the passage').toBe(true);
    await fireEvent.click(screen.getByTestId('request-changes'));
    await expect.poll(() => gate.given('send_reply')[0]?.draft.remarks?.length).toBe(1);
    expect(review.reply?.id, 'and the next request comes').toBeDefined();
  });

  it('holds the agent’s words only', async () => {
    const { review, leaf } = await shown();
    await select(leaf(1), 'the issue', leaf(1), 'then');
    await fireEvent.click(await screen.findByTestId('passage-comment'));
    await type('x');
    expect(stored(review)?.[0]?.quote, 'without the host that the window adds').toBe('the issue and then');
  });

  it('can be quoted in the reply, where its cursor is', async () => {
    const { review, leaf } = await shown();
    const box = screen.getByTestId<HTMLTextAreaElement>('reply-text');
    await fireEvent.input(box, { target: { value: 'Before. After.' } });
    box.setSelectionRange(7, 8);
    await select(leaf(3), 'remove', leaf(3), 'runner');
    await fireEvent.click(await screen.findByTestId('passage-quote'));
    expect(review.reply?.text).toBe('Before.\n\n> remove the runner\n\nAfter.');
    expect(document.activeElement, 'writing goes on there').toBe(box);
    expect(box.value.slice(0, box.selectionStart), 'behind the quotation').toMatch(/runner\n\n$/);
  });

  it('offers nothing outside of the message, nor when it is gone', async () => {
    const { container, leaf } = await shown();
    await select(leaf(3), 'remove', leaf(3), 'runner');
    await screen.findByTestId('passage-bubble');
    getSelection()?.removeAllRanges();
    await fireEvent(document, new Event('selectionchange'));
    await expect.poll(() => screen.queryByTestId('passage-bubble')).toBeNull();
    const title = container.querySelector<HTMLElement>('h1') as HTMLElement;
    await select(title, 'Title', title, 'of a');
    await new Promise((resolve) => requestAnimationFrame(resolve));
    expect(screen.queryByTestId('passage-bubble')).toBeNull();
  });
});

describe('keys', () => {
  it('go from block to block, and C comments', async () => {
    const { review, press } = await shown();
    for (const words of [
      'Plan',
      'First see the issue\u00a0(github.com) and then begin.',
      'port the callers',
    ]) {
      await press('n');
      expect(focused()).toBe(words);
    }
    await press('p');
    await press('ArrowDown');
    await press('ArrowDown');
    expect(focused(), 'the arrows too').toBe('remove the runner');
    await press('c');
    expect(document.activeElement, 'at once').toBe(screen.getByTestId('remark-text'));
    await type('Not yet');
    await press('Enter', { ctrlKey: true });
    expect(stored(review)).toEqual([{ quote: 'remove the runner', body: 'Not yet' }]);
    await expect.poll(focused, { message: 'and back to the block' }).toBe('remove the runner');
    await press('Enter');
    expect(screen.getAllByTestId('remark').length, 'Enter comments as well').toBe(2);
    await press('Escape');
    await expect.poll(() => screen.getAllByTestId('remark').length, { message: 'an empty one goes' }).toBe(1);
  });

  it('first show what C is about, and Escape gives it up before it hides the window', async () => {
    const { gate, press } = await shown();
    await press('c');
    expect(focused(), 'the first block that is seen').toBe('Plan');
    expect(screen.queryByTestId('remark')).toBeNull();
    await press('Escape');
    expect([gate.hidden, screen.queryByTestId('passage-bubble')]).toEqual([0, null]);
    await press('Escape');
    await expect.poll(() => gate.hidden).toBe(1);
  });

  it('that send finish a comment, and answer nothing', async () => {
    const { gate, press } = await shown();
    await press('n');
    await press('c');
    await type('hm');
    await press('Enter', { ctrlKey: true, shiftKey: true });
    expect(gate.given('send_reply')).toEqual([]);
    expect(screen.queryByTestId('remark-text')).toBeNull();
  });

  it('mean nothing while text is typed, nor in other parts of the page', async () => {
    await shown();
    const box = screen.getByTestId('reply-text');
    box.focus();
    await fireEvent.keyDown(box, { key: 'c' });
    const button = screen.getByTestId('approve');
    button.focus();
    await fireEvent.keyDown(button, { key: 'n' });
    expect(document.activeElement).toBe(button);
    expect(screen.queryByTestId('remark')).toBeNull();
  });

  it('go from comment to comment', async () => {
    const { press } = await shown([
      { quote: 'remove the runner', body: 'second' },
      { quote: 'First', body: 'first' },
      { quote: 'nowhere', body: 'third' },
    ]);
    const at = () => document.activeElement?.querySelector('.body')?.textContent;
    for (const body of ['first', 'second', 'third', 'first']) {
      await press('m');
      expect(at(), 'in the order of the text').toBe(body);
    }
    await press('m', { shiftKey: true });
    expect(at()).toBe('third');
  });

  it('open the contents of a long plan, and go to a heading', async () => {
    const long = Array.from({ length: 12 }, (_, index): Block[] => [
      { kind: 'heading', level: 2, children: [text(`Part ${index}`)] },
      paragraph(text('words '.repeat(120))),
    ]).flat();
    const { press } = await shown([], long);
    await press('t');
    expect(document.activeElement?.closest('ol'), 'its keys at once').toBe(
      screen.getByTestId('outline-panel'),
    );
    await press('Home');
    expect(focused()).toBe('Part 0');
    await press('End');
    expect(focused()).toBe('Part 11');
    await fireEvent.click(document.activeElement as HTMLElement);
    await expect.poll(() => screen.queryByTestId('outline-panel')).toBeNull();
    await expect.poll(() => document.activeElement?.getAttribute('role')).toBe('heading');
    expect(focused()).toBe('Part 11');
    await press('n');
    expect(focused(), 'and on from there').toMatch(/^words/);
  });
});

describe('comments of a draft', () => {
  const remarks = [
    { quote: 'see the issue and then', body: 'which?' },
    { quote: 'an older wording', body: 'still wanted' },
  ];

  it('find their passages again, or stand at the end with their quotes', async () => {
    const { review, leaf } = await shown(remarks);
    const [first, lost] = screen.getAllByTestId('remark');
    expect(leaf(1).parentElement?.contains(first ?? null), 'below its paragraph').toBe(true);
    expect(lost?.textContent, 'with its quote').toContain('an older wording');
    expect(lost?.closest('section')?.textContent).toContain('aren’t in the message');
    expect(stored(review), 'none is lost').toEqual(remarks);
    expect(screen.getByTestId('draft-state').textContent, 'and it is saved').not.toBe('');
  });

  it('can be changed, taken back and deleted', async () => {
    const { review, press } = await shown(remarks);
    await fireEvent.click(screen.getAllByLabelText('Edit comment')[0] as HTMLElement);
    await type('which one?');
    await fireEvent.click(screen.getByTestId('remark-revert'));
    expect(stored(review)?.[0]?.body, 'as before').toBe('which?');
    await fireEvent.click(screen.getAllByLabelText('Edit comment')[0] as HTMLElement);
    await type('which one?');
    await press('Escape');
    expect(stored(review)?.[0]?.body).toBe('which one?');
    await fireEvent.click(screen.getAllByLabelText('Delete comment')[1] as HTMLElement);
    expect(stored(review)).toEqual([{ quote: remarks[0]?.quote, body: 'which one?' }]);
  });

  it('stay to be read when the request is closed', async () => {
    const { gate } = await shown(remarks);
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
    await tick();
    expect(screen.getAllByTestId('remark').length).toBe(2);
    expect(screen.queryByLabelText('Edit comment'), 'nothing can be changed').toBeNull();
  });

  it('show hostile words as words', async () => {
    const { container } = await shown([
      { quote: '<img src=x onerror=alert(1)>', body: '<b onclick="x">y</b>' },
    ]);
    expect(container.querySelector('[data-testid=remark] img, [data-testid=remark] b')).toBeNull();
    expect(screen.getByTestId('remark').textContent).toContain('<b onclick="x">y</b>');
  });
});

it('a request without comments sends an empty list', async () => {
  const gate = new FakeGate([view('a', { summary: summary('a', { approval: true }) })]);
  const review = new Review(gate, () => 1_000_000);
  await review.start();
  expect(review.reply?.draft().remarks).toEqual([]);
});
