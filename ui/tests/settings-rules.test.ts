// Rules for reviews: sentences in the settings, which open to be changed; and what is written is what the gate reads.
import { cleanup, fireEvent, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import './lazy';
import type { SettingKind } from '../src/generated/SettingKind';
import { parseRule, saidRule, writeRule } from '../src/settings/review-rule';
import { saidValue } from '../src/settings/said';
import { setting } from './fake-settings';
import type { Answer } from '../src/state/port';
import { shown } from './settings-page';

afterEach(cleanup);

const KEY = 'security.review_rules';
const ID = 'setting-security-review-rules';
const kind: SettingKind = { kind: 'list', max_items: 8, max_chars: 200 };
const said = (text: string) => {
  const rule = parseRule(text);
  return rule && saidRule(rule);
};

async function rules(...value: string[]) {
  return shown((settings) => settings.settings.push(setting(KEY, kind, [], { value, section: 'window' })));
}
const sentence = (index: number) => screen.queryByTestId(`${ID}-said-${index}`)?.textContent;
const into = (part: string, text: string) =>
  fireEvent.input(screen.getByTestId(`${ID}-${part}`), { target: { value: text } });

describe('a rule', () => {
  it.each([
    'agent',
    'person; path=migrations/|*.sql',
    'agents:2; repository=/srv/pay; lines=400',
    'agent+person; proposer=codex; category=security',
    'agents:10',
  ])('is written as it is read: %j', (text) => {
    const rule = parseRule(text);
    expect(rule && writeRule(rule)).toBe(text);
  });

  it.each([
    ...['', 'nobody', 'agents:0', 'agents:11', 'path=x', 'agent; path', 'agent; path=', 'agent; colour=red'],
    ...['agent; category=docs', 'agent; lines=few', 'agent; path=a; path=b'],
  ])('is none where the gate takes none: %j', (text) => {
    expect(parseRule(text)).toBeNull();
  });

  it('is a sentence', () => {
    expect([
      said('agent'),
      said('person; path=migrations/|*.sql'),
      said('agents:2; lines=400'),
      said('agent+person; repository=/srv/pay; proposer=codex; category=security'),
    ]).toEqual([
      '1 other agent approves every change.',
      'You alone approve changes to migrations/ or *.sql.',
      '2 other agents approve every change of more than 400 lines.',
      '1 agent and you approve every change in /srv/pay, proposed by codex, of the category security.',
    ]);
    const told = saidValue({ key: KEY, kind, secret: false }, ['agent', 'odd']);
    expect(told, 'in what has changed, too; what is none stays as it is').toBe(
      '1 other agent approves every change. odd',
    );
  });

  it('has no category where agents alone decide, and no sign that would end a part', () => {
    const rule = parseRule('agent+person; category=docs');
    expect(rule && writeRule({ ...rule, person: false })).toBe('agent');
    expect(rule && writeRule({ ...rule, words: { ...rule.words, path: 'a; b| |c' } })).toBe(
      'agent+person; path=a  b|c; category=docs',
    );
  });
});

describe('the settings', () => {
  it('show rules as sentences, and change one by its parts', async () => {
    const { settings } = await rules('person; path=migrations/', 'agents:2; lines=400');
    await expect.poll(() => sentence(0)).toBe('You alone approve changes to migrations/.');
    await fireEvent.click(screen.getByTestId(`${ID}-change-0`));
    await expect.poll(() => document.activeElement?.getAttribute('data-testid')).toBe(`${ID}-need-0`);
    await into('path-0', 'migrations/|*.sql');
    expect(sentence(0), 'it says what it will be').toBe('You alone approve changes to migrations/ or *.sql.');
    await fireEvent.click(screen.getByTestId(`${ID}-done-0`));
    await expect
      .poll(() => settings.value(KEY))
      .toEqual(['person; path=migrations/|*.sql', 'agents:2; lines=400']);
    await expect
      .poll(() => document.activeElement?.getAttribute('data-testid'), {
        message: 'the keys stay at the rule',
      })
      .toBe(`${ID}-change-0`);
  });

  it('add one only once it is said who approves', async () => {
    const { settings, gate } = await rules();
    await expect.poll(() => screen.queryByTestId(ID)?.textContent).toContain('No rule');
    await fireEvent.click(screen.getByTestId(`${ID}-add`));
    const need = await screen.findByTestId<HTMLSelectElement>(`${ID}-need-0`);
    await fireEvent.blur(need);
    expect(gate.given('save_settings').length, 'nothing is saved yet').toBe(0);
    const alone = [...need.options].find((option) => option.textContent === 'You, and no agent');
    await fireEvent.change(need, { target: { value: alone?.value } });
    await into('lines-0', '200 lines');
    await fireEvent.keyDown(screen.getByTestId(`${ID}-lines-0`), { key: 'Escape' });
    await expect.poll(() => settings.value(KEY)).toEqual(['person; lines=200']);
    await fireEvent.click(screen.getByTestId(`${ID}-remove-0`));
    await expect.poll(() => settings.value(KEY)).toEqual([]);
  });

  it('say where one needs more agents than there are', async () => {
    const few = (index: number) => screen.queryByTestId(`${ID}-few-${index}`)?.textContent;
    const { gate } = await shown((settings) => {
      settings.parties = 2;
      const value = ['agents:2; path=src/', 'agent', 'agents:3'];
      settings.settings.push(setting(KEY, kind, [], { value, section: 'window' }));
    });
    await expect.poll(() => few(0)).toContain('It needs 3 different agents');
    expect(few(0)).toContain('2 have been seen');
    expect(few(1), 'any two will do').toBeUndefined();
    expect(few(2)).toContain('It needs 4 different agents');
    expect(gate.given('review_parties').length, 'it is asked once').toBe(1);
  });

  it('ask nobody where any two agents will do, and say nothing where there are enough', async () => {
    const { gate } = await rules('agent', 'person');
    await expect.poll(() => sentence(0)).toBeTruthy();
    expect(gate.given('review_parties')).toEqual([]);
    cleanup();
    await rules('agents:2');
    await expect.poll(() => sentence(0)).toBeTruthy();
    expect(screen.queryByTestId(`${ID}-few-0`)).toBeNull();
  });

  it('let a rule that nobody can read be written anew', async () => {
    const { settings } = await rules('whoever; path=x');
    const field = await screen.findByTestId<HTMLInputElement>(`${ID}-row-0`);
    expect(field.value).toBe('whoever; path=x');
    await fireEvent.input(field, { target: { value: 'person; path=x' } });
    await fireEvent.blur(field);
    await expect.poll(() => settings.value(KEY)).toEqual(['person; path=x']);
  });
});

describe('whose agents take part', () => {
  const found = async (...clients: [title: string, toolsets: string[], connected?: boolean][]) => {
    const given = clients.map(([title, toolsets, connected = true]) => ({ title, toolsets, connected }));
    const page = await shown((settings, gate) => {
      settings.settings.push(setting(KEY, kind, [], { value: [], section: 'window' }));
      gate.record = (command) =>
        command.command === 'clients'
          ? ({ clients: given, takes_questions: true } as unknown as Answer)
          : settings.answer(command);
    });
    return { ...page, said: (await screen.findByTestId('settings-parties')).textContent };
  };

  it('stands beside the rules, with the way to choose them', async () => {
    const { said: told, main } = await found(
      ['Codex', ['gate', 'broker']],
      ['Claude Code', ['broker']],
      ['Cursor', ['gate']],
      ['Zed', ['broker'], false],
    );
    expect(told).toContain('Codex and Claude Code take part in reviews.');
    await fireEvent.click(screen.getByTestId('settings-parties-choose'));
    expect(main.page).toBe('connect');
  });

  it('is said where nobody does', async () => {
    expect((await found(['Cursor', ['gate']])).said).toContain('No client takes part in reviews yet.');
  });
});
