// @vitest-environment node
// A document in stretches, code in lines, languages and their colours: what needs no page.
import { createLowlight } from 'lowlight';
import rust from 'highlight.js/lib/languages/rust';
import { describe, expect, it } from 'vitest';
import type { Block } from '../src/generated/Block';
import type { Inline } from '../src/generated/Inline';
import { groupsOf, linesOf, runsOf } from '../src/markdown/code';
import { colouring, languageName } from '../src/markdown/highlight/languages';
import { markedOf } from '../src/markdown/highlight/marked';
import { leafText } from '../src/markdown/plain';
import everyday from '../src/markdown/highlight/everyday.worker.ts?raw';
import languages from '../src/markdown/highlight/languages.ts?raw';
import others from '../src/markdown/highlight/others.worker.ts?raw';
import { isContinued, LARGE_COST, layoutOf } from '../src/markdown/stretches';

const text = (words: string): Inline => ({ kind: 'text', text: words });
const paragraph = (words: string): Block => ({ kind: 'paragraph', children: [text(words)] });
const layout = (...blocks: Block[]) => layoutOf({ blocks, rest: null });
/** Everything that the layout says, without white space. */
const said = (...blocks: Block[]) =>
  layout(...blocks)
    .leaves.map(leafText)
    .join('')
    .replace(/\s/g, '');

describe('a document in stretches', () => {
  it('keeps a short one whole', () => {
    const blocks = [paragraph('one'), paragraph('two')];
    const { stretches, leaves } = layout(...blocks);
    expect(
      stretches.map((stretch) => stretch.blocks),
      'the same blocks',
    ).toEqual([blocks]);
    expect(leaves, 'the very same, so that a comment finds its block').toEqual(blocks);
  });

  it('is the same one each time it is asked for', () => {
    const document = { blocks: [paragraph('one')], rest: null };
    expect(layoutOf(document)).toBe(layoutOf(document));
  });

  it('divides a long one, and loses nothing', () => {
    const words = (index: number) => `word${index} `.repeat(30);
    const blocks = Array.from({ length: 200 }, (_, index) => paragraph(words(index)));
    const { stretches, leaves } = layout(...blocks);
    expect(stretches.length, 'many').toBeGreaterThan(10);
    expect(leaves, 'each block once, in order').toEqual(blocks);
    const firsts = stretches.map((stretch) => leaves[stretch.first]);
    expect(firsts, 'and each stretch knows its first').toEqual(stretches.map((each) => each.blocks[0]));
  });

  it.each([
    ['a line', paragraph('x'.repeat(100_000)), 100_000],
    ['emoji', paragraph('👩‍👩‍👧‍👦'.repeat(5_000)), 55_000],
    [
      'emphasis',
      {
        kind: 'paragraph',
        children: Array.from({ length: 5_000 }, () => ({ kind: 'emphasis', children: [text('a')] })),
      },
      5_000,
    ],
    [
      'a strong line',
      { kind: 'paragraph', children: [{ kind: 'strong', children: [text('y'.repeat(50_000))] }] },
      50_000,
    ],
    ['a heading', { kind: 'heading', level: 2, children: [text('h'.repeat(20_000))] }, 20_000],
    [
      'a quote',
      { kind: 'quote', children: Array.from({ length: 500 }, () => paragraph('q'.repeat(100))) },
      50_000,
    ],
    [
      'a table',
      {
        kind: 'table',
        head: [[text('H')]],
        rows: Array.from({ length: 1_000 }, () => [[text('c'.repeat(20))]]),
      },
      20_000,
    ],
    ['a cell', { kind: 'table', head: [[text('H')]], rows: [[[text('c'.repeat(20_000))]]] }, 20_000],
  ] as [string, Block, number][])('divides %s without an end', (_, block, length) => {
    const { stretches, leaves } = layout(block);
    expect(stretches.length, 'into some').toBeGreaterThan(length / LARGE_COST / 2);
    expect(Math.max(...leaves.map((leaf) => leafText(leaf).length)), 'each small').toBeLessThan(LARGE_COST);
    const repeats = said(block).replaceAll('H', '');
    expect(repeats.length, 'and all of it is there').toBe(length);
    expect(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/.test(repeats), 'no character is cut in two').toBe(false);
  });

  it('leaves whole what a person would see divided', () => {
    const long = paragraph('words '.repeat(1_000));
    const table: Block = {
      kind: 'table',
      head: [[text('A')], [text('B')], [text('C')]],
      rows: Array.from({ length: 30 }, () => [[text('one cell')], [text('another')], [text('a third')]]),
    };
    expect(layout(long, table).leaves, 'a long paragraph, a table of a screen').toEqual([long, table]);
  });

  it('counts on where a list is divided, and gives no second mark to an item', () => {
    const items = [
      { checked: null, children: Array.from({ length: 180 }, () => paragraph('long '.repeat(20))) },
      ...Array.from({ length: 200 }, (_, index) => ({
        checked: null,
        children: [paragraph(`item ${index}`)],
      })),
    ];
    const lists = layout({ kind: 'list', start: 5, items }).stretches.flatMap((stretch) => stretch.blocks);
    let number = 5;
    for (const list of lists) {
      if (list.kind !== 'list') throw new Error('a list stays one');
      expect(list.start, 'goes on from the one before').toBe(number);
      number += list.items.filter((item) => !isContinued(item)).length;
    }
    expect(number, 'each item is counted once').toBe(5 + 201);
  });
});

