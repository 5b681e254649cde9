// The Doctor page: it looks when it is opened, says first what doesn't work, and what mends it.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import './lazy';
import MainApp from '../src/MainApp.svelte';
import { report } from '../src/doctor/report';
import type { Finding } from '../src/generated/Finding';
import type { Level } from '../src/generated/Level';
import type { Phrase } from '../src/generated/Phrase';
import { inEnglish, speak } from '../src/i18n/text.svelte';
import { Main } from '../src/state/main.svelte';
import { FakeGate, fault } from './fake-gate';
import { read } from './sources';

afterEach(cleanup);

const finding = (check: string, level: Level, over: Partial<Finding> = {}): Finding => ({
  ...{ check, level, title: { id: `Check of ${check}` }, cause: { id: `${check} is so.` } },
  ...{ mend: null, command: null },
  ...over,
});

const BAD = [
  finding('fine', 'good'),
  finding('late', 'warning'),
  finding('socket', 'fault', { mend: { id: 'Close it.' }, command: 'chmod 700 ~/x' }),
  finding('voice', 'skipped'),
];

async function shown(findings: Finding[] = BAD, prepare: (gate: FakeGate) => void = () => undefined) {
  const gate = new FakeGate();
  gate.record = () => ({ findings, took_ms: 1_234 });
  prepare(gate);
  const main = new Main(gate, { page: 'doctor', at: null });
  render(MainApp, { main });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  await screen.findByTestId('doctor-page');
  return { gate, main };
}

const verdict = () => screen.getByTestId('doctor-verdict').textContent;

describe('the doctor', () => {
  it('looks by itself, and puts what doesn’t work first', async () => {
    const { gate } = await shown();
    const found = await screen.findAllByTestId('finding');
    expect(found.map((each) => each.dataset['level'])).toEqual(['fault', 'warning', 'good', 'skipped']);
    expect(verdict()).toBe('One thing doesn’t work');
    expect(found[0]?.textContent).toMatch(
      /Fault:.*Check of socket.*socket is so\..*Close it\..*chmod 700 ~\/x/s,
    );
    expect(screen.getByTestId<HTMLDetailsElement>('doctor-good').open, 'what is good is folded').toBe(false);
    expect(screen.getByTestId('doctor-state').textContent).toContain('4 findings in 1.2 s, just now');
    expect(gate.given('doctor')).toEqual([{ command: 'doctor', popup: false }]);
  });

  it('shows code as code, without the marks that a terminal shows', async () => {
    const says = { id: 'Set `storage.backups`.' };
    const command = 'echo `date`';
    const over = { title: { id: 'On `x`' }, cause: says, mend: says, command };
    await shown([finding('backups', 'warning', over)]);
    const found = await screen.findByTestId('finding');
    const codes = [...found.querySelectorAll('code')].map((each) => each.textContent);
    expect(codes, 'a command stays as it is').toEqual(['x', 'storage.backups', 'storage.backups', command]);
    expect(found.querySelector('.cause')?.textContent).toBe('Set storage.backups.');
  });

  it('says that it works, with warnings or without', async () => {
    await shown([finding('late', 'warning'), finding('fine', 'good')]);
    await expect.poll(verdict).toBe('It works, with one warning');
    cleanup();
    await shown([finding('fine', 'good')]);
    await expect.poll(verdict).toBe('Everything works');
    expect(screen.getByTestId<HTMLDetailsElement>('doctor-good').open).toBe(true);
  });

  it('shows that it goes on, and never looks twice at once', async () => {
    let end: (() => void) | undefined;
    const { gate } = await shown(BAD, (each) => {
      each.meddle = (command) =>
        command.command === 'doctor' ? new Promise<void>((resolve) => (end = resolve)) : undefined;
    });
    const page = screen.getByTestId('doctor-page');
    await expect.poll(() => page.getAttribute('aria-busy')).toBe('true');
    expect(screen.getByTestId('doctor-state').textContent).toContain('Every check runs');
    expect(screen.getByTestId<HTMLButtonElement>('doctor-again').disabled).toBe(true);
    end?.();
    await screen.findAllByTestId('finding');
    expect(page.getAttribute('aria-busy')).toBe('false');
    gate.meddle = () => undefined;
    await fireEvent.click(screen.getByTestId('doctor-again'));
    await expect.poll(() => gate.given('doctor').length).toBe(2);
  });

  it('brings up a request to see whether it is seen', async () => {
    const { gate } = await shown();
    await screen.findAllByTestId('finding');
    let end: (() => void) | undefined;
    gate.meddle = () => new Promise<void>((resolve) => (end = resolve));
    await fireEvent.click(screen.getByTestId('doctor-popup'));
    await expect
      .poll(() => screen.getByTestId('doctor-state').textContent)
      .toContain('A request has come up');
    expect(screen.getAllByTestId('finding').length, 'what was found stands meanwhile').toBe(4);
    end?.();
    await expect.poll(() => gate.given('doctor').at(-1)?.popup).toBe(true);
    await expect.poll(() => screen.getByTestId('doctor-state').textContent).toContain('4 findings');
  });

  it('says why it couldn’t look', async () => {
    const { gate } = await shown(BAD, (each) => {
      each.meddle = (command) => (command.command === 'doctor' ? fault('too_many') : undefined);
    });
    const told = await screen.findByTestId('fault');
    expect(told.textContent).toContain('It failed: too_many.');
    gate.meddle = () => undefined;
    await fireEvent.click(within(told).getByText('Run again'));
    await screen.findAllByTestId('finding');
    expect(screen.queryByTestId('fault')).toBeNull();
  });

  it('keeps what it found while another page stands', async () => {
    const { main } = await shown();
    await screen.findAllByTestId('finding');
    main.go('sessions');
    await expect.poll(() => screen.queryByTestId('doctor-page')).toBeNull();
    main.go('doctor');
    expect((await screen.findAllByTestId('finding')).length).toBe(4);
  });

  it('mends what this window can mend, and leads to where it is mended', async () => {
    const { gate, main } = await shown([
      finding('client.codex', 'fault', { command: 'review-gate install codex' }),
      finding('http', 'fault', { command: 'review-gate config set network.port 8322' }),
      finding('settings', 'warning', { command: 'review-gate config validate' }),
      finding('away', 'warning', { command: 'review-gate away off' }),
      finding('prompts', 'warning', { command: 'review-gate prompts sync' }),
      finding('token', 'fault', { command: 'chmod 600 ~/token' }),
    ]);
    const found = await screen.findAllByTestId('finding');
    const button = (check: string) => {
      const row = screen.getAllByTestId('finding').find((each) => each.dataset['check'] === check);
      return row && within(row).queryByTestId('finding-mend');
    };
    expect(found.length).toBe(6);
    expect(button('token'), 'that needs a terminal').toBeNull();
    await fireEvent.click(button('away') as HTMLElement);
    await expect.poll(() => gate.given('set_away')).toEqual([{ command: 'set_away', away: false }]);
    await expect.poll(() => gate.given('doctor').length, { message: 'it looks again' }).toBe(2);
    for (const [check, page, section] of [
      ['client.codex', 'connect', null],
      ['settings', 'settings', 'file'],
      ['http', 'settings', 'network.port'],
      ['prompts', 'prompts', null],
    ] as const) {
      main.go('doctor');
      await screen.findAllByTestId('finding');
      gate.meddle = ({ command }) => (command === 'settings' ? fault('internal') : undefined);
      await fireEvent.click(button(check) as HTMLElement);
      expect([main.page, main.section], check).toEqual([page, section]);
    }
  });

  it('copies a report, and says so', async () => {
    const writeText = vi.fn(() => Promise.resolve());
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } });
    await shown();
    await screen.findAllByTestId('finding');
    await fireEvent.click(screen.getByTestId('doctor-copy'));
    expect((await screen.findByTestId('toast')).textContent).toContain('The report is copied.');
    expect(writeText.mock.calls.flat().join()).toContain(
      '**Check of socket** (socket): socket is so. Close it. `chmod 700 ~/x`',
    );
    Reflect.deleteProperty(navigator, 'clipboard');
  });
});

