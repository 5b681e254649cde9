// Colours of code in diffs: rows first, colours later, only for what is drawn, with changed words marked on top.
import { render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { added, context, removed } from '../src/dev/build';
import { codeRows, everyKind, largeDiff } from '../src/dev/diff-fixtures';
import DiffView from '../src/diff/DiffView.svelte';
import { AT_ONCE, Ink, PAUSE, sheetOf, type Coloured } from '../src/diff/ink';
import { look } from '../src/diff/memory.svelte';
import { paneOf } from '../src/diff/pane.svelte';
import type { DiffFile } from '../src/generated/DiffFile';
import type { DiffView as Diff } from '../src/generated/DiffView';
import type { Row } from '../src/generated/Row';
import { languageOfPath } from '../src/markdown/highlight/languages';
import type { Marked, Question } from '../src/markdown/highlight/marked';
import { ReplyDraft } from '../src/reply/reply-draft.svelte';
import { FakeGate, view } from './fake-gate';

/** Every word is a keyword. */
function words(code: string): Marked {
  const marked: Marked = { ends: [], kinds: [] };
  for (const { index, 0: word } of code.matchAll(/\w+|\W+/g)) {
    marked.ends.push(index + word.length);
    marked.kinds.push(/\w/.test(word) ? 'keyword' : '');
  }
  return marked;
}

const fileOf = (path: string, rows: Row[]): DiffFile => ({
  ...{ old_path: path, new_path: path, change: 'modified', binary: false, added: 0, removed: 0, since: null },
  hunks: [{ header: '@@', rows }],
});
const rows = [
  context(1, 1, 'fn a() {'),
  removed(2, ['  old']),
  added(2, ['  new']),
  added(3, ['  more']),
  context(3, 4, '}'),
];

describe('what a file is written in', () => {
  it('is seen by its name', () => {
    const of = (...paths: string[]) => paths.map(languageOfPath);
    expect(of('src/main.rs', 'a/b.TSX', 'x.yml')).toEqual(['rs', 'tsx', 'yml']);
    expect(of('Dockerfile', 'docker/Dockerfile.dev', 'Makefile', 'CMakeLists.txt', '.env.local')).toEqual([
      'dockerfile',
      'dockerfile',
      'makefile',
      'cmake',
      'env',
    ]);
    expect(of('LICENSE', 'notes.txt', 'picture.png', 'rs', '')).toEqual(['', '', '', '', '']);
  });
});

describe('the text that is coloured', () => {
  it('is one side of a hunk, whole', () => {
    const now = sheetOf(rows, 'new');
    expect(now.code).toBe('fn a() {\n  new\n  more\n}');
    expect([...now.starts], 'where each row begins').toEqual([0, -1, 9, 15, 22]);
    expect(sheetOf(rows, 'old').code).toBe('fn a() {\n  old\n}');
  });
});

describe('colouring', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function begun(colour = (_: string, code: string) => Promise.resolve<Marked | null>(words(code))) {
    const asked: [string, string][] = [];
    const pictures: (() => void)[] = [];
    const ink = new Ink(
      (act) => pictures.push(act),
      (info, code) => {
        asked.push([info, code]);
        return colour(info, code);
      },
    );
    return { ink, asked, pictures };
  }

  it('waits until the page stands still', async () => {
    const { ink, asked } = begun();
    const file = fileOf('a.rs', rows);
    const given: Coloured[] = [];
    ink.want(file, 0, 2, (coloured) => given.push(coloured));
    expect(asked, 'the row is drawn first').toEqual([]);
    for (let turn = 0; turn < 10; turn += 1) {
      await vi.advanceTimersByTimeAsync(PAUSE - 10);
      ink.moved();
    }
    expect(asked, 'nothing is asked while it is scrolled').toEqual([]);
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect(asked).toEqual([['rs', 'fn a() {\n  new\n  more\n}']]);
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect(given[0]?.runs(0, 5)).toEqual([
      { kind: '', text: '  ' },
      { kind: 'keyword', text: 'new' },
    ]);
    expect(given[0]?.runs(3, 5), 'a part of it').toEqual([{ kind: 'keyword', text: 'ew' }]);
  });

  it('asks for what is still there, once for each side', async () => {
    const { ink, asked } = begun();
    const file = fileOf('a.rs', rows);
    const gone = ink.want(fileOf('b.rs', rows), 0, 0, () => undefined);
    for (const at of rows.keys()) ink.want(file, 0, at, () => undefined);
    gone();
    await vi.advanceTimersByTimeAsync(3 * PAUSE);
    expect(asked.map(([, code]) => code)).toEqual(['fn a() {\n  new\n  more\n}', 'fn a() {\n  old\n}']);
  });

  it('gives a few rows between two pictures', async () => {
    const { ink, pictures } = begun();
    const many = fileOf('a.rs', codeRows(3 * AT_ONCE));
    let given = 0;
    for (const at of many.hunks[0]?.rows.keys() ?? []) ink.want(many, 0, at, () => (given += 1));
    await vi.advanceTimersByTimeAsync(3 * PAUSE);
    expect(given).toBe(AT_ONCE);
    for (let turn = 0; turn < 4; turn += 1) {
      pictures.shift()?.();
      await vi.advanceTimersByTimeAsync(PAUSE);
    }
    expect(given).toBe(3 * AT_ONCE);
  });

  it('leaves plain what nobody can colour, and asks only once', async () => {
    const { ink, asked } = begun(() => Promise.reject(new Error('the thread is gone')));
    const give = vi.fn();
    ink.want(fileOf('LICENSE', rows), 0, 0, give);
    const file = fileOf('a.rs', rows);
    ink.want(file, 0, 0, give);
    await vi.advanceTimersByTimeAsync(3 * PAUSE);
    ink.want(file, 0, 0, give);
    await vi.advanceTimersByTimeAsync(3 * PAUSE);
    expect(asked.length).toBe(1);
    expect(give).not.toHaveBeenCalled();
  });

  it('goes on after the diff has been left and come back to', async () => {
    const { ink } = begun();
    const many = fileOf('a.rs', codeRows(3 * AT_ONCE));
    for (const at of many.hunks[0]?.rows.keys() ?? []) ink.want(many, 0, at, () => undefined);
    await vi.advanceTimersByTimeAsync(3 * PAUSE);
    // The picture that it waits for never comes.
    ink.stop();
    const give = vi.fn();
    ink.want(many, 0, 0, give);
    await vi.advanceTimersByTimeAsync(2 * PAUSE);
    expect(give).toHaveBeenCalledTimes(1);
  });
});

