// Writing a reply: files by @, snippets by / and from their list, quotes, an approval that carries words.
import { fireEvent, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { describe, expect, it } from 'vitest';
import { marked, mention, triggerAt } from '../src/reply/completion.svelte';
import { quoteInReply } from '../src/passages/insert';
import { matching, nameFor, SNIPPET_NAME_CHARS, snippetProblem } from '../src/snippets/rules';
import { AnsweringGate, reply, shown, snippet, type } from './answering-help';
import { fault, summary, view } from './fake-gate';
import { session } from './fake-record';

const offers = () =>
  screen.queryAllByTestId('completion-offer').map((each) => each.textContent?.trim().replace(/\s+/g, ' '));
const found = (...paths: string[]) => paths.map((path) => ({ path, positions: [0] }));

describe('what the caret stands in', () => {
  it('is a file after an @ that begins a word', () => {
    expect(triggerAt('see @src/m', 10)).toEqual({ kind: 'file', start: 4, end: 10, query: 'src/m' });
    expect(triggerAt('@', 1)).toEqual({ kind: 'file', start: 0, end: 1, query: '' });
    expect(triggerAt('(@a) and more', 3)?.query, 'also in brackets, and in the middle').toBe('a');
    expect(triggerAt('me@example.com', 14), 'an address is no file').toBeNull();
    expect(triggerAt('@a b', 4), 'a blank ends it').toBeNull();
    expect(triggerAt(`@${'x'.repeat(201)}`, 202), 'and so does the bound').toBeNull();
  });

  it('is a snippet only in a reply that is nothing else', () => {
    expect(triggerAt('/loo', 4)).toEqual({ kind: 'snippet', start: 0, end: 4, query: 'loo' });
    expect(triggerAt('/usr/bin', 8), 'a path').toBeNull();
    expect(triggerAt('either/or', 9)).toBeNull();
    expect(triggerAt('/loo rest', 4), 'the caret is in the middle').toBeNull();
  });

  it('marks characters, not code units, and quotes a path with blanks', () => {
    expect(marked({ path: '😀a/bc', positions: [1, 3] })).toEqual([
      { text: '😀', hit: false },
      { text: 'a', hit: true },
      { text: '/', hit: false },
      { text: 'b', hit: true },
      { text: 'c', hit: false },
    ]);
    expect(mention('src/a.rs')).toBe('@src/a.rs');
    expect(mention('docs/my plan.md')).toBe('@"docs/my plan.md"');
  });
});

describe('files of the workspace', () => {
  it('are offered at the caret, chosen by keys, and put in', async () => {
    const gate = new AnsweringGate([view('a')]);
    gate.files = () => found('src/main.rs', 'src/match.rs');
    const { review } = await shown(gate);
    await type('look at @src/ma');
    await expect.poll(offers).toEqual(['src/main.rs', 'src/match.rs']);
    const list = screen.getByRole('listbox');
    expect(reply().getAttribute('aria-controls'), 'the field says what it controls').toBe(list.id);
    await fireEvent.keyDown(reply(), { key: 'ArrowDown' });
    const active = screen.getAllByRole('option', { selected: true })[0];
    expect(active?.textContent).toContain('src/match.rs');
    expect(reply().getAttribute('aria-activedescendant')).toBe(active?.id);
    await fireEvent.keyDown(reply(), { key: 'Enter' });
    expect(reply().value).toBe('look at @src/match.rs ');
    expect(review.reply?.text, 'and the draft has it').toBe('look at @src/match.rs ');
    expect(offers(), 'the list is gone').toEqual([]);
    expect(gate.given('complete_file').at(-1)).toEqual({
      command: 'complete_file',
      request_id: 'a',
      query: 'src/ma',
    });
  });

  it('Escape leaves the text and the window as they are', async () => {
    const gate = new AnsweringGate([view('a')]);
    gate.files = () => found('src/main.rs');
    await shown(gate);
    await type('@ma');
    await expect.poll(offers).toEqual(['src/main.rs']);
    await fireEvent.keyDown(reply(), { key: 'Escape' });
    expect(offers()).toEqual([]);
    expect(gate.hidden, 'it isn’t meant for the window').toBe(0);
    expect(reply().hasAttribute('aria-activedescendant')).toBe(false);
    await type('@mai');
    await tick();
    expect(offers(), 'and it doesn’t come back for the same word').toEqual([]);
    await fireEvent.keyDown(reply(), { key: 'Enter', ctrlKey: true });
    await expect
      .poll(() => gate.given('send_reply')[0]?.draft.text, { message: 'sending works' })
      .toBe('@mai');
  });

  it('drops an answer that came late', async () => {
    const gate = new AnsweringGate([view('a')]);
    gate.files = (query) => found(`for-${query}`);
    const holds: (() => void)[] = [];
    gate.meddle = (command) =>
      command.command === 'complete_file' ? new Promise<void>((go) => holds.push(go)) : undefined;
    await shown(gate);
    await type('@one');
    await expect.poll(() => holds.length).toBe(1);
    await type('@two');
    await expect.poll(() => holds.length).toBe(2);
    holds[1]?.();
    await expect.poll(offers).toEqual(['for-two']);
    holds[0]?.();
    await tick();
    expect(offers(), 'what was asked first is no answer any more').toEqual(['for-two']);
  });

  it('says so where the agent named no workspace, where nothing fits, and when it fails', async () => {
    const none = view('a', { summary: summary('a', { workspace: '', workspace_name: '' }) });
    const gate = new AnsweringGate([
      none,
      view('b', { summary: summary('b', { created_at: '2026-11-22T00:00:00Z' }) }),
    ]);
    const { review, press } = await shown(gate);
    await type('@x');
    await expect.poll(() => screen.queryByTestId('completion')?.textContent).toContain('named no workspace');
    expect(gate.given('complete_file'), 'nobody is asked').toEqual([]);
    await fireEvent.keyDown(reply(), { key: 'Enter' });
    expect(reply().value, 'keys are the field’s').toBe('@x');
    await press('j', {}, document.body);
    await expect.poll(() => review.reply?.id).toBe('b');
    await tick();
    await type('@x');
    await expect.poll(() => screen.queryByTestId('completion')?.textContent).toContain('No file');
    gate.meddle = (command) => (command.command === 'complete_file' ? fault('disk_full') : undefined);
    await type('@xy');
    await expect
      .poll(() => screen.queryByTestId('completion')?.textContent)
      .toContain('It failed: disk_full. Mend it.');
    expect(document.body.textContent, 'no marks of code are read aloud either').not.toContain('`');
  });
});

describe('snippets', () => {
  const own = () => [snippet('s1', 'Looks good'), snippet('s2', 'Tests first'), snippet('s3', 'Split it')];

  it('stand behind a / in an empty reply', async () => {
    const gate = new AnsweringGate([view('a')]);
    gate.snippets = own();
    await shown(gate);
    await type('/te');
    await expect
      .poll(offers, { message: 'the name counts more than the text' })
      .toEqual([
        'Tests first Text of Tests first',
        'Looks good Text of Looks good',
        'Split it Text of Split it',
      ]);
    await fireEvent.keyDown(reply(), { key: 'Tab' });
    expect(reply().value).toBe('Text of Tests first');
    expect(gate.given('use_snippet')).toEqual([{ command: 'use_snippet', snippet_id: 's2' }]);
  });

  it('leave alone what fits none of them', async () => {
    const gate = new AnsweringGate([view('a')]);
    gate.snippets = own();
    const { review } = await shown(gate);
    await type('/clear');
    await expect.poll(() => gate.given('snippets').length).toBe(1);
    await tick();
    expect(screen.queryByTestId('completion'), 'it is a command of the agent').toBeNull();
    expect(review.reply?.text).toBe('/clear');
  });

  it('are found, and put in where the caret stands', async () => {
    const gate = new AnsweringGate([view('a')]);
    gate.snippets = own();
    const { press } = await shown(gate);
    await type('ab');
    reply().setSelectionRange(1, 1);
    await press('k', { ctrlKey: true }, reply());
    const filter = await screen.findByTestId('snippet-filter');
    await expect.poll(() => document.activeElement).toBe(filter);
    await expect.poll(() => screen.queryAllByTestId('snippet').length).toBe(3);
    await fireEvent.input(filter, { target: { value: 'split' } });
    expect(screen.getAllByTestId('snippet').length).toBe(1);
    await fireEvent.keyDown(filter, { key: 'Enter' });
    await expect.poll(() => reply().value).toBe('aText of Split itb');
    expect(screen.queryByTestId('snippet-palette'), 'the list closes').toBeNull();
  });

  it('a reply becomes one, and keys in the list answer nothing', async () => {
    const gate = new AnsweringGate([view('a')]);
    const { press } = await shown(gate);
    await type('Write a test first.\nThen mend it.');
    await fireEvent.click(screen.getByTestId('snippets'));
    expect((await screen.findByTestId('snippets-none')).textContent, 'it teaches').toContain('save it here');
    await press('Enter', { ctrlKey: true, shiftKey: true }, screen.getByTestId('snippet-filter'));
    expect(gate.given('send_reply'), 'what is pressed in the list isn’t meant for the request').toEqual([]);
    await fireEvent.click(screen.getByTestId('snippet-save-reply'));
    const name = screen.getByTestId<HTMLInputElement>('snippet-name');
    expect(name.value, 'a name is proposed').toBe('Write a test first.');
    await fireEvent.input(name, { target: { value: '  ' } });
    await fireEvent.click(screen.getByTestId('snippet-store'));
    expect(screen.getByRole('alert').textContent, 'the bound is named beside it').toContain('a name');
    await fireEvent.input(name, { target: { value: 'Tests' } });
    await fireEvent.click(screen.getByTestId('snippet-store'));
    await expect
      .poll(() => gate.given('save_snippet')[0])
      .toEqual({
        command: 'save_snippet',
        snippet_id: null,
        name: 'Tests',
        text: 'Write a test first.\nThen mend it.',
      });
    await expect.poll(() => screen.queryAllByTestId('snippet').length).toBe(1);
  });

  it('are changed, and a name that is taken says so and loses nothing', async () => {
    const gate = new AnsweringGate([view('a')]);
    gate.snippets = own();
    await shown(gate);
    await fireEvent.click(screen.getByTestId('snippets'));
    await screen.findAllByTestId('snippet');
    await fireEvent.click(screen.getByTestId('snippet-edit'));
    gate.meddle = (command) => (command.command === 'save_snippet' ? fault('name_taken') : undefined);
    await fireEvent.input(screen.getByTestId('snippet-text'), { target: { value: 'Other words' } });
    await fireEvent.click(screen.getByTestId('snippet-store'));
    const palette = screen.getByTestId('snippet-palette');
    expect((await within(palette).findByTestId('fault')).dataset.code).toBe('name_taken');
    expect(screen.getByTestId<HTMLTextAreaElement>('snippet-text').value, 'it can be mended').toBe(
      'Other words',
    );
    gate.meddle = () => undefined;
    await fireEvent.click(screen.getByTestId('snippet-store'));
    await expect.poll(() => gate.snippets.find((each) => each.snippet_id === 's1')?.text).toBe('Other words');
  });

  it('that are deleted come back by Undo, and go for good when the list closes', async () => {
    const gate = new AnsweringGate([view('a')]);
    gate.snippets = own();
    const { press } = await shown(gate);
    const names = () =>
      screen.queryAllByTestId('snippet').map((each) => each.querySelector('.name')?.textContent);
    await fireEvent.click(screen.getByTestId('snippets'));
    await screen.findAllByTestId('snippet');
    await fireEvent.click(screen.getByTestId('snippet-delete'));
    await expect.poll(names).toEqual(['Tests first', 'Split it']);
    await fireEvent.click(screen.getByTestId('snippet-undo'));
    await expect.poll(names).toEqual(['Looks good', 'Tests first', 'Split it']);
    expect(gate.given('delete_snippet'), 'so its uses are still counted').toEqual([]);
    await fireEvent.click(screen.getByTestId('snippet-delete'));
    await press('Escape', {}, screen.getByTestId('snippet-filter'));
    await expect.poll(() => gate.given('delete_snippet').map((each) => each.snippet_id)).toEqual(['s1']);
    expect(gate.hidden, 'Escape closed the list, not the window').toBe(0);
    expect(document.activeElement, 'and writing goes on').toBe(reply());
  });

  it('are ranked by name, then by the gate’s order', () => {
    const list = [snippet('1', 'x', 'about tests'), snippet('2', 'My tests'), snippet('3', 'Tests first')];
    expect(matching(list, 'tests').map((each) => each.snippet_id)).toEqual(['3', '2', '1']);
    expect(
      matching(list, '').map((each) => each.snippet_id),
      'the gate’s',
    ).toEqual(['1', '2', '3']);
    expect(matching(list, 'tests nowhere')).toEqual([]);
    expect(snippetProblem('x'.repeat(SNIPPET_NAME_CHARS + 1), 'text')).toContain(String(SNIPPET_NAME_CHARS));
    expect(snippetProblem('😀'.repeat(SNIPPET_NAME_CHARS), 'text'), 'characters count').toBeNull();
    expect(nameFor(`${'long '.repeat(20)}\nrest`).length).toBeLessThanOrEqual(40);
  });
});

describe('a quote', () => {
  it('stands in the reply, and writing goes on below it', async () => {
    const { review } = await shown(new AnsweringGate([view('a')]));
    await type('Mostly yes.');
    if (!review.reply) throw new Error('there is a request');
    quoteInReply(review.reply, 'two\n\nlines\n');
    await tick();
    expect(review.reply.text, 'the draft has it').toBe('Mostly yes.\n\n> two\n>\n> lines\n\n');
    expect(reply().value).toBe('Mostly yes.\n\n> two\n>\n> lines\n\n');
    expect(document.activeElement).toBe(reply());
    expect(reply().selectionStart, 'the caret is below').toBe(reply().value.length);
    quoteInReply(review.reply, '  \n ');
    expect(review.reply.text, 'nothing is no quote').toBe('Mostly yes.\n\n> two\n>\n> lines\n\n');
  });
});

describe('the line above a request', () => {
  const progress = (percent: number) => ({
    ...{ progress_percent: percent, status_message: 'Running tests', step_name: null, steps: [] },
    updated_at: '2026-11-21T09:30:00Z',
  });

  it('says how far the agent’s work is, and keeps up', async () => {
    const gate = new AnsweringGate([view('a')]);
    gate.sessions = [
      session('session-a', { progress: progress(40) }),
      session('other', { progress: progress(9) }),
    ];
    await shown(gate);
    expect(screen.getByTestId('work').textContent).toContain('40 % · Running tests');
    gate.emit({ event: 'session_changed', session: session('session-a', { progress: progress(55) }) });
    await expect.poll(() => screen.getByTestId('work').textContent).toContain('55 %');
    gate.emit({ event: 'session_forgotten', session_uuid: 'session-a' });
    await expect.poll(() => screen.queryByTestId('work')).toBeNull();
  });
});

describe('approving', () => {
  const words = () => screen.getByTestId('approve').querySelector('.words')?.textContent;

  it('says that words go along', async () => {
    await shown(new AnsweringGate([view('a')]));
    expect(words()).toBe('Approve');
    await type('but rename it');
    expect(words()).toBe('Approve with your remark');
    await type('  ');
    expect(words(), 'blanks are no words').toBe('Approve');
  });

  it('counts the comments that go along', async () => {
    const comments = [{ file: 'a.rs', line: 1, side: 'new' as const, body: 'why?' }];
    const draft = { ...view('a').draft, comments };
    await shown(new AnsweringGate([view('a', { draft })]));
    expect(words()).toBe('Approve with your remark');
    expect(screen.getByTestId('goes-along').textContent).toBe('1 comment goes along');
  });
});
