// The page itself: keys, hostile text, the diff, the banners. Rendered whole over a recording gate.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import App from '../src/App.svelte';
import type { GitView } from '../src/generated/GitView';
import type { RequestView } from '../src/generated/RequestView';
import { connections } from '../src/connect/snippets';
import { speak } from '../src/i18n/text.svelte';
import { Review } from '../src/review/review.svelte';
import { whose } from '../src/sessions/session-list';
import { SEQUENCE } from '../src/state/keys';
import { armed, painted, passes } from './armed';
import { FakeGate, fault, summary, view } from './fake-gate';

async function shown(...views: RequestView[]) {
  const gate = new FakeGate(views);
  const clock = { now: 1_000 };
  const review = new Review(gate, () => clock.now);
  const { container } = render(App, { review });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  await armed();
  const press = (key: string, more: KeyboardEventInit = {}, target: Element = document.body) =>
    fireEvent.keyDown(target, { key, ...more });
  return { gate, review, container, press, clock };
}

const sent = (gate: FakeGate) => gate.given('send_reply').map((each) => each.decision);
const reply = () => screen.getByTestId<HTMLTextAreaElement>('reply-text');
const options = [{ label: 'first' }, { label: 'second' }];

describe('keys', () => {
  it('Ctrl+Enter replies and never approves; Ctrl+Shift+Enter approves', async () => {
    const { gate, press } = await shown(
      view('a'),
      view('b', { summary: summary('b', { created_at: '2026-11-21T10:00:00Z' }) }),
    );
    await fireEvent.input(reply(), { target: { value: 'change this' } });
    await press('Enter', { ctrlKey: true }, reply());
    await expect
      .poll(() => sent(gate), { message: 'Ctrl+Enter is a reply without a decision' })
      .toEqual([null]);
    await expect.poll(() => screen.getByTestId('request-title').textContent).toBe('Title of b');
    await press('Enter', { ctrlKey: true, shiftKey: true });
    expect(sent(gate), 'a key just after a request came up isn’t meant for it').toEqual([null]);
  });

  it('Ctrl+Shift+Enter approves, a held key doesn’t', async () => {
    const { gate, press } = await shown(view('a'));
    await press('Enter', { ctrlKey: true, shiftKey: true, repeat: true });
    await press('Enter', { ctrlKey: true, shiftKey: true, altKey: true });
    expect(sent(gate), 'held and mixed keys mean nothing').toEqual([]);
    await press('Enter', { ctrlKey: true, shiftKey: true });
    await expect.poll(() => sent(gate), { message: 'the key of its own approves' }).toEqual(['approved']);
  });

  it('Ctrl+Alt+Enter requests changes', async () => {
    const { gate, press } = await shown(view('a'));
    await press('Enter', { ctrlKey: true, altKey: true });
    await expect.poll(() => sent(gate), { message: 'changes are requested' }).toEqual(['changes_requested']);
  });

  it('Ctrl+Shift+Enter does nothing where no approval is asked for', async () => {
    const { gate, press } = await shown(view('a', { summary: summary('a', { approval: false }) }));
    await fireEvent.input(reply(), { target: { value: 'text' } });
    await press('Enter', { ctrlKey: true, shiftKey: true }, reply());
    expect(sent(gate), 'there is nothing to approve').toEqual([]);
    expect(screen.queryByTestId('approve'), 'nor a button for it').toBeNull();
  });

  it('Escape hides the window and answers nothing', async () => {
    const { gate, press } = await shown(view('a'));
    await press('Escape');
    await expect.poll(() => gate.hidden, { message: 'Later hides' }).toBe(1);
    expect([...gate.given('send_reply'), ...gate.given('dismiss')], 'and answers nothing').toEqual([]);
  });

  it('Escape in the reply leaves the box, and only the next one hides the window', async () => {
    const { gate, review, press } = await shown(view('a', { options }));
    reply().focus();
    await fireEvent.input(reply(), { target: { value: 'half a sen' } });
    await press('Escape', {}, reply());
    expect(document.activeElement, 'out of the box, where keys are keys').toBe(
      screen.getByTestId('request-title').closest('main'),
    );
    expect([gate.hidden, review.reply?.text], 'nothing else happened').toEqual([0, 'half a sen']);
    await press('1', {}, document.activeElement ?? document.body);
    expect(review.reply?.selected, 'such as choosing').toEqual(['first']);
    await press('Escape', {}, document.activeElement ?? document.body);
    await expect.poll(() => gate.hidden, { message: 'the second one hides' }).toBe(1);
  });

  it('number keys choose options, but not while typing', async () => {
    const { review, press } = await shown(view('a', { options }));
    await press('2');
    expect(review.reply?.selected, '2 is the second option').toEqual(['second']);
    await press('1', {}, reply());
    expect(review.reply?.selected, 'a digit in a text is a digit').toEqual(['second']);
    await press('9');
    expect(review.reply?.selected, 'there is no ninth').toEqual(['second']);
  });

  it('with Ctrl, Alt or Meta are other keys, and what follows Ctrl+F are words', async () => {
    const { gate, review, press } = await shown(view('a', { options }), view('b'));
    for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }])
      for (const key of ['r', 's', 'j', 'l', '1', '?', 'f']) await press(key, more);
    for (const key of 'results, j1?') await press(key);
    expect(document.activeElement, 'nobody is taken into the reply').not.toBe(reply());
    expect([review.reply?.id, review.reply?.selected, review.reply?.text]).toEqual(['a', [], '']);
    expect([review.snoozeOpen, review.listOpen, review.sheetOpen]).toEqual([false, false, false]);
    expect(gate.given('snooze')).toEqual([]);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + SEQUENCE);
    await press('2');
    expect(review.reply?.selected, 'a while later keys are keys').toEqual(['second']);
    vi.restoreAllMocks();
  });

  it('Ctrl+H opens the history at the request’s conversation, also while typing', async () => {
    const { gate, press } = await shown(view('a'));
    await press('h', { ctrlKey: true }, reply());
    await fireEvent.click(screen.getByTestId('open-history'));
    expect(gate.opened, 'by key and by button').toEqual([
      ['history', 'session-a'],
      ['history', 'session-a'],
    ]);
  });

  it('J and K move, ? shows the keys, and under the sheet nothing is answered', async () => {
    const { gate, review, press } = await shown(view('a'), view('b'));
    await press('j');
    await expect.poll(() => review.reply?.id, { message: 'J is the next' }).toBe('b');
    await press('?');
    expect(await screen.findByTestId('shortcut-sheet'), 'the sheet is open').toBeTruthy();
    await press('Enter', { ctrlKey: true, shiftKey: true });
    await press('Escape');
    expect(sent(gate), 'what can’t be seen isn’t approved').toEqual([]);
    expect(gate.hidden, 'Escape closed the sheet, not the window').toBe(0);
    await press('?');
    await screen.findByTestId('shortcut-sheet');
    await press('?');
    await expect
      .poll(() => screen.queryByTestId('shortcut-sheet'), { message: '? closes it, too' })
      .toBeNull();
  });
});

