// The main window's page: keys, focus, the search field, questions asked in place, what reads aloud. Rendered whole over a recording gate.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import './lazy';
import MainApp from '../src/MainApp.svelte';
import type { MainPage } from '../src/state/destination';
import { Main } from '../src/state/main.svelte';
import { answerable } from './armed';
import { FakeGate, fault, summary, view } from './fake-gate';
import { before, checkpoint, entry, FakeRecord, message, session } from './fake-record';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

async function shown(
  page: MainPage,
  prepare: (gate: FakeGate, record: FakeRecord) => void = () => undefined,
) {
  const gate = new FakeGate();
  const record = new FakeRecord(400);
  record.messages = [message(1), message(2, { decision: 'approved' }), message(3), message(4)];
  gate.record = record.answer;
  prepare(gate, record);
  const main = new Main(gate, { page, at: null });
  const { container } = render(MainApp, { main });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  const press = (key: string, more: KeyboardEventInit = {}) =>
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
  return { gate, record, main, container, press };
}

const focused = () => document.activeElement?.getAttribute('data-testid');
const title = () => screen.getByTestId('conversation-title').textContent?.trim();

describe('the history', () => {
  it('draws a few of many, and moves by keys', async () => {
    const { press } = await shown('history');
    expect(focused(), 'keys work at once').toBe('history-list');
    expect(screen.getAllByTestId('entry').length, 'not all of them').toBeLessThan(40);
    await expect.poll(title, { message: 'the first is read' }).toBe('Title of c0');
    await press('j');
    await press('ArrowDown');
    await expect.poll(title, { message: 'two down' }).toBe('Title of c2');
    const list = screen.getByTestId('history-list');
    expect(list.getAttribute('aria-activedescendant'), 'a screen reader hears which').toBe('entry-c2');
    await press('End');
    await expect.poll(title, { message: 'the last that has come' }).toBe('Title of c99');
    await press('Home');
    await press('Enter');
    await expect.poll(focused, { message: 'Enter goes into the conversation' }).toBe('messages');
    await press('Escape');
    await expect.poll(focused, { message: 'Escape comes back' }).toBe('history-list');
    await press('Escape');
    await expect.poll(focused, { message: 'and then goes to the search' }).toBe('search');
  });

  it('goes on by keys after a click', async () => {
    const { press } = await shown('history');
    await fireEvent.click(screen.getAllByTestId('entry')[3] as HTMLElement);
    await expect.poll(title, { message: 'the one that was clicked' }).toBe('Title of c3');
    expect(focused(), 'the list keeps the keys').toBe('history-list');
    await press('ArrowDown');
    await expect.poll(title, { message: 'the next one' }).toBe('Title of c4');
  });

  it('searches from anywhere, and marks the words', async () => {
    const { press } = await shown('history', (_, record) => {
      const hit = {
        message_id: 1,
        role: 'person' as const,
        pieces: [
          { text: 'about <b>', hit: false },
          { text: 'retries', hit: true },
          { text: '</b>', hit: false },
        ],
      };
      record.entries = [entry('plain'), entry('other', { title: 'retries', hit })];
    });
    await press('/');
    await expect.poll(focused).toBe('search');
    await fireEvent.input(screen.getByTestId('search'), { target: { value: 'retries' } });
    await expect.poll(() => screen.getAllByTestId('entry').length, { message: 'one is found' }).toBe(1);
    const hit = screen.getByTestId('hit');
    expect(hit.querySelector('mark')?.textContent, 'the word is marked').toBe('retries');
    expect(hit.textContent, 'the rest is text, whatever it looks like').toContain('about <b>retries</b>');
    await press('ArrowDown');
    await expect.poll(focused, { message: 'from the field to what was found' }).toBe('history-list');
  });

  it('says what it looked for when nothing is found, and clears it with one click', async () => {
    await shown('history');
    await fireEvent.click(screen.getByTestId('filters'));
    await fireEvent.click(screen.getByTestId('filter-status-stale'));
    await fireEvent.input(screen.getByTestId('search'), { target: { value: 'zebra' } });
    const nothing = await screen.findByTestId('nothing-found');
    await expect
      .poll(() => nothing.textContent, { message: 'the words have come to it' })
      .toContain('No conversation that holds “zebra” fits this: Disconnected.');
    await fireEvent.click(screen.getByTestId('clear-filters'));
    await expect.poll(() => screen.queryAllByTestId('entry').length > 0).toBe(true);
    expect(screen.getByTestId<HTMLInputElement>('search').value, 'the field is empty too').toBe('');
  });

  it('keeps the person’s place when something comes in above', async () => {
    const { gate, record, main } = await shown('history');
    const list = screen.getByTestId('history-list');
    list.scrollTop = 1_000;
    await fireEvent.scroll(list);
    record.entries = [entry('new', { updated_at: before(-60) }), ...record.entries];
    gate.emit({ event: 'history_changed' });
    await expect.poll(() => main.history.entries[0]?.session_uuid).toBe('new');
    await tick();
    // A row is 5.1 rem high, and a rem is 14 or, where nothing is laid out, 16 pixels.
    expect([71, 82], 'the list moved by the new row').toContain(Math.round(list.scrollTop - 1_000));
  });

  it('scrolls only where something has moved', async () => {
    const { gate, main } = await shown('history');
    const list = screen.getByTestId('history-list');
    list.scrollTop = 1_000;
    await fireEvent.scroll(list);
    let at = list.scrollTop;
    const set: number[] = [];
    Object.defineProperty(list, 'scrollTop', {
      configurable: true,
      get: () => at,
      set: (to: number) => {
        set.push(to);
        at = to;
      },
    });
    gate.emit({ event: 'session_changed', session: session('c14', { title: 'Another title' }) });
    await expect.poll(() => list.textContent, { message: 'it is drawn' }).toContain('Another title');
    expect(set, 'setting it would stop the person’s own scrolling').toEqual([]);
    expect(main.fault).toBeNull();
  });

  it('asks twice before it deletes, and Escape is a no', async () => {
    const { gate, press } = await shown('history');
    await fireEvent.click(await screen.findByTestId('delete'));
    expect(screen.getByTestId('delete-ask').textContent, 'it names what goes').toContain('2 messages');
    await expect.poll(focused, { message: 'the safe answer has the focus' }).toBe('delete-keep');
    await press('Escape');
    expect(screen.queryByTestId('delete-ask')).toBeNull();
    expect(gate.given('delete_conversation'), 'nothing is deleted').toEqual([]);
    await expect.poll(focused, { message: 'the keys stay where the person is' }).toBe('messages');
    await fireEvent.click(screen.getByTestId('delete'));
    await fireEvent.click(screen.getByTestId('delete-confirm'));
    await expect.poll(() => gate.given('delete_conversation').length).toBe(1);
    await expect.poll(title, { message: 'the next one is read' }).toBe('Title of c1');
    await expect.poll(focused, { message: 'from the list one goes on' }).toBe('history-list');
  });

  it('exports from a menu that keys reach', async () => {
    const { gate } = await shown('history');
    await fireEvent.click(await screen.findByTestId('export'));
    await expect.poll(focused, { message: 'the first choice has the focus' }).toBe('export-markdown');
    await fireEvent.keyDown(document.activeElement as Element, { key: 'ArrowDown' });
    expect(focused()).toBe('export-json');
    await fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' });
    expect(screen.queryByTestId('export-json'), 'Escape closes it').toBeNull();
    expect(focused(), 'and goes back').toBe('export');
    await fireEvent.click(screen.getByTestId('export'));
    await fireEvent.click(screen.getByTestId('export-markdown'));
    const toast = await screen.findByTestId('toast');
    expect(toast.textContent).toContain('/downloads/it.markdown');
    expect(within(toast).getByLabelText('Copy the path')).toBeTruthy();
    expect(toast.closest('[aria-live]')?.getAttribute('role'), 'it is read aloud').toBe('status');
    expect(gate.given('export').map((each) => each.session_uuid)).toEqual(['c0']);
  });

  it('shows an exported file in its folder, where there is one to show', async () => {
    const shownFiles: string[] = [];
    const { gate } = await shown('history', (each) => {
      each.showInFolder = (path) => {
        shownFiles.push(path);
        return shownFiles.length > 1 ? Promise.reject(fault('internal')) : Promise.resolve();
      };
    });
    const exported = async () => {
      await fireEvent.click(await screen.findByTestId('export'));
      await fireEvent.click(screen.getByTestId('export-markdown'));
      return screen.findByTestId('toast-action');
    };
    const action = await exported();
    expect(action.textContent).toBe('Show in folder');
    await fireEvent.click(action);
    expect(shownFiles).toEqual(['/downloads/it.markdown']);
    await fireEvent.click(await exported());
    await expect
      .poll(() => screen.getByTestId('toast').textContent, { message: 'what can’t be done is said' })
      .toContain('Show in folder: It failed');
    // A page in a browser has the file already.
    delete gate.showInFolder;
    await fireEvent.click(screen.getByTestId('export'));
    await fireEvent.click(screen.getByTestId('export-json'));
    await expect.poll(() => screen.getAllByTestId('toast').length).toBe(2);
    expect(screen.queryByTestId('toast-action')).toBeNull();
  });

  it('teaches when nothing is recorded', async () => {
    await shown('history', (_, record) => (record.entries = []));
    expect((await screen.findByTestId('history-empty')).textContent).toContain('review-gate import FILE');
    await fireEvent.click(screen.getByTestId('history-connect'));
    expect(await screen.findByTestId('connect-page'), 'there an agent is connected').toBeTruthy();
  });
});

