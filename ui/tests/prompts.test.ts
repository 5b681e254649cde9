// The Prompts page: prompts found, tried, shared and taken over. Rendered whole.
import { cleanup, fireEvent, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ago } from '../src/dev/build';
import { fault } from './fake-gate';
import { chosen, focused, go, input, shown, source, titles } from './prompts-help';

beforeEach(() => localStorage.clear());
afterEach(cleanup);

describe('the list of prompts', () => {
  it('is walked by keys, under its categories', async () => {
    const { press } = await shown();
    await expect.poll(focused, { message: 'keys work at once' }).toBe('prompt-list');
    expect(titles()).toContain('Release notes');
    await expect
      .poll(chosen, { message: 'with some of one’s own the first is read' })
      .toBe('team/incident_report');
    await press('j');
    await press('ArrowDown');
    await expect.poll(chosen).toBe('code_review');
    await expect.poll(() => screen.queryByTestId('prompt-title')?.textContent).toBe('Code review');
    await press('Enter');
    await expect.poll(focused, { message: 'Enter goes to the first argument' }).toBe('argument-change');
    await press('Escape');
    await expect.poll(focused, { message: 'Escape comes back' }).toBe('prompt-list');
    await press('2');
    await expect
      .poll(() => screen.queryByTestId('prompt-source'), { message: 'parts by numbers' })
      .toBeTruthy();
  });

  it('says where each comes from, what is broken and how much it is used', async () => {
    await shown();
    const row = (id: string) => document.querySelector(`[data-prompt="${id}"]`)?.textContent;
    expect(row('code_review')).toMatch(/yours.*Used 42 times/s);
    expect(row('team/incident_report')).toContain('synced');
    expect(row('debug/explain_error')).toMatch(/yours.*broken/s);
  });

  it('is searched, and lists those of one origin', async () => {
    const { press } = await shown();
    await press('/');
    await expect.poll(focused).toBe('search');
    await input(screen.getByTestId('search'), 'release');
    await expect.poll(titles).toEqual(['Release notes']);
    await input(screen.getByTestId('search'), 'zebra');
    expect((await screen.findByTestId('prompts-nothing')).textContent).toContain('No prompt holds');
    await input(screen.getByTestId('search'), '');
    await fireEvent.click(screen.getByTestId('origins-built_in'));
    await expect
      .poll(titles, { message: 'a hidden one isn’t served' })
      .toEqual(['Plan first', 'Write tests']);
  });

  it('draws of thousands only those near the view', async () => {
    const { library } = await shown('prompts-many');
    expect(library.prompts.length).toBeGreaterThan(2_000);
    expect(screen.getAllByTestId('prompt').length).toBeLessThan(60);
  });

  it('teaches while none is one’s own', async () => {
    const { main } = await shown('empty');
    const page = await screen.findByTestId('library-empty');
    expect(page.textContent, 'where they are').toContain('/home/you/.config/review-gate/prompts');
    expect(page.textContent, 'what they are').toContain('slash command');
    await fireEvent.click(screen.getByTestId('prompt-sync-settings'));
    await expect.poll(() => main.page).toBe('settings');
  });

  it('says why it can’t be read, and reads it again', async () => {
    let fails = true;
    await shown('review', (gate) => {
      gate.meddle = (command) =>
        command.command === 'prompts' && fails ? fault('unreadable_file') : undefined;
    });
    const again = await screen.findByRole('button', { name: 'Try again' });
    fails = false;
    await fireEvent.click(again);
    await expect.poll(() => titles().length).toBeGreaterThan(5);
  });
});

describe('the two sides', () => {
  it('are turned by letters and by the switch, which keeps the keys', async () => {
    const { press } = await shown();
    await expect.poll(focused).toBe('prompt-list');
    await press('r');
    await expect.poll(() => screen.queryByTestId('prompt-list')).toBeNull();
    await fireEvent.click(screen.getByTestId('side-prompts'));
    await expect.poll(focused).toBe('side-prompts');
    expect(screen.getByTestId('prompt-list')).toBeTruthy();
  });
});

describe('being sent there', () => {
  it('goes to a prompt, or to the replies', async () => {
    const { main, library } = await shown();
    main.go('prompts', 'plan_first');
    await expect.poll(chosen).toBe('plan_first');
    main.go('prompts', 'replies');
    await expect.poll(() => library.side).toBe('replies');
  });
});

