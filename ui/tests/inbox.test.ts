// The inbox: its rows, choosing and answering beside the list, what is put off, here and away, notes. Rendered whole over a recording gate.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import './lazy';
import MainApp from '../src/MainApp.svelte';
import type { RequestView } from '../src/generated/RequestView';
import { factsOf } from '../src/inbox/facts';
import { inboxRows, LATELY, withAnswered, type Answered } from '../src/inbox/rows';
import { Main } from '../src/state/main.svelte';
import { ordered } from '../src/review/queue';
import { snoozeChoices } from '../src/state/snooze';
import { workspaces } from '../src/sessions/workspaces.svelte';
import { hue } from '../src/state/format';
import { answerable } from './armed';
import { FakeGate, fault, summary, view } from './fake-gate';
import { FakeRecord, message, session } from './fake-record';

afterEach(cleanup);

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 21, 9, minutes)).toISOString();
/** Requests a, b, c, asked in this order. */
const three = (): RequestView[] =>
  ['a', 'b', 'c'].map((id, index) => view(id, { summary: summary(id, { created_at: at(index) }) }));

async function shown(views: RequestView[], prepare: (gate: FakeGate) => void = () => undefined) {
  const gate = new FakeGate(views);
  const record = new FakeRecord(3);
  record.messages = [message(1), message(2)];
  gate.record = record.answer;
  prepare(gate);
  const main = new Main(gate, { page: 'inbox', at: null });
  render(MainApp, { main });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  if (main.inbox.waiting.length > 0) await answerable();
  const press = (key: string, more: KeyboardEventInit = {}) =>
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
  return { gate, main, press };
}

const keys = () => screen.queryAllByTestId('row').map((row) => row.dataset.key);
const chosen = () => document.querySelector('[aria-selected="true"]')?.getAttribute('data-key');
const title = () => screen.queryByTestId('request-title')?.textContent;
const focused = () => document.activeElement?.getAttribute('data-testid');

describe('the rows', () => {
  const name = (of: { workspace_name: string; client: string }) => `${of.workspace_name} ${of.client}`;
  const snoozed = (id: string, until: string | null = null) => summary(id, { snoozed: { until } });
  const contents = {
    queue: ordered([snoozed('later'), summary('now'), summary('first', { urgent: true })]),
    working: [session('works', { title: 'Porting' }), session('asks', { pending: 1 })],
    answered: [{ request: summary('done'), status: 'answered' as const, at: at(0) }],
  };
  const rowKeys = (open: boolean, text = '') => inboxRows(contents, open, text, name).map((row) => row.key);

  it('are what waits, what is put off, who works, and what was answered', () => {
    expect(rowKeys(false), 'folded; who asks isn’t named twice').toEqual([
      ...['request first', 'request now', 'later', 'working', 'session works'],
      ...['answered', 'answered done'],
    ]);
    expect(rowKeys(true).slice(2, 4), 'unfolded').toEqual(['later', 'request later']);
  });

  it('say until when an agent waits, but not of one that waits for hours', () => {
    const facts = (waits_until: string) =>
      factsOf(summary('a', { created_at: at(0), waits_until, options: 2 })).map((fact) => fact.id);
    expect(facts(at(5)), 'five minutes press').toEqual(['waits', 'options']);
    expect(facts(at(12 * 60)), 'twelve hours don’t').toEqual(['options']);
  });

  it('are those that hold every word, wherever it stands', () => {
    expect(rowKeys(false, 'LATER title')).toEqual(['later', 'request later']);
    expect(rowKeys(false, 'porting code'), 'the agent’s name counts').toEqual(['working', 'session works']);
    expect(rowKeys(false, 'zebra')).toEqual([]);
  });

  it('keep the latest answered, each once', () => {
    let list: Answered[] = contents.answered;
    for (let index = 0; index < LATELY + 5; index += 1)
      list = withAnswered(list, { request: summary(`r${index % 33}`), status: 'answered', at: at(index) });
    expect(list.length, 'a bound').toBe(LATELY);
    expect(new Set(list.map((each) => each.request.request_id)).size).toBe(LATELY);
  });
});

describe('putting off', () => {
  const choices = (hour: number) =>
    snoozeChoices(new Date(2026, 10, 21, hour, 30).getTime()).map((each) => [
      each.key,
      each.until && new Date(each.until).getHours(),
    ]);

  it('offers the evening only while there is one', () => {
    expect(choices(10), 'in the morning').toEqual([
      ['quarter', 10],
      ['hour', 11],
      ['evening', 18],
      ['morning', 8],
      ['open', null],
    ]);
    expect(choices(19).map(([key]) => key)).not.toContain('evening');
    const early = snoozeChoices(new Date(2026, 10, 21, 3).getTime()).find((each) => each.key === 'morning');
    expect(new Date(early?.until ?? 0).getDate(), 'at night the morning is today’s').toBe(21);
  });
});

