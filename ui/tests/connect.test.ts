// The Connect page: which clients are there, and connecting one after a look at what is written.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import './lazy';
import MainApp from '../src/MainApp.svelte';
import type { ClientState } from '../src/generated/ClientState';
import type { Finding } from '../src/generated/Finding';
import type { Command } from '../src/generated/Command';
import { Main } from '../src/state/main.svelte';
import { FakeGate, fault } from './fake-gate';
import { session } from './fake-record';
import type { Answer } from '../src/state/port';

afterEach(cleanup);

function client(name: string, over: Partial<ClientState> = {}): ClientState {
  const connected = over.connected ?? false;
  return {
    ...{ client: name, title: `The ${name}`, found: true, connected, folders: [], elsewhere: false },
    files: [
      { scope: 'user', path: `~/.${name}/mcp.json`, exists: true, connected, fault: null },
      { scope: 'project', path: `.${name}/mcp.json`, exists: false, connected: false, fault: null },
    ],
    ...{ last_spoke: null, sessions: 0, rules: 'none', time_out: null },
    toolsets: connected ? ['gate'] : [],
    ...{ permission: 'not_given', permission_note: null },
    ...{ asks_here: [], can_ask_here: true, asks_here_note: { id: 'Trust its hook.' } },
    note: { id: 'Restart it.' },
    ...over,
  };
}

class FakeClients {
  clients: ClientState[] = [
    client('cursor', {
      connected: true,
      rules: 'written',
      permission: 'given',
      sessions: 2,
      last_spoke: new Date().toISOString(),
    }),
    client('vscode', { elsewhere: true }),
    client('zed', {
      rules: 'unsupported',
      ...{ permission: 'by_hand', permission_note: { id: 'Choose it there.' } },
      ...{ can_ask_here: false, asks_here_note: { id: 'It has no way.' } },
      files: client('zed').files.slice(0, 1),
    }),
    client('goose', { found: false }),
  ];
  finding: Finding = {
    ...{
      check: 'popup',
      title: { id: 'check-popup' },
      level: 'good',
      cause: { id: 'finding-as-it-is', values: { text: 'It was seen.' } },
    },
    ...{ mend: null, command: null },
  };
  diff = '@@ -1,2 +1,3 @@\n {\n+  "review-gate": {}\n-  "old": {}\n }\n';

  takesQuestions = true;

  /** The files of a client with those of its questions, as the gate would name them. */
  #written({ client, questions, connect }: Extract<Command, { command: 'preview_client' }>) {
    const hook = { path: `~/.${client}/hooks.json`, diff: `@@ -0,0 +1 @@\n${connect ? '+' : '-'}permit\n` };
    const entry = { path: `~/.${client}/mcp.json`, diff: this.diff };
    const there = this.clients.some((each) => each.client === client && each.asks_here.length > 0);
    return questions ? (connect ? [entry, ...(there ? [] : [hook])] : [hook]) : [entry];
  }

  readonly answer = (command: Command): Answer => {
    switch (command.command) {
      case 'preview_client':
        return { files: this.#written(command), backup: '~/backups/1' };
      case 'connect_client':
      case 'disconnect_client': {
        const { scope, questions } = command;
        const connects = command.command === 'connect_client';
        const connected = connects || questions;
        const asks_here = connects && questions ? [{ scope, path: '~/hooks.json', trusted: false }] : [];
        const named = command.command === 'connect_client' ? command.toolsets : [];
        this.clients = this.clients.map((each) =>
          each.client === command.client
            ? {
                ...each,
                ...{ connected, asks_here, toolsets: named.length > 0 ? named : each.toolsets },
                files: each.files.map((file) => ({ ...file, connected })),
              }
            : each,
        );
        return this.#all();
      }
      case 'clients':
        return this.#all();
      case 'test_request':
        return { finding: this.finding };
      default:
        throw fault('internal');
    }
  };

  readonly #all = () => ({ clients: this.clients, takes_questions: this.takesQuestions });
}

