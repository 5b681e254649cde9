// @vitest-environment node
// What the Prompts page computes without a page: ids, fields, differences, Markdown, indentation, rows.
import { describe, expect, it } from 'vitest';
import '../src/i18n/words-prompts';
import type { PromptArgument } from '../src/generated/PromptArgument';
import { runsOf } from '../src/markdown/code';
import type { Marked } from '../src/markdown/highlight/marked';
import { MockPrompts } from '../src/dev/mock-prompts';
import { chosenOf, controlOf, defaultText, given, isOn, toggled } from '../src/prompts/arguments';
import { counts, differences } from '../src/prompts/differences';
import { idOfFile, idProblem, isId } from '../src/prompts/ids';
import { carried, INK_CHARS, inked } from '../src/prompts/inking';
import { broken, indented, marked, placeOf } from '../src/prompts/indent';
import { reading } from '../src/prompts/reading';
import { allRows, found, grouped, NEW } from '../src/prompts/rows';
import { SLASH_FORMS } from '../src/prompts/slash';

const argument = (over: Partial<PromptArgument>): PromptArgument => ({
  ...{ name: 'a', title: '', description: '', type: 'string', required: false, default: null },
  ...{ values: [], completes: 'nothing', secret: false, inferred: false },
  ...over,
});

describe('an id', () => {
  it('is what the gate takes for one, in any script', () => {
    for (const good of ['code_review', 'team/security/review-2', 'prüfung/größe', 'v1.2/a b', '检查'])
      expect(isId(good), good).toBe(true);
    for (const bad of [
      '',
      '/',
      'a/',
      '/a',
      'a//b',
      '..',
      'a/../b',
      '.git/x',
      '_partials/x',
      'a\\b',
      'c:x',
      'x ',
      'x.',
    ])
      expect(isId(bad), bad).toBe(false);
    expect(isId(NEW), 'what stands for a new one is no id').toBe(false);
    expect(isId('é'.repeat(200))).toBe(true);
    expect(idProblem('é'.repeat(201))).toContain('200');
    expect(idOfFile('team/a.b.yaml')).toBe('team/a.b');
  });

  it('is called in each client’s way', () => {
    expect(SLASH_FORMS.map((each) => each.command('plan'))).toEqual([
      '/mcp__review-gate__plan',
      '/mcp.review-gate.plan',
      '/plan',
    ]);
  });
});

describe('the colours of a source', () => {
  /** Each letter as the language says it is: all of it one kind. */
  const whole = async (language: string, code: string): Promise<Marked> => ({
    ends: [code.length],
    kinds: [language],
  });
  const said = (code: string, marked: Marked | null) =>
    marked && runsOf(code, marked, { start: 0, end: code.length }).map(({ kind, text }) => [kind, text]);

  it('are those of its fields and of its text, with what stands in braces apart', async () => {
    const text = '---\ntitle: A\n---\n# {{a}} and {{! why }} {{#if b}}x{{/if}}\n';
    expect(said(text, await inked('markdown', text, whole))).toEqual([
      ['yaml', '---\ntitle: A\n---\n'],
      ['markdown', '# '],
      ['tag', '{{a}}'],
      ['markdown', ' and '],
      ['comment', '{{! why }}'],
      ['markdown', ' '],
      ['tag', '{{#if b}}'],
      ['markdown', 'x'],
      ['tag', '{{/if}}'],
      ['markdown', '\n'],
    ]);
    expect(said('a: {{b', await inked('yaml', 'a: {{b', whole)), 'open braces are no others’').toEqual([
      ['yaml', 'a: {{b'],
    ]);
    expect(await inked('yaml', 'x'.repeat(INK_CHARS + 1), whole), 'a long one stays plain').toBeNull();
    expect(await inked('json', '{}', async () => null), 'and what nobody colours').toBeNull();
  });

  it('stay with the words while one types', () => {
    const marked = { ends: [2, 5, 7], kinds: ['property', 'string', ''] };
    const to = (after: string) => said(after, carried(marked, 'abcdefg', after));
    expect(to('abcXdefg')).toEqual([
      ['property', 'ab'],
      ['string', 'cXde'],
      ['', 'fg'],
    ]);
    expect(to('abfg'), 'what is taken out leaves the rest').toEqual([
      ['property', 'ab'],
      ['', 'fg'],
    ]);
    expect(to('')).toEqual([]);
    expect(to('Xabcdefg')?.[0], 'what is typed first has no colour').toEqual(['', 'X']);
  });
});