describe('the preview', () => {
  const message = () => screen.queryAllByTestId('prompt-message').map((each) => each.textContent);

  it('has a control that fits each argument, and shows what it gives', async () => {
    const { gate } = await shown();
    await go('code_review');
    expect((await screen.findByTestId('prompt-missing')).textContent).toContain('Fill in “Change”');
    expect(screen.queryByTestId('argument-problem'), 'that isn’t a mistake yet').toBeNull();
    await input(screen.getByTestId('argument-change'), 'main');
    await expect.poll(() => message()[0]).toContain('Review main');
    expect(message()[0], 'defaults hold').toMatch(/thoroughly.*security, tests.*at most 10/s);
    expect(screen.getByTestId('argument-change').tagName).toBe('TEXTAREA');
    await fireEvent.change(screen.getByTestId('argument-depth'), { target: { value: 'quick' } });
    await fireEvent.click(screen.getByRole('button', { name: 'performance' }));
    await fireEvent.click(screen.getByTestId('argument-patch'));
    await expect.poll(() => message()[0]).toMatch(/quickly.*security, performance, tests.*patches: false/s);
    expect(gate.given('preview_prompt').at(-1)).toEqual({
      ...{ command: 'preview_prompt', prompt_id: 'code_review', unsaved: null },
      arguments: {
        change: 'main',
        depth: 'quick',
        focus: '["security","performance","tests"]',
        patch: 'false',
      },
    });
  });

  it('says at an argument what is wrong with it, and keeps what it gave before', async () => {
    await shown();
    await go('code_review');
    await input(screen.getByTestId('argument-change'), 'main');
    await expect.poll(() => message().length).toBe(1);
    await input(screen.getByTestId('argument-limit'), 'many');
    const problem = await screen.findByTestId('argument-problem');
    expect(problem.textContent).toContain('The argument limit is no number.');
    expect(problem.closest<HTMLElement>('[data-testid=argument]')?.dataset['name']).toBe('limit');
    expect(screen.getByTestId('prompt-old')).toBeTruthy();
    expect(message().length).toBe(1);
  });

  it('drops an answer that was overtaken', async () => {
    const held: (() => void)[] = [];
    const answered: unknown[] = [];
    const { gate } = await shown();
    await go('code_review');
    const { record } = gate;
    gate.record = (command) => {
      if (command.command === 'preview_prompt') answered.push(command.arguments['change']);
      return record(command);
    };
    gate.meddle = (command) =>
      command.command === 'preview_prompt' && command.arguments['change'] === 'old'
        ? new Promise<void>((resolve) => held.push(resolve))
        : undefined;
    await input(screen.getByTestId('argument-change'), 'old');
    await expect.poll(() => held.length).toBe(1);
    await input(screen.getByTestId('argument-change'), 'new');
    await expect.poll(() => message()[0]).toContain('Review new');
    held[0]?.();
    await expect.poll(() => answered, { message: 'the first is answered last' }).toEqual(['new', 'old']);
    await expect.poll(() => message()[0]).toContain('Review new');
  });

  it('shows each message by its role', async () => {
    await shown();
    await go('writing/release_notes');
    await expect
      .poll(() => screen.queryAllByTestId('prompt-message').map((each) => each.dataset['role']))
      .toEqual(['user', 'assistant']);
    expect(message()[0]).toContain('the last tag');
    expect(
      screen.getAllByRole('listitem').some((each) => /Breaking changes/.test(each.textContent ?? '')),
    ).toBe(true);
  });
});

describe('a slash command', () => {
  it('is copied in the way of a client, which is kept in mind', async () => {
    const written: string[] = [];
    vi.stubGlobal('navigator', {
      ...{ languages: ['en'], platform: 'Linux' },
      clipboard: { writeText: (text: string) => Promise.resolve(void written.push(text)) },
    });
    await shown();
    await go('code_review');
    await fireEvent.click(screen.getByTestId('prompt-slash'));
    await fireEvent.click(screen.getByTestId('prompt-slash-more'));
    await fireEvent.click(screen.getByTestId('slash-vscode'));
    await go('plan_first');
    await fireEvent.click(screen.getByTestId('prompt-slash'));
    expect(written).toEqual([
      '/mcp__review-gate__code_review',
      '/mcp.review-gate.code_review',
      '/mcp.review-gate.plan_first',
    ]);
    vi.unstubAllGlobals();
  });
});

