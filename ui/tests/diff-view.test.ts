// The diff as a person uses it: keys, comments on lines of either side, viewed files, what changed since.
import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { beforeEach, describe, expect, it } from 'vitest';
import { everyKind, hugeLine, largeDiff, manyFiles } from '../src/dev/diff-fixtures';
import DiffView from '../src/diff/DiffView.svelte';
import { diffIntentionOf } from '../src/diff/keys';
import { FILES, keepViewed, look, SESSIONS, viewedIn } from '../src/diff/memory.svelte';
import { paneOf } from '../src/diff/pane.svelte';
import type { DiffView as Diff } from '../src/generated/DiffView';
import type { RequestView } from '../src/generated/RequestView';
import { ReplyDraft } from '../src/reply/reply-draft.svelte';
import { FakeGate, summary, view } from './fake-gate';

beforeEach(() => {
  localStorage.clear();
  look.set({ split: false, wrap: true, tree: true, tab: 4 });
});

async function shown(diff: Diff, over: Partial<RequestView> = {}) {
  const reply = new ReplyDraft(new FakeGate([]), view('a', { diff, ...over }));
  const { container, unmount } = render(DiffView, { diff, reply });
  await tick();
  const pane = paneOf(reply, diff.files);
  const grid = screen.getByTestId('diff');
  const press = (key: string, more: KeyboardEventInit = {}) => fireEvent.keyDown(grid, { key, ...more });
  const here = () => document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  return { reply, pane, grid, press, here, container, unmount };
}
const rows = () => screen.getAllByTestId('diff-row');
const row = (side: string, line: number) =>
  rows().find((each) => each.dataset.side === side && each.dataset.line === String(line)) as HTMLElement;
const text = () => screen.getByTestId<HTMLTextAreaElement>('comment-text');
const one = () => ({ files: everyKind().files.slice(0, 1) });

describe('keys in the diff', () => {
  it('move a cursor from line to line, and over files', async () => {
    const { press, here } = await shown(everyKind());
    await press('ArrowDown');
    expect(here(), 'the first key takes up the first line').toBe(row('new', 38));
    await press('j');
    await press('j');
    await press('k');
    expect(here()).toBe(row('new', 39));
    expect(here()?.getAttribute('aria-selected')).toBe('true');
    await press(']');
    expect(here()?.textContent, 'the next file').toContain('/// Seconds before');
    await press('End');
    expect(here()?.textContent).toContain('pub fn old() {}');
    await press('Home');
    expect(here()).toBe(row('new', 38));
  });

  it('go from change to change and from comment to comment', async () => {
    const comments = [{ file: 'src/webhooks/backoff.rs', line: 2, side: 'new' as const, body: 'hm' }];
    const draft = { text: '', selected: [], comments, attachments: [], remarks: [] };
    const { press, here } = await shown(everyKind(), { draft });
    await press('n');
    expect(here(), 'the first change').toBe(row('old', 42));
    await press('n');
    expect(here()?.textContent, 'the next one, in the next file').toContain('/// Seconds');
    await press('p');
    expect(here()).toBe(row('old', 42));
    await press('m');
    expect(here()?.textContent).toContain('pub fn backoff');
  });

  it('choose several lines with Shift and comment on them', async () => {
    const { reply, press } = await shown(one());
    for (const _ of [1, 2, 3, 4]) await press('ArrowDown');
    await press('ArrowDown', { shiftKey: true });
    await press('J', { shiftKey: true });
    await press('c');
    await waitFor(() => expect(text().placeholder).toBe('Comment on lines 41–42…'));
    await fireEvent.input(text(), { target: { value: 'both' } });
    await fireEvent.keyDown(text(), { key: 'Enter', ctrlKey: true });
    expect(reply.draft().comments).toEqual([
      { file: 'src/webhooks/deliver.rs', start_line: 41, line: 42, side: 'new', body: 'both' },
    ]);
    expect(document.activeElement, 'the keys go on in the diff').toBe(screen.getByTestId('diff'));
  });

  it('fold, mark as viewed, and leave what they don’t know to others', async () => {
    const { press, pane } = await shown(everyKind());
    await press('ArrowDown');
    await press('z');
    expect(pane.folded.has(0), 'folded').toBe(true);
    await press('Enter');
    expect(pane.folded.has(0), 'Enter on a head opens it').toBe(false);
    await press('v');
    expect([...pane.viewed], 'viewed').toEqual([0]);
    expect(screen.getByTestId('diff-viewed-count').textContent).toBe('1 of 7 viewed');
    expect(pane.cursor.at?.file, 'on to the next file').toBe(1);
    expect(await press('x'), 'not prevented').toBe(true);
    expect(await press('Escape'), 'with nothing to leave, the window’s').toBe(true);
    for (const press of [
      { key: 'Enter', ctrlKey: true },
      { key: 's' },
      { key: 'c', altKey: true },
      { key: '1' },
    ])
      expect(
        diffIntentionOf({
          ctrlKey: false,
          metaKey: false,
          shiftKey: false,
          altKey: false,
          repeat: false,
          isComposing: false,
          ...press,
        }),
      ).toBeNull();
  });

  it('from anywhere in the window lead to the first change and to the search', async () => {
    const { grid } = await shown(one());
    await fireEvent.keyDown(document.body, { key: 'n' });
    expect(document.activeElement, 'not beside a page that has other uses for them').toBe(document.body);
    document.body.dataset['keys'] = '';
    await fireEvent.keyDown(document.body, { key: 'n' });
    delete document.body.dataset['keys'];
    expect(document.activeElement).toBe(grid);
    await fireEvent.keyDown(document.body, { key: 'f', ctrlKey: true });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('diff-find-field')));
  });
});

