// @vitest-environment node
// The pure parts of a diff: what faces what, what is folded, where comments go, how high everything is.
import { describe, expect, it } from 'vitest';
import { added, context, removed } from '../src/dev/build';
import { codeRows, everyKind } from '../src/dev/diff-fixtures';
import { FileBody } from '../src/diff/body';
import { hitFrom, pattern, search, stretchesOf } from '../src/diff/find';
import { HITS } from '../src/find/search';
import {
  Column,
  heightOf,
  LINE_MOST,
  LINE_SHOWN,
  linesOf,
  slicesOf,
  type Measures,
} from '../src/diff/measure';
import { AROUND, beginsChange, FOLDED, pairsOf, partsOf, type Part, type Shape } from '../src/diff/parts';
import { placeOf, placeOfSpan, spanOf } from '../src/diff/rows';
import { treeOf } from '../src/diff/tree';
import type { DiffFile } from '../src/generated/DiffFile';
import type { Hunk } from '../src/generated/Hunk';
import type { Row } from '../src/generated/Row';
import { OpenComment } from '../src/reply/reply-draft.svelte';

const measures: Measures = {
  ...{ line: 20, cell: 7, head: 36, between: 12, bar: 26, comment: 90, text: 700, tab: 4, wrap: true },
};
const file = (rows: Row[], over: Partial<DiffFile> = {}): DiffFile => ({
  ...{
    old_path: 'a.rs',
    new_path: 'b.rs',
    change: 'renamed',
    binary: false,
    added: 0,
    removed: 0,
    since: null,
  },
  hunks: [{ header: '@@ -1 +1 @@', rows }],
  ...over,
});
const plain: Shape = { split: false, freshOnly: false, opened: new Set(), commentsBelow: () => [] };
const lines = (parts: readonly Part[]) =>
  parts.flatMap((part) => (part.kind === 'line' ? [[part.left, part.right]] : []));
const kinds = (parts: readonly Part[]) => parts.map((part) => part.kind);
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => context(at + 1, at + 1, `line ${at}`));

describe('side by side', () => {
  it('puts each removed line before the added one that took its place', () => {
    const rows = [
      context(1, 1, 'a'),
      removed(2, ['b']),
      removed(3, ['c']),
      added(2, ['B']),
      context(4, 3, 'd'),
      added(4, ['e']),
      removed(5, ['f']),
    ];
    expect(pairsOf(rows, 0, rows.length)).toEqual([
      [0, 0],
      [1, 3],
      [2, -1],
      [4, 4],
      [-1, 5],
      [6, -1],
    ]);
  });

  it('shows every row once, in either form', () => {
    const hunks: Hunk[] = [{ header: '@@', rows: codeRows(300) }];
    for (const split of [false, true]) {
      const shown = lines(partsOf(hunks, { ...plain, split })).flatMap(([left, right]) =>
        left === right ? [left] : [left, right].filter((at) => at !== -1),
      );
      expect(shown.sort((a, b) => Number(a) - Number(b))).toEqual([...(hunks[0]?.rows.keys() ?? [])]);
    }
  });
});

describe('long runs without a change', () => {
  const rows = [...many(60), removed(61, ['x']), ...many(3)];
  const hunks: Hunk[] = [{ header: '@@', rows }];

  it('are folded but for what stands around a change', () => {
    const parts = partsOf(hunks, plain);
    expect(parts[1], 'the run before the change').toMatchObject({ kind: 'fold', start: 0, end: 60 - AROUND });
    expect(lines(parts).length).toBe(AROUND + 1 + 3);
    expect(
      partsOf([{ header: '', rows: rows.slice(60 - AROUND - FOLDED + 1) }], plain).some(
        (part) => part.kind === 'fold',
      ),
      'a short run isn’t worth it',
    ).toBe(false);
  });

  it('open, and keep the key of every part', () => {
    const before = partsOf(hunks, plain);
    const after = partsOf(hunks, { ...plain, opened: new Set([0]) });
    expect(lines(after).length, 'all rows are there').toBe(rows.length);
    expect(after[1], 'and can be folded again').toMatchObject({ kind: 'fold', open: true });
    const keys = new Set(after.map((part) => part.key));
    expect(keys.size, 'no key twice').toBe(after.length);
    expect(before.every((part) => keys.has(part.key))).toBe(true);
  });

  it('keep a line that has a comment', () => {
    const parts = partsOf(hunks, { ...plain, commentsBelow: (row) => (row.new === 10 ? [1] : []) });
    expect(kinds(parts)).toContain('comment');
  });

  it('of a diff asked about again are all that is as it was', () => {
    const seen = partsOf(hunks, { ...plain, freshOnly: true });
    expect(kinds(seen), 'a hunk without news needs no header').toEqual(['fold']);
    const news = rows.map((row) => (row.kind === 'removed' ? { ...row, fresh: true } : row));
    const fresh = partsOf([{ header: '@@', rows: news }], { ...plain, freshOnly: true });
    expect(lines(fresh).length, 'three lines on each side').toBe(7);
    expect(beginsChange(news, 60, true) && !beginsChange(rows, 60, true)).toBe(true);
  });
});

