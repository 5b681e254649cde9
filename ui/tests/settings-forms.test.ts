// @vitest-environment node
// What is typed into a setting's field and what it means: bounds on both sides, and the way there and back.
import { describe, expect, it } from 'vitest';
import type { SettingKind } from '../src/generated/SettingKind';
import { formOf, hasBlank, read, timeOf, type Form } from '../src/settings/forms';
import { same } from '../src/settings/json';
import { pressed, readKeys } from '../src/settings/keys';
import { learn } from '../src/i18n/text.svelte';
import { finds, saidInFile, saidValue, variableOf } from '../src/settings/said';
import { list, setting, size, waiting } from './fake-settings';

const means = (kind: SettingKind, form: Form, optional = false) => read({ kind, optional }, form, 'It');
const typed = (text: string): Form => ({ form: 'text', text });
const rows = (...texts: string[]): Form => ({ form: 'rows', rows: texts });
const hours: SettingKind = { kind: 'hours' };
const wrong = (what: ReturnType<typeof read>) => ('problem' in what ? what.problem : null);

describe('a number', () => {
  it.each(['11', '24', ' 14 '])('takes %j', (text) => {
    expect(means(size, typed(text))).toEqual({ value: Number(text) });
  });

  it.each(['10', '25', '', '14.5', '1e1', '-12', '0x10', 'fourteen', '１４'])(
    'refuses %j and names both bounds',
    (text) => {
      expect(wrong(means(size, typed(text)))).toBe('It: a whole number from 11 to 24.');
    },
  );

  it('may be empty only where none is a value', () => {
    expect(means(size, typed(' '), true)).toEqual({ value: null });
    expect(formOf(size, null), 'and shows as empty').toEqual(typed(''));
  });
});

describe('a list', () => {
  it('takes its rows without those that nobody has written in', () => {
    expect(means(list, rows('a', ' b ', ''))).toEqual({ value: ['a', 'b'] });
    expect(hasBlank(rows('a', '')), 'such a row stays in the field').toBe(true);
  });

  it.each([
    [rows('a', 'b', 'c', 'd'), /At most 3 entries; these are 4/, undefined],
    [rows('a', 'thirteen char'), /at most 12 characters; these are 13/, 1],
    [rows('a', 'b', 'a'), /“a” is there twice/, 2],
  ])('is refused beyond its bounds, at the row', (form, problem, row) => {
    const told = means(list, form);
    expect(wrong(told)).toMatch(problem);
    expect(told).toMatchObject(row === undefined ? {} : { row });
  });

  it('counts characters as people do', () => {
    expect(means(list, rows('👋'.repeat(12)))).toEqual({ value: ['👋'.repeat(12)] });
  });
});

describe('hours', () => {
  const between = (from: string, to: string): Form => ({ form: 'hours', rows: [{ from, to }] });

  it.each([
    ['22:00', '07:30', '22:00-07:30'],
    ['9', '17', '09:00-17:00'],
    ['930', '17.45', '09:30-17:45'],
    ['00:00', '23:59', '00:00-23:59'],
  ])('takes %s to %s', (from, to, value) => {
    expect(means(hours, between(from, to), true)).toEqual({ value });
    expect(formOf(hours, value), 'and back').toEqual(between(timeOf(from), timeOf(to)));
  });

  it.each([
    ['24:00', '07:00', /“24:00” is no time/],
    ['22:60', '07:00', /“22:60” is no time/],
    ['22:00', '', /“” is no time/],
    ['22:00', '22:00', /end as they begin/],
  ])('refuses %s to %s', (from, to, problem) => {
    expect(wrong(means(hours, between(from, to), true))).toMatch(problem);
  });

  it('may be none', () => {
    expect(means(hours, { form: 'hours', rows: [] }, true)).toEqual({ value: null });
    expect(formOf(hours, null)).toEqual({ form: 'hours', rows: [] });
  });
});

