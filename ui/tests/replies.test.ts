// The Prompts page's other side: the person's snippets, found, written, changed, deleted and brought back. Rendered whole.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import './lazy';
import MainApp from '../src/MainApp.svelte';
import { libraryOf } from '../src/prompts/library.svelte';
import { Main } from '../src/state/main.svelte';
import { AnsweringGate, snippet } from './answering-help';
import { fault } from './fake-gate';

afterEach(cleanup);

const own = () => [
  { ...snippet('s1', 'Looks good'), uses: 14, used_at: new Date(Date.now() - 3 * 86_400_000).toISOString() },
  { ...snippet('s2', 'Tests first'), uses: 1, used_at: new Date(Date.now() - 7_200_000).toISOString() },
  snippet('s3', 'Split it', 'Too much at once.'),
];

async function shown(snippets = own(), prepare: (gate: AnsweringGate) => void = () => undefined) {
  const gate = new AnsweringGate();
  gate.snippets = snippets;
  prepare(gate);
  const main = new Main(gate, { page: 'prompts', at: null });
  libraryOf(main).side = 'replies';
  render(MainApp, { main });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  await expect
    .poll(() => gate.given('snippets').length, { message: 'they are asked for' })
    .toBeGreaterThan(0);
  await tick();
  const press = (key: string, more: KeyboardEventInit = {}) =>
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
  return { gate, main, press };
}

const focused = () => document.activeElement?.getAttribute('data-testid');
const names = () =>
  screen.queryAllByTestId('own-snippet').map((row) => row.querySelector('.name')?.textContent?.trim());
const chosen = () => screen.queryByRole('option', { selected: true })?.querySelector('.name')?.textContent;
const name = () => screen.getByTestId<HTMLInputElement>('own-snippet-name');
const text = () => screen.getByTestId<HTMLTextAreaElement>('own-snippet-text');
const input = (field: HTMLElement, value: string) => fireEvent.input(field, { target: { value } });