describe('comments', () => {
  it('stand on either side, side by side', async () => {
    look.set({ split: true });
    const { reply, pane } = await shown(one());
    expect(pane.split, 'there is room').toBe(true);
    await fireEvent.click(within(row('old', 43)).getByTestId('comment-add'));
    await fireEvent.input(text(), { target: { value: 'was fine' } });
    await fireEvent.click(screen.getByTestId('comment-save'));
    expect(reply.draft().comments, 'on the old side of an unchanged line').toEqual([
      { file: 'src/webhooks/deliver.rs', line: 43, side: 'old', body: 'was fine' },
    ]);
    expect(screen.getByText('old line 43')).toBeTruthy();
  });

  it('go with Shift and a click from the line before', async () => {
    const { reply } = await shown(one());
    await fireEvent(row('new', 42), new MouseEvent('pointerdown', { bubbles: true, button: 0 }));
    await fireEvent.click(row('new', 44).querySelector('.gutter') as Element, { shiftKey: true });
    await fireEvent.input(text(), { target: { value: 'three' } });
    expect(reply.draft().comments[0]).toMatchObject({ start_line: 42, line: 44 });
  });

  it('that were begun on a line are taken up there', async () => {
    const { reply, press } = await shown(one());
    await press('n');
    await press('c');
    await fireEvent.input(text(), { target: { value: 'half' } });
    await press('c');
    expect(reply.comments.length, 'no second one').toBe(1);
    await waitFor(() => expect(document.activeElement).toBe(text()));
  });

  it('can be taken up again, reverted and deleted', async () => {
    const comments = [{ file: 'src/webhooks/deliver.rs', line: 44, side: 'new' as const, body: 'first' }];
    const { reply } = await shown(one(), {
      draft: { text: '', selected: [], comments, attachments: [], remarks: [] },
    });
    await fireEvent.click(screen.getByLabelText('Edit comment'));
    await waitFor(() => expect(document.activeElement).toBe(text()));
    await fireEvent.input(text(), { target: { value: 'second' } });
    await fireEvent.click(screen.getByText('Undo changes'));
    expect(reply.draft().comments[0]?.body).toBe('first');
    await fireEvent.click(screen.getByLabelText('Delete comment'));
    expect(reply.draft().comments).toEqual([]);
  });

  it('come out of a folded file when they are gone to', async () => {
    const comments = [{ file: 'src/legacy.rs', line: 1, side: 'old' as const, body: 'still used' }];
    const { press, pane } = await shown(everyKind(), {
      draft: { text: '', selected: [], comments, attachments: [], remarks: [] },
    });
    await press('Z', { shiftKey: true });
    expect(pane.folded.size).toBe(7);
    await press('m');
    expect(screen.getByText('still used')).toBeTruthy();
  });
});

describe('what changed since the last answer', () => {
  it('is marked, and can be all that is shown', async () => {
    const { press, pane } = await shown(everyKind());
    expect(screen.getAllByTestId('diff-since').map((each) => each.textContent)).toEqual([
      'changed since then',
      'new since then',
    ]);
    expect(row('new', 44).classList.contains('fresh')).toBe(true);
    expect(within(row('new', 44)).getAllByRole('gridcell')[0]?.getAttribute('aria-label')).toBe(
      'Added, line 44, changed since your last answer',
    );
    await press('u');
    await tick();
    expect(screen.getAllByTestId('diff-file').length, 'files as they were are gone').toBe(2);
    expect(screen.getAllByTestId('diff-fold')[0]?.textContent).toContain('lines as you last saw them');
    await fireEvent.click(screen.getAllByTestId('diff-fold')[0] as HTMLElement);
    expect(row('new', 38), 'what was folded is there').toBeTruthy();
    await fireEvent.click(screen.getByTestId('diff-fresh'));
    expect(pane.freshOnly).toBe(false);
  });

  it('takes over which files were viewed, where they are as they were', async () => {
    const first = await shown(everyKind());
    for (const index of [0, 2]) first.pane.view(index, true);
    first.unmount();
    expect(viewedIn('session-a')?.paths.size).toBe(2);
    const again = new ReplyDraft(
      new FakeGate([]),
      view('b', { diff: everyKind(), summary: summary('b', { session_uuid: 'session-a' }) }),
    );
    expect([...paneOf(again, everyKind().files).viewed], 'the changed one is to be looked at again').toEqual([
      2,
    ]);
  });
});

