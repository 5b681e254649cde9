// Permission questions as a person meets them: what stands there, what each key and button sends, and what does nothing.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import './lazy';
import App from '../src/App.svelte';
import { changes } from '../src/components/changes.svelte';
import { foundIn } from '../src/permissions/found';
import { permissions } from '../src/permissions/permissions';
import type { DiffFile } from '../src/generated/DiffFile';
import type { Row } from '../src/generated/Row';
import { REST } from '../src/review/arming';
import { Review } from '../src/review/review.svelte';
import { answerable, armed, painted } from './armed';
import { FakeGate, fault } from './fake-gate';
import { ALL, asked, question, shown, button, says, field, type, given, digests } from './permission-help';

beforeAll(() => permissions.load());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe('what an agent asks to be allowed', () => {
  it('stands there whole: what runs, where, who asks, and what it says of it apart', async () => {
    await shown(question('a'));
    expect(says('request-title')).toBe('Run npm and curl?');
    expect(says('permission-where')).toBe('/code/app claude · app');
    expect(says('permission-text')).toContain('npm test && curl x');
    expect(says('permission-programs')).toBe('npm, curl');
    expect(says('permission-says')).toBe('“Try it”');
    expect(screen.queryByTestId('reply-text'), 'no reply answers it').toBeNull();
    expect(screen.queryByTestId('approve')).toBeNull();
  });

  it('can be read as it was sent', async () => {
    await shown(question('a'));
    expect(screen.queryByTestId('permission-input'), 'only where somebody asks for it').toBeNull();
    await fireEvent.click(button('permission-sent'));
    expect(says('permission-input')).toContain('{"command":"npm test && curl x","description":"Try it"}');
    expect(screen.getAllByTestId('permission-rule-sent')[1]?.textContent).toContain('{"rule":2}');
  });

  it('names what a file is, and why it can’t be known what an edit does', async () => {
    const files = [{ path: 'hosts', leads_to: '/etc/hosts', outside: true }];
    await shown(
      question(
        'a',
        asked({ ...{ tool: 'Edit', kind: 'edit', shown: { shows: 'files' } }, files, unknown: 'not_found' }),
      ),
    );
    expect(says('request-title')).toBe('Edit hosts?');
    expect(says('permission-warnings')).toBe(
      'hosts is a symbolic link and leads out of the folder, to /etc/hosts.',
    );
    expect(says('permission-unknown')).toContain('the text that it replaces isn’t in the file');
    expect(says('permission-input'), 'all there is to judge by').toContain('npm test');
  });

  it('names the server, the tool and what it is given, and whose subagent asks', async () => {
    const tool = {
      shows: 'mcp_tool',
      server: 'tickets',
      tool: 'close',
      arguments: '{\n  "id": 1\n}',
    } as const;
    await shown(question('a', asked({ shown: tool, kind: 'mcp_tool', subagent: 'explorer' })));
    expect(says('request-title')).toBe('Use tickets: close?');
    expect([says('permission-server'), says('permission-tool')]).toEqual(['tickets', 'close']);
    expect(says('permission-who')).toBe('Claude Code, by its subagent explorer');
  });

  it('names the host beside the address', async () => {
    const fetch = { shows: 'fetch', address: 'https://a.dev/x', host: 'a.dev', asks: 'How?' } as const;
    await shown(question('a', asked({ shown: fetch, kind: 'fetch', tool: 'WebFetch' })));
    expect(says('request-title')).toBe('Fetch from a.dev?');
    expect(says('permission-host')).toBe('a.dev');
    expect(says('permission-text')).toContain('https://a.dev/x');
  });

  /** A command with more beside it. */
  const withMore = (more: object) =>
    asked({ input: JSON.stringify({ command: 'npm test && curl x', description: 'Try it', ...more }) });

  it('stands there as it was sent where more was sent than a command, without its rules', async () => {
    await shown(question('a', withMore({ dangerouslyDisableSandbox: true })));
    expect(says('permission-input')).toContain('dangerouslyDisableSandbox');
    expect(screen.queryByTestId('permission-rule-sent')).toBeNull();
    await fireEvent.click(button('permission-sent'));
    expect(screen.queryByTestId('permission-input')).toBeNull();
    await fireEvent.click(button('permission-sent'));
    expect(says('permission-input')).toContain('dangerouslyDisableSandbox');
    expect(screen.getAllByTestId('permission-rule-sent'), 'whoever asks for all has all').toHaveLength(2);
  });

  it.each([{ timeout: 120_000 }, { run_in_background: false }, { shell: null }])(
    'doesn’t stand there as it was sent for %j',
    async (more) => {
      await shown(question('a', withMore(more)));
      expect(screen.queryByTestId('permission-input')).toBeNull();
    },
  );

  it.each([{ timeout: 'never' }, { run_in_background: true }, { retries: 9 }])(
    'stands there as it was sent for %j',
    async (more) => {
      await shown(question('a', withMore(more)));
      expect(screen.queryByTestId('permission-input')).not.toBeNull();
    },
  );

  it('shows in hints and names, too, what nobody would see', async () => {
    const rules = [{ id: '1', kind: 'allows' as const, what: ['Bash(x)'], raw: 'a\u202eb' }];
    const odd = asked({ tool: 'Ba\u200bsh', rules });
    const same = { session_uuid: 's' };
    await shown(question('a', odd, same), question('b', odd, same));
    const hint = screen.getByTestId('permission-rule').querySelector('.words')?.getAttribute('title');
    expect(hint).toBe('a⟨U+202E⟩b');
    expect(screen.getByTestId('permission-text').getAttribute('aria-label')).toBe('Ba⟨U+200B⟩sh');
    expect(screen.getByTestId('permission-other').querySelector('.tool [data-odd]')).not.toBeNull();
  });

  it('has comments on its changes taken by nobody, so none can be written', async () => {
    const { review } = await shown(question('a'));
    expect(review.reply?.comment({ file: 'a', line: 1, side: 'new' })).toBeNull();
  });
});

