// Permission questions in their course: how they end, where they are written on, and where they stand beside others.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import './lazy';
import App from '../src/App.svelte';
import MainApp from '../src/MainApp.svelte';
import { inboxRows } from '../src/inbox/rows';
import { MOMENT } from '../src/permissions/events';
import { permissionIntentionOf } from '../src/permissions/keys';
import { permissions } from '../src/permissions/permissions';
import { Review } from '../src/review/review.svelte';
import { Main } from '../src/state/main.svelte';
import { answerable, armed } from './armed';
import { FakeGate, fault, view } from './fake-gate';
import { asked, question, shown, says, field, type, given, digests } from './permission-help';

beforeAll(() => permissions.load());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

type Shown = Awaited<ReturnType<typeof shown>>;

describe('a question that is over', () => {
  it('is closed with a note that says why, and takes no answer', async () => {
    const { gate, alt } = await shown(question('a'));
    gate.emit({ event: 'permission_over', request_id: 'a', why: 'answered_there' });
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
    await expect.poll(() => says('banner')).toBe('It was answered at the agent’s own prompt.');
    expect(screen.queryByTestId('permission-once')).toBeNull();
    await alt('Enter');
    expect(given(gate)).toEqual([]);
  });

  it.each(['off', 'away', 'nobody', 'time_over', 'put_aside', 'gone', 'unreadable', 'stopping'] as const)(
    'because of %s says so',
    async (why) => {
      const { gate } = await shown(question('a'));
      gate.emit({ event: 'permission_over', request_id: 'a', why });
      gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
      await expect.poll(() => says('banner')).toContain('Nothing was answered here');
    },
  );

  const over = (gate: FakeGate) => {
    gate.emit({ event: 'permission_over', request_id: 'a', why: 'time_over' });
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
  };

  it('says that it is denied where the agent has no prompt, and by ACP that its client asks', async () => {
    const { gate } = await shown(question('a', asked({ form: 'claude_prompt', asks_beside: false })));
    expect(says('dismiss')).toBe('Put aside');
    over(gate);
    await expect.poll(() => says('banner')).toContain('the agent takes that as a denial');
    cleanup();
    const client = await shown(question('a', asked({ form: 'acp', asks_beside: false })));
    expect(says('dismiss')).toBe('Ask there');
    over(client.gate);
    await expect.poll(() => says('banner')).toContain('asks at its own prompt');
  });

  it('for a reason that nobody heard says no more than that', async () => {
    const { gate } = await shown(question('a'));
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
    await expect.poll(() => says('banner')).toBe('It is over here. Nothing was answered.');
  });

  it('leaves the line that is typed in where it is, and what is typed goes nowhere', async () => {
    const { gate, review, alt } = await shown(question('a'), question('b'));
    await alt('Backspace');
    await expect.poll(() => document.activeElement).toBe(field('permission-reason'));
    const line = field('permission-reason');
    await type('permission-reason', 'Not');
    over(gate);
    await expect.poll(() => says('banner')).toContain('Its time was over');
    await armed();
    expect(field('permission-reason'), 'it is the same').toBe(line);
    expect([line.readOnly, line.value]).toEqual([true, 'Not']);
    expect(document.activeElement, 'and has the keys').toBe(line);
    await fireEvent.keyDown(line, { key: 'j' });
    expect(review.reply?.id).toBe('a');
  });

  it('gives way at once to one that comes', async () => {
    const { gate } = await shown(question('a'));
    over(gate);
    await expect.poll(() => says('banner')).toContain('Its time was over');
    gate.add(question('b', asked({ tool: 'Other' })), false);
    // Before it would go on by itself.
    await expect
      .poll(() => screen.getByTestId('permission-text').textContent, { timeout: MOMENT - 1_000 })
      .toContain('Other');
  });

  it('gives way to none under what stands on top', async () => {
    const { gate, review } = await shown(question('a'));
    over(gate);
    await expect.poll(() => says('banner')).toContain('Its time was over');
    review.listOpen = true;
    gate.add(question('b'), false);
    expect([review.reply?.id, review.listOpen]).toEqual(['a', true]);
  });

  describe('a moment later', () => {
    /** The question is over, and its moment as well. */
    async function later(gate: FakeGate) {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      over(gate);
      await vi.advanceTimersByTimeAsync(4_999);
      expect(says('banner'), 'it says why').toContain('Its time was over');
      await vi.advanceTimersByTimeAsync(1);
    }
    /** Held before its moment is over, it stands there for long; let go, it goes on after all of one. */
    async function held({ gate, review }: Shown, hold: () => unknown, lets: () => unknown) {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      over(gate);
      await vi.advanceTimersByTimeAsync(MOMENT - 1);
      await hold();
      await vi.advanceTimersByTimeAsync(10 * MOMENT);
      expect(review.reply?.id).toBe('a');
      await lets();
      await vi.advanceTimersByTimeAsync(MOMENT - 1);
      expect(review.reply?.id, 'there is all of a moment to read it').toBe('a');
      await vi.advanceTimersByTimeAsync(1);
      await vi.waitFor(() => expect(review.reply?.id).toBe('b'));
    }
    afterEach(() => void vi.useRealTimers());

    it('makes room for what waits', async () => {
      const { gate, review } = await shown(question('a'), question('b'));
      await later(gate);
      await vi.waitFor(() => expect(review.reply?.id).toBe('b'));
    });

    it('has the window go where nothing waits', async () => {
      const { gate } = await shown(question('a'));
      await later(gate);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(gate.hidden).toBe(1);
    });

    it('stays where the person is in its line', async () => {
      const { gate, review, alt } = await shown(question('a'), question('b'));
      await alt('Backspace');
      await later(gate);
      expect(review.reply?.id).toBe('a');
    });

    it('goes on where the person has left its line before, whatever they wrote', async () => {
      const { gate, review, alt, press } = await shown(question('a'), question('b'));
      await alt('Backspace');
      await expect.poll(() => screen.queryByTestId('permission-reason')).not.toBeNull();
      await type('permission-reason', 'Not');
      await press('Escape', {}, field('permission-reason'));
      await later(gate);
      await vi.waitFor(() => expect(review.reply?.id).toBe('b'));
    });

    it.each(['listOpen', 'sheetOpen', 'snoozeOpen'] as const)('stays under %s', async (opens) => {
      const window = await shown(question('a'), question('b'));
      const { review } = window;
      await held(
        window,
        () => (review[opens] = true),
        () => (review[opens] = false),
      );
    });

    it('stays while the page has no focus', async () => {
      await held(
        await shown(question('a'), question('b')),
        () => fireEvent.blur(window),
        () => fireEvent.focus(window),
      );
    });

    it('stays while the page can’t be seen', async () => {
      const hidden = vi.spyOn(document, 'hidden', 'get');
      const turns = (to: boolean) => {
        hidden.mockReturnValue(to);
        return fireEvent(document, new Event('visibilitychange'));
      };
      await held(
        await shown(question('a'), question('b')),
        () => turns(true),
        () => turns(false),
      );
    });
  });

  describe('in a window that is gone from the screen', () => {
    it.each(['', 'Not'])('goes on at once, with %j written and its line left', async (text) => {
      const { gate, review, alt, press } = await shown(question('a'), question('b'));
      await alt('Backspace');
      await expect.poll(() => screen.queryByTestId('permission-reason')).not.toBeNull();
      if (text) await type('permission-reason', text);
      await press('Escape', {}, field('permission-reason'));
      review.vanished();
      over(gate);
      await expect.poll(() => review.reply?.id, { timeout: MOMENT - 1_000 }).toBe('b');
    });

    it('gives way to one that comes, where it was over before', async () => {
      const { gate, review } = await shown(question('a'));
      over(gate);
      review.vanished();
      gate.add(question('b'), false);
      await expect.poll(() => review.reply?.id, { timeout: MOMENT - 1_000 }).toBe('b');
    });

    it('stays with its line, whatever comes', async () => {
      const { gate, review, alt } = await shown(question('a'));
      await alt('Backspace');
      await expect.poll(() => screen.queryByTestId('permission-reason')).not.toBeNull();
      review.vanished();
      over(gate);
      gate.add(question('b'), false);
      await armed();
      expect(review.reply?.id).toBe('a');
    });
  });

  it('because the file has changed is asked anew, unarmed, with what was written', async () => {
    const { gate, alt } = await shown(question('a'));
    await alt('Backspace');
    await expect.poll(() => screen.queryByTestId('permission-reason')).not.toBeNull();
    await type('permission-reason', 'Not so');
    gate.add({ ...question('b'), digest: 'another' });
    gate.emit({ event: 'permission_replaced', request_id: 'a', by: 'b' });
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
    await expect.poll(() => says('banner')).toContain('The file has changed since');
    await expect.poll(() => field('permission-reason').value).toBe('Not so');
    await fireEvent.keyDown(field('permission-reason'), { key: 'Enter', ctrlKey: true });
    expect(given(gate), 'nobody has read it yet').toEqual([]);
    await answerable();
    expect(document.activeElement, 'it is written on').toBe(field('permission-reason'));
    await fireEvent.keyDown(field('permission-reason'), { key: 'Enter', ctrlKey: true });
    await expect.poll(() => digests(gate)).toEqual(['another']);
  });
});