describe('clicks', () => {
  it('the second click of a double click sends nothing', async () => {
    const { gate } = await shown(view('a'));
    await fireEvent.click(screen.getByTestId('approve'), { detail: 2 });
    expect(sent(gate), 'it may be meant for the request before').toEqual([]);
  });

  it('dismissing asks first', async () => {
    const { gate } = await shown(view('a'));
    await fireEvent.click(screen.getByTestId('dismiss'));
    expect(gate.given('dismiss'), 'one click dismisses nothing').toEqual([]);
    await fireEvent.click(screen.getByTestId('dismiss-confirm'));
    expect(gate.given('dismiss'), 'nor two that follow each other').toEqual([]);
    await armed();
    await fireEvent.click(screen.getByTestId('dismiss-confirm'));
    await expect.poll(() => gate.given('dismiss').length, { message: 'one that was meant does' }).toBe(1);
  });

  it('a question about dismissing doesn’t carry over to the next request', async () => {
    const { review, press } = await shown(view('a'), view('b'));
    await fireEvent.click(screen.getByTestId('dismiss'));
    await press('j');
    await expect.poll(() => review.reply?.id, { message: 'the next is shown' }).toBe('b');
    await tick();
    expect(screen.queryByTestId('dismiss-confirm'), 'nobody asked to dismiss this one').toBeNull();
  });

  it('clicking a chosen option takes it back', async () => {
    const { review } = await shown(view('a', { options }));
    const input = screen.getByTestId('option-1').querySelector('input');
    if (!input) throw new Error('an option is an input');
    await fireEvent.click(input);
    expect(review.reply?.selected, 'chosen').toEqual(['first']);
    await fireEvent.click(input);
    expect(review.reply?.selected, 'taken back').toEqual([]);
  });
});