describe('the synchronisation', () => {
  const strip = () => screen.getByTestId('prompt-sync');

  it('says what is served, and fetches on demand', async () => {
    const { gate } = await shown();
    expect(strip().textContent).toMatch(/2 prompts synced.*4f2a9c1b/s);
    await fireEvent.click(screen.getByTestId('prompt-sync-now'));
    await expect.poll(() => strip().dataset['status']).toBe('syncing');
    expect(gate.given('sync_prompts').length).toBe(1);
    await expect
      .poll(() => strip().dataset['status'], { message: 'the event says when it is done' })
      .toBe('success');
  });

  it('says in full what the last commit brought, and leads there', async () => {
    const { library } = await shown();
    await fireEvent.click(screen.getByTestId('prompt-sync-details'));
    const brought = await screen.findByTestId('sync-brought');
    expect(
      [...brought.querySelectorAll('li')].map((each) => each.textContent?.replace(/\s+/g, ' ').trim()),
    ).toEqual(['changed team/incident_report', 'new team/migration_plan', 'gone team/on_call']);
    expect(screen.getByTestId('sync-commit').textContent).toContain('Incident reports name no one');
    await fireEvent.click(brought.querySelector('button') as HTMLElement);
    await expect.poll(() => library.current).toBe('team/incident_report');
    expect(screen.queryByTestId('prompt-sync-dialog')).toBeNull();
  });

  it('says how far it is, and is broken off', async () => {
    const { gate, prompts } = await shown('prompts-syncing');
    expect(strip().textContent).toContain('Fetching the newest commit');
    gate.emit({ event: 'prompt_sync_changed', sync: { ...prompts.sync, step: 'reading' } });
    await expect.poll(() => strip().textContent).toContain('Reading its files');
    await fireEvent.click(screen.getByTestId('prompt-sync-cancel'));
    expect(gate.given('cancel_prompt_sync').length).toBe(1);
    await expect
      .poll(() => strip().dataset['status'], { message: 'what was served still is' })
      .toBe('success');
  });

  it('says why it failed and what mends it, without jumping', async () => {
    const { library, prompts, gate } = await shown();
    await go('plan_first');
    gate.emit({
      event: 'prompt_sync_changed',
      sync: { ...prompts.sync, status: 'error', fault: fault('prompt_sync'), tried_at: ago(0) },
    });
    await expect.poll(() => screen.queryByTestId('prompt-sync-fault')?.textContent).toContain('Mend it.');
    expect(library.current).toBe('plan_first');
  });

  it('isn’t set back by an answer that an event has overtaken', async () => {
    const { gate, library, prompts } = await shown();
    const { record } = gate;
    for (const asked of ['sync_prompts', 'prompts'] as const) {
      let answer: (() => void) | undefined;
      gate.record = async (command) => {
        const answered = await record(command);
        if (command.command === asked) await new Promise<void>((resolve) => (answer = resolve));
        return answered;
      };
      const done = asked === 'prompts' ? library.load() : library.syncNow();
      await expect.poll(() => answer).toBeDefined();
      const sync = { ...prompts.sync, status: 'success', commit: asked } as const;
      gate.emit({ event: 'prompt_sync_changed', sync });
      answer?.();
      await done;
      expect(library.sync, asked).toEqual(sync);
    }
  });

  it('lists files with faults; a click goes to the place in the source', async () => {
    await shown();
    await fireEvent.click(screen.getByTestId('prompts-problems'));
    const place = await screen.findByTestId('prompt-problem-place');
    expect(place.textContent).toBe('debug/explain_error.md:9:27');
    expect(screen.getByTestId('prompt-problem').textContent).toContain('End it with }}.');
    await fireEvent.click(place);
    await expect.poll(chosen).toBe('debug/explain_error');
    await expect.poll(focused).toBe('prompt-text');
    const at = source().selectionStart;
    expect(source().value.slice(at, at + 7), 'the caret stands where the fault is').toBe('{{error');
  });
});