async function shown(prepare: (clients: FakeClients, gate: FakeGate) => void = () => undefined) {
  const gate = new FakeGate();
  const clients = new FakeClients();
  gate.record = clients.answer;
  prepare(clients, gate);
  render(MainApp, { main: new Main(gate, { page: 'connect', at: null }) });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  await screen.findByTestId('connect-page');
  return { gate, clients };
}

const row = (name: string) => within(screen.getByTestId(`client-${name}`));
const focused = () => document.activeElement?.getAttribute('data-testid');

describe('the clients', () => {
  it('stand where they are looked for: connected, here, elsewhere', async () => {
    await shown();
    const connected = await screen.findByTestId('clients-connected');
    expect(connected.textContent).toMatch(
      /The cursor.*connected.*2 sessions active.*last spoke just now.*rules written.*asks without confirming/s,
    );
    expect(connected.textContent, 'what it does needs no hint').not.toContain('Restart it.');
    expect(screen.getByTestId('clients-found').textContent).toMatch(
      /The vscode.*older entry \(V2\).*The zed/s,
    );
    const absent = screen.getByTestId<HTMLDetailsElement>('clients-absent');
    expect([absent.open, absent.textContent?.includes('1 more client, not found here')]).toEqual([
      false,
      true,
    ]);
    expect(screen.getByTestId('connect-page').textContent, 'and any other').toContain(
      'claude mcp add --scope user review-gate',
    );
  });

  it('that are connected in some folders only say in which, and can be connected everywhere', async () => {
    await shown((each) => (each.clients = [client('cursor', { folders: ['~/code/pay', '~/code/shop'] })]));
    const found = await screen.findByTestId('clients-found');
    expect(found.textContent).toMatch(/The cursor\s*connected only in\s*~\/code\/pay\s*~\/code\/shop/);
    expect(row('cursor').getByTestId('client-connect')).toBeTruthy();
  });

  it('are one click away from where nothing is yet', async () => {
    const gate = new FakeGate();
    gate.record = new FakeClients().answer;
    const main = new Main(gate, { page: 'inbox', at: null });
    render(MainApp, { main });
    await fireEvent.click(await screen.findByTestId('empty-connect'));
    expect(await screen.findByTestId('connect-page')).toBeTruthy();
  });

  it('that aren’t there are no empty page', async () => {
    await shown((each) => (each.clients = [client('goose', { found: false })]));
    expect((await screen.findByTestId('clients-none')).textContent).toContain('by hand');
  });

  it('whose file can’t be read say so', async () => {
    await shown((each) => {
      const file = {
        scope: 'user' as const,
        path: '~/x',
        exists: true,
        connected: false,
        fault: fault('unreadable_file'),
      };
      each.clients = [client('zed', { files: [file] })];
    });
    expect((await screen.findByTestId('client-zed')).textContent).toContain('It failed: unreadable_file.');
  });

  it('of a project are looked at when it is named', async () => {
    const { gate } = await shown((_, each) => {
      each.sessions = [session('c0', { workspace: '/code/app' }), session('c1', { workspace: '/code/app' })];
    });
    const choice = await screen.findByTestId<HTMLSelectElement>('clients-project');
    expect(
      [...choice.options].map((each) => each.value),
      'where agents work',
    ).toEqual(['', '/code/app', 'other']);
    await fireEvent.change(choice, { target: { value: '/code/app' } });
    await expect.poll(() => gate.given('clients').at(-1)?.project).toBe('/code/app');
    await fireEvent.change(choice, { target: { value: 'other' } });
    await fireEvent.change(await screen.findByTestId('clients-project-folder'), {
      target: { value: ' /else ' },
    });
    await expect.poll(() => gate.given('clients').at(-1)?.project).toBe('/else');
  });

  it('can be asked for again when they couldn’t be had', async () => {
    const { gate } = await shown((_, each) => {
      each.meddle = (command) => (command.command === 'clients' ? fault('internal') : undefined);
    });
    const told = await screen.findByTestId('fault');
    gate.meddle = () => undefined;
    await fireEvent.click(within(told).getByRole('button'));
    expect(await screen.findByTestId('clients-connected')).toBeTruthy();
  });
});

