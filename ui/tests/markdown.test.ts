// An agent's text on the page: its blocks, code with its tools and colours, the outline, the folded context.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi, onTestFinished } from 'vitest';
import type { Block } from '../src/generated/Block';
import type { Inline } from '../src/generated/Inline';
import FoldedContext from '../src/markdown/FoldedContext.svelte';
import type { Question, Reply } from '../src/markdown/highlight/marked';
import MarkdownDocument from '../src/markdown/MarkdownDocument.svelte';

afterEach(cleanup);

const text = (words: string): Inline => ({ kind: 'text', text: words });
const paragraph = (...children: Inline[]): Block => ({ kind: 'paragraph', children });
const code = (language: string, words: string): Block => ({ kind: 'code', language, text: words });
const shown = (...blocks: Block[]) =>
  render(MarkdownDocument, { document: { blocks, rest: null } }).container;

describe('blocks', () => {
  it('have names and roles for those who hear them', () => {
    const container = shown(
      { kind: 'heading', level: 2, children: [text('Where it stands')] },
      {
        kind: 'list',
        start: null,
        items: [
          { checked: true, children: [paragraph(text('tests'))] },
          { checked: false, children: [paragraph(text('docs'))] },
        ],
      },
      { kind: 'table', head: [[text('Platform')]], rows: [[[text('Linux')]]] },
      { kind: 'quote', children: [paragraph(text('Ship it.'))] },
    );
    expect(screen.getByRole('heading', { level: 2 }).textContent?.trim(), 'below the request’s title').toBe(
      'Where it stands',
    );
    expect(screen.getAllByRole('img').map((mark) => mark.getAttribute('aria-label'))).toEqual([
      'done',
      'not done',
    ]);
    const table = screen.getByRole('group', { name: 'Table' });
    expect(table.tabIndex, 'a wide one scrolls by keys').toBe(0);
    expect(within(table).getByRole('columnheader').textContent).toBe('Platform');
    expect(container.querySelector('blockquote')?.textContent?.trim()).toBe('Ship it.');
  });

  it('go on after what is too much to be formatted', async () => {
    const document = { blocks: [paragraph(text('begin'))], rest: 'and on\nand on' };
    const { container } = render(MarkdownDocument, { document });
    await fireEvent.click(screen.getByRole('button', { name: 'Show the rest (13 B)' }));
    expect(container.textContent).toContain('and on\nand on');
  });
});

describe('a code block', () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');
  const drawn = () => screen.getByRole('group', { name: /code$/i }).textContent?.trimEnd();

  it('names its language and copies its text, and says so', async () => {
    const copied: string[] = [];
    const writeText = (words: string) => Promise.resolve(void copied.push(words));
    vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { clipboard: { writeText } }));
    try {
      shown(code('rust,no_run', 'let a = 1;\nlet b = 2;\n'));
      expect(screen.getByText('rust'), 'its name alone').toBeTruthy();
      expect(screen.getByRole('group', { name: 'rust code' }).tabIndex, 'it scrolls by keys').toBe(0);
      expect(screen.getByRole('status').textContent, 'nothing to say yet').toBe('');
      await fireEvent.click(screen.getByRole('button', { name: 'Copy code' }));
      expect(copied, 'all of it, as it was written').toEqual(['let a = 1;\nlet b = 2;\n']);
      await expect.poll(() => screen.getByRole('status').textContent, { message: 'heard' }).toBe('Copied');
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('is folded when it is long, and opened again', async () => {
    shown(code('', lines(240)));
    expect(drawn(), 'its first lines').toBe(lines(40));
    await fireEvent.click(screen.getByRole('button', { name: 'Show all 240 lines' }));
    expect(drawn(), 'all of them').toBe(lines(240));
    await fireEvent.click(screen.getByRole('button', { name: 'Show less' }));
    expect(drawn()).toBe(lines(40));
  });

  it('is whole when it isn’t long', () => {
    shown(code('', lines(60)));
    expect(drawn()).toBe(lines(60));
    expect(screen.queryByTestId('code-fold')).toBeNull();
  });

  it('wraps and numbers its lines on demand', async () => {
    shown(code('sh', `${'echo long '.repeat(20)}\n${lines(5)}`));
    const pre = screen.getByRole('group', { name: 'sh code' });
    expect([pre.classList.contains('wraps'), pre.classList.contains('numbered')]).toEqual([false, false]);
    await fireEvent.click(screen.getByRole('button', { name: 'Wrap long lines' }));
    await fireEvent.click(screen.getByRole('button', { name: 'Line numbers' }));
    expect([pre.classList.contains('wraps'), pre.classList.contains('numbered')]).toEqual([true, true]);
    expect(screen.getByRole('button', { name: 'Line numbers' }).getAttribute('aria-pressed')).toBe('true');
    expect(drawn(), 'numbers are no text').toMatch(/^echo long/);
  });
});