describe('an agent’s text', () => {
  it('is text, whatever it looks like', async () => {
    const { container, gate } = await shown(
      view('a', {
        summary: summary('a', { title: '<script>alert(1)</script>' }),
        message: {
          rest: '<iframe src="https://evil.example"></iframe>',
          blocks: [
            { kind: 'paragraph', children: [{ kind: 'text', text: '<img src=x onerror=alert(1)>' }] },
            { kind: 'code', language: '"><b>', text: '</code><style>*{display:none}</style>' },
            {
              kind: 'paragraph',
              children: [
                { kind: 'link', href: 'javascript:alert(1)', children: [{ kind: 'text', text: 'harmless' }] },
                {
                  kind: 'link',
                  href: 'https://evil.example/x',
                  children: [{ kind: 'text', text: 'github.com' }],
                },
              ],
            },
          ],
        },
      }),
    );
    expect(
      container.querySelector('script, img, style, iframe, b, a'),
      'no text becomes an element',
    ).toBeNull();
    expect(screen.getByTestId('message').textContent, 'it reads as it was written').toContain(
      '<img src=x onerror=alert(1)>',
    );
    const links = [...container.querySelectorAll<HTMLElement>('[role=link]')];
    expect(
      links.map((link) => link.textContent),
      'a script is no link',
    ).toEqual(['github.com']);
    expect(screen.getByTestId('message').textContent, 'a link shows where it goes').toContain(
      '(evil.example)',
    );
    await fireEvent.click(links[0] as HTMLElement);
    expect(gate.links, 'and opens outside').toEqual(['https://evil.example/x']);
  });

  it('shows code in one line as code, without its marks', async () => {
    const { gate, container } = await shown(
      view('a', {
        summary: summary('a', { title: 'Rename `load` to `read`?' }),
        options: [{ label: 'Keep `load`', description: 'A lone ` stays.' }],
      }),
    );
    gate.emit({ event: 'warning', fault: { ...fault('database'), mend: 'Run `review-gate check`.' } });
    await screen.findByTestId('warnings');
    const codes = [...container.querySelectorAll('code')].map((each) => each.textContent);
    expect(codes).toEqual(['review-gate check', 'load', 'read', 'load']);
    expect(screen.getByTestId('request-title').textContent).toBe('Rename load to read?');
    expect(screen.getByTestId('option-1').textContent).toContain('A lone ` stays.');
  });
});

describe('which program asks', () => {
  it('stands beside what the client calls itself', async () => {
    await shown(view('a', { asked_by: '/usr/bin/node · /work' }));
    const told = screen.getByTestId('asked-by').textContent;
    expect(told, 'by the system’s word').toBe('/usr/bin/node · /work');
  });

  it('isn’t said where the system doesn’t say it', async () => {
    await shown(view('a'));
    expect(screen.queryByTestId('asked-by')).toBeNull();
  });
});