describe('an import', () => {
  it('shows what it would make, and replaces only what is chosen', async () => {
    const { gate, main } = await shown();
    await fireEvent.click(screen.getByTestId('prompts-import'));
    const path = await screen.findByTestId('import-path');
    await input(path, '~/nothing');
    await fireEvent.click(screen.getByTestId('import-look'));
    await expect.poll(() => document.querySelector('dialog')?.textContent).toContain('isn’t there');
    await input(path, '~/.claude/commands');
    await fireEvent.click(screen.getByTestId('import-look'));
    expect((await screen.findByTestId('import-found')).textContent).toContain('5 prompts');
    expect(screen.getByTestId<HTMLInputElement>('import-code_review').checked, 'one’s own stays').toBe(false);
    expect(screen.getAllByTestId('import-change').map((each) => each.textContent)).toEqual([
      'replaces yours',
      'new',
      'new',
      'hides the built-in one',
      'yours is the same',
    ]);
    const same = screen.getByTestId<HTMLInputElement>('import-writing/release_notes');
    expect(same.disabled, 'what is there as it is can’t be chosen').toBe(true);
    const problems = screen.getByTestId('import-problems').textContent;
    expect(problems, 'what is broken says where').toContain('old/fix.md:9:14');
    expect(problems).toContain('old/notes.txt');
    await fireEvent.click(screen.getByTestId('import-docs/readme'));
    await fireEvent.click(screen.getByTestId('import-do'));
    await expect
      .poll(() => gate.given('import_prompts'))
      .toEqual([
        { command: 'import_prompts', path: '~/.claude/commands', files: [], ids: ['commit', 'plan_first'] },
      ]);
    await expect.poll(() => document.querySelector('dialog')).toBeNull();
    expect(main.toasts.list.at(-1)?.text).toContain('2 prompts are imported');
    await expect.poll(titles).toContain('Commit what is staged');
  });

  it('is taken back by its note, but for what was changed since', async () => {
    const { main, prompts } = await shown();
    await fireEvent.click(screen.getByTestId('prompts-import'));
    await input(await screen.findByTestId('import-path'), '~/.claude/commands');
    await fireEvent.click(screen.getByTestId('import-look'));
    await fireEvent.click(await screen.findByTestId('import-code_review'));
    await fireEvent.click(screen.getByTestId('import-do'));
    await expect.poll(titles).toContain('Commit what is staged');
    const before = prompts.files.find((each) => each.id === 'code_review' && each.origin === 'local');
    expect(before?.text).toContain('Do it.');
    prompts.write('docs/readme', 'Mine now.\n');
    const note = main.toasts.list.at(-1);
    expect(note?.action?.label).toBe('Undo');
    note?.action?.act();
    await expect.poll(titles).not.toContain('Commit what is staged');
    const after = prompts.files.find((each) => each.id === 'code_review' && each.origin === 'local');
    expect(after?.text, 'what was replaced is there again').toContain('# Review {{change}}');
    expect(
      prompts.files.some((each) => each.id === 'docs/readme'),
      'what was changed stays',
    ).toBe(true);
    await expect.poll(() => main.toasts.list.at(-1)?.text).toContain('but for “docs/readme”');
  });

  it('takes files that are picked, and no more than the gate does', async () => {
    const { gate } = await shown();
    await fireEvent.click(screen.getByTestId('prompts-import'));
    const picker = await screen.findByTestId<HTMLInputElement>('import-files');
    const pick = (file: object) => fireEvent.change(picker, { target: { files: [file] } });
    await pick({ name: 'all.json', size: 9 * 1024 * 1024, text: async () => '' });
    await expect.poll(() => document.querySelector('dialog')?.textContent).toContain('more than 8 MB');
    expect(gate.given('preview_prompt_import'), 'it isn’t even read').toEqual([]);
    await pick({ name: 'fix.md', size: 5, text: async () => 'Fix.\n' });
    expect((await screen.findByTestId('import-found')).textContent).toContain('5 prompts');
    const files = [{ name: 'fix.md', text: 'Fix.\n' }];
    expect(gate.given('preview_prompt_import')).toEqual([
      { command: 'preview_prompt_import', path: '', files },
    ]);
    await fireEvent.click(screen.getByTestId('import-do'));
    await expect.poll(() => gate.given('import_prompts')[0]?.files).toEqual(files);
  });
});
