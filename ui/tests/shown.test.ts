// What isn't what it seems, as a person meets it: in messages, titles, options and changes; the source of a message.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import App from '../src/App.svelte';
import { added, context, removed } from '../src/dev/build';
import DiffView from '../src/diff/DiffView.svelte';
import { kindOf, oddities } from '../src/diff/kinds';
import { partsOf } from '../src/diff/parts';
import type { Block } from '../src/generated/Block';
import type { DiffFile } from '../src/generated/DiffFile';
import type { Inline } from '../src/generated/Inline';
import type { Row } from '../src/generated/Row';
import '../src/i18n/words-diff';
import MarkdownDocument from '../src/markdown/MarkdownDocument.svelte';
import { ReplyDraft } from '../src/reply/reply-draft.svelte';
import { Review } from '../src/review/review.svelte';
import type { Answer } from '../src/state/port';
import { answerable } from './armed';
import { FakeGate, summary, view } from './fake-gate';

afterEach(cleanup);

const text = (words: string): Inline => ({ kind: 'text', text: words });
const paragraph = (...children: Inline[]): Block => ({ kind: 'paragraph', children });
const labels = (within: ParentNode = document) =>
  [...within.querySelectorAll<HTMLElement>('[data-odd]')].map((mark) => mark.dataset['label']);
const shown = (...blocks: Block[]) =>
  render(MarkdownDocument, { document: { blocks, rest: null } }).container;

describe('an agent’s text', () => {
  it('wears the code points of what nobody sees, and is still the text that was sent', () => {
    const words = 'p\u0430y \u202enow\u200b';
    const container = shown(paragraph(text(words)));
    expect(container.querySelector('p')?.textContent, 'to be copied').toBe(words);
    expect(labels(container)).toEqual(['U+0430', 'U+202E', 'U+200B']);
    const marks = screen.getAllByRole('img').map((mark) => mark.getAttribute('aria-label'));
    expect(marks).toEqual([
      'U+0430 CYRILLIC SMALL LETTER A: looks like “a” and is another letter',
      'U+202E RIGHT-TO-LEFT OVERRIDE: turns the direction in which text is read',
      'U+200B ZERO WIDTH SPACE: nobody sees this character',
    ]);
  });

  it('is calm where it is honest', () => {
    const container = shown(paragraph(text('Zoë’s 5 µs – 你好 👩‍💻, « oui »')), {
      kind: 'code',
      language: 'rust',
      text: 'fn main() {}\n',
    });
    expect(labels(container)).toEqual([]);
  });

  it('marks code, its language and what stands after it, and folds blanks and empty lines', () => {
    const code = `a;${' '.repeat(100)}b;\n${'\n'.repeat(30)}c\u00a0= שלום;\n`;
    const container = shown({ kind: 'code', language: 'j\u0455', info: 'and approve', text: code });
    expect(container.querySelector('pre')?.textContent, 'all of the code').toContain(
      `b;\n${'\n'.repeat(30)}`,
    );
    expect(container.querySelector('pre .empty')?.getAttribute('data-label')).toBe('30 empty lines');
    expect(labels(container)).toEqual(['U+0455', '100 blanks', 'U+00A0']);
    expect(container.querySelector('.language')?.textContent).toBe('j\u0455 and approve');
    expect(container.querySelector('bdi')?.textContent, 'letters from the right stay there').toBe('שלום');
  });

  it('shows what Markdown leaves out', () => {
    const container = shown(
      paragraph(
        { kind: 'dropped', text: '[//]: # (drop it)' },
        { kind: 'link', href: 'https://a.example/p.png', image: true, children: [text('plan')] },
        { kind: 'blank', lines: 40 },
        { kind: 'link', href: 'https://evil.example/x', children: [text('github.com')] },
      ),
    );
    const dropped = screen.getByTestId('dropped');
    expect([dropped.dataset['label'], dropped.textContent]).toEqual(['hidden:', '[//]: # (drop it)']);
    const label = (name: string) => container.querySelector<HTMLElement>(name)?.dataset['label'];
    expect([label('.picture'), label('.blank')]).toEqual(['picture, not loaded:', '40 empty lines']);
    expect(container.querySelector('.host.other')?.textContent).toContain('evil.example');
  });
});