describe('a change that the gate itself has read of a repository', () => {
  const first: GitView = {
    kind: 'worktree',
    what: 'worktree',
    name: 'shop',
    repository: '/home/me/shop',
    tree: '4f1c'.repeat(10),
  };
  const git: GitView = { ...first, base: '9ab2'.repeat(10) };

  it('is named with what it stands on and the tree that is approved', async () => {
    await shown(view('a', { git }));
    const told = await screen.findByTestId('repository');
    expect(told.textContent).toContain('Work tree of shop on 9ab29ab29ab2, made by Review Gate');
    expect(told.textContent).toContain('/home/me/shop · tree 4f1c4f1c4f1c');
    expect(within(told).getByTitle(git.tree), 'the whole name').toBeTruthy();
  });

  it('is named as a commit and as a range, and in the language of the window', async () => {
    onTestFinished(() => speak('en'));
    const commit = '3c'.repeat(20);
    await shown(view('a', { git: { ...git, kind: 'commit', what: 'HEAD', commit } }));
    expect((await screen.findByTestId('repository')).textContent).toContain(
      'Commit 3c3c3c3c3c3c of shop on 9ab29ab29ab2',
    );
    cleanup();
    await shown(view('a', { git: { ...first, kind: 'range', what: 'main..topic', commit } }));
    expect((await screen.findByTestId('repository')).textContent).toContain(
      'main..topic of shop before any commit, made',
    );
    await speak('zh-CN');
    await tick();
    expect((await screen.findByTestId('repository')).textContent).toContain('由 Review Gate 生成');
  });

  it('isn’t said of a diff that the agent gave', async () => {
    await shown(view('a'));
    expect(screen.queryByTestId('repository')).toBeNull();
  });
});

describe('an agent that says no name', () => {
  it('is called one in the language of the window', async () => {
    onTestFinished(() => speak('en'));
    const nameless = { client: '', workspace: '', workspace_name: '' };
    const { gate, container } = await shown(view('a', { summary: summary('a', nameless) }));
    const who = () => container.querySelector('header .client')?.textContent;
    expect([who(), whose(nameless)]).toEqual(['An agent', 'An agent']);
    gate.emit({ event: 'settings_changed', settings: { ...gate.settings, language: 'zh-CN' } });
    await expect.poll(who).toBe('智能体');
    expect(whose({ ...nameless, workspace: '/code/app', workspace_name: 'app' })).toBe('app · 智能体');
  });
});