describe('places', () => {
  const rows = [context(5, 7, 'a'), removed(6, ['b']), added(8, ['c']), context(7, 9, 'd')];
  const each = file(rows);
  const hunk = each.hunks[0] as Hunk;
  const span = { file: 0, hunk: 0, side: 'new' as const, from: 3, to: 0 };

  it('are lines of one side, under its file’s name there', () => {
    expect(placeOfSpan(each, hunk, span)).toEqual({ file: 'b.rs', side: 'new', start_line: 7, line: 9 });
    expect(placeOfSpan(each, hunk, { ...span, side: 'old' })).toEqual({
      file: 'a.rs',
      side: 'old',
      start_line: 5,
      line: 7,
    });
    expect(placeOfSpan(each, hunk, { ...span, from: 2, to: 2 }), 'one line has no first').toEqual({
      file: 'b.rs',
      side: 'new',
      line: 8,
    });
    expect(
      placeOfSpan(each, hunk, { ...span, side: 'old', from: 2, to: 2 }),
      'the old side hasn’t got it',
    ).toBeNull();
    expect(placeOf(each, rows[1] as Row)).toEqual({ file: 'a.rs', side: 'old', line: 6 });
  });

  it('are found again in the rows', () => {
    const place = placeOfSpan(each, hunk, span);
    expect(place && spanOf(place, 0, each.hunks)).toMatchObject({ hunk: 0, from: 0, to: 3 });
    expect(spanOf({ file: 'b.rs', side: 'new', line: 99 }, 0, each.hunks)).toBeNull();
  });

  it('that no line shows come last in their file', () => {
    const body = new FileBody(0, each);
    body.comments = [
      new OpenComment({ file: 'b.rs', side: 'new', line: 99 }, 'lost', false),
      new OpenComment({ file: 'a.rs', side: 'old', line: 7 }, 'on a line of both sides', false),
    ];
    body.build({ split: false, freshOnly: false }, measures);
    const [lost, both] = body.comments.map((comment) => comment.key);
    expect(body.parts.slice(-2)).toMatchObject([{ comment: both }, { comment: lost }]);
  });
});