describe('in the main window', () => {
  it('a question that is over says so, and one that takes its place is shown', async () => {
    const gate = new FakeGate([question('a'), question('c')]);
    render(MainApp, { main: new Main(gate, { page: 'inbox', at: null }) });
    await screen.findByTestId('permission-once');
    gate.add({ ...question('b'), digest: 'another' });
    gate.emit({ event: 'permission_replaced', request_id: 'a', by: 'b' });
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
    await expect.poll(() => says('banner')).toContain('The file has changed since');
    gate.emit({ event: 'permission_over', request_id: 'b', why: 'time_over' });
    gate.emit({ event: 'request_closed', request_id: 'b', status: 'cancelled', undo_until: null });
    await expect.poll(() => says('banner')).toContain('Its time was over.');
  });
});

describe('what is written', () => {
  it('is saved, and a reason stands in its line again', async () => {
    const { gate, review, alt } = await shown(question('a'), question('b'));
    await alt('Backspace');
    await expect.poll(() => screen.queryByTestId('permission-reason')).not.toBeNull();
    await type('permission-reason', 'Why?');
    await review.reply?.flush();
    expect(gate.given('save_draft').at(-1)?.draft.text).toBe('Why?');
    cleanup();
    const again = new Review(gate);
    render(App, { review: again });
    await expect.poll(() => screen.queryByTestId('permission-reason')).not.toBeNull();
    expect(field('permission-reason').value).toBe('Why?');
  });

  it('is known to be an edit when it comes back', async () => {
    const { gate, review, alt } = await shown(question('a'));
    await alt('e', 'KeyE');
    await expect.poll(() => screen.queryByTestId('permission-edit-field')).not.toBeNull();
    await type('permission-edit-field', 'npm run lint');
    await review.reply?.flush();
    cleanup();
    render(App, { review: new Review(gate) });
    await expect.poll(() => screen.queryByTestId('permission-edit-field')).not.toBeNull();
    expect(field('permission-edit-field').value).toBe('npm run lint');
  });
});