describe('code in lines', () => {
  const code = 'fn main() {\n\n    let a = "b\nc"; // d\n}';

  it('holds every character in groups of lines', () => {
    const lines = linesOf(code);
    expect(lines.map(({ start, end }) => code.slice(start, end)).join('\n')).toBe(code);
    const many = linesOf('x\n'.repeat(1_000));
    const groups = groupsOf(many);
    expect(
      groups.flatMap((group) => group.lines),
      'all of them',
    ).toEqual(many);
    expect(
      groups.map((group) => group.from),
      'numbered from one',
    ).toEqual(groups.map((_, index) => index * 60 + 1));
    const wide = groupsOf(linesOf(`${'y'.repeat(1_900)}\n`.repeat(60)));
    expect(wide.length, 'fewer where they are long').toBeGreaterThan(10);
  });

  it('colours runs, over line breaks too', () => {
    const marked = markedOf(createLowlight({ rust }).highlight('rust', code));
    expect(marked.ends.at(-1), 'up to the end').toBe(code.length);
    const runs = linesOf(code).map((line) => runsOf(code, marked, line));
    expect(runs.map((line) => line.map((run) => run.text).join('')).join('\n'), 'and says the same').toBe(
      code,
    );
    const kinds = (line: number) => runs[line]?.map((run) => `${run.kind}:${run.text.trim()}`);
    expect(kinds(0)).toContain('keyword:fn');
    expect(kinds(2), 'a string that goes on').toContain('string:"b');
    expect(kinds(3)).toEqual(['string:c"', ':;', 'comment:// d']);
  });
});

describe('languages', () => {
  it('are known by what stands after a fence', () => {
    expect(colouring('rust,no_run')).toEqual({ shelf: 'everyday', language: 'rust' });
    expect(colouring(' TSX {1,3} ')).toEqual({ shelf: 'everyday', language: 'typescript' });
    expect(colouring('language-js')?.language).toBe('javascript');
    expect(colouring('c++')?.language).toBe('cpp');
    expect(colouring('kt')?.shelf, 'seldom needed').toBe('others');
    for (const plain of ['', 'text', 'output', 'constructor', '__proto__', '"><b>'])
      expect(colouring(plain), plain).toBeNull();
    expect(languageName('html" onmouseover="x')).toBe('html"');
  });

  it.each([
    ['everyday', everyday],
    ['others', others],
  ])('of the thread %s are the ones that are sent to it', (shelf, source) => {
    const imported = [...source.matchAll(/languages\/(\w+)'/g)].map((found) => found[1]);
    const named = [...languages.matchAll(/^ {4}(\w+): '(\S+)/gm)].map((found) => found[1] ?? '');
    const sent = named.filter((name) => colouring(name)?.shelf === shelf);
    expect(imported.toSorted(), 'all of them and no others').toEqual(sent.toSorted());
  });
});