describe('the answers', () => {
  it('allow once, by Alt Enter and by a button', async () => {
    const { gate, alt } = await shown(question('a'), question('b'));
    await alt('Enter');
    await expect.poll(() => given(gate)).toEqual([{ answer: 'once' }]);
    expect(digests(gate), 'it is good for what was shown').toEqual(['digest of a']);
    await expect.poll(() => says('queue-count')).toContain('1 waiting');
    await answerable();
    await fireEvent.click(button('permission-once'));
    await expect.poll(() => given(gate)).toHaveLength(2);
    expect(digests(gate)[1]).toBe('digest of b');
    expect(screen.queryByTestId('undo-note'), 'the agent goes on at once').toBeNull();
  });

  it('deny with a sentence that the model reads, and Escape goes back', async () => {
    const { gate, review, alt, press } = await shown(question('a'));
    await alt('Backspace');
    await expect.poll(() => document.activeElement).toBe(field('permission-reason'));
    await type('permission-reason', 'Write ./dist/');
    await press('Escape', {}, field('permission-reason'));
    await expect.poll(() => screen.queryByTestId('permission-reason')).toBeNull();
    expect(gate.hidden, 'the window stays').toBe(0);
    await armed();
    await alt('Backspace');
    await expect.poll(() => screen.queryByTestId('permission-reason')).not.toBeNull();
    expect(field('permission-reason').value, 'what was written is there still').toBe('Write ./dist/');
    await armed();
    await press('Enter', { ctrlKey: true }, field('permission-reason'));
    await expect.poll(() => given(gate)).toEqual([{ answer: 'deny', reason: 'Write ./dist/' }]);
    expect(review.reply).toBeNull();
  });

  it('deny at once where no sentence is read', async () => {
    const { gate, alt } = await shown(question('a', asked({ answers: { ...ALL, reason: false } })));
    expect(says('permission-deny')).toContain('Deny');
    expect(says('permission-deny')).not.toContain('…');
    await alt('Backspace');
    await expect.poll(() => given(gate)).toEqual([{ answer: 'deny', reason: '' }]);
  });

  it('allow an edited text, once it is another one', async () => {
    const { gate, alt, press } = await shown(question('a'));
    await alt('e', 'KeyE');
    await expect.poll(() => screen.queryByTestId('permission-edit-field')).not.toBeNull();
    expect(field('permission-edit-field').value).toBe('npm test && curl x');
    await armed();
    expect(button('permission-edit-send').disabled, 'nothing is changed yet').toBe(true);
    await press('Enter', { ctrlKey: true }, field('permission-edit-field'));
    await type('permission-edit-field', 'npm test');
    await armed();
    await press('Enter', { ctrlKey: true }, field('permission-edit-field'));
    await expect.poll(() => given(gate)).toEqual([{ answer: 'edited', text: 'npm test' }]);
  });

  it('keep a rule of the agent’s own, by its place, and a wide one says that it is', async () => {
    const { gate, alt } = await shown(question('a'));
    const rules = screen.getAllByTestId('permission-rule');
    expect(rules[0]?.textContent).toContain('always allow Bash(npm test) (in this project, for you)');
    expect(rules.map((rule) => rule.dataset['wide'])).toEqual(['false', 'true']);
    expect(rules[1]?.textContent).toContain('wide');
    await alt('¡', 'Digit2');
    await expect.poll(() => given(gate)).toEqual([{ answer: 'rule', id: '2' }]);
  });

  it('can be left to the agent’s own prompt', async () => {
    const { gate } = await shown(question('a'));
    expect(says('dismiss')).toBe('Ask there');
    await fireEvent.click(button('dismiss'));
    await expect.poll(() => gate.given('dismiss').map((each) => each.request_id)).toEqual(['a']);
    expect(given(gate)).toEqual([]);
  });

  it('that the agent doesn’t take have no button and no key', async () => {
    const none = { once: false, deny: false, reason: false, edited: false, rule: false };
    const { gate, alt } = await shown(question('a', asked({ answers: none })));
    for (const testid of ['once', 'deny', 'edit', 'rule-1', 'rule-2'])
      expect(screen.queryByTestId(`permission-${testid}`), testid).toBeNull();
    for (const [key, code] of [['Enter'], ['Backspace'], ['e', 'KeyE'], ['1', 'Digit1']] as const)
      await alt(key, code);
    expect(given(gate)).toEqual([]);
    expect(screen.queryByTestId('permission-edit-field')).toBeNull();
  });

  it('without a rule for it a digit means nothing', async () => {
    const { gate, alt } = await shown(question('a'));
    await alt('3', 'Digit3');
    expect(given(gate)).toEqual([]);
  });

  it('aren’t given by the keys that approve other requests', async () => {
    const { gate, press } = await shown(question('a'));
    await press('Enter', { ctrlKey: true, shiftKey: true });
    await press('Enter', { ctrlKey: true, altKey: true });
    await press('Enter', { ctrlKey: true });
    await press('Enter');
    await press('1');
    await armed();
    expect([given(gate), gate.given('send_reply')], 'nothing is allowed by habit').toEqual([[], []]);
    expect(screen.queryByTestId('permission-reason')).toBeNull();
  });

  it('aren’t given by Ctrl Enter outside of the line that it sends', async () => {
    const { gate, alt, press } = await shown(question('a'));
    await alt('e', 'KeyE');
    await expect.poll(() => screen.queryByTestId('permission-edit-field')).not.toBeNull();
    await type('permission-edit-field', 'npm test');
    await armed();
    await press('Enter', { ctrlKey: true });
    await press('Enter', { ctrlKey: true, shiftKey: true }, field('permission-edit-field'));
    await press('Enter', { altKey: true }, field('permission-edit-field'));
    expect(given(gate)).toEqual([]);
  });

  it('aren’t given from under the list of what waits, nor from under the choices of when', async () => {
    const { gate, review, alt } = await shown(question('a'), question('b'));
    for (const opens of ['listOpen', 'snoozeOpen', 'sheetOpen'] as const) {
      review[opens] = true;
      await alt('1', 'Digit1');
      await alt('Enter');
      review[opens] = false;
    }
    expect(given(gate), 'nobody sees what they would allow').toEqual([]);
    await alt('Enter');
    await expect.poll(() => given(gate)).toHaveLength(1);
  });

  it('keep no rule that was never on the screen: it is brought there first', async () => {
    const { gate, alt } = await shown(question('a'));
    const row = screen.getAllByTestId('permission-rule')[1] as HTMLElement;
    const list = row.parentElement as HTMLElement;
    let top = 150;
    vi.spyOn(list, 'getBoundingClientRect').mockImplementation(() => new DOMRect(0, 0, 400, 144));
    vi.spyOn(row, 'getBoundingClientRect').mockImplementation(() => new DOMRect(0, top, 400, 30));
    row.scrollIntoView = () => (top = 114);
    await alt('2', 'Digit2');
    expect(top, 'it is there now').toBe(114);
    await expect.poll(() => says('refusal')).toBe('Nothing done: the rule is in sight only now.');
    await alt('2', 'Digit2');
    expect(given(gate), 'and was not read yet').toEqual([]);
    await armed();
    top = 130;
    await fireEvent.click(button('permission-rule-2'));
    expect(given(gate), 'a part of it is not enough').toEqual([]);
    await armed();
    await fireEvent.click(button('permission-rule-2'));
    await expect.poll(() => given(gate)).toEqual([{ answer: 'rule', id: '2' }]);
  });

  it('are no replies, whoever asks for one', async () => {
    const { gate, review } = await shown(question('a'));
    await review.send('approved');
    expect(gate.given('send_reply')).toEqual([]);
  });

  it('wait for what an approval takes, and can be denied without it', async () => {
    const missing = { id: 'level-no-key' };
    const { gate, alt } = await shown({ ...question('a'), needs: { level: 'L3', missing } });
    expect(button('permission-once').disabled).toBe(true);
    await alt('Enter');
    expect(given(gate)).toEqual([]);
    await alt('Backspace');
    await expect.poll(() => screen.queryByTestId('permission-reason')).not.toBeNull();
  });

  it('allow nothing as long as the changes can’t be seen', async () => {
    const missing = vi.spyOn(changes, 'view', 'get').mockReturnValue(null);
    const { gate, alt } = await shown({ ...question('a'), diff: { files: [] } });
    expect(button('permission-once').disabled).toBe(true);
    await alt('Enter');
    expect(given(gate)).toEqual([]);
    expect(button('permission-deny').disabled).toBe(false);
    expect(missing).toHaveBeenCalled();
  });

  it('say why the gate refused one, and stay', async () => {
    const { gate, alt } = await shown(question('a'));
    gate.record = () => {
      throw fault('level_unreachable');
    };
    await alt('Enter');
    await expect.poll(() => says('fault')).toContain('level_unreachable');
    expect(button('permission-once').disabled).toBe(false);
  });
});