describe('heights', () => {
  it('count lines that wrap, and never more than is drawn of a long one', () => {
    expect(linesOf(0, measures)).toBe(1);
    expect(linesOf(101, measures), '100 columns fit').toBe(2);
    expect(linesOf(101, { ...measures, wrap: false })).toBe(1);
    const long: Hunk = { header: '', rows: [added(1, ['x'.repeat(1_000_000)])] };
    const part: Part = { kind: 'line', key: 0, hunk: 0, left: 0, right: 0 };
    expect(heightOf(part, [long], measures)).toBe((LINE_SHOWN / 100) * measures.line);
  });

  it('are kept as measured when other parts come and go', () => {
    const body = new FileBody(0, file([...many(30), added(31, ['x'])]));
    const shape = { split: false, freshOnly: false };
    body.build(shape, measures);
    const index = body.parts.findIndex((part) => part.kind === 'line');
    const { key } = body.parts[index] as Part;
    expect(body.column.take([[index, 61]]), 'it differs').toBe(true);
    expect(body.column.take([[index, 61.2]]), 'by less than it can be seen').toBe(false);
    body.opened.add(0);
    body.build(shape, measures, true);
    const now = body.indexOf(key);
    expect(body.column.begin(now + 1) - body.column.begin(now)).toBe(61);
  });

  it('say what is drawn, with empty stretches of the right height in between', () => {
    const column = new Column(Array.from({ length: 1000 }, () => 20));
    const slices = slicesOf(column.offsets, 4000, 4100, [3, 900]);
    expect(slices.flatMap((slice) => (slice.kind === 'index' ? [slice.index] : []))).toEqual([
      3, 200, 201, 202, 203, 204, 205, 900,
    ]);
    const height = slices.reduce((sum, slice) => sum + (slice.kind === 'space' ? slice.height : 20), 0);
    expect(height, 'nothing moves by being drawn').toBe(column.height);
    expect(slicesOf([0], 0, 100)).toEqual([]);
    expect(slicesOf(column.offsets, -500, -100).filter((slice) => slice.kind === 'index').length).toBe(1);
  });

  it('of a long line grow up to a bound', () => {
    const body = new FileBody(0, file([added(1, ['x'.repeat(1_000_000)])]));
    expect(body.limitOf(0)).toBe(LINE_SHOWN);
    for (let times = 0; times < 20; times += 1) body.showMore(0);
    expect(body.limitOf(0)).toBe(LINE_MOST);
  });
});

describe('finding', () => {
  const files = [file([context(1, 1, 'Alpha [beta]')]), file([added(1, ['al', true], ['pha alpha', false])])];
  const found = (query: string) => {
    const wanted = pattern(query);
    return wanted ? [...search(files, wanted)].flat() : [];
  };

  it('knows every row, letters of both cases alike, and words cut by a mark', () => {
    expect(found('alpha').map(({ file, start }) => [file, start])).toEqual([
      [0, 0],
      [1, 0],
      [1, 6],
    ]);
    expect(found('[beta]').length, 'signs mean themselves').toBe(1);
    expect(found('')).toEqual([]);
  });

  it('stops counting at a bound', () => {
    const wanted = pattern('a') as RegExp;
    const much = [file([added(1, ['a'.repeat(HITS + 10)])])];
    expect([...search(much, wanted)].flat().length).toBe(HITS);
  });

  it('goes on from where one is, and round', () => {
    const hits = found('alpha');
    const at = (file: number) => ({ file, hunk: 0, row: 0 });
    expect(hitFrom(hits, at(1), 1)).toBe(1);
    expect(hitFrom(hits, at(2), 1), 'round').toBe(0);
    expect(hitFrom(hits, at(0), -1), 'round').toBe(2);
    expect(hitFrom([], at(0), 1)).toBe(-1);
  });

  it('marks hits and changed words at once, up to what is drawn', () => {
    const row = added(1, ['al', true], ['pha', false]);
    const stretches = stretchesOf(row, 4, pattern('lph'));
    expect(stretches).toEqual([
      { text: 'a', changed: true, hit: null },
      { text: 'l', changed: true, hit: 1 },
      { text: 'ph', changed: false, hit: 1 },
    ]);
    expect(
      stretchesOf(row, 100, null)
        .map((each) => each.text)
        .join(''),
    ).toBe('alpha');
  });
});

describe('the tree of files', () => {
  const { files } = everyKind();
  const names = (filter: string, closed: string[] = []) =>
    treeOf(files, filter, new Set(closed)).map((row) => `${'  '.repeat(row.depth)}${row.name}`);

  it('draws folders that hold one folder only as one', () => {
    expect(names('')).toEqual([
      'assets/dashboards',
      '  webhooks-overview.png',
      'scripts',
      '  replay.sh',
      'src',
      '  webhooks',
      '    queue',
      '      limits.rs',
      '      table.rs',
      '    backoff.rs',
      '    deliver.rs',
      '  legacy.rs',
    ]);
  });

  it('filters by every word, and hides what a closed folder holds', () => {
    expect(names('rs QUEUE')).toEqual(['src/webhooks/queue', '  limits.rs', '  table.rs']);
    expect(names('', ['src/webhooks/'])).not.toContain('    backoff.rs');
    expect(names('backoff', ['src/webhooks/']), 'what is found is shown').toContain('  backoff.rs');
    expect(names('no such')).toEqual([]);
  });
});