describe('the list', () => {
  it('shows the first request beside it and keeps the keys', async () => {
    const { press } = await shown(three());
    await expect.poll(title).toBe('Title of a');
    expect(keys()).toEqual(['request a', 'request b', 'request c']);
    expect(focused(), 'the list has the keys').toBe('inbox-list');
    await press('j');
    await expect.poll(title, { message: 'the next one comes up' }).toBe('Title of b');
    expect(focused(), 'without taking the keys').toBe('inbox-list');
    expect(chosen()).toBe('request b');
    await press('Enter');
    await expect.poll(focused, { message: 'Enter begins to reply' }).toBe('reply-text');
    await press('Escape');
    await expect.poll(focused, { message: 'and Escape comes back' }).toBe('inbox-list');
  });

  it('goes on to the next one when one is answered, and remembers it', async () => {
    const { gate, main, press } = await shown(three());
    await expect.poll(title).toBe('Title of a');
    await press('Enter', { ctrlKey: true, shiftKey: true });
    await expect.poll(title, { message: 'the next one' }).toBe('Title of b');
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'answered', undo_until: null });
    await expect.poll(keys).toEqual(['request b', 'request c', 'answered a']);
    expect(chosen()).toBe('request b');
    expect(gate.given('send_reply').map((each) => [each.request_id, each.decision])).toEqual([
      ['a', 'approved'],
    ]);
    expect(main.waiting).toEqual(['b', 'c']);
  });

  it('stays where the person is when one in the middle of it is answered or put off', async () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      view(`r${index}`, { summary: summary(`r${index}`, { created_at: at(index) }) }),
    );
    const { gate, main, press } = await shown(many);
    main.inbox.choose('r30');
    await expect.poll(title).toBe('Title of r30');
    const list = screen.getByTestId('inbox-list');
    const place = list.scrollTop;
    expect(place, 'the list was moved to it').toBeGreaterThan(1_000);
    // The gate tells everybody before it answers.
    gate.meddle = (command) => {
      if (command.command === 'send_reply')
        gate.emit({
          ...{ event: 'request_closed', request_id: command.request_id },
          ...{ status: 'answered', undo_until: null },
        });
      if (command.command === 'snooze')
        gate.emit({
          event: 'request_changed',
          request: summary(command.request_id, { created_at: at(31), snoozed: { until: null } }),
        });
    };
    await answerable();
    await press('Enter', { ctrlKey: true, shiftKey: true });
    await expect.poll(title, { message: 'the next of the list' }).toBe('Title of r31');
    await expect.poll(chosen).toBe('request r31');
    expect(list.scrollTop, 'which is where the other one was').toBe(place);
    await main.inbox.review.snooze(null);
    await expect.poll(title).toBe('Title of r32');
    expect(list.scrollTop).toBe(place);
  });

  it('goes on among those that are searched for, and from the last to the one before', async () => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((id, index) =>
      view(id, {
        summary: summary(id, {
          created_at: at(index),
          title: `${'bd'.includes(id) ? 'this' : 'that'} ${id}`,
        }),
      }),
    );
    const { gate, main, press } = await shown(five);
    main.inbox.search('this');
    await expect.poll(keys).toEqual(['request b', 'request d']);
    await fireEvent.click(screen.getAllByTestId('row')[0] as HTMLElement);
    await expect.poll(title).toBe('this b');
    await answerable();
    await press('Enter', { ctrlKey: true, shiftKey: true });
    await expect.poll(title, { message: 'not one that isn’t in the list' }).toBe('this d');
    main.inbox.search('');
    main.inbox.choose('e');
    await expect.poll(title).toBe('that e');
    await main.inbox.review.send('approved');
    await expect.poll(title, { message: 'the nearest' }).toBe('this d');
    gate.add(view('now', { summary: summary('now', { urgent: true }) }));
    await main.inbox.review.send('approved');
    await expect.poll(title, { message: 'an urgent one comes first' }).toBe('Title of now');
  });

  it('doesn’t answer a request that isn’t the one that is chosen', async () => {
    const { gate, main, press } = await shown(three(), (each) => {
      each.sessions = [session('c1', { title: 'At work' })];
    });
    await expect.poll(title).toBe('Title of a');
    await press('End');
    await expect.poll(() => main.inbox.selected).toBe('session c1');
    await press('Enter', { ctrlKey: true, shiftKey: true });
    await press('1');
    await tick();
    expect(gate.given('send_reply'), 'an agent’s work is looked at').toEqual([]);
    await expect.poll(() => screen.queryByTestId('conversation')?.dataset.session).toBe('c1');
  });

  it('isn’t moved from under the person, and says what comes', async () => {
    const { gate, main, press } = await shown([], (each) => {
      each.sessions = [session('c1', { title: 'At work' }), session('c2')];
    });
    await expect
      .poll(() => main.inbox.selected, { message: 'who works, as nothing waits' })
      .toBe('session c1');
    await press('j');
    gate.add(view('new', { summary: summary('new', { title: 'Drop `retries`?' }) }));
    await expect
      .poll(() => screen.getByTestId('arrival').textContent, { message: 'nobody is read marks of code' })
      .toContain('Drop retries?');
    expect(main.inbox.selected, 'the person chose that').toBe('session c2');
    expect(keys()[0], 'the request is on top').toBe('request new');
    expect(screen.getByTestId('count-inbox').textContent).toBe('1');
  });

  it('takes up what was written in the other window', async () => {
    const { gate } = await shown(three());
    await expect.poll(title).toBe('Title of a');
    const draft = { text: 'from there', selected: [], comments: [], attachments: [], remarks: [] };
    await gate.command({ command: 'save_draft', request_id: 'a', draft });
    await fireEvent.focus(window);
    await fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true });
    await expect
      .poll(() => gate.given('send_reply').map((each) => each.draft.text), {
        message: 'even by who answers at once',
      })
      .toEqual(['from there']);
  });

  it('folds what is put off, and unfolds it by key', async () => {
    const { gate, main, press } = await shown([
      ...three(),
      view('z', { summary: summary('z', { snoozed: { until: null } }) }),
    ]);
    await expect.poll(keys).toEqual(['request a', 'request b', 'request c', 'later']);
    expect(main.waiting.length, 'it isn’t counted').toBe(3);
    await press('End');
    await press('Enter');
    await expect.poll(() => keys().at(-1)).toBe('request z');
    gate.emit({ event: 'request_due', request_id: 'z' });
    await expect.poll(keys, { message: 'its time is over' }).toHaveLength(4);
    expect(main.waiting.length).toBe(4);
  });

  it('searches, and offers the history where nothing is found', async () => {
    const { main, press } = await shown(three());
    await press('/');
    await expect.poll(focused).toBe('search');
    await fireEvent.input(screen.getByTestId('search'), { target: { value: 'of b' } });
    await expect.poll(keys).toEqual(['request b']);
    await fireEvent.input(screen.getByTestId('search'), { target: { value: 'zebra' } });
    await fireEvent.click(within(await screen.findByTestId('inbox-nothing')).getByRole('button'));
    expect(main.page).toBe('history');
    expect(main.history.text).toBe('zebra');
  });

  it('draws a few of five hundred', async () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      view(`r${index}`, { summary: summary(`r${index}`, { created_at: at(index) }) }),
    );
    const { main, press } = await shown(many);
    expect(keys().length, 'those near the view').toBeLessThan(30);
    await press('End');
    await expect.poll(() => main.inbox.selected).toBe('request r499');
    await expect.poll(chosen, { message: 'it is drawn' }).toBe('request r499');
  });

  it('teaches when there is nothing at all', async () => {
    await shown([]);
    expect(screen.getByTestId('inbox-empty').textContent).toContain(
      'claude mcp add --scope user review-gate',
    );
  });
});