describe('several from one agent', () => {
  const several = () => [
    question('a', asked(), { session_uuid: 's' }),
    question('b', asked(), { session_uuid: 's', title: 'curl' }),
    question('c', asked(), { session_uuid: 's', title: 'rm' }),
    question('d', asked(), { session_uuid: 'another' }),
  ];

  it('stand below the one that is open, and one of them is opened there', async () => {
    await shown(...several());
    expect(screen.getByText('Claude Code asks 2 more at once')).toBeTruthy();
    const rows = screen.getAllByTestId('permission-other');
    expect(rows.map((row) => row.querySelector('.title')?.textContent)).toEqual(['curl', 'rm']);
    await fireEvent.click(rows[1] as HTMLElement);
    await expect
      .poll(() => screen.getAllByTestId('permission-other')[0]?.textContent)
      .toContain('Title of a');
  });

  it('are one row of the inbox that opens', () => {
    const queue = several().map((each) => each.summary);
    const contents = { queue, working: [], answered: [] };
    const keys = (opened: string[], text = '') =>
      inboxRows(contents, false, text, () => '', new Set(opened)).map((row) =>
        row.kind === 'request' ? [row.request.request_id, row.more] : [],
      );
    expect(keys([])).toEqual([
      ['a', 2],
      ['d', 0],
    ]);
    expect(keys(['s']).map(([id]) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(keys([], 'curl'), 'whoever searches finds each').toEqual([['b', 0]]);
  });

  it('are answered in the inbox as well, and counted apart there', async () => {
    const gate = new FakeGate([...several(), view('plain')]);
    gate.record = ({ command }) => {
      if (command === 'answer_permission') return {};
      throw fault('internal');
    };
    render(MainApp, { main: new Main(gate, { page: 'inbox', at: null }) });
    await screen.findByTestId('permission-once');
    expect(says('inbox-counts')).toBe('1 request · 4 permission questions');
    await answerable();
    await fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true, shiftKey: true });
    expect(given(gate)).toEqual([]);
    await fireEvent.keyDown(document.body, { key: 'Enter', altKey: true });
    await expect.poll(() => given(gate)).toEqual([{ answer: 'once' }]);
  });
});