describe('the fields of arguments', () => {
  it('fit what an argument may be', () => {
    const of = (over: Partial<PromptArgument>) => controlOf(argument(over));
    expect(of({})).toBe('text');
    expect(of({ type: 'number' })).toBe('number');
    expect(of({ type: 'boolean' })).toBe('switch');
    expect(of({ type: 'enum', values: ['x'] })).toBe('choice');
    expect(of({ type: 'list', values: ['x'] })).toBe('several');
    expect(of({ type: 'list' })).toBe('list');
    expect(of({ secret: true })).toBe('secret');
    expect(of({ secret: true, type: 'enum', values: ['x'] }), 'its values stand in the file').toBe('choice');
  });

  it('leave to its default what nobody touched, and to the file what it doesn’t declare', () => {
    const list = argument({ name: 'l', type: 'list', values: ['x', 'y', 'z'], default: ['z'] });
    expect(chosenOf(list, undefined)).toEqual(['z']);
    expect(toggled(list, undefined, 'x'), 'in the order of the values').toBe('["x","z"]');
    expect(toggled(list, '["x"]', 'x')).toBe('[]');
    expect(chosenOf(list, 'no JSON')).toEqual([]);
    expect(defaultText(list)).toBe('z');
    expect(isOn(argument({ type: 'boolean', default: true }), undefined)).toBe(true);
    expect(isOn(argument({ type: 'boolean', default: true }), 'false')).toBe(false);
    const values = new Map([...Object.entries({ a: 'one', gone: 'x', empty: '' })]);
    expect(given([argument({}), argument({ name: 'empty' }), list], values)).toEqual({ a: 'one' });
  });
});

describe('differences', () => {
  const drawn = (before: string, now: string) =>
    differences(before, now).map(
      ({ kind, text }) => `${{ added: '+', removed: '-', context: ' ', hunk: '@' }[kind]}${text}`,
    );

  it('are the fewest lines, with some around', () => {
    expect(drawn('a\nb\nc\n', 'a\nB\nc\n')).toEqual([' a', '-b', '+B', ' c']);
    expect(drawn('', 'a')).toEqual(['+a']);
    expect(drawn('a', 'a')).toEqual([]);
    const long = Array.from({ length: 40 }, (_, n) => `line ${n}`);
    const other = long.map((line, n) => (n === 5 || n === 30 ? `${line}!` : line));
    const lines = drawn(long.join('\n'), other.join('\n'));
    expect(lines.filter((line) => line.startsWith('@')).length, 'two places, apart').toBe(2);
    expect(lines.length).toBe(2 * (1 + 3 + 2 + 3));
    expect(counts(differences('a\nb', 'b\nc\nd'))).toEqual({ added: 2, removed: 1 });
  });

  it('lead from one text to the other, whatever they are', () => {
    let seed = 7;
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 200; round += 1) {
      const text = () => Array.from({ length: next(9) + 1 }, () => 'abc'[next(3)]).join('\n');
      const [before, now] = [text(), text()];
      const lines = differences(before, now).filter((line) => line.kind !== 'hunk');
      // So short that all of it is around some difference, or there is none.
      if (before === now) continue;
      const side = (without: string) =>
        lines.filter((line) => line.kind !== without).map((line) => line.text);
      expect(before.split('\n').join(), `${before} → ${now}`).toContain(side('added').join());
      expect(now.split('\n').join()).toContain(side('removed').join());
    }
  });

  it('of texts that have nothing in common are told at once', () => {
    const text = (name: string) => Array.from({ length: 5_000 }, (_, n) => `${name} ${n}`).join('\n');
    expect(counts(differences(text('a'), text('b')))).toEqual({ added: 5_000, removed: 5_000 });
  });
});