describe('the diff', () => {
  const diff = {
    files: [
      {
        old_path: 'old.rs',
        new_path: 'new.rs',
        change: 'renamed' as const,
        binary: false,
        since: null,
        added: 1,
        removed: 1,
        hunks: [
          {
            header: '@@ -3 +4 @@',
            rows: [
              {
                kind: 'removed' as const,
                old: 3,
                new: null,
                segments: [{ text: 'was', changed: true }],
                fresh: false,
              },
              {
                kind: 'added' as const,
                old: null,
                new: 4,
                segments: [{ text: 'is', changed: true }],
                fresh: false,
              },
            ],
          },
        ],
      },
    ],
  };

  it('stands below the options when it is longer than a few lines, so that they are seen', async () => {
    const follows = (first: string, second: string) =>
      screen.getByTestId(first).compareDocumentPosition(screen.getByTestId(second)) ===
      Node.DOCUMENT_POSITION_FOLLOWING;
    await shown(view('a', { diff, options }));
    expect(follows('diff', 'option-1'), 'a short one is read first').toBe(true);
    cleanup();
    const [file] = diff.files;
    await shown(view('b', { diff: { files: [file, file, file].flatMap((each) => each ?? []) }, options }));
    expect(follows('option-1', 'diff'), 'a longer one comes after').toBe(true);
  });

  it('takes a comment on each side, named as that side names its file', async () => {
    const { review } = await shown(view('a', { diff }));
    for (const [index, body] of ['why?', 'good'].entries()) {
      const row = screen.getAllByTestId('diff-row')[index] as HTMLElement;
      await fireEvent.keyDown(row, { key: 'Enter' });
      await fireEvent.input(screen.getByTestId('comment-text'), { target: { value: body } });
      await fireEvent.click(screen.getByTestId('comment-save'));
    }
    expect(review.reply?.draft().comments, 'old side on removed lines only').toEqual([
      { file: 'old.rs', line: 3, side: 'old', body: 'why?' },
      { file: 'new.rs', line: 4, side: 'new', body: 'good' },
    ]);
  });

  it('is one key away from the message, both ways, and not while typing', async () => {
    const { press } = await shown(view('a', { diff }));
    const grid = screen.getByTestId('diff');
    await press('f', {}, reply());
    expect(document.activeElement, 'that is a letter').not.toBe(grid);
    await press('f');
    expect(document.activeElement, 'into the changes').toBe(grid);
    expect(grid.getAttribute('aria-activedescendant'), 'at a line').not.toBeNull();
    await press('f', {}, grid);
    expect(screen.getByTestId('message').contains(document.activeElement), 'and back').toBe(true);
  });

  it('keeps the keys that send inside a comment from sending', async () => {
    const { gate } = await shown(view('a', { diff }));
    await fireEvent.click(screen.getAllByTestId('comment-add')[0] as HTMLElement);
    await fireEvent.input(screen.getByTestId('comment-text'), { target: { value: 'hm' } });
    await fireEvent.keyDown(screen.getByTestId('comment-text'), {
      key: 'Enter',
      ctrlKey: true,
      shiftKey: true,
    });
    expect(sent(gate), 'it only finishes the comment').toEqual([]);
    expect(screen.queryByTestId('comment-text'), 'which is finished').toBeNull();
  });
});