describe('beside the list of the inbox', () => {
  it('nothing is answered that was left for another row a moment ago', async () => {
    const gate = new FakeGate([question('a'), question('b')]);
    gate.record = () => ({});
    const main = new Main(gate, { page: 'inbox', at: null });
    render(MainApp, { main });
    await screen.findByTestId('permission-once');
    await answerable();
    main.inbox.move(1);
    expect(main.inbox.review.reply?.id, 'it stands there still').toBe('a');
    await fireEvent.keyDown(document.body, { key: 'Enter', altKey: true });
    expect(given(gate)).toEqual([]);
  });

  it('one that takes another’s place doesn’t take the choice from whoever has moved on', async () => {
    const gate = new FakeGate([question('a'), question('b')]);
    const main = new Main(gate, { page: 'inbox', at: null });
    render(MainApp, { main });
    await screen.findByTestId('permission-once');
    main.inbox.move(1);
    const chosen = main.inbox.selected;
    gate.add({ ...question('c'), digest: 'another' });
    gate.emit({ event: 'permission_replaced', request_id: 'a', by: 'c' });
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
    await expect.poll(() => main.inbox.review.reply?.id).toBe('b');
    expect(main.inbox.selected).toBe(chosen);
  });

  it('Escape in the list closes no line beside it', async () => {
    const gate = new FakeGate([question('a'), question('b')]);
    render(MainApp, { main: new Main(gate, { page: 'inbox', at: null }) });
    await screen.findByTestId('permission-once');
    await answerable();
    await fireEvent.keyDown(document.body, { key: 'Backspace', altKey: true });
    await expect.poll(() => screen.queryByTestId('permission-reason')).not.toBeNull();
    const list = document.querySelector<HTMLElement>('[data-list]');
    list?.focus();
    await fireEvent.keyDown(list as HTMLElement, { key: 'Escape' });
    await expect
      .poll(() => document.activeElement?.closest('[role=search]'), {
        message: 'it leads to the search there',
      })
      .not.toBeNull();
    expect(screen.queryByTestId('permission-reason')).not.toBeNull();
    await fireEvent.keyDown(field('permission-reason'), { key: 'Escape' });
    await expect.poll(() => screen.queryByTestId('permission-reason')).toBeNull();
  });

  it('a question that is over stays until the person goes on, whatever comes', async () => {
    const gate = new FakeGate([question('a')]);
    const main = new Main(gate, { page: 'inbox', at: null });
    render(MainApp, { main });
    await screen.findByTestId('permission-once');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    gate.emit({ event: 'permission_over', request_id: 'a', why: 'time_over' });
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
    await vi.advanceTimersByTimeAsync(2 * MOMENT);
    gate.add(question('b'), false);
    await vi.advanceTimersByTimeAsync(2 * MOMENT);
    expect(main.inbox.review.reply?.id).toBe('a');
    expect(says('banner')).toContain('Its time was over');
    vi.useRealTimers();
  });

  it('one that comes doesn’t take the choice from whoever has moved on from one that is over', async () => {
    const gate = new FakeGate([question('a'), question('b')]);
    const main = new Main(gate, { page: 'inbox', at: null });
    render(MainApp, { main });
    await screen.findByTestId('permission-once');
    gate.emit({ event: 'permission_over', request_id: 'a', why: 'time_over' });
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
    main.inbox.move(1);
    const chosen = main.inbox.selected;
    expect(main.inbox.review.reply?.id, 'it stands there still').toBe('a');
    gate.add(question('c'), false);
    expect(main.inbox.selected).toBe(chosen);
    await expect.poll(() => main.inbox.review.reply?.id).toBe('b');
    expect(main.inbox.selected).toBe(chosen);
  });
});

describe('the pill', () => {
  it('says that its terminal asks, too, or when it will', async () => {
    const until = new Date(Date.now() + 300_000).toISOString();
    await shown(question('a', asked(), { waits_until: until }));
    expect(says('waits')).toContain('its terminal asks, too');
    cleanup();
    await shown(question('b', asked({ asks_beside: false, form: 'codex_hook' }), { waits_until: until }));
    expect(says('waits')).toContain('its terminal asks at');
    for (const form of ['claude_prompt', 'acp'] as const) {
      cleanup();
      await shown(question(form, asked({ asks_beside: false, form }), { waits_until: until }));
      expect(says('waits'), 'nobody asks after it').toContain('waits until');
    }
  });
});

describe('a key', () => {
  const press = (key: string, more: Partial<KeyboardEvent> = {}) =>
    permissionIntentionOf({
      ...{ key, code: '', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false },
      ...{ repeat: false, isComposing: false },
      ...more,
    });

  it('that is held, or composes, answers nothing', () => {
    expect(press('Enter', { altKey: true })).toEqual({ kind: 'once' });
    expect(press('Enter', { altKey: true, repeat: true })).toBeNull();
    expect(press('Enter', { altKey: true, isComposing: true })).toBeNull();
    expect(press('Enter', { altKey: true, shiftKey: true })).toBeNull();
    expect(press('Enter', { altKey: true, ctrlKey: true }), 'that requests changes elsewhere').toBeNull();
    expect(press('1', { altKey: true, ctrlKey: true, code: 'Digit1' }), 'AltGr writes a sign').toBeNull();
  });
});
