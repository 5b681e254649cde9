// Finding words in a request and in a conversation: by key, counted, gone through, marked, and closed again.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import './lazy';
import App from '../src/App.svelte';
import { everyKind } from '../src/dev/diff-fixtures';
import { pattern } from '../src/find/finding.svelte';
import type { Block } from '../src/generated/Block';
import type { Inline } from '../src/generated/Inline';
import type { RequestView } from '../src/generated/RequestView';
import MainApp from '../src/MainApp.svelte';
import { Review } from '../src/review/review.svelte';
import { Main } from '../src/state/main.svelte';
import { armed } from './armed';
import { FakeGate, fault, view } from './fake-gate';
import { FakeRecord, message } from './fake-record';

/** What an engine that marks ranges has. */
const highlights = new Map<string, Set<Range>>();

beforeEach(() => {
  highlights.clear();
  vi.stubGlobal('Highlight', Set);
  vi.stubGlobal('CSS', { highlights, supports: () => true });
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const text = (words: string): Inline => ({ kind: 'text', text: words });
const paragraph = (...children: Inline[]): Block => ({ kind: 'paragraph', children });
const code = Array.from({ length: 100 }, (_, line) => (line === 90 ? 'let needle = 1;' : `line ${line}`));

const PLAN: Block[] = [
  { kind: 'heading', level: 1, children: [text('The plan')] },
  paragraph(
    text('First see '),
    { kind: 'strong', children: [text('the')] },
    text(' issue and THE'),
    text('n begin.'),
  ),
  { kind: 'code', language: '', text: `${code.join('\n')}\n` },
  { kind: 'table', head: [[text('A')]], rows: [[[text('the last')]]] },
];

async function shown(over: Partial<RequestView> = {}) {
  const gate = new FakeGate([view('a', { message: { blocks: PLAN, rest: null }, ...over })]);
  const review = new Review(gate, () => 1_000_000);
  const { container } = render(App, { review });
  await expect.poll(() => gate.readied).toBe(1);
  await armed();
  await expect.poll(() => container.querySelector('[data-commentable]')).not.toBeNull();
  await tick();
  const open = async (from: Element = document.activeElement ?? document.body) => {
    await fireEvent.keyDown(from, { key: 'f', ctrlKey: true });
    return screen.findByTestId<HTMLInputElement>('find-field');
  };
  return { gate, review, container, open };
}

const look = (words: string) =>
  fireEvent.input(screen.getByTestId('find-field'), { target: { value: words } });
const step = (shiftKey = false) =>
  fireEvent.keyDown(screen.getByTestId('find-field'), { key: 'Enter', shiftKey });
const result = () => screen.getByTestId('find-result').textContent;
const marked = (name: string) => [...(highlights.get(name) ?? [])].map(String);
const focused = () => document.activeElement?.getAttribute('data-testid');

describe('what is looked for', () => {
  it('is words as they are, in small or capital letters, however a line is broken', () => {
    const finds = (query: string, words: string) => pattern(query)?.test(words);
    expect(finds('a.b(', 'A.B('), 'signs stand for themselves').toBe(true);
    expect(finds('a.b(', 'axb(')).toBe(false);
    expect(finds('two words', 'two\n  words')).toBe(true);
    expect(pattern('  '), 'nothing is looked for').toBeNull();
  });
});

describe('in a request', () => {
  it('is found across what is written bold, counted, gone through and left where one was', async () => {
    const { container, open } = await shown();
    const before = document.activeElement;
    const field = await open();
    expect(document.activeElement, 'one types at once').toBe(field);
    const message = container.querySelector('[data-testid=message]');
    const unmarked = message?.cloneNode(true) ?? null;
    await look('the');
    await expect.poll(result).toBe('1 of 4');
    expect([...marked('found-here'), ...marked('found')]).toEqual(['The', 'the', 'THE', 'the']);
    await step();
    expect([result(), marked('found-here')]).toEqual(['2 of 4', ['the']]);
    await step(true);
    await step(true);
    expect(result(), 'round and round').toBe('4 of 4');
    await look('issue and then');
    await expect.poll(result, { message: 'a word that stands in two pieces' }).toBe('1 of 1');
    expect(marked('found-here')).toEqual(['issue and THEn']);
    await look('zebra');
    await expect.poll(result).toBe('Not found');
    expect(message?.isEqualNode(unmarked), 'the text is as it was').toBe(true);
    await fireEvent.keyDown(field, { key: 'Escape' });
    expect(screen.queryByTestId('find')).toBeNull();
    expect(document.activeElement, 'the keys are where they were').toBe(before);
    expect(marked('found'), 'and nothing stays marked').toEqual([]);
  });

  it('is found in code that is folded, which unfolds for it', async () => {
    const { open } = await shown();
    const fold = screen.getByTestId('code-fold');
    await open();
    await look('line 5');
    await expect.poll(result).toBe('1 of 11');
    expect(fold.getAttribute('aria-expanded'), 'nothing unfolds for what is seen').toBe('false');
    await look('needle');
    await expect.poll(() => marked('found-here')).toEqual(['needle']);
    expect(fold.getAttribute('aria-expanded')).toBe('true');
  });

  it('is chosen where nothing can be marked', async () => {
    vi.stubGlobal('Highlight', undefined);
    const { open } = await shown();
    await open();
    await look('begin');
    await expect.poll(() => String(getSelection())).toBe('begin');
    getSelection()?.removeAllRanges();
  });

  it('leaves the changes their own search, and hands the words on to it', async () => {
    const { container } = await shown({ diff: everyKind() });
    await screen.findByTestId('diff');
    await fireEvent.keyDown(document.body, { key: 'f', ctrlKey: true });
    await expect.poll(focused, { message: 'from nowhere it is theirs' }).toBe('diff-find-field');
    await fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' });
    const group = container.querySelector<HTMLElement>('[data-testid=message] [role=group]');
    group?.focus();
    await fireEvent.keyDown(group as Element, { key: 'f', ctrlKey: true });
    await screen.findByTestId('find');
    await look('pub fn');
    await fireEvent.click(await screen.findByTestId('find-changes'));
    await expect.poll(focused).toBe('diff-find-field');
    expect(screen.getByTestId<HTMLInputElement>('diff-find-field').value).toBe('pub fn');
    expect(screen.queryByTestId('find'), 'there is one at a time').toBeNull();
  });
});

describe('in the main window', () => {
  /** Earlier messages come when they are let. */
  let allowed = false;

  async function main() {
    const gate = new FakeGate();
    allowed = false;
    gate.meddle = (command) =>
      command.command === 'conversation' && command.cursor !== null && !allowed
        ? fault('database')
        : undefined;
    const record = new FakeRecord(3);
    record.messages = Array.from({ length: 6 }, (_, index) => message(index + 1));
    record.page = 4;
    gate.record = record.answer;
    const state = new Main(gate, { page: 'history', at: null });
    render(MainApp, { main: state });
    await expect.poll(() => gate.readied).toBe(1);
    return { gate, state };
  }

  it('Ctrl F finds in what is read, and from the list searches as before', async () => {
    await main();
    const messages = await screen.findByTestId('messages');
    await fireEvent.keyDown(screen.getByTestId('history-list'), { key: 'f', ctrlKey: true });
    await expect.poll(focused).toBe('search');
    messages.focus();
    await fireEvent.keyDown(messages, { key: 'f', ctrlKey: true });
    await expect.poll(focused).toBe('find-field');
    await look('said');
    await expect.poll(result, { message: 'over all messages that are here' }).toBe('1 of 4');
    allowed = true;
    const older = screen.getByTestId('find-older');
    expect(await fireEvent.keyDown(older, { key: 'Enter' }), 'Enter on a button is the button’s').toBe(true);
    await fireEvent.click(older);
    await expect.poll(result, { message: 'earlier ones count when they have come' }).toBe('3 of 6');
    expect(screen.queryByTestId('find-older'), 'there are no more').toBeNull();
    await fireEvent.keyDown(screen.getByTestId('find-field'), { key: 'Escape' });
    expect(focused(), 'back in the conversation').toBe('messages');
  });
});