describe('the list of snippets', () => {
  it('is walked by keys, says how much each is used, and keeps the gate’s order', async () => {
    const { press } = await shown();
    await expect.poll(names).toEqual(['Looks good', 'Tests first', 'Split it']);
    await expect.poll(focused, { message: 'keys work at once' }).toBe('own-snippets');
    const rows = screen.getAllByTestId('own-snippet').map((row) => row.textContent?.replace(/\s+/g, ' '));
    expect(rows[0], 'how often and when').toContain('Used 14 times, last 3 d ago');
    expect(rows[1]).toContain('Used once, 2 h ago');
    expect(rows[2]).toContain('Not used yet');
    expect(text().value, 'the first is read').toBe('Text of Looks good');
    await press('j');
    await press('ArrowDown');
    expect(chosen()).toBe('Split it');
    expect(document.activeElement?.getAttribute('aria-activedescendant')).toBe('own-snippet-s3');
    await press('Enter');
    await expect.poll(focused, { message: 'Enter goes into it' }).toBe('own-snippet-text');
    await press('Escape');
    await expect.poll(focused, { message: 'Escape comes back' }).toBe('own-snippets');
  });

  it('is searched in names and texts, from anywhere', async () => {
    const { press } = await shown();
    await press('/');
    await expect.poll(focused).toBe('search');
    await input(screen.getByTestId('search'), 'much once');
    await expect.poll(names).toEqual(['Split it']);
    expect(name().value, 'what is found is read').toBe('Split it');
    await input(screen.getByTestId('search'), 'zebra');
    expect(await screen.findByTestId('prompts-nothing')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Clear the search' }));
    await expect.poll(() => names().length).toBe(3);
  });

  it('teaches while there is none, and begins with an example', async () => {
    const { gate } = await shown([]);
    const page = await screen.findByTestId('prompts-empty');
    expect(page.textContent, 'how one is put in').toContain('type / and a few letters');
    expect(page.textContent, 'what it doesn’t do').toContain('never sends itself');
    await fireEvent.click(screen.getAllByTestId('prompts-example')[0] as HTMLElement);
    await expect.poll(focused).toBe('own-snippet-text');
    expect(name().value).toBe('Tests first');
    expect(gate.given('save_snippet'), 'nothing is stored before the person says so').toEqual([]);
    await fireEvent.click(screen.getByTestId('own-snippet-save'));
    await expect.poll(() => gate.given('save_snippet').length).toBe(1);
    await expect.poll(names).toEqual(['Tests first']);
  });
});

describe('a snippet', () => {
  it('is made with N, and named and bounded before it is stored', async () => {
    const { gate, press } = await shown();
    await expect.poll(focused).toBe('own-snippets');
    await press('n');
    await expect.poll(focused, { message: 'its name comes first' }).toBe('own-snippet-name');
    await input(text(), 'Which files?');
    await press('Enter', { ctrlKey: true });
    expect((await screen.findByRole('alert')).textContent).toContain('Give the snippet a name');
    await input(name(), 'Which');
    expect(screen.queryByRole('alert'), 'the complaint goes with its cause').toBeNull();
    await press('s', { ctrlKey: true });
    await expect
      .poll(() => gate.given('save_snippet'))
      .toEqual([{ command: 'save_snippet', snippet_id: null, name: 'Which', text: 'Which files?' }]);
    await expect.poll(chosen, { message: 'the new one is looked at' }).toBe('Which');
    expect(screen.queryByTestId('own-snippet-changed')).toBeNull();
  });

  it('keeps what is typed while the person looks at others and at other pages', async () => {
    const { gate, main, press } = await shown();
    await input(text(), 'Looks good, squash it.');
    expect(screen.getByTestId('own-snippet-changed').textContent).toContain('not saved');
    await fireEvent.click(screen.getAllByTestId('own-snippet')[1] as HTMLElement);
    expect(text().value).toBe('Text of Tests first');
    main.go('history');
    await expect.poll(() => screen.queryByTestId('own-snippets')).toBeNull();
    main.go('prompts');
    await screen.findByTestId('own-snippets');
    await fireEvent.click(screen.getAllByTestId('own-snippet')[0] as HTMLElement);
    expect(text().value, 'it is still there').toBe('Looks good, squash it.');
    await fireEvent.click(screen.getByTestId('own-snippet-revert'));
    expect(text().value).toBe('Text of Looks good');
    expect(gate.given('save_snippet')).toEqual([]);
    await press('Escape');
  });

  it('says why it isn’t stored, and keeps the words', async () => {
    const { gate } = await shown();
    gate.meddle = (command) => (command.command === 'save_snippet' ? fault('disk_full') : undefined);
    await input(name(), 'Good');
    await fireEvent.click(screen.getByTestId('own-snippet-save'));
    await expect.poll(() => document.body.textContent).toContain('disk_full');
    expect(name().value).toBe('Good');
    expect(screen.getByTestId('own-snippet-changed')).toBeTruthy();
  });

  it('is deleted at once and brought back by the note, with all its uses', async () => {
    const { gate, main, press } = await shown();
    await expect.poll(focused).toBe('own-snippets');
    await press('Delete');
    await expect.poll(names).toEqual(['Tests first', 'Split it']);
    await expect.poll(chosen, { message: 'the next one is looked at' }).toBe('Tests first');
    expect(gate.given('delete_snippet'), 'the gate hears of it when it can’t be undone any more').toEqual([]);
    await fireEvent.click(screen.getByTestId('toast-action'));
    await expect.poll(names).toEqual(['Looks good', 'Tests first', 'Split it']);
    expect(chosen()).toBe('Looks good');
    expect(screen.getByTestId('own-snippet-editor').textContent).toContain('Used 14 times');
    // Again, by the key; and then for good.
    screen.getByTestId('own-snippets').focus();
    await press('Delete');
    await expect.poll(() => names().length).toBe(2);
    await press('z', { ctrlKey: true });
    await expect.poll(() => names().length, { message: 'Ctrl Z brings it back' }).toBe(3);
    expect(main.toasts.list, 'and its note goes').toEqual([]);
    await fireEvent.click(screen.getByTestId('own-snippet-delete'));
    const note = main.toasts.list[0];
    main.toasts.dismiss(note?.key ?? 0);
    await expect
      .poll(() => gate.given('delete_snippet'))
      .toEqual([{ command: 'delete_snippet', snippet_id: 's1' }]);
    await expect.poll(names).toEqual(['Tests first', 'Split it']);
  });

  it('stays where its deletion fails, and says so', async () => {
    const { gate, main, press } = await shown();
    gate.meddle = (command) => (command.command === 'delete_snippet' ? fault('disk_full') : undefined);
    await expect.poll(focused).toBe('own-snippets');
    await press('Delete');
    await expect.poll(() => main.toasts.list.length).toBe(1);
    main.toasts.dismiss(main.toasts.list[0]?.key ?? 0);
    await expect.poll(() => names().length, { message: 'it is back' }).toBe(3);
    await expect.poll(() => main.toasts.list.at(-1)?.text).toContain('disk_full');
  });
});

describe('its place', () => {
  it('is reached by keys and by the rail', async () => {
    const { main, press } = await shown();
    await press('1', { ctrlKey: true });
    await expect.poll(() => main.page).toBe('inbox');
    await press('g');
    await press('p');
    await expect.poll(() => main.page).toBe('prompts');
    await fireEvent.click(screen.getByTestId('nav-history'));
    await press('4', { ctrlKey: true });
    await expect.poll(() => main.page).toBe('prompts');
  });

  it('says what failed when they can’t be read, and reads them again', async () => {
    let fails = true;
    const { gate } = await shown(own(), (each) => {
      each.meddle = (command) => (command.command === 'snippets' && fails ? fault('disk_full') : undefined);
    });
    const again = await screen.findByRole('button', { name: 'Try again' });
    expect(screen.queryByTestId('prompts-empty'), 'that isn’t the same as having none').toBeNull();
    fails = false;
    await fireEvent.click(again);
    await expect.poll(() => names().length).toBe(3);
    expect(gate.given('snippets').length).toBe(2);
  });
});
