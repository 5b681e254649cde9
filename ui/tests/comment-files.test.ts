// Files of the workspace, completed in comments on lines of a diff and on passages of a message.
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import './lazy';
import { everyKind } from '../src/dev/diff-fixtures';
import { look } from '../src/diff/memory.svelte';
import type { RequestView } from '../src/generated/RequestView';
import { AnsweringGate, shown } from './answering-help';
import { summary, view } from './fake-gate';

beforeEach(() => {
  localStorage.clear();
  look.set({ split: false, wrap: true, tree: true, tab: 4 });
});
afterEach(cleanup);

const offers = () => screen.queryAllByTestId('completion-offer').map((each) => each.textContent?.trim());
const paths = (...all: string[]) => all.map((path) => ({ path, positions: [0] }));

/** Types as a person does: the caret is behind what is typed. */
async function type(field: HTMLTextAreaElement, text: string) {
  field.focus();
  field.value = text;
  field.setSelectionRange(text.length, text.length);
  await fireEvent.input(field);
}

async function window(over: Partial<RequestView> = {}) {
  const gate = new AnsweringGate([view('a', { diff: { files: everyKind().files.slice(0, 1) }, ...over })]);
  gate.files = (query) => paths(`src/${query}.rs`, `tests/${query}.rs`);
  return { gate, ...(await shown(gate)) };
}

async function onLine(press: (key: string, more?: object, target?: Element) => Promise<unknown>) {
  const grid = await screen.findByTestId('diff');
  await press('ArrowDown', {}, grid);
  await press('c', {}, grid);
  return screen.findByTestId<HTMLTextAreaElement>('comment-text');
}

async function onPassage(container: Element, press: (key: string) => Promise<unknown>) {
  await expect.poll(() => container.querySelector('[data-commentable]')).not.toBeNull();
  await tick();
  await press('n');
  await press('c');
  return screen.findByTestId<HTMLTextAreaElement>('remark-text');
}

describe('a comment on a line', () => {
  it('takes a file by keys, and its own keys wait until the list is gone', async () => {
    const { gate, review, press } = await window();
    const field = await onLine(press);
    await type(field, 'as in @dead');
    await expect.poll(offers).toEqual(['src/dead.rs', 'tests/dead.rs']);
    expect(gate.given('complete_file').at(-1)).toEqual({
      command: 'complete_file',
      request_id: 'a',
      query: 'dead',
    });
    expect(field.getAttribute('aria-controls')).toBe(screen.getByRole('listbox').id);
    await press('ArrowDown', {}, field);
    await press('Enter', {}, field);
    expect(field.value).toBe('as in @tests/dead.rs ');
    expect(review.reply?.draft().comments[0]?.body, 'the draft has it').toBe('as in @tests/dead.rs ');
    await type(field, 'as in @x');
    await expect.poll(() => offers().length).toBe(2);
    await press('Escape', {}, field);
    expect(offers(), 'Escape closes the list').toEqual([]);
    expect(screen.getByTestId('comment-text'), 'and not the comment').toBe(field);
    await press('Escape', {}, field);
    await waitFor(() => expect(screen.queryByTestId('comment-text'), 'the next one does').toBeNull());
    expect(review.reply?.draft().comments[0]?.body).toBe('as in @x');
  });

  it('says that there are no files where the agent named no workspace, and offers no snippets', async () => {
    const { gate, press } = await window({ summary: summary('a', { workspace: '', workspace_name: '' }) });
    const field = await onLine(press);
    await type(field, '@a');
    await expect.poll(() => screen.queryByTestId('completion')?.textContent).toContain('named no workspace');
    await type(field, '/');
    await tick();
    expect(screen.queryByTestId('completion'), 'a path may begin like this').toBeNull();
    expect(gate.given('complete_file')).toEqual([]);
  });
});

describe('a comment on a passage', () => {
  it('takes a file by a click', async () => {
    const { review, container, press } = await window({ diff: null });
    const field = await onPassage(container, press);
    await type(field, '@a and more');
    field.setSelectionRange(2, 2);
    await fireEvent.keyUp(field, { key: 'ArrowLeft' });
    await fireEvent.input(field);
    await expect.poll(offers).toEqual(['src/a.rs', 'tests/a.rs']);
    await fireEvent.click(screen.getAllByTestId('completion-offer')[0] as HTMLElement);
    expect(field.value, 'with one blank, not two').toBe('@src/a.rs and more');
    expect(review.reply?.draft().remarks?.[0]?.body).toBe('@src/a.rs and more');
    expect(document.activeElement, 'writing goes on').toBe(field);
  });
});