describe('connecting', () => {
  it('shows what is written, and writes it when that is confirmed', async () => {
    const { gate } = await shown();
    await fireEvent.click(row('vscode').getByTestId('client-connect'));
    const diff = await screen.findByTestId('client-diff');
    expect([...diff.querySelectorAll('.added')].map((line) => line.textContent)).toEqual([
      '+  "review-gate": {}',
    ]);
    expect([...diff.querySelectorAll('.removed')].map((line) => line.textContent)).toEqual(['−  "old": {}']);
    expect(screen.getByTestId('client-backup').textContent).toContain('~/backups/1');
    expect(gate.given('connect_client'), 'nothing yet').toEqual([]);
    await fireEvent.click(screen.getByTestId('scope-project'));
    await fireEvent.click(screen.getByTestId('client-rules'));
    await expect
      .poll(() => gate.given('preview_client').at(-1), { message: 'each choice is looked at' })
      .toMatchObject({ client: 'vscode', scope: 'project', connect: true, rules: false, take_over: true });
    await expect.poll(() => screen.getByTestId<HTMLButtonElement>('client-confirm').disabled).toBe(false);
    await fireEvent.click(screen.getByTestId('client-confirm'));
    const done = await screen.findByTestId('client-done');
    expect(done.textContent).toMatch(
      /The vscode is connected\.\s*Restart it\.\s*The file as it was is kept in ~\/backups\/1/,
    );
    expect(done.closest('[aria-live]'), 'it is read aloud').not.toBeNull();
    expect(gate.given('connect_client')).toEqual([
      {
        command: 'connect_client',
        client: 'vscode',
        scope: 'project',
        rules: false,
        take_over: true,
        allow: false,
        questions: false,
        toolsets: [],
        project: null,
      },
    ]);
  });

  it('can be tried at once, and says what to type there', async () => {
    const { gate } = await shown();
    expect(screen.getAllByTestId('clients-try'), 'what is connected can be tried').toHaveLength(1);
    await fireEvent.click(row('zed').getByTestId('client-connect'));
    await screen.findByTestId('client-diff');
    await fireEvent.click(screen.getByTestId('client-confirm'));
    await screen.findByTestId('client-done');
    const trial = within(screen.getByTestId('clients-try'));
    expect(screen.getByTestId('client-zed').textContent, 'beside what was connected').toMatch(
      /Then have The zed ask you\. Type there:\s*Ask me with review_gate_chat/,
    );
    let answer: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (answer = resolve));
    gate.meddle = (command) => (command.command === 'test_request' ? waits : undefined);
    const send = trial.getByTestId<HTMLButtonElement>('try-send');
    await fireEvent.click(send);
    await expect.poll(() => trial.getByTestId('try-state').textContent).toContain('answer it, or close it');
    expect(send.disabled, 'one at a time').toBe(true);
    answer();
    await expect.poll(() => trial.getByTestId('try-state').textContent).toContain('you saw it');
    expect(gate.given('test_request')).toHaveLength(1);
  });

  it('says why a test question wasn’t seen, or couldn’t be sent', async () => {
    const { gate } = await shown((each) => {
      const [cause, mend] = ['Nobody answered.', 'Look for `it`.'].map((text) => ({
        id: 'finding-as-it-is',
        values: { text },
      }));
      each.finding = { ...each.finding, level: 'fault', cause: cause!, mend: mend! };
    });
    const trial = within(await screen.findByTestId('clients-try'));
    await fireEvent.click(trial.getByTestId('try-send'));
    await expect
      .poll(() => trial.getByTestId('try-state').textContent)
      .toContain('Nobody answered. Look for it.');
    gate.meddle = (command) => (command.command === 'test_request' ? fault('too_many') : undefined);
    await fireEvent.click(trial.getByTestId('try-send'));
    expect((await trial.findByTestId('fault')).textContent).toContain('too_many');
  });

  it('gives permission to ask only where that is chosen', async () => {
    const { gate } = await shown();
    await fireEvent.click(row('vscode').getByTestId('client-connect'));
    await screen.findByTestId('client-diff');
    const choice = screen.getByTestId<HTMLInputElement>('client-allow');
    expect([choice.checked, gate.given('preview_client').at(-1)?.allow], 'it is off').toEqual([false, false]);
    expect(choice.closest('label')?.textContent, 'and explains itself').toContain(
      'own tools and the files that you attach',
    );
    await fireEvent.click(choice);
    await expect
      .poll(() => gate.given('preview_client').at(-1)?.allow, { message: 'what it writes is shown' })
      .toBe(true);
    await expect.poll(() => screen.getByTestId<HTMLButtonElement>('client-confirm').disabled).toBe(false);
    await fireEvent.click(screen.getByTestId('client-confirm'));
    await screen.findByTestId('client-done');
    expect(gate.given('connect_client').map((each) => each.allow)).toEqual([true]);
  });

  it('says what to do where the client alone can give permission', async () => {
    await shown();
    await fireEvent.click(row('zed').getByTestId('client-connect'));
    expect((await screen.findByTestId('client-allow-by-hand')).textContent).toContain('Choose it there.');
    expect(screen.queryByTestId('client-allow'), 'there is nothing to choose').toBeNull();
  });

  it('asks only what there is to choose', async () => {
    await shown();
    await fireEvent.click(row('zed').getByTestId('client-connect'));
    await screen.findByTestId('client-diff');
    for (const choice of ['scope-user', 'client-rules', 'client-take-over'])
      expect(screen.queryByTestId(choice), choice).toBeNull();
  });

  it('is given up by Escape, and the keys go back', async () => {
    const { gate } = await shown();
    await fireEvent.click(row('zed').getByTestId('client-connect'));
    const plan = await screen.findByTestId('client-plan');
    expect(document.activeElement, 'the keys go in').toBe(plan);
    await fireEvent.keyDown(plan, { key: 'Escape' });
    expect(screen.queryByTestId('client-plan')).toBeNull();
    await expect.poll(focused).toBe('client-connect');
    expect(gate.given('connect_client')).toEqual([]);
  });

  it('says why it can’t be done, and leaves the choice open', async () => {
    const { gate } = await shown();
    await fireEvent.click(row('zed').getByTestId('client-connect'));
    await screen.findByTestId('client-diff');
    gate.meddle = (command) => (command.command === 'connect_client' ? fault('read_only') : undefined);
    await fireEvent.click(screen.getByTestId('client-confirm'));
    const plan = screen.getByTestId('client-plan');
    await expect.poll(() => plan.textContent).toContain('It failed: read_only. Mend it.');
    expect(screen.getByTestId<HTMLButtonElement>('client-confirm').disabled, 'it can be tried again').toBe(
      false,
    );
  });

  it('says when nothing is left to write', async () => {
    await shown((each) => (each.diff = ''));
    await fireEvent.click(row('zed').getByTestId('client-connect'));
    expect((await screen.findByTestId('client-same')).textContent).toContain('all there');
  });

  it('is undone in the same way', async () => {
    const { gate } = await shown();
    await fireEvent.click(row('cursor').getByTestId('client-disconnect'));
    await screen.findByTestId('client-diff');
    await fireEvent.click(screen.getByTestId('client-confirm'));
    expect((await screen.findByTestId('client-done')).textContent).toContain('The cursor is disconnected.');
    expect(gate.given('disconnect_client')).toEqual([
      { command: 'disconnect_client', client: 'cursor', scope: 'user', questions: false, project: null },
    ]);
    expect(screen.queryByTestId('clients-connected')).toBeNull();
  });
});