describe('a conversation', () => {
  it('shows decisions, and who is waited for', async () => {
    const { main } = await shown('history', (gate, record) => {
      gate.add(view('open'));
      record.messages = [
        message(1),
        message(2, {
          decision: 'changes_requested',
          selected: ['Both'],
          comments: [{ file: 'src/a.rs', line: 3, side: 'old', body: 'why?' }],
        }),
        message(3, { status: 'pending', request_id: 'open' }),
      ];
    });
    expect((await screen.findByTestId('decision')).textContent).toBe('changes requested');
    expect(screen.getByTestId('comment').textContent).toContain('src/a.rs:3 (old)');
    await fireEvent.click(screen.getByTestId('answer-message'));
    await expect.poll(() => main.inbox.review.reply?.id, { message: 'it can be answered' }).toBe('open');
    expect(main.page, 'in the inbox').toBe('inbox');
  });

  it('asks before it restores, in place, and shows what became superseded', async () => {
    const { gate } = await shown('history', (_, record) => (record.checkpoints = [checkpoint('green', 2)]));
    await fireEvent.click(await screen.findByTestId('restore'));
    expect(screen.getByTestId('checkpoint').textContent).toContain('2 later messages are marked');
    expect(gate.given('restore_checkpoint'), 'nothing yet').toEqual([]);
    await fireEvent.click(screen.getByTestId('restore-confirm'));
    const note = await screen.findByTestId('restored');
    expect(note.textContent).toMatch(/Taken back to\s+“green”/);
    expect(screen.getAllByTestId('message').length, 'the later ones are folded').toBe(2);
    await fireEvent.click(within(screen.getByTestId('superseded')).getByRole('button'));
    expect(screen.getAllByTestId('message').length, 'and can be looked at').toBe(4);
    await fireEvent.click(screen.getByTestId('undo-restore'));
    await expect.poll(() => screen.queryByTestId('restored'), { message: 'nothing stands' }).toBeNull();
    expect(screen.queryByTestId('superseded')).toBeNull();
  });

  it('shows a diff with its comments, to be read only', async () => {
    const diff = {
      old_path: 'a.rs',
      new_path: 'a.rs',
      change: 'modified' as const,
      binary: false,
      since: null,
      added: 1,
      removed: 0,
      hunks: [
        {
          header: '@@ -1 +1 @@',
          rows: [
            {
              kind: 'added' as const,
              old: null,
              new: 1,
              segments: [{ text: 'x', changed: false }],
              fresh: false,
            },
          ],
        },
      ],
    };
    const { gate } = await shown('history', (each, record) => {
      each.add(view('request-1', { diff: { files: [diff] } }));
      const comments = [{ file: 'a.rs', line: 1, side: 'new' as const, body: 'is this needed?' }];
      record.messages = [message(1, { has_diff: true }), message(2, { request_id: 'request-1', comments })];
    });
    expect(gate.given('open_request'), 'not before it is asked for').toEqual([]);
    await fireEvent.click(await screen.findByTestId('show-diff'));
    const row = await screen.findByTestId('diff-row');
    expect(screen.getByLabelText('Changes').textContent, 'the comment stands at its line').toContain(
      'is this needed?',
    );
    await fireEvent.keyDown(row, { key: 'Enter' });
    expect(screen.queryByTestId('comment-text'), 'nothing can be added').toBeNull();
    expect(gate.given('save_draft'), 'nor is anything saved').toEqual([]);
  });
});