describe('a request that comes up by itself', () => {
  const page = () => screen.getByTestId('request');
  const said = () => screen.getByTestId('refusal').textContent;

  it('takes no key for its own until typing has paused, and says so beside the buttons', async () => {
    const { gate, review, press } = await shown();
    gate.add(view('a', { options }), false);
    await screen.findByTestId('request-title');
    for (const key of ['1', 's', 'r']) await press(key);
    await press('Enter', { ctrlKey: true, shiftKey: true });
    await fireEvent.click(screen.getByTestId('approve'));
    const did = [review.reply?.selected, review.snoozeOpen, sent(gate)];
    expect(did, 'they were typed elsewhere').toEqual([[], false, []]);
    expect(said(), 'a word says so, also to who doesn’t see it').toBe(
      'Nothing done: this has only just come up.',
    );
    expect(screen.getByTestId('refusal').getAttribute('role')).toBe('status');
    await armed();
    await press('1');
    expect(review.reply?.selected, 'now it is meant').toEqual(['first']);
    await fireEvent.click(screen.getByTestId('approve'));
    await expect.poll(() => sent(gate)).toEqual(['approved']);
  });

  it('has the focus in its text only when what is typed is meant for it', async () => {
    const { gate, press } = await shown();
    gate.add(view('a', { summary: summary('a', { approval: false }) }), false);
    await screen.findByTestId('request-title');
    await tick();
    expect(document.activeElement?.tagName, 'an input method would write past all keys').toBe('MAIN');
    await press('h');
    expect(said()).toBe('Just came up: what you typed did nothing.');
    await armed();
    await expect.poll(() => document.activeElement).toBe(reply());
    await fireEvent.blur(window);
    expect(document.activeElement?.tagName, 'nor when the keys come back by themselves').toBe('MAIN');
    await fireEvent.focus(window);
    expect(page().dataset['armed']).toBe('nothing');
    await armed();
    await expect.poll(() => document.activeElement, { message: 'it goes on where it was' }).toBe(reply());
  });

  it('takes text at once where the person has it come up, and sends it a moment later', async () => {
    const { gate, review, press } = await shown();
    gate.add(view('a', { options }), false);
    await screen.findByTestId('request-title');
    gate.emit({ event: 'raise', request_id: 'a', by_person: false });
    await press('1');
    expect(review.reply?.selected, 'a program may start the app, too').toEqual([]);
    gate.emit({ event: 'raise', request_id: 'a', by_person: true });
    await press('1');
    expect(review.reply?.selected, 'it was opened').toEqual(['first']);
    await press('Enter', { ctrlKey: true, shiftKey: true });
    expect(sent(gate), 'nobody has read it yet').toEqual([]);
    await armed();
    await press('Enter', { ctrlKey: true, shiftKey: true });
    await expect.poll(() => sent(gate)).toEqual(['approved']);
  });

  it('comes to a hidden page on which nothing is built for nobody to see', async () => {
    const { gate, review } = await shown();
    await screen.findByTestId('empty-state');
    review.vanished();
    await expect.poll(() => screen.queryByTestId('empty-state')).toBeNull();
    gate.emit({ event: 'raise', request_id: null, by_person: true });
    await screen.findByTestId('empty-state');
  });

  it('is answered by keys alone, ten in a row, one a second, and none is refused', async () => {
    const ids = Array.from({ length: 10 }, (_, number) => `r${number}`);
    const { gate, press } = await shown(...ids.map((id) => view(id)));
    for (const [number, id] of ids.entries()) {
      await expect.poll(() => screen.queryByTestId('request-title')?.textContent).toBe(`Title of ${id}`);
      expect(await press('h', {}, reply()), 'what is typed is taken at once').toBe(true);
      await painted();
      passes(600);
      expect(await press('i', {}, reply()), 'and typed on').toBe(true);
      passes(300);
      await press('Enter', { ctrlKey: true, shiftKey: true });
      await expect.poll(() => sent(gate).length, { message: id }).toBe(number + 1);
      if (number < 9) expect(said(), id).toBe('');
    }
  });

  it('takes no paste for its own, which a middle click brings about', async () => {
    const { gate } = await shown();
    gate.add(view('a'), false);
    await screen.findByTestId('request-title');
    const paste = () => {
      const event = new Event('paste', { bubbles: true, cancelable: true });
      reply().dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(paste()).toBe(true);
    await armed();
    expect(paste()).toBe(false);
  });

  it('offers the next one elsewhere than what sends, when its agent withdraws it', async () => {
    const { gate, press } = await shown(view('a'), view('b'));
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
    await tick();
    expect(page().dataset['armed'], 'what is typed goes on').toBe('write');
    const next = screen.getByTestId('next');
    expect(getComputedStyle(next).marginInlineStart || next.className, 'at the end').toMatch(/auto|next/);
    await fireEvent.click(next);
    await expect.poll(() => screen.getByTestId('request-title').textContent).toBe('Title of b');
    await press('Enter', { ctrlKey: true, shiftKey: true });
    await fireEvent.click(screen.getByTestId('approve'));
    expect(sent(gate), 'the click was the one before').toEqual([]);
  });
});

describe('what happens meanwhile', () => {
  it('the window’s title says what it is and how many wait', async () => {
    const { gate } = await shown(view('a', { summary: summary('a', { title: 'Use `serde`?' }) }), view('b'));
    expect(document.title).toBe('(2) Use serde? – Review Gate');
    gate.emit({ event: 'request_closed', request_id: 'b', status: 'cancelled', undo_until: null });
    await expect.poll(() => document.title).toBe('(1) Use serde? – Review Gate');
    cleanup();
    await shown();
    expect(document.title).toBe('Review Gate');
  });

  it('a withdrawn request says so and offers the next', async () => {
    const { gate } = await shown(view('a'), view('b'));
    await fireEvent.input(reply(), { target: { value: 'kept' } });
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'cancelled', undo_until: null });
    await tick();
    expect(screen.getByTestId('banner').textContent, 'the person is told').toContain('withdrew this request');
    expect(reply().value, 'the draft is kept').toBe('kept');
    expect(screen.queryByTestId('approve'), 'there is nothing to approve any more').toBeNull();
    await fireEvent.click(screen.getByTestId('next'));
    await expect.poll(() => screen.getByTestId('request-title').textContent).toBe('Title of b');
  });

  it('an answer from elsewhere says where, and what of this window wasn’t sent', async () => {
    const { gate } = await shown(view('a'));
    gate.emit({ event: 'request_closed', request_id: 'a', status: 'answered', undo_until: null });
    const banner = await screen.findByTestId('banner');
    expect(banner.textContent.trim(), 'nothing was written here').toBe('Answered elsewhere.');
    cleanup();
    const { gate: other } = await shown(view('b'));
    await fireEvent.input(reply(), { target: { value: 'mine' } });
    other.emit({ event: 'request_closed', request_id: 'b', status: 'answered', undo_until: null });
    await expect
      .poll(() => screen.queryByTestId('banner')?.textContent)
      .toMatch(/^\s*Answered elsewhere\.\s+What you wrote here was not sent\.\s*$/);
  });

  it('the banner of an urgent request shows code as code, without its marks', async () => {
    const { gate } = await shown(view('a'));
    await fireEvent.input(reply(), { target: { value: 'half a sen' } });
    gate.add(view('now', { summary: summary('now', { title: 'Stop `main`?', urgent: true }) }));
    const banner = await screen.findByTestId('banner');
    expect(banner.querySelector('code')?.textContent, 'its title’s code').toBe('main');
    expect(banner.textContent, 'no backtick is seen').not.toContain('`');
  });

  it('warnings stand above the request, each until it is put aside', async () => {
    const { gate } = await shown(view('a'));
    await fireEvent.input(reply(), { target: { value: 'half a sen' } });
    for (const code of ['disk_full', 'database'] as const)
      gate.emit({ event: 'warning', fault: fault(code) });
    const codes = () => screen.queryAllByTestId('fault').map((each) => each.dataset.code);
    await expect.poll(codes, { message: 'both are seen' }).toEqual(['disk_full', 'database']);
    expect(screen.getByTestId('request-title').textContent, 'and the request still is').toBe('Title of a');
    const place = screen.getByTestId('warnings').compareDocumentPosition(reply());
    expect(place & Node.DOCUMENT_POSITION_FOLLOWING, 'they stand above it').toBeTruthy();
    await fireEvent.click(
      within(screen.getByTestId('warnings')).getAllByLabelText('Close')[0] as HTMLElement,
    );
    expect(codes(), 'one is put aside').toEqual(['database']);
    expect(reply().value, 'nothing that was written is touched').toBe('half a sen');
  });

  it('from an empty queue the mouse reaches the pages that set things up', async () => {
    const { gate } = await shown();
    for (const page of ['history', 'connect', 'settings', 'doctor'])
      await fireEvent.click(screen.getByTestId(`open-${page}`));
    expect(gate.opened.map(([page]) => page)).toEqual(['history', 'connect', 'settings', 'doctor']);
  });

  it('an empty queue teaches how to connect an agent', async () => {
    await shown();
    expect(screen.getByTestId('empty-state').textContent, 'with the program’s own path, quoted').toContain(
      "claude mcp add --scope user review-gate -- '/opt/review gate/bin/review-gate' mcp",
    );
    const windows = connections('C:\\Program Files\\gate.exe').find((each) => each.name === 'Cursor');
    expect(JSON.parse(windows?.text ?? ''), 'the snippet is JSON').toEqual({
      mcpServers: { 'review-gate': { command: 'C:\\Program Files\\gate.exe', args: ['mcp'] } },
    });
  });
});