describe('the Markdown of a prompt', () => {
  const kinds = (text: string) => reading(text).blocks.map((block) => block.kind);
  const first = (text: string) => reading(text).blocks[0];

  it('is read in blocks', () => {
    expect(
      kinds(
        '# T\n\ntext\nmore\n\n- a\n- b\n\n> q\n\n```js\nx\n```\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |',
      ),
    ).toEqual(['heading', 'paragraph', 'list', 'quote', 'code', 'rule', 'table']);
    expect(first('```sh\nls\n\nrm\n```')).toEqual({ kind: 'code', language: 'sh', text: 'ls\n\nrm' });
    expect(first('3. a\n4. b')).toMatchObject({ kind: 'list', start: 3, items: { length: 2 } });
    expect(first('- [x] a\n  - b')).toMatchObject({
      items: [{ checked: true, children: [{ kind: 'paragraph' }, { kind: 'list' }] }],
    });
    expect(first('| a | b |\n|---|---|\n| 1 |'), 'a short row is filled').toMatchObject({
      rows: [[[{ text: '1' }], []]],
    });
  });

  it('is read in pieces', () => {
    const pieces = (text: string) => {
      const block = first(text);
      return block?.kind === 'paragraph' ? block.children : [];
    };
    expect(pieces('a **b** `c` [d](https://e.f) _g_ ~~h~~')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'strong', children: [{ kind: 'text', text: 'b' }] },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: 'c' },
      { kind: 'text', text: ' ' },
      { kind: 'link', href: 'https://e.f', children: [{ kind: 'text', text: 'd' }] },
      { kind: 'text', text: ' ' },
      { kind: 'emphasis', children: [{ kind: 'text', text: 'g' }] },
      { kind: 'text', text: ' ' },
      { kind: 'strike', children: [{ kind: 'text', text: 'h' }] },
    ]);
    expect(pieces('snake_case_name and 2 * 3 * 4'), 'names and sums stay').toEqual([
      { kind: 'text', text: 'snake_case_name and 2 * 3 * 4' },
    ]);
    expect(pieces('[x](javascript:alert(1))'), 'only addresses lead out').toEqual([
      { kind: 'text', text: '[x](javascript:alert(1))' },
    ]);
    expect(pieces('a  \nb\nc')).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'break' },
      { kind: 'text', text: 'b c' },
    ]);
  });

  it('ends for any text, and leaves long ones as they are', () => {
    for (const text of [
      '> '.repeat(200),
      '*'.repeat(5_000),
      '['.repeat(3_000),
      '- '.repeat(500),
      '`'.repeat(999),
    ])
      expect(reading(text).rest).toBeNull();
    const long = 'x'.repeat(200_001);
    expect(reading(long)).toEqual({ blocks: [], rest: long });
  });
});

describe('indentation', () => {
  const apply = (text: string, edit: ReturnType<typeof indented>) =>
    edit ? text.slice(0, edit.from) + edit.insert + text.slice(edit.to) : text;

  it('is put in, taken out, and kept over a line break', () => {
    expect(apply('abc', indented('abc', 3, 3, false)), 'to the next step').toBe('abc ');
    expect(apply('a\nb\n', indented('a\nb\n', 0, 4, false))).toBe('  a\n  b\n');
    expect(apply('  a\n b', indented('  a\n b', 0, 6, true))).toBe('a\nb');
    expect(indented('a', 1, 1, true)).toBeNull();
    expect(broken('  - a', 5, 5)).toMatchObject({ insert: '\n  ', start: 8 });
  });

  it('knows places by line and column', () => {
    expect(placeOf('ab\n😀cd', 2, 2), 'a column is a character').toBe(5);
    expect(placeOf('ab', 9, 9)).toBe(2);
    expect(marked('a {{error', 3)).toEqual(['a ', '{{', 'error']);
    expect(marked('name: x', 1)).toEqual(['', 'name', ': x']);
    expect(marked('x', null)).toEqual(['', 'x', '']);
  });
});

describe('the rows', () => {
  const library = new MockPrompts('review', () => undefined).library();

  it('stand under their categories, with what is broken and what isn’t saved', () => {
    const rows = grouped(allRows(library, new Map([[NEW, 'local' as const]])));
    expect(rows.map((row) => (row.kind === 'category' ? `# ${row.category}` : row.key))).toEqual([
      NEW,
      '# Operations',
      'team/incident_report',
      'team/migration_plan',
      '# Review',
      'code_review',
      'plan_first',
      '# Testing',
      'write_tests',
      '# Writing',
      'writing/release_notes',
      '# ',
      'debug/explain_error',
    ]);
    const last = rows.at(-1);
    expect(last?.kind === 'prompt' && last.broken, 'a file that never was right is listed, too').toBe(true);
  });

  it('are found in titles, ids, descriptions and arguments, titles first', () => {
    const keys = (query: string) => found(allRows(library, new Map()), query).map((row) => row.key);
    expect(keys('review')).toEqual(['code_review', 'plan_first']);
    expect(keys('re')[0], 'one that begins so comes first').toBe('writing/release_notes');
    expect(keys('audience')).toEqual(['writing/release_notes']);
    expect(keys('explain')).toEqual(['debug/explain_error']);
    expect(keys('zebra')).toEqual([]);
  });
});