describe('the sessions page', () => {
  const step = (name: string, state: 'completed' | 'in_progress') => ({
    ...{ name, state },
    started_at: new Date(Date.now() - 65_000).toISOString(),
    ended_at: state === 'completed' ? new Date().toISOString() : null,
  });
  const progress = (percent: number) => ({
    progress_percent: percent,
    status_message: 'Running the tests',
    step_name: null,
    steps: [step('Port', 'completed'), step('Test', 'in_progress')],
    updated_at: new Date().toISOString(),
  });

  it('is live', async () => {
    const { gate } = await shown('sessions', (each) => {
      each.sessions = [session('c0', { progress: progress(40) }), session('c1', { title: '' })];
    });
    expect((await screen.findByTestId('percent')).textContent).toBe('40 %');
    expect(screen.getAllByTestId('step').map((each) => each.dataset.state)).toEqual([
      'completed',
      'in_progress',
    ]);
    expect(screen.getAllByTestId('session')[1]?.textContent).toContain('No question yet');
    gate.emit({ event: 'session_changed', session: session('c0', { progress: progress(55), pending: 1 }) });
    await expect.poll(() => screen.getByTestId('percent').textContent).toBe('55 %');
    expect(screen.getByTestId('pending').textContent).toBe('asks you');
    gate.emit({ event: 'session_changed', session: session('c0', { status: 'timeout' }) });
    await expect.poll(() => screen.getByTestId('sessions-list').textContent).toContain('gone quiet');
  });

  it('closes a session, takes that back, and explains a refusal', async () => {
    const { gate, main } = await shown('sessions', (each) => {
      each.sessions = [session('c0')];
      each.add(view('other'));
      each.add(view('asked', { summary: summary('asked', { session_uuid: 'c0' }) }));
    });
    await fireEvent.click(await screen.findByTestId('close-session'));
    await fireEvent.click(await screen.findByTestId('toast-action'));
    await expect.poll(() => gate.given('reopen_session').length, { message: 'Undo' }).toBe(1);
    gate.meddle = (command) => (command.command === 'close_session' ? fault('still_pending') : undefined);
    await fireEvent.click(screen.getByTestId('close-session'));
    await fireEvent.click(within(await screen.findByTestId('fault')).getByText('Show the question'));
    await expect
      .poll(() => main.inbox.review.reply?.id, { message: 'to its question that waits' })
      .toBe('asked');
  });

  it('keeps the keys when the session that is read is forgotten', async () => {
    const { gate, press } = await shown('sessions', (each) => {
      each.sessions = [session('c0'), session('c1')];
    });
    await press('Enter');
    await expect.poll(focused, { message: 'in the conversation' }).toBe('messages');
    gate.emit({ event: 'session_forgotten', session_uuid: 'c0' });
    await expect.poll(title, { message: 'the next one is read' }).toBe('Title of c1');
    await expect.poll(focused, { message: 'from the list' }).toBe('sessions-list');
  });

  it('leaves the focus where it is while sessions go on', async () => {
    const { gate } = await shown('sessions', (each) => {
      each.sessions = [session('c0'), session('c1')];
    });
    expect(focused()).toBe('sessions-list');
    (document.activeElement as HTMLElement).blur();
    gate.emit({ event: 'session_changed', session: session('c1', { pending: 1 }) });
    await screen.findByTestId('pending');
    await tick();
    expect(document.activeElement, 'nobody is moved into the list').toBe(document.body);
  });

  it('takes the keys when the first session comes', async () => {
    const { gate } = await shown('sessions');
    expect(document.activeElement, 'there is no list yet').toBe(document.body);
    gate.emit({ event: 'session_changed', session: session('c0') });
    await expect.poll(focused).toBe('sessions-list');
  });

  it('teaches how an agent gets here when none is', async () => {
    await shown('sessions');
    expect(screen.getByTestId('sessions-empty').textContent).toContain(
      'claude mcp add --scope user review-gate',
    );
  });
});