describe('here and away', () => {
  it('is one key and one switch, and says what it means', async () => {
    const { gate, press } = await shown(three());
    await press('a');
    expect(gate.given('set_away').map((each) => each.away)).toEqual([true]);
    const line = await screen.findByTestId('away-line');
    expect(line.textContent).toContain('Away since');
    expect(screen.getByTestId('away').getAttribute('aria-checked')).toBe('true');
    await fireEvent.click(screen.getByTestId('away-end'));
    await expect.poll(() => screen.queryByTestId('away-line')).toBeNull();
  });

  it('goes back where the gate refuses', async () => {
    const { gate, main, press } = await shown(three());
    gate.meddle = (command) => (command.command === 'set_away' ? fault('internal') : undefined);
    await press('a');
    await expect.poll(() => main.fault?.code).toBe('internal');
    expect(main.presence.told.away, 'the switch shows what holds').toBe(false);
  });

  it('can be quiet for a while', async () => {
    const { gate, press } = await shown(three());
    await press('d');
    await fireEvent.click(await screen.findByTestId('quiet-hour'));
    const [given] = gate.given('set_do_not_disturb');
    const minutes = (Date.parse(given?.until ?? '') - Date.now()) / 60_000;
    expect([given?.on, Math.round(minutes)]).toEqual([true, 60]);
    expect((await screen.findByTestId('quiet-line')).textContent).toContain('Do not disturb until');
    await fireEvent.click(screen.getByTestId('quiet-line-end'));
    await expect.poll(() => screen.queryByTestId('quiet-line')).toBeNull();
  });

  it('isn’t switched by a letter in a text', async () => {
    const { gate, press } = await shown(three());
    await press('r');
    await expect.poll(focused).toBe('reply-text');
    await press('a');
    await press('d');
    expect(gate.given('set_away')).toEqual([]);
    expect(screen.queryByTestId('quiet-menu-panel')).toBeNull();
  });
});