describe('before it is armed', () => {
  it('a question takes no answer, in buttons as large as they will be', async () => {
    const gate = new FakeGate([question('a')]);
    gate.record = () => ({});
    const review = new Review(gate);
    render(App, { review });
    await expect.poll(() => screen.queryByTestId('permission-once')).not.toBeNull();
    const once = button('permission-once');
    expect(once.dataset['armed']).toBe('false');
    await fireEvent.keyDown(document.body, { key: 'Enter', altKey: true });
    await fireEvent.click(once);
    expect(given(gate)).toEqual([]);
    expect(once.disabled, 'it can be pressed, and says why not yet').toBe(false);
    await expect.poll(() => says('refusal')).not.toBe('');
    await answerable();
    await expect.poll(() => once.dataset['armed']).toBe('true');
    await fireEvent.keyDown(document.body, { key: 'Enter', altKey: true });
    await expect.poll(() => given(gate)).toEqual([{ answer: 'once' }]);
  });

  it('a line fills for as long as that takes', async () => {
    const gate = new FakeGate([question('a')]);
    render(App, { review: new Review(gate) });
    await expect.poll(() => screen.queryByTestId('permission-once')).not.toBeNull();
    await painted();
    await expect.poll(() => button('permission-once').querySelector('.fills')).not.toBeNull();
    const line = button('permission-once').querySelector<HTMLElement>('.fills');
    expect(line?.style.animationDuration).toBe(`${REST}ms`);
    await answerable();
    await expect.poll(() => button('permission-once').querySelector('.fills')).toBeNull();
  });

  it('another question, and another bar, begin anew', async () => {
    const { gate, review, alt } = await shown(question('a'), question('b'));
    await review.step(1);
    await alt('Enter');
    expect(given(gate), 'it has only just come up').toEqual([]);
    await answerable();
    await alt('Backspace');
    await expect.poll(() => screen.queryByTestId('permission-deny-send')).not.toBeNull();
    await fireEvent.keyDown(field('permission-reason'), { key: 'Enter', ctrlKey: true });
    expect(given(gate), 'so has the line').toEqual([]);
  });
});