describe('rows on the page', () => {
  const asked: Question[] = [];
  const started: { onerror: (() => void) | null }[] = [];
  beforeEach(() => {
    localStorage.clear();
    look.set({ split: false, wrap: true, tree: true, tab: 4 });
    asked.length = 0;
    vi.stubGlobal(
      'Worker',
      class {
        onmessage: ((event: unknown) => void) | null = null;
        onerror: (() => void) | null = null;
        constructor() {
          started.push(this);
        }
        postMessage(question: Question) {
          asked.push(question);
          queueMicrotask(() => this.onmessage?.({ data: { id: question.id, marked: words(question.code) } }));
        }
        terminate() {}
      },
    );
  });
  afterEach(() => {
    // The page keeps a thread for the next code; that of another test would get these answers.
    for (const thread of started.splice(0)) thread.onerror?.();
    vi.unstubAllGlobals();
  });

  async function shown(diff: Diff) {
    const reply = new ReplyDraft(new FakeGate([]), view('a', { diff }));
    const { container } = render(DiffView, { diff, reply });
    await tick();
    return { container, pane: paneOf(reply, diff.files) };
  }
  const row = (side: string, line: number) =>
    screen
      .getAllByTestId('diff-row')
      .find((each) => each.dataset['side'] === side && each.dataset['line'] === String(line));
  const inks = (of: Element | undefined) =>
    [...(of?.querySelectorAll('[class*="ink-"]') ?? [])].map((each) => each.textContent);

  it('say the same with colours as without, and keep their changed words marked', async () => {
    await shown({ files: everyKind().files.slice(0, 1) });
    const before = row('new', 42)?.textContent;
    expect(inks(row('new', 42)), 'the text is there first').toEqual([]);
    await expect.poll(() => inks(row('new', 42)).length).toBeGreaterThan(0);
    const now = row('new', 42);
    expect(now?.textContent).toBe(before);
    const marks = [...(now?.querySelectorAll('mark.changed') ?? [])];
    expect(marks.map((mark) => mark.textContent)).toEqual(['response', '?']);
    expect(inks(marks[0]), 'inside the mark').toEqual(['response']);
    await expect
      .poll(() => inks(row('old', 42)).length, { message: 'and what was removed' })
      .toBeGreaterThan(0);
    expect(asked.every(({ language }) => language === 'rust')).toBe(true);
  });

  it('have them side by side too, and not inside of what was searched', async () => {
    look.set({ split: true });
    const { pane } = await shown({ files: everyKind().files.slice(0, 1) });
    pane.wide = true;
    pane.resize(pane.measures, true);
    await tick();
    await expect.poll(() => inks(row('old', 42)).length).toBeGreaterThan(0);
    await expect.poll(() => inks(row('new', 42)).length).toBeGreaterThan(0);
    expect(inks(row('old', 38)), 'what is the same on both sides').toEqual(inks(row('new', 38)));
    pane.finder.open = true;
    await pane.finder.look('event');
    await expect.poll(() => document.querySelectorAll('mark.hit').length).toBeGreaterThan(0);
    expect(inks(document.querySelector('mark.hit') ?? undefined)).toEqual([]);
  });

  it('stay plain where a hunk is very long', async () => {
    const [short] = everyKind().files;
    const [long] = largeDiff(4_000).files;
    if (!short || !long) throw new Error('the fixtures have files');
    await shown({ files: [short, long] });
    expect(row('new', 1)?.textContent, 'the long one is drawn').toContain('unchanged(1');
    await expect.poll(() => inks(row('old', 42)).length).toBeGreaterThan(0);
    expect(inks(row('new', 1))).toEqual([]);
    expect(asked.length, 'both sides of the short one; no thread gets more than it can do soon').toBe(2);
  });
});
