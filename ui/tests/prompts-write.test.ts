// The Prompts page: prompts made, written, saved, copied, deleted, brought back and restored. Rendered whole.
import { cleanup, fireEvent, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { named } from '../src/dev/mock-prompts';
import { chosen, focused, go, input, shown, source, titles } from './prompts-help';

beforeEach(() => localStorage.clear());
afterEach(cleanup);

const problems = () =>
  [...document.querySelectorAll('[data-testid=prompt-source] [data-testid=prompt-problem]')].map(
    (each) => each.textContent,
  );

describe('the source', () => {
  it('is checked while it is written, and saved by a key', async () => {
    const { gate, press } = await shown();
    await go('code_review', 'source');
    const before = source().value;
    source().focus();
    await input(source(), `${before}\nAnd {{open`);
    await expect.poll(() => problems()[0]).toContain('isn’t closed');
    expect(
      document.querySelector<HTMLElement>('.line.marked .word')?.dataset['text'],
      'the place is marked',
    ).toBe('{{');
    expect(document.querySelector('[data-prompt=code_review] [data-testid=prompt-unsaved]')).toBeTruthy();
    await input(source(), `${before}\nAnd {{more}}\n`);
    await expect.poll(() => problems().length).toBe(0);
    await press('s', { ctrlKey: true });
    await expect
      .poll(() => gate.given('save_prompt'))
      .toEqual([
        {
          ...{ command: 'save_prompt', prompt_id: 'code_review', seen: named(before) },
          prompt: { format: 'markdown', text: `${before}\nAnd {{more}}\n` },
        },
      ]);
    await expect.poll(() => screen.queryByTestId('prompt-unsaved')).toBeNull();
    await fireEvent.click(screen.getByTestId('prompt-tab-preview'));
    await expect
      .poll(() => screen.queryAllByTestId('argument').at(-1)?.textContent, {
        message: 'it has a field at once',
      })
      .toContain('without declaring it');
  });

  it('keeps what is typed while the person looks elsewhere, and guards it', async () => {
    const { main, library } = await shown();
    await go('code_review', 'source');
    await input(source(), 'half');
    await go('plan_first');
    main.go('history');
    await expect.poll(() => screen.queryByTestId('prompt-list')).toBeNull();
    const leaving = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(leaving);
    expect(leaving.defaultPrevented, 'a browser asks before it closes the page').toBe(true);
    main.go('prompts');
    await screen.findByTestId('prompt-list');
    await go('code_review', 'source');
    expect(source().value).toBe('half');
    await fireEvent.click(screen.getByTestId('prompt-revert'));
    expect(source().value).toContain('title: Code review');
    main.toasts.act(main.toasts.list.at(-1) as never);
    await expect.poll(() => source().value, { message: 'the note brings it back' }).toBe('half');
    library.opened?.revert();
  });

  it('stays as it is typed when events come, and says when the file is another', async () => {
    const { gate, prompts } = await shown();
    await go('code_review', 'source');
    const before = source().value;
    await input(source(), `${before}mine\n`);
    gate.emit({ event: 'prompts_changed' });
    await expect.poll(() => gate.given('prompts').length).toBe(2);
    expect(source().value).toBe(`${before}mine\n`);
    expect(screen.queryByTestId('prompt-conflict'), 'the file is the same').toBeNull();
    prompts.write('code_review', `${before}theirs\n`);
    await screen.findByTestId('prompt-conflict');
    expect(source().value).toBe(`${before}mine\n`);
    expect(screen.getByTestId<HTMLButtonElement>('prompt-save').disabled).toBe(true);
  });

  it('asks whose text holds where somebody else has saved, and keeps mine', async () => {
    const { gate } = await shown('prompts-conflict');
    await go('code_review', 'source');
    const mine = `${source().value}mine\n`;
    await input(source(), mine);
    await fireEvent.click(screen.getByTestId('prompt-save'));
    const diff = await screen.findByTestId('prompt-conflict-diff');
    expect(diff.textContent).toContain('first of all');
    expect(diff.textContent).toContain('mine');
    await fireEvent.click(screen.getByTestId('conflict-mine'));
    await expect.poll(() => gate.given('save_prompt').length).toBe(2);
    expect(gate.given('save_prompt')[1]?.prompt.text).toBe(mine);
    expect(gate.given('save_prompt')[1]?.seen).not.toBe(gate.given('save_prompt')[0]?.seen);
  });

  it('takes theirs, and can be taken back', async () => {
    await shown('prompts-conflict');
    await go('code_review', 'source');
    await input(source(), `${source().value}mine\n`);
    await fireEvent.click(screen.getByTestId('prompt-save'));
    await fireEvent.click(await screen.findByTestId('conflict-theirs'));
    await expect.poll(() => source().value).toContain('first of all');
    expect(screen.queryByTestId('prompt-conflict')).toBeNull();
  });

  it('of others can only be read, and becomes one’s own, which hides the original', async () => {
    const { gate, main } = await shown();
    await go('plan_first', 'source');
    expect(source().readOnly).toBe(true);
    expect(screen.getByTestId('prompt-source').textContent).toContain('hides the original');
    await fireEvent.click(screen.getByTestId('prompt-own'));
    await expect
      .poll(() => gate.given('save_prompt')[0])
      .toMatchObject({ prompt_id: 'plan_first', seen: null });
    await expect.poll(() => screen.queryByTestId('prompt-hides')?.textContent).toBe('Hides the built-in one');
    expect(source().readOnly).toBe(false);
    await fireEvent.click(await screen.findByTestId('toast-action'));
    await expect.poll(() => source().readOnly, { message: 'the note takes it back' }).toBe(true);
    expect(gate.given('delete_prompt').length).toBe(1);
    expect(main.toasts.list).toEqual([]);
  });
});

describe('deleting', () => {
  it('is done at once and taken back by the note, and by a key', async () => {
    const { gate, press } = await shown();
    await go('writing/release_notes');
    const text = 'Release notes';
    await fireEvent.click(screen.getByTestId('prompt-delete'));
    await expect.poll(titles).not.toContain(text);
    await fireEvent.click(await screen.findByTestId('toast-action'));
    await expect.poll(titles).toContain(text);
    expect(gate.given('restore_prompt')[0]?.prompt_id).toBe('writing/release_notes');
    await expect.poll(chosen).toBe('writing/release_notes');
    screen.getByTestId('prompt-list').focus();
    await press('Delete');
    await expect.poll(titles).not.toContain(text);
    await press('z', { ctrlKey: true });
    await expect.poll(titles).toContain(text);
  });

  it('shows the original again where the prompt hid one', async () => {
    await shown();
    await go('code_review');
    expect(screen.getByTestId('prompt-hides')).toBeTruthy();
    await fireEvent.click(screen.getByTestId('prompt-delete'));
    await expect.poll(() => screen.queryByTestId('prompt-hides')).toBeNull();
    await expect.poll(chosen, { message: 'it stands in its place' }).toBe('code_review');
    expect(document.querySelector('[data-prompt=code_review]')?.textContent).toContain('built-in');
  });
});

describe('versions and use', () => {
  it('show what a version differs in from now, and restore it', async () => {
    const { gate } = await shown();
    await go('code_review', 'versions');
    const rows = await screen.findAllByTestId('prompt-version-row');
    expect(rows.length).toBe(2);
    expect(rows[0]?.textContent).toContain('saved');
    await fireEvent.click(rows[1] as HTMLElement);
    const diff = await screen.findByTestId('prompt-version-diff');
    expect(diff.textContent).toMatch(/−.*default: 5/s);
    await fireEvent.click(screen.getByTestId('prompt-restore'));
    await expect.poll(() => gate.given('restore_prompt')[0]?.version_id).toBe('old');
    await expect
      .poll(() => screen.getAllByTestId('prompt-version-row')[0]?.textContent)
      .toMatch(/restored.*as it is now/s);
  });

  it('say which clients used it, and how the reviews after it ended', async () => {
    await shown();
    await go('code_review', 'use');
    const page = screen.getByTestId('prompt-use');
    expect(page.textContent).toContain('Used 42 times');
    expect(
      screen.getAllByTestId('prompt-client').map((each) => each.textContent?.replace(/\s+/g, ' ').trim()),
    ).toEqual(['Claude Code 30', 'Cursor 12']);
    const ends = screen.getAllByTestId('prompt-used').map((each) => each.querySelector('.end')?.textContent);
    expect(ends).toEqual(['approved', 'changes requested', 'approved', 'no review after it', 'approved']);
    const given = screen
      .getAllByTestId('prompt-given')
      .map((each) => [...each.children].map((part) => part.textContent?.trim()));
    expect(given[1], 'with what it was used').toEqual(['change', '#412']);
    expect(given[2], 'and that something was left out').toEqual([
      'change',
      'left out, since it could be a secret',
      'focus',
      '["security"]',
    ]);
  });
});

describe('what was deleted', () => {
  it('is listed, and each comes back as it was last', async () => {
    const { gate } = await shown('prompts-deleted');
    await fireEvent.click(screen.getByTestId('prompts-deleted-show'));
    const rows = await screen.findAllByTestId('deleted-prompt');
    expect(rows.map((each) => each.querySelector('.name')?.textContent)).toEqual([
      'writing/changelog',
      'debug/flaky_test',
    ]);
    await fireEvent.click(screen.getAllByTestId('deleted-restore')[1] as HTMLElement);
    await expect.poll(chosen).toBe('debug/flaky_test');
    expect(gate.given('restore_prompt').length).toBe(1);
    await expect.poll(() => screen.getAllByTestId('deleted-prompt').length).toBe(1);
    await expect.poll(focused, { message: 'the keys stay in the list' }).toBe('deleted-restore');
    await fireEvent.click(screen.getByTestId('deleted-restore'));
    await screen.findByTestId('deleted-none');
  });
});

describe('a new prompt', () => {
  it('teaches its format, is named and bounded, tried, and made', async () => {
    const { gate, press } = await shown();
    await expect.poll(focused).toBe('prompt-list');
    await press('n');
    await expect.poll(focused, { message: 'its id comes first' }).toBe('prompt-id');
    expect(source().value, 'it begins with something to learn from').toContain('{{topic}}');
    await press('s', { ctrlKey: true });
    expect((await screen.findByTestId('prompt-id-problem')).textContent).toContain('Give the prompt an id');
    await input(screen.getByTestId('prompt-id'), '_x');
    expect(screen.getByTestId('prompt-id-problem').textContent).toContain('Use letters');
    await input(screen.getByTestId('prompt-id'), 'code_review');
    expect(screen.getByTestId('prompt-id-problem').textContent).toContain('You have a prompt of this id');
    await input(screen.getByTestId('prompt-id'), 'team/explain');
    expect(screen.queryByTestId('prompt-id-problem')).toBeNull();
    await fireEvent.click(screen.getByTestId('format-yaml'));
    expect(source().value, 'a text that nobody changed follows the format').toContain('messages:');
    await input(await screen.findByTestId('argument-topic'), 'the queue');
    await expect
      .poll(() => screen.queryByTestId('prompt-message')?.textContent)
      .toContain('Explain the queue');
    await press('s', { ctrlKey: true });
    screen.getByTestId('prompt-id').focus();
    await press('s', { ctrlKey: true });
    await expect
      .poll(() => gate.given('save_prompt').at(-1))
      .toMatchObject({ prompt_id: 'team/explain', seen: null });
    await expect.poll(chosen, { message: 'the new one is looked at' }).toBe('team/explain');
    expect(screen.queryByTestId('prompt-making')).toBeNull();
  });

  it('stays while the person looks at others, and is put aside with a way back', async () => {
    const { main, press } = await shown();
    await expect.poll(focused).toBe('prompt-list');
    await press('n');
    await input(await screen.findByTestId('prompt-id'), 'mine');
    await go('plan_first');
    await fireEvent.click(document.querySelector('[data-prompt="+new"]') as HTMLElement);
    expect((await screen.findByTestId<HTMLInputElement>('prompt-id')).value).toBe('mine');
    await fireEvent.click(screen.getByTestId('prompt-discard'));
    await expect.poll(() => screen.queryByTestId('prompt-making')).toBeNull();
    main.toasts.act(main.toasts.list.at(-1) as never);
    expect((await screen.findByTestId<HTMLInputElement>('prompt-id')).value).toBe('mine');
  });
});

describe('the editor', () => {
  it('indents by Tab and keeps the indentation; Esc leaves', async () => {
    const { press } = await shown();
    await go('writing/release_notes', 'source');
    source().focus();
    source().setSelectionRange(0, 0);
    await press('Tab');
    expect(source().value.startsWith('  title:')).toBe(true);
    source().setSelectionRange(2, 2);
    await press('Tab', { shiftKey: true });
    expect(source().value.startsWith('title:')).toBe(true);
    const end = source().value.indexOf('\n      Write');
    source().setSelectionRange(end + 20, end + 20);
    await press('Enter');
    expect(source().value.slice(end + 20, end + 27)).toBe('\n      ');
    await press('Escape');
    await expect.poll(focused).toBe('prompt-list');
  });
});