describe('the window', () => {
  it('goes from page to page, says what waits, and closes', async () => {
    const { gate, press } = await shown('sessions', (each) => {
      each.add(view('a'));
      each.sessions = [session('c0')];
    });
    expect(screen.getByTestId('nav-sessions').getAttribute('aria-label')).toBe('Sessions, 1 active');
    await press('3', { ctrlKey: true });
    await expect.poll(focused, { message: 'the list has the focus' }).toBe('history-list');
    expect(screen.getByTestId('nav-history').getAttribute('aria-current')).toBe('page');
    expect(screen.getByTestId('nav-inbox').getAttribute('aria-label')).toBe('Inbox, 1 waiting');
    await press('g');
    await press('s');
    await expect.poll(focused, { message: 'G and a letter do the same' }).toBe('sessions-list');
    await fireEvent.click(screen.getByTestId('nav-inbox'));
    await expect.poll(focused, { message: 'so does a click' }).toBe('inbox-list');
    await press('w', { ctrlKey: true });
    await expect.poll(() => gate.hidden).toBe(1);
  });

  it('has a title with its page and how many wait', async () => {
    const { gate, main } = await shown('history');
    expect(document.title).toBe('History – Review Gate');
    gate.add(view('open'));
    main.go('inbox');
    await expect.poll(() => document.title).toBe('(1) Inbox – Review Gate');
  });

  it('says what comes while another page stands, with a key that goes there', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    const { gate, main } = await shown('history', (each) => each.add(view('old')));
    gate.add(view('new'));
    const note = await screen.findByTestId('toast');
    expect(note.textContent).toMatch(/Claude Code asks: Title of new\s*Answer \(Ctrl 1\)/);
    expect(focused(), 'and takes the keys from nobody').toBe('history-list');
    const search = screen.getByTestId('search');
    search.focus();
    await fireEvent.keyDown(search, { key: '1', ctrlKey: true });
    await expect.poll(() => screen.queryByTestId('request-title')?.textContent).toBe('Title of new');
    expect(screen.queryByTestId('toast'), 'what was followed goes').toBeNull();
    main.go('history');
    gate.add(view('other'));
    await fireEvent.click(await screen.findByTestId('toast-action'));
    await expect.poll(() => screen.queryByTestId('request-title')?.textContent).toBe('Title of other');
  });

  it('doesn’t say what the inbox shows, what is answered elsewhere, or anything while it is quiet', async () => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    const { gate, main } = await shown('inbox', (each) => each.add(view('old')));
    gate.add(view('shown'));
    await expect.poll(() => document.querySelectorAll('[data-kind=request]').length).toBe(2);
    await vi.dynamicImportSettled();
    expect(screen.queryByTestId('toast'), 'it stands in the list').toBeNull();
    main.go('history');
    gate.add(view('answered'));
    await screen.findByTestId('toast');
    gate.emit({ event: 'request_closed', request_id: 'answered', status: 'answered', undo_until: null });
    await expect.poll(() => screen.queryByTestId('toast')).toBeNull();
    const quiet = { ...gate.presence, quiet: true, do_not_disturb: true };
    gate.emit({ event: 'presence_changed', presence: quiet });
    gate.add(view('can-wait'));
    gate.add(view('burning', { summary: summary('burning', { urgent: true }) }));
    await expect
      .poll(() => screen.queryAllByTestId('toast').map((each) => each.textContent))
      .toEqual([expect.stringContaining('Title of burning')]);
  });

  it.each(['settings', 'connect', 'doctor', 'prompts', 'inbox'] as const)(
    'takes nothing that is typed beside a field of %s for keys',
    async (page) => {
      const { gate, main } = await shown(page, (each) => each.add(view('a')));
      (document.activeElement as HTMLElement | null)?.blur();
      for (const key of 'theme: dark? logging in/12') await fireEvent.keyDown(document.body, { key });
      expect(main.page, 'nobody is taken elsewhere').toBe(page);
      expect(gate.given('set_away'), 'here is here').toEqual([]);
      expect([main.quietOpen, main.sheetOpen], 'nothing opens').toEqual([false, false]);
      expect(document.activeElement, 'and nothing takes the focus').toBe(document.body);
    },
  );

  it('has single keys in the request that is read, as in the list', async () => {
    const { gate, main } = await shown('inbox', (each) => each.add(view('a')));
    const request = (await screen.findByTestId('request-title')).closest<HTMLElement>('[data-keys]');
    if (!request) throw new Error('the request view hears keys');
    await answerable();
    request.focus();
    expect(document.activeElement, 'a click beside its texts leaves the keys with it').toBe(request);
    await fireEvent.keyDown(request, { key: 'a' });
    expect(gate.given('set_away').map((each) => each.away)).toEqual([true]);
    await fireEvent.keyDown(request, { key: 'a', ctrlKey: true });
    await fireEvent.keyDown(request, { key: 'd', metaKey: true });
    await fireEvent.keyDown(request, { key: 's', altKey: true });
    expect(gate.given('set_away').length, 'with Ctrl or Alt it is another key').toBe(1);
    expect([main.quietOpen, main.inbox.review.snoozeOpen]).toEqual([false, false]);
  });

  it('shows its keys, and does nothing under them', async () => {
    const { press } = await shown('history');
    await press('?');
    const sheet = await screen.findByTestId('shortcut-sheet');
    expect(sheet.textContent).toContain('Do not disturb');
    expect(sheet.textContent, 'and where single keys act').toContain('while the focus is in a list');
    await press('/');
    expect(focused(), 'the search stays where it is').not.toBe('search');
    await press('Escape');
    await expect.poll(() => screen.queryByTestId('shortcut-sheet')).toBeNull();
  });

  it('shows every warning until it is put aside, without taking the keys', async () => {
    const { gate } = await shown('history', (each) => (each.warnings = [fault('invalid_setting')]));
    gate.emit({ event: 'warning', fault: fault('disk_full') });
    const codes = () => screen.queryAllByTestId('fault').map((each) => each.dataset.code);
    await expect.poll(codes, { message: 'one hides no other' }).toEqual(['invalid_setting', 'disk_full']);
    expect(focused(), 'the person goes on').toBe('history-list');
    expect(
      screen.getAllByTestId('fault').map((each) => each.getAttribute('role')),
      'they interrupt nobody',
    ).toEqual(['status', 'status']);
    await fireEvent.click(screen.getAllByLabelText('Close')[0] as HTMLElement);
    expect(codes()).toEqual(['disk_full']);
  });

  it('loads by itself what it was kept from, once the gate lets it in', async () => {
    const { gate, main } = await shown('sessions', (each) => (each.meddle = () => fault('signed_out')));
    expect([main.snapshot, main.fault?.code]).toEqual([null, 'signed_out']);
    gate.meddle = () => undefined;
    gate.emit({ event: 'resync' });
    await expect.poll(() => main.snapshot).not.toBeNull();
    expect(main.fault).toBeNull();
  });

  it('says when the gate can’t be reached, and tries again', async () => {
    const { gate } = await shown('sessions', (each) => (each.meddle = () => fault('gate_unreachable')));
    gate.meddle = () => undefined;
    await fireEvent.click(screen.getByText('Try again'));
    expect(await screen.findByTestId('sessions-empty')).toBeTruthy();
  });
});