describe('permission questions', () => {
  const checked = () => screen.getByTestId<HTMLInputElement>('client-questions').checked;
  const paths = () => [...screen.getByTestId('client-plan').querySelectorAll('.file .path')];
  const confirm = async () => {
    await expect.poll(() => screen.getByTestId<HTMLButtonElement>('client-confirm').disabled).toBe(false);
    await fireEvent.click(screen.getByTestId('client-confirm'));
    return await screen.findByTestId('client-done');
  };
  const here = (each: FakeClients) =>
    (each.clients = [
      client('cursor', {
        connected: true,
        asks_here: [{ scope: 'user', path: '~/.cursor/hooks.json', trusted: null }],
      }),
    ]);

  it('come here only where that is chosen, with every file shown before', async () => {
    const { gate } = await shown();
    expect(row('vscode').queryByTestId('client-asks-here'), 'they don’t come by themselves').toBeNull();
    await fireEvent.click(row('vscode').getByTestId('client-connect'));
    await screen.findByTestId('client-diff');
    expect([checked(), gate.given('preview_client').at(-1)?.questions], 'it is off').toEqual([false, false]);
    expect(
      screen.getByTestId('client-questions').closest('label')?.textContent,
      'and explains itself',
    ).toMatch(/Nothing is allowed but what you allow.*Trust its hook\./s);
    screen.getByTestId('client-questions').focus();
    await fireEvent.click(screen.getByTestId('client-questions'));
    await expect
      .poll(() => paths().map((each) => each.textContent), { message: 'what it writes is shown' })
      .toEqual(['~/.vscode/mcp.json', '~/.vscode/hooks.json']);
    expect(focused(), 'the keys stay at the choice').toBe('client-questions');
    expect(gate.given('connect_client'), 'nothing yet').toEqual([]);
    expect((await confirm()).textContent, 'it says what is left to do').toMatch(
      /connected\..*Trust its hook\./s,
    );
    expect(gate.given('connect_client').map((each) => each.questions)).toEqual([true]);
    expect(row('vscode').getByTestId('client-asks-here').textContent, 'nothing comes before').toBe(
      'permission questions come here once you trust its hook',
    );
  });

  it('go out alone, and the client stays connected', async () => {
    const { gate } = await shown(here);
    expect((await screen.findByTestId('client-asks-here')).textContent).toBe(
      'permission questions come here',
    );
    await fireEvent.click(row('cursor').getByTestId('client-more'));
    await screen.findByTestId('client-diff');
    expect(checked(), 'it is on').toBe(true);
    await fireEvent.click(screen.getByTestId('client-questions'));
    await expect.poll(() => screen.getByTestId('client-diff').textContent).toContain('−permit');
    expect(paths().map((each) => each.textContent)).toEqual(['~/.cursor/hooks.json']);
    const confirmed = screen.getByTestId('client-confirm');
    expect(confirmed.textContent, 'the button says what happens').toBe('Take out');
    for (const other of ['client-rules', 'client-allow'])
      expect(screen.getByTestId<HTMLInputElement>(other).disabled, `${other} is no part of it`).toBe(true);
    expect((await confirm()).textContent).toContain('The cursor asks at its own prompt alone');
    expect(gate.given('disconnect_client')).toEqual([
      { command: 'disconnect_client', client: 'cursor', scope: 'user', questions: true, project: null },
    ]);
    expect(gate.given('connect_client')).toEqual([]);
    expect(screen.getByTestId('clients-connected').textContent).toContain('The cursor');
    expect(screen.queryByTestId('client-asks-here')).toBeNull();
    expect(screen.queryByTestId('client-done')?.textContent, 'nobody is told to restart it').not.toContain(
      'Restart',
    );
  });

  it('are chosen for each place apart', async () => {
    const { gate } = await shown(here);
    await fireEvent.click(row('cursor').getByTestId('client-more'));
    await screen.findByTestId('client-diff');
    await fireEvent.click(screen.getByTestId('scope-project'));
    await expect
      .poll(() => gate.given('preview_client').at(-1))
      .toMatchObject({ scope: 'project', questions: false });
    await fireEvent.click(screen.getByTestId('client-questions'));
    await expect
      .poll(() => gate.given('preview_client').at(-1))
      .toMatchObject({ connect: true, questions: true });
    await fireEvent.click(screen.getByTestId('scope-user'));
    await expect
      .poll(() => gate.given('preview_client').at(-1))
      .toMatchObject({ scope: 'user', connect: true });
    expect(checked(), 'there they come already').toBe(true);
  });

  it('that can’t come say why', async () => {
    await shown();
    await fireEvent.click(row('zed').getByTestId('client-connect'));
    expect((await screen.findByTestId('client-questions-cannot')).textContent).toMatch(
      /can’t come here\.\s*It has no way\./,
    );
    expect(screen.queryByTestId('client-questions'), 'there is nothing to choose').toBeNull();
  });

  it('that are switched off in the settings say so where they are chosen', async () => {
    await shown((each) => (each.takesQuestions = false));
    await fireEvent.click(row('vscode').getByTestId('client-connect'));
    await screen.findByTestId('client-diff');
    expect(screen.queryByTestId('client-questions-off'), 'not to whom it doesn’t matter').toBeNull();
    await fireEvent.click(screen.getByTestId('client-questions'));
    expect((await screen.findByTestId('client-questions-off')).textContent).toContain('switched off');
  });

  it('that can’t be brought say why, and the choice stays open', async () => {
    const { gate } = await shown();
    await fireEvent.click(row('vscode').getByTestId('client-connect'));
    await screen.findByTestId('client-diff');
    gate.meddle = (command) =>
      command.command === 'preview_client' && command.questions ? fault('client_file') : undefined;
    await fireEvent.click(screen.getByTestId('client-questions'));
    await expect
      .poll(() => screen.getByTestId('client-plan').textContent)
      .toContain('It failed: client_file.');
    expect(screen.getByTestId<HTMLButtonElement>('client-confirm').disabled, 'nothing can be done').toBe(
      true,
    );
    await fireEvent.click(screen.getByTestId('client-questions'));
    await expect.poll(() => screen.getByTestId<HTMLButtonElement>('client-confirm').disabled).toBe(false);
  });
});