describe('what isn’t what it seems', () => {
  it('is marked in its place, and said below', async () => {
    const text = 'npm run build &&\n  rsync ./dist\u200b/ h:/srv\n';
    await shown(question('a', asked({ shown: { shows: 'command', text, programs: ['npm'] } })));
    const odd = screen.getByTestId('permission-text').querySelector<HTMLElement>('[data-odd]');
    expect(odd?.dataset['label']).toBe('U+200B');
    expect(says('permission-found')).toBe(
      '1 invisible character. The first is U+200B ZERO WIDTH SPACE in line 2, after “dist”.',
    );
    const whole = screen.getByTestId('permission-text').querySelector('[data-text]');
    expect(whole?.textContent, 'it is there to the character').toBe(text);
  });

  it.each([
    ['echo \u202etxt.sh', '1 character that turns the direction of reading'],
    ['curl https://\u0430cme.dev', '1 letter that looks like another'],
    ['ls\u00a0-a', '1 unusual blank'],
    [`true${' '.repeat(200)}; rm -rf ~`, '1 gap that pushes what follows far away'],
    ['\u0000\u0007', '2 invisible characters'],
    ['\u200b'.repeat(5_000), 'More than 1,000 characters that aren’t what they seem'],
  ])('is counted in %j', (text, count) => {
    expect(foundIn(text)?.counts).toEqual([count]);
  });

  it('is nothing in an honest command', () => {
    expect(foundIn('git commit -m "Größe, 大小 👩🏽‍🚀" && cargo test')).toBeNull();
  });

  it('hides nothing: 200 hostile commands are there to the character', async () => {
    const signs = [
      '\n',
      '\r',
      '\t',
      '\u0000',
      '\u001b[2K',
      '\u202e',
      '\u2066',
      '\u200b',
      'е',
      '$(id)',
      '`id`',
    ];
    const { review, gate } = await shown(question('a'));
    for (let index = 0; index < 200; index += 1) {
      const text = `echo ${index} ${signs[index % signs.length]}; rm ${signs[(index * 7) % signs.length]}x`;
      const id = `hostile-${index}`;
      gate.alter(question(id, asked({ shown: { shows: 'command', text, programs: [] } })));
      await review.show(id);
      await expect
        .poll(() => screen.getByTestId('permission-text').querySelector('[data-text]')?.textContent)
        .toBe(text);
    }
  });

  it('hides nothing: the lines of 200 hostile edits are there to the character', async () => {
    const signs = [
      '\r',
      '\t\t',
      '\u0000',
      '\u001b[2K\u001b[1A',
      '\u0008\u007f',
      '\u202e',
      '\u2066x\u2069',
      '\u200b\ufeff',
      '\u2028\u0085',
      'е',
      '\u00a0\u3000',
      '--- a/x',
      '+++ b/x',
      '@@ -1 +1 @@',
      '\\ No newline at end of file',
      ' '.repeat(200),
    ];
    const row = (kind: Row['kind'], line: number, text: string): Row => ({
      ...{ kind, fresh: false, segments: [{ text, changed: false }] },
      ...{ old: kind === 'added' ? null : line, new: kind === 'removed' ? null : line },
    });
    const { review, gate } = await shown(question('a'));
    for (let index = 0; index < 200; index += 1) {
      const sign = (step: number) => signs[(index * step) % signs.length] ?? '';
      const lines = [`a ${sign(3)} b`, `${sign(1)}${index}`, `${sign(7)}${sign(1)} ${sign(5)}`];
      const [first, old, now] = lines as [string, string, string];
      const rows = [row('context', 1, first), row('removed', 2, old), row('added', 2, now)];
      const path = `${sign(9).trim()}a${index}`;
      const file: DiffFile = {
        ...{ old_path: path, new_path: path, change: 'modified', binary: false, since: null },
        ...{ added: 1, removed: 1, hunks: [{ header: '@@ -1,2 +1,2 @@', rows }] },
      };
      const edit = asked({ ...{ tool: 'Edit', kind: 'edit', shown: { shows: 'files' } }, files: [{ path }] });
      const id = `hostile-${index}`;
      gate.alter({ ...question(id, edit), diff: { files: [file] } });
      await review.show(id);
      const texts = () =>
        screen.queryAllByTestId('diff-row').map((each) => each.querySelector('.text')?.textContent);
      await expect.poll(texts, { message: `edit ${index}` }).toEqual(lines);
    }
  });

  it('of a megabyte shows its beginning and its end, says what is missing, and shows that on demand', async () => {
    const line = 'insert into payments values (1, 2, 3);\n';
    const text = `cat <<'END'\n${line.repeat(27_000)}END; curl x`;
    const begun = performance.now();
    const { gate, alt } = await shown(
      question('a', asked({ shown: { shows: 'command', text, programs: ['cat'] } })),
    );
    expect(performance.now() - begun - REST, 'nobody waits for it').toBeLessThan(5_000);
    const box = screen.getByTestId('permission-text');
    expect(box.textContent).toContain('END; curl x');
    expect(says('permission-cut')).toContain('characters of it aren’t shown here');
    expect(box.textContent?.length).toBeLessThan(40_000);
    expect(button('permission-once').disabled, 'nothing is allowed unseen').toBe(true);
    expect(button('permission-deny').disabled).toBe(false);
    await alt('Enter');
    expect(given(gate)).toEqual([]);
    await fireEvent.click(button('message-rest'));
    expect(box.textContent?.length).toBeGreaterThan(100_000);
    while (screen.queryByTestId('message-rest')) await fireEvent.click(button('message-rest'));
    expect(box.querySelector('[data-text]')?.textContent?.trim(), 'all of it').toBe(text);
    expect(button('permission-once').disabled).toBe(false);
  });

  it('of a new file whose changes can’t be shown is all there before it can be allowed', async () => {
    const content = 'a line of the file\r\n'.repeat(5_000);
    const input = JSON.stringify({ file_path: '/code/app/a.txt', content });
    const write = asked({
      ...{ tool: 'Write', kind: 'write', shown: { shows: 'files' }, input, unknown: 'line_ends' },
      ...{ files: [{ path: 'a.txt' }], editable: null },
    });
    const { gate, alt } = await shown(question('a', write));
    expect(says('permission-cut')).toContain('characters of it aren’t shown here');
    expect(button('permission-once').disabled, 'nothing is allowed unseen').toBe(true);
    await alt('Enter');
    expect(given(gate)).toEqual([]);
    while (screen.queryByTestId('message-rest')) await fireEvent.click(button('message-rest'));
    expect(button('permission-once').disabled).toBe(false);
  });

  it('of what was sent beside a command is nothing that has to be all there', async () => {
    const input = JSON.stringify({ command: 'npm test && curl x', more: 'x'.repeat(100_000) });
    await shown(question('a', asked({ input })));
    expect(screen.queryByTestId('permission-cut')).not.toBeNull();
    expect(button('permission-once').disabled).toBe(false);
  });
});
