// @vitest-environment node
// Contrast of the colours that stand on one another, by the formulas of WCAG 2.2 (1.4.3 and 1.4.11).
import { describe, expect, it } from 'vitest';
import { read } from './sources';

const css = read('src/styles/tokens.css').replace(/\/\*[\s\S]*?\*\//g, '');

/** The colours of a theme, with what they refer to. */
function tokens(theme: 'light' | 'dark'): Map<string, string> {
  const all = new Map<string, string>();
  for (const [, selector, body] of css.matchAll(/(:root[^{]*)\{([^}]*)\}/g)) {
    if (selector?.includes('[') && !selector.includes(`'${theme}'`)) continue;
    for (const [, name, value] of (body ?? '').matchAll(/(--[\w-]+):\s*([^;]+);/g))
      all.set(name as string, (value as string).trim());
  }
  return all;
}

type Colour = [red: number, green: number, blue: number];

function colour(name: string, all: Map<string, string>): Colour {
  const value = all.get(name);
  const reference = /^var\((--[\w-]+)\)$/.exec(value ?? '')?.[1];
  if (reference) return colour(reference, all);
  const hex = /^#([0-9a-f]{6})$/i.exec(value ?? '')?.[1];
  if (!hex) throw new Error(`${name} is no plain colour: ${value}`);
  return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)) as Colour;
}

function luminance(of: Colour): number {
  const [red, green, blue] = of.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Colour;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: Colour, b: Colour): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ['--surface', '--chrome', '--raised', '--sunken', '--hover'];
/** The lines of a diff, in a request and in a conversation. */
const LINES = ['--surface', '--raised', '--bubble', '--added', '--removed'];
/** Text and the grounds that it stands on; 4.5 to 1. */
const TEXT: [string, readonly string[]][] = [
  [
    '--ink',
    [
      ...GROUNDS,
      '--pressed',
      '--hairline',
      '--accent-soft',
      '--bubble',
      '--added',
      '--removed',
      '--added-mark',
      '--removed-mark',
      '--hit',
    ],
  ],
  ['--ink-2', [...GROUNDS, '--pressed', '--bubble', '--accent-soft']],
  ['--ink-3', GROUNDS],
  ['--accent-ink', [...GROUNDS, '--accent-soft']],
  ['--surface', ['--accent']],
  ['--on-go', ['--go', '--go-hover']],
  ['--go-ink', [...GROUNDS, '--go-soft', '--added']],
  ['--warn-ink', [...GROUNDS, '--warn-soft']],
  ['--danger-ink', [...GROUNDS, '--danger-soft', '--removed']],
  ['--toast-ink', ['--toast']],
  ['--toast-quiet', ['--toast']],
  ['--toast-accent', ['--toast']],
  ['--toast-danger', ['--toast']],
  // Code, code that has a comment, and code in a diff with its changed words.
  ...['keyword', 'type', 'name', 'string', 'number', 'property', 'tag', 'meta'].map(
    (kind): [string, readonly string[]] => [
      `--code-${kind}`,
      ['--chrome', '--raised', '--remark', ...LINES, '--added-mark', '--removed-mark'],
    ],
  ),
  ['--code-comment', ['--chrome', '--raised', '--remark', ...LINES]],
  ['--ink-2', ['--added-mark', '--removed-mark']],
  ...['--ink', '--ink-2', '--accent-ink'].map((ink): [string, readonly string[]] => [ink, ['--remark']]),
];
/** What is seen but not read: the ring of the focus, bars, dots; 3 to 1. */
const SIGNS: [string, readonly string[]][] = [
  ['--accent', [...GROUNDS, '--track']],
  ['--go', ['--sunken', '--chrome', '--surface']],
];

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  const all = tokens(theme);
  const weak = (pairs: typeof TEXT, least: number) =>
    pairs.flatMap(([ink, grounds]) =>
      grounds
        .map((ground) => ({
          pair: `${ink} on ${ground}`,
          is: contrast(colour(ink, all), colour(ground, all)),
        }))
        .filter(({ is }) => is < least)
        .map(({ pair, is }) => `${pair}: ${is.toFixed(2)}`),
    );

  it('text can be read', () => {
    expect(weak(TEXT, 4.5), 'WCAG 2.2, 1.4.3: at least 4.5').toEqual([]);
  });

  it('signs can be seen', () => {
    const dots = Array.from({ length: 8 }, (_, index): [string, readonly string[]] => [
      `--dot-${index}`,
      ['--surface', '--chrome'],
    ]);
    expect(weak([...SIGNS, ...dots], 3), 'WCAG 2.2, 1.4.11: at least 3').toEqual([]);
  });
});