describe('colours', () => {
  /** Threads that were started, and how each answers. */
  const threads: FakeThread[] = [];
  let answers: (question: Question) => Reply | null;

  class FakeThread {
    onmessage: ((event: { data: Reply }) => void) | null = null;
    onerror: (() => void) | null = null;
    ended = false;
    readonly url: string;
    constructor(url: URL) {
      this.url = url.pathname;
      threads.push(this);
    }
    postMessage(question: Question) {
      const data = answers(question);
      if (data) queueMicrotask(() => this.onmessage?.({ data }));
      else queueMicrotask(() => this.onerror?.());
    }
    terminate() {
      this.ended = true;
    }
  }

  beforeEach(() => {
    threads.length = 0;
    vi.stubGlobal('Worker', FakeThread);
    return () => {
      // The page keeps a thread for the next code; that of another test would get these answers.
      for (const thread of threads) thread.onerror?.();
      vi.unstubAllGlobals();
    };
  });

  it('come from a thread and change no letter', async () => {
    answers = ({ id }) => ({ id, marked: { ends: [2, 6, 12], kinds: ['keyword', '', 'name'] } });
    const container = shown(code('rust', 'fn  a\nmain()\n'));
    const pre = screen.getByRole('group', { name: 'rust code' });
    expect(pre.textContent, 'there before the colours are').toBe('fn  a\nmain()\n');
    await expect.poll(() => container.querySelector('.ink-keyword')?.textContent).toBe('fn');
    expect([...container.querySelectorAll('.ink-name')].map((run) => run.textContent)).toEqual(['main()']);
    expect(pre.textContent, 'the same text').toBe('fn  a\nmain()\n');
  });

  it('aren’t asked for where nobody knows the language, nor for very long code', async () => {
    answers = () => {
      throw new Error('nobody asks');
    };
    shown(
      code('', 'plain'),
      code('output', 'plain'),
      code('klingon', 'plain'),
      code('rust', 'x'.repeat(100_001)),
    );
    await tick();
    expect(threads).toEqual([]);
  });

  it('are left out where a thread breaks, and tried again with the next code', async () => {
    answers = () => null;
    shown(code('ruby', 'puts 1'));
    await expect.poll(() => threads.map((thread) => thread.ended)).toEqual([true]);
    expect(screen.getByRole('group', { name: 'ruby code' }).textContent).toBe('puts 1\n');
    answers = ({ id }) => ({ id, marked: { ends: [4, 6], kinds: ['keyword', ''] } });
    const container = shown(code('lua', 'more 1'));
    await expect.poll(() => container.querySelector('.ink-keyword')?.textContent).toBe('more');
    expect(threads.length, 'in a new thread').toBe(2);
  });
});

describe('the folded context', () => {
  const context = {
    blocks: [paragraph(text('Finishing the task: 3 files')), paragraph(text('and more'))],
    rest: null,
  };
  const details = () => screen.getByTestId<HTMLDetailsElement>('context');

  it('is one line, and opens by a key where nothing is typed', async () => {
    document.body.dataset['keys'] = '';
    onTestFinished(() => void delete document.body.dataset['keys']);
    render(FoldedContext, { document: context });
    expect(details().open).toBe(false);
    expect(details().textContent, 'its first words').toContain('Finishing the task: 3 files');
    expect(details().textContent, 'and no more of it').not.toContain('and more');
    await fireEvent.keyDown(document.body, { key: 'x', ctrlKey: true });
    expect(details().open, 'that cuts text').toBe(false);
    await fireEvent.keyDown(document.body, { key: 'x' });
    await expect.poll(() => details().open).toBe(true);
    await expect.poll(() => details().textContent).toContain('and more');
    await fireEvent.keyDown(document.body, { key: 'x' });
    await expect.poll(() => details().open).toBe(false);
  });

  it('opens by a click', async () => {
    render(FoldedContext, { document: context });
    details().open = true;
    await fireEvent(details(), new Event('toggle'));
    await expect.poll(() => details().textContent).toContain('and more');
  });
});