describe('reviews between agents', () => {
  const box = () => screen.getByTestId<HTMLInputElement>('client-reviews');
  const named = (gate: FakeGate) => gate.given('preview_client').at(-1)?.toolsets;

  it('are for the agents whose client the person lets take part', async () => {
    const { gate } = await shown();
    await fireEvent.click(row('vscode').getByTestId('client-connect'));
    await screen.findByTestId('client-diff');
    expect(box().checked, 'nobody takes part by itself').toBe(false);
    expect(screen.getByTestId('client-plan').textContent).toMatch(/an agent’s approval, never yours/);
    expect(named(gate), 'what is not chosen is not named').toEqual([]);
    await fireEvent.click(box());
    await expect.poll(() => named(gate)).toEqual(['gate', 'broker']);
    await fireEvent.click(screen.getByTestId('client-confirm'));
    await screen.findByTestId('client-done');
    expect(gate.given('connect_client').map((each) => each.toolsets)).toEqual([['gate', 'broker']]);
    expect(row('vscode').getByTestId('client-takes-part').textContent).toBe('takes part in reviews');
  });

  it('end where that is taken back, and what else is served stays', async () => {
    const { gate } = await shown(
      (each) => (each.clients = [client('cursor', { connected: true, toolsets: ['broker', 'gsd'] })]),
    );
    await screen.findByTestId('client-cursor');
    await fireEvent.click(row('cursor').getByTestId('client-more'));
    await screen.findByTestId('client-diff');
    expect(box().checked).toBe(true);
    expect(named(gate), 'as it is').toEqual([]);
    await fireEvent.click(box());
    await expect.poll(() => named(gate)).toEqual(['gsd']);
  });

  it('leave what every agent has where nothing else is left', async () => {
    const { gate } = await shown(
      (each) => (each.clients = [client('cursor', { connected: true, toolsets: ['broker'] })]),
    );
    await screen.findByTestId('client-cursor');
    await fireEvent.click(row('cursor').getByTestId('client-more'));
    await screen.findByTestId('client-diff');
    await fireEvent.click(box());
    await expect.poll(() => named(gate)).toEqual(['gate']);
  });
});