it('what was viewed is remembered of the latest sessions only, and not without end', () => {
  for (let each = 0; each <= SESSIONS; each += 1) keepViewed(`s${each}`, 'r', ['a.rs']);
  expect([viewedIn('s0'), viewedIn('s1')?.paths.size]).toEqual([null, 1]);
  keepViewed(
    's1',
    'r',
    Array.from({ length: FILES + 1 }, (_, at) => `${at}.rs`),
  );
  expect(viewedIn('s1')?.paths.size).toBe(FILES);
  localStorage.setItem('review-gate.diff.viewed', '[["s1",7],{"a":1}]');
  expect(viewedIn('s1'), 'what isn’t its own is left aside').toBeNull();
});

describe('large diffs', () => {
  it('draw only what is near', async () => {
    const { grid, press, here } = await shown(largeDiff(20_000));
    expect(rows().length, 'a screen and a little').toBeLessThan(200);
    expect(Number(grid.getAttribute('aria-rowcount'))).toBeGreaterThan(19_000);
    await press('ArrowDown');
    expect(here()?.getAttribute('aria-rowindex'), 'below its file and its hunk').toBe('3');
  });

  it('are found through, also where nothing is drawn', async () => {
    const { press, pane } = await shown(largeDiff(20_000));
    await press('f', { ctrlKey: true });
    await fireEvent.input(screen.getByTestId('diff-find-field'), { target: { value: 'compute(17003,' } });
    await waitFor(() => expect(screen.getByTestId('diff-find-result').textContent).toBe('1 of 2'));
    expect(pane.cursor.rows()?.row).toBeGreaterThan(17_000);
    await fireEvent.keyDown(screen.getByTestId('diff-find-field'), { key: 'Enter' });
    expect(screen.getByTestId('diff-find-result').textContent).toBe('2 of 2');
    await fireEvent.keyDown(screen.getByTestId('diff-find-field'), { key: 'Escape' });
    expect(screen.queryByTestId('diff-find-field'), 'closed').toBeNull();
  });

  it('of many files don’t draw them all, and list them in a tree', async () => {
    const { press, pane } = await shown(manyFiles(300));
    expect(screen.getAllByTestId('diff-file').length).toBeLessThan(20);
    const filter = screen.getByTestId('diff-filter');
    await fireEvent.input(filter, { target: { value: 'module_299' } });
    expect(screen.getAllByTestId('diff-tree-file').length).toBe(1);
    await fireEvent.keyDown(filter, { key: 'Enter' });
    await press('ArrowDown');
    expect(pane.cursor.at?.file, 'gone to, as it was chosen').toBe(299);
  });

  it('cut a line of a million characters, and show more of it on request', async () => {
    await shown(hugeLine());
    const [line] = rows().filter((each) => each.dataset.side === 'old');
    expect(line?.querySelector('.text')?.textContent?.length).toBe(2000);
    await fireEvent.click(within(line as HTMLElement).getByText(/more characters/));
    expect(line?.querySelector('.text')?.textContent?.length).toBe(22_000);
  });
});

it('a file without lines says what it is', async () => {
  const { container } = await shown(everyKind());
  const words = container.textContent ?? '';
  expect(words).toContain('A binary file. Its content isn’t shown.');
  expect(words).toContain('its mode or another property changed');
  expect(words).toContain('renamed from src/webhooks/limits.rs');
});

it('one file has no tree and no marks of what was viewed', async () => {
  await shown(one());
  for (const id of ['diff-tree', 'diff-viewed', 'diff-viewed-count'])
    expect(screen.queryByTestId(id)).toBeNull();
  expect(screen.getByTestId('diff-options'), 'its tools are in its head').toBeTruthy();
});

it('is drawn once where it begins below what is seen, and rests then', () => {
  const diff = largeDiff(400);
  const pane = paneOf(new ReplyDraft(new FakeGate([]), view('a', { diff })), diff.files);
  const later: (() => void)[] = [];
  const nothing = () => undefined;
  const seen = () => ({ top: -550, height: 500, cover: 0 });
  const measures = {
    ...{ line: 20, cell: 7, head: 36, between: 12, bar: 26, comment: 90, text: 700, tab: 4, wrap: true },
  };
  const leave = pane.enter(
    { seen, scrollBy: nothing, soon: (act) => later.push(act), focus: nothing },
    measures,
    false,
  );
  let pictures = 0;
  for (let act = later.shift(); act && pictures < 10; act = later.shift(), pictures += 1) act();
  expect(pictures, 'pictures that it goes on working after').toBeLessThanOrEqual(2);
  leave();
});