/** Every phrase of the catalogue of findings, with all values that any of them takes. */
function everyPhrase(): Phrase[] {
  const catalogue = read('locales/en/finding.ftl');
  const found = (pattern: RegExp) => [...catalogue.matchAll(pattern)].map(([, name]) => name as string);
  const values = Object.fromEntries(found(/\$([a-z_]+)/g).map((name) => [name, '7']));
  return found(/^(finding-[a-z0-9-]+) =/gm).map((id) => ({ id, values }));
}

describe('in another language', () => {
  const missing = {
    id: 'finding-cant-read',
    values: { path: '~/token', error: 'Permission denied (os error 13)' },
  };

  it('speaks it, and only what others said stays as they said it', async () => {
    onTestFinished(() => speak('en'));
    const phrases = everyPhrase();
    expect(phrases.length, 'the catalogue can be read').toBeGreaterThan(100);
    const all = phrases.map((cause) => finding('token', 'warning', { cause, mend: cause }));
    const { gate } = await shown([finding('home', 'fault', { cause: missing }), ...all]);
    gate.emit({ event: 'settings_changed', settings: { ...gate.settings, language: 'zh-CN' } });
    await expect.poll(verdict).toBe('有 1 项不能正常工作');
    const [first, ...rest] = screen.getAllByTestId('finding');
    expect(first?.textContent).toContain('无法读取 ~/token：Permission denied (os error 13)。');
    // Commands are code.
    const words = (text: Element) =>
      [...text.childNodes].map((part) => (part.nodeName === 'CODE' ? '' : part.textContent)).join('');
    const said = rest.map((row) => [...row.querySelectorAll('p')].map(words));
    expect(said.length).toBe(phrases.length);
    // Names are one word each, but for this program’s.
    const english = said
      .flat()
      .filter((text) => /[A-Za-z']+ [A-Za-z']+/.test(text.replaceAll('Review Gate', '')));
    expect(english, 'no sentence of ours is in English').toEqual([]);
  });

  it('reports in English, with its numbers', async () => {
    onTestFinished(() => speak('en'));
    await speak('zh-CN');
    const entries = (count: number) => ({ id: 'finding-settings-more', values: { count } });
    expect([1, 2].map((count) => inEnglish(entries(count)))).toEqual([
      '1 more entry is wrong.',
      '2 more entries are wrong.',
    ]);
    const mend = { id: 'finding-mend-entries' };
    expect(report([finding('settings', 'warning', { cause: entries(2), mend })], '1.2.3', 'Linux')).toContain(
      '(settings): 2 more entries are wrong. Correct or remove them.',
    );
  });
});

describe('the report', () => {
  it('groups what was found, and no text in it breaks out of its line', () => {
    const odd = finding('odd', 'fault', {
      ...{ cause: { id: 'One.\n# Two' }, mend: null, command: 'echo `date`\n- x' },
    });
    expect(report([finding('fine', 'good'), odd], '1.2.3', 'Linux')).toBe(
      [
        '## Review Gate 1.2.3',
        'Linux',
        '### Faults\n\n- **Check of odd** (odd): One. # Two `` echo `date` - x ``',
        '### Good\n\n- **Check of fine** (fine): fine is so.\n',
      ].join('\n\n'),
    );
  });
});