describe('a request', () => {
  it('marks its title and its options, and says them plainly where only text fits', async () => {
    const asked = view('a', {
      summary: summary('a', { title: 'Dep\u200bloy p\u0430y?' }),
      options: [{ label: '\u202eoN', description: 'k\u0435ep' }],
    });
    const gate = new FakeGate([asked]);
    render(App, { review: new Review(gate) });
    await expect.poll(() => gate.readied).toBe(1);
    const title = screen.getByTestId('request-title');
    expect([title.textContent, labels(title)]).toEqual(['Dep\u200bloy p\u0430y?', ['U+200B', 'U+0430']]);
    expect(labels(screen.getByTestId('option-1'))).toEqual(['U+202E', 'U+0435']);
    // It is set after the first frame.
    await expect.poll(() => document.title).toContain('Dep⟨U+200B⟩loy');
  });

  it('shows its message as it was sent, by a button or a key, and back', async () => {
    const gate = new FakeGate([view('a')]);
    const message = '# Hi\u202e\r\n\n[//]: # (hidden)\n';
    const none = { title: null, context: null, urgent: false, options: [], allow_multiple: false };
    gate.record = (command): Answer => {
      if (command.command !== 'question') return {};
      return { ask: { ...none, approval: true, diff: null, message }, digest: 'digest of a' };
    };
    document.body.dataset['keys'] = '';
    render(App, { review: new Review(gate) });
    await expect.poll(() => gate.readied).toBe(1);
    await fireEvent.click(screen.getByTestId('source'));
    await expect.poll(() => screen.queryByTestId('source-text')?.textContent?.trim()).toBe(message.trim());
    expect(labels(screen.getByTestId('source-text'))).toEqual(['U+202E', 'U+000D']);
    expect(screen.getByTestId('message').textContent, 'in its place').not.toContain('Message of a');
    await expect.poll(() => document.querySelector('[data-commentable]')).not.toBeNull();
    await answerable();
    await fireEvent.keyDown(document.body, { key: 'o' });
    await expect.poll(() => screen.getByTestId('message').textContent).toContain('Message of a');
  });
});

const file = (over: Partial<DiffFile>): DiffFile => ({
  ...{ old_path: 'a', new_path: 'a', change: 'modified', binary: false, added: 0, removed: 0 },
  ...{ since: null, hunks: [] },
  ...over,
});
const hunk = (...rows: Row[]) => ({ header: '@@ -1 +1 @@', rows });
const outside = (words: string): Row => ({
  ...{ kind: 'outside', old: null, new: null, fresh: false },
  segments: [{ text: words, changed: false }],
});

async function changed(...files: DiffFile[]) {
  const diff = { files };
  const reply = new ReplyDraft(new FakeGate([]), view('a', { diff }));
  const { container } = render(DiffView, { diff, reply });
  await tick();
  return container;
}
const odd = () => screen.queryAllByTestId('diff-odd').map((chip) => chip.textContent);
const body = () => screen.getByTestId('diff').textContent ?? '';