describe('waiting', () => {
  const clients = (...each: [string, string, string][]): Form => ({
    form: 'waiting',
    rows: each.map(([client, stdio, http]) => ({ client, stdio, http })),
  });

  it('goes there and back for one number, for both, and for one of them', () => {
    const value = { codex: 290, 'codex >= 1': { stdio: 290, http: 50 }, zed: { http: 600 } };
    expect(means(waiting, formOf(waiting, value))).toEqual({ value });
  });

  it.each([
    [clients(['codex', '4', '4']), /codex: whole seconds from 5 to 600/],
    [clients(['codex', '600', '601']), /codex: whole seconds from 5 to 600/],
    [clients(['', '50', '50']), /Which client/],
    [clients(['codex', '', '']), /how many seconds is “codex”/],
    [clients(['a', '5', '5'], ['a', '6', '6']), /“a” is there twice/],
    [clients(['a', '5', '5'], ['b', '5', '5'], ['c', '5', '5'], ['d', '5', '5']), /At most 3/],
    [clients(['a client with too long a name', '5', '5']), /at most 20 characters/],
  ])('refuses what is no waiting time', (form, problem) => {
    expect(wrong(means(waiting, form))).toMatch(problem);
  });

  it('takes names that objects have of themselves', () => {
    const told = means(waiting, clients(['constructor', '5', '5'], ['toString', '6', '6']));
    expect(told).toEqual({ value: { constructor: 5, toString: 6 } });
  });
});

describe('keys', () => {
  const press = (key: string, code: string, held: string) =>
    pressed({
      ...{ key, code, ctrlKey: held.includes('c'), metaKey: held.includes('m') },
      ...{ altKey: held.includes('a'), shiftKey: held.includes('s') },
    });

  it.each([
    ['g', 'KeyG', 'ca', 'CmdOrCtrl+Alt+G'],
    ['Ω', 'KeyZ', 'as', 'Alt+Shift+Z'],
    ['7', 'Digit7', 'm', 'Super+7'],
    ['F5', 'F5', 'a', 'Alt+F5'],
    [' ', 'Space', 'cs', 'CmdOrCtrl+Shift+Space'],
    ['/', 'Slash', 'c', 'CmdOrCtrl+/'],
    ['ArrowUp', 'ArrowUp', 'a', 'Alt+ArrowUp'],
  ])('%s is written as the gate reads it', (key, code, held, keys) => {
    expect(press(key, code, held)).toEqual({ keys });
    expect(readKeys(keys), 'and people can read it').not.toBeNull();
  });

  it('need a modifier, and a key that has a name', () => {
    expect(press('Control', 'ControlLeft', 'c')).toBe('more');
    expect(press('g', 'KeyG', ''), 'typing would be impossible elsewhere').toBe('alone');
    expect(press('G', 'KeyG', 's'), 'capitals too').toBe('alone');
    expect(press('€', 'IntlBackslash', 'c')).toBe('unknown');
  });

  it('are refused where they are none', () => {
    const kind: SettingKind = { kind: 'keys', max_chars: 40 };
    expect(wrong(means(kind, { form: 'value', value: 'Ctrl+' }))).toMatch(/names no keys/);
    expect(means(kind, { form: 'value', value: '' }), 'none is a value').toEqual({ value: '' });
  });
});

describe('in words', () => {
  it('each kind of value can be read', () => {
    expect(saidValue(setting('a.b', size, 14), 14)).toBe('14 pixels');
    expect(saidValue(setting('a.b', { kind: 'switch' }, true), false)).toBe('Off');
    expect(saidValue(setting('a.b', list, []), ['x', 'y'])).toBe('x, y');
    expect(saidValue(setting('a.b', hours, null), null)).toBe('none');
    expect(saidValue(setting('a.b', { kind: 'keys', max_chars: 9 }, ''), 'Ctrl+Alt+G')).toBe('Ctrl Alt G');
    expect(saidValue(setting('a.b', waiting, {}), { codex: { stdio: 9 } })).toBe('codex stdio 9 s');
    expect(saidInFile(setting('a.b', size, 14), null), 'nothing in the file').toBe('default: 14 pixels');
    expect(saidInFile(undefined, { x: 1 }), 'of a setting that is gone').toBe('{"x":1}');
  });

  it('a search finds titles, help and keys, in every language', async () => {
    await learn('setting');
    const texts = {
      title: { id: 'setting-window-font-size' },
      help: { id: 'setting-window-font-size-help' },
    };
    const one = setting('window.font_size', size, 14, texts);
    for (const query of ['FONT size', 'running text', 'font_size', 'size window', '字号', '正文文字'])
      expect(finds(one, query), query).toBe(true);
    expect(finds(one, 'size zebra'), 'every word counts').toBe(false);
  });

  it('the environment’s variable is named as it is written', () => {
    expect(variableOf('window.font_size')).toBe('REVIEW_GATE__WINDOW__FONT_SIZE');
  });
});

it('values are compared, not objects', () => {
  expect(same({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] })).toBe(true);
  expect(same({ a: undefined }, { b: undefined })).toBe(false);
  expect(same([1, 2], [2, 1])).toBe(false);
  expect(same(null, {})).toBe(false);
});