describe('notes', () => {
  it('go to one agent, wait to be delivered, and are taken back', async () => {
    const { gate, press } = await shown([], (each) => (each.sessions = [session('c1')]));
    await fireEvent.click(await screen.findByTestId('note'));
    await expect.poll(focused, { message: 'one can write at once' }).toBe('note-text');
    expect(screen.getByTestId('note-panel').textContent, 'when it arrives').toContain('next call');
    await fireEvent.input(screen.getByTestId('note-text'), { target: { value: ' keep the flag ' } });
    await press('Enter', { ctrlKey: true });
    await expect
      .poll(() => gate.given('send_note').map((each) => [each.session_uuid, each.text]))
      .toEqual([['c1', 'keep the flag']]);
    const note = { note_id: 'n1', text: 'keep the flag', created_at: at(0) };
    gate.emit({ event: 'session_changed', session: session('c1', { notes: [note] }) });
    await fireEvent.click(screen.getByTestId('note'));
    await fireEvent.click(await screen.findByTestId('note-take-back'));
    await expect.poll(() => gate.given('take_back_note').map((each) => each.note_id)).toEqual(['n1']);
  });

  it('go to all who work, and what fails is said', async () => {
    const { gate, main } = await shown([], (each) => {
      each.sessions = [session('c1'), session('c2'), session('done', { status: 'completed' })];
    });
    main.go('sessions');
    gate.meddle = (command) =>
      command.command === 'send_note' && command.session_uuid === 'c2' ? fault('too_many') : undefined;
    await fireEvent.click(await screen.findByTestId('broadcast'));
    await fireEvent.input(await screen.findByTestId('note-text'), { target: { value: 'hold the release' } });
    await fireEvent.click(screen.getByTestId('note-send'));
    await expect.poll(() => gate.given('send_note').map((each) => each.session_uuid)).toEqual(['c1', 'c2']);
    const said = (await screen.findAllByTestId('toast')).map((toast) => toast.textContent);
    expect(said[0]).toContain('Note added for 1 agent');
    expect(said[1]).toContain('1 agent doesn’t get the note');
  });
});

describe('a workspace', () => {
  it('is called and coloured as the person likes, everywhere', async () => {
    localStorage.clear();
    workspaces.reload();
    await shown(three(), (each) => (each.sessions = [session('c1')]));
    const row = () => screen.getAllByTestId('row')[0];
    await expect.poll(() => row()?.textContent).toContain('app · Claude Code');
    await fireEvent.click(screen.getAllByTestId('row').at(-1) as HTMLElement);
    await fireEvent.click(await screen.findByTestId('workspace'));
    await fireEvent.input(screen.getByTestId('workspace-name'), { target: { value: 'The shop' } });
    await fireEvent.click(screen.getByTestId('colour-5'));
    await expect.poll(() => row()?.textContent, { message: 'its name' }).toContain('The shop · Claude Code');
    expect(row()?.querySelector('.dot')?.className, 'its colour').toContain('hue-5');
    workspaces.reload();
    expect(workspaces.label('/code/app', 'app'), 'it is remembered').toBe('The shop');
    await fireEvent.click(screen.getByTestId('workspace-reset'));
    await expect.poll(() => row()?.textContent).toContain('app · Claude Code');
    localStorage.setItem('workspaces', '[["/code/app", 7], "x", ["/code/app", "y", 99]]');
    workspaces.reload();
    expect(workspaces.worn('/code/app'), 'what isn’t known is left out').toEqual({
      label: 'y',
      colour: null,
    });
    localStorage.clear();
    workspaces.reload();
  });

  it('has a colour of its own among the last eight, and keeps it', () => {
    localStorage.clear();
    workspaces.reload();
    const names = Array.from({ length: 40 }, (_, index) => `/code/${index}`);
    const first = names[0] as string;
    const alike = names.filter((name) => hue(name) === hue(first)).slice(0, 2);
    const others = names.filter((name) => !alike.includes(name)).slice(0, 6);
    const colours = [...alike, ...others].map((name) => workspaces.colour(name));
    expect(colours[0], 'the one that its name gives').toBe(hue(first));
    expect(new Set(colours).size, 'no two look the same').toBe(8);
    workspaces.reload();
    const again = [...others, ...alike].map((name) => workspaces.colour(name));
    expect(again, 'whatever is seen first the next time').toEqual([
      ...colours.slice(2),
      ...colours.slice(0, 2),
    ]);
    localStorage.clear();
    workspaces.reload();
  });
});