describe('a file of a diff', () => {
  it('says what it is where it is more than text', () => {
    expect(oddities(file({ old_mode: '100644', new_mode: '100755' }))).toEqual([
      'executable now (100644 → 100755)',
    ]);
    expect(oddities(file({ old_mode: '100755', new_mode: '100644' }))).toEqual([
      'no longer executable (100755 → 100644)',
    ]);
    expect(oddities(file({ change: 'added', new_mode: '100755' }))).toEqual(['executable']);
    expect(oddities(file({ change: 'added', new_mode: '120000' }))).toEqual(['symbolic link']);
    expect(oddities(file({ old_mode: '160000', new_mode: '160000' }))).toEqual(['submodule']);
    expect(oddities(file({ binary: true, old_bytes: 10, new_bytes: 2_000 }))).toEqual([
      'binary, 10 B → 2 kB',
    ]);
    expect(oddities(file({ line_ends: { old: 'crlf', new: 'lf' } }))).toEqual(['line ends: CRLF → LF']);
    expect(kindOf('100600')).toBe('other');
  });

  it('says nothing where it is just text', () => {
    for (const calm of [
      {},
      { old_mode: '100644', new_mode: '100644' },
      { old_mode: '100755', new_mode: '100755' },
    ])
      expect(oddities(file(calm))).toEqual([]);
    expect(oddities(file({ change: 'added', new_mode: '100644' }))).toEqual([]);
  });

  it('shows where a link leads, not a text', async () => {
    const to: Row = { ...added(1, ['/etc/passwd']), end: 'nothing' };
    const container = await changed(file({ change: 'added', new_mode: '120000', hunks: [hunk(to)] }));
    expect(odd()).toEqual(['symbolic link']);
    expect(container.querySelector('.leads'), 'an arrow before where it leads').not.toBeNull();
    expect(screen.queryByTestId('diff-end'), 'it never ends with a line break').toBeNull();
    expect(body()).toContain('/etc/passwd');
  });

  it('says how alike both sides of a rename are', async () => {
    await changed(file({ change: 'renamed', old_path: 'b', similarity: 87 }));
    expect(body()).toContain('renamed from b, 87% alike');
    cleanup();
    await changed(file({ change: 'renamed', old_path: 'b' }));
    expect(body(), 'where the diff says so').not.toContain('alike');
  });

  it('shows lines that are part of no change, apart from those that are', async () => {
    await changed(
      file({
        hunks: [
          { header: '', outside: true, rows: [outside('please also run this')] },
          hunk(context(1, 1, 'a'), added(2, ['b'])),
        ],
      }),
    );
    expect(screen.getByTestId('diff-outside').textContent).toBe('In the diff’s text, but part of no change');
    const rows = screen.getAllByTestId('diff-row');
    expect(rows[0]?.classList.contains('outside')).toBe(true);
    expect(rows[0]?.textContent).toContain('please also run this');
    expect(rows[0]?.querySelector('[aria-label="Outside of the changes"]')).not.toBeNull();
  });

  it('says how lines end where they don’t all end alike', async () => {
    await changed(
      file({
        line_ends: { old: 'lf', new: 'mixed' },
        hunks: [hunk({ ...removed(1, ['a']), end: 'nothing' }, { ...added(1, ['a']), end: 'crlf' })],
      }),
    );
    const ends = screen.getAllByTestId('diff-end').map((end) => end.dataset['label']);
    expect([ends, odd()]).toEqual([['no line break', 'CRLF'], ['line ends: LF → mixed']]);
  });

  it('marks its path and its lines, whole words over changed ones', async () => {
    const path = 'src/p\u0430y.py';
    const row = added(1, ['x = "', false], ['p\u0430', true], ['y\u202e"']);
    const container = await changed(file({ old_path: path, new_path: path, hunks: [hunk(row)] }));
    expect(labels(container.querySelector('.head') ?? container)).toEqual(['U+0430']);
    const [line] = screen.getAllByTestId('diff-row');
    expect(line?.querySelector('.text')?.textContent).toBe('x = "p\u0430y\u202e"');
    expect(labels(line)).toEqual(['U+0430', 'U+202E']);
  });

  it('folds many empty lines, and says how many', () => {
    const shape = { split: false, freshOnly: false, opened: new Set<number>(), commentsBelow: () => [] };
    const empty = (count: number) => Array.from({ length: count }, (_, at) => added(at + 2, ['']));
    const kinds = (count: number) =>
      partsOf([hunk(added(1, ['a']), ...empty(count), added(99, ['b']))], shape).map((part) =>
        part.kind === 'fold' ? `${part.why} ${part.end - part.start}` : part.kind,
      );
    expect(kinds(30)).toEqual(['hunk', 'line', 'empty 30', 'line']);
    expect(kinds(20), 'some are nothing').not.toContain('empty 20');
  });
});
