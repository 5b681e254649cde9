// @vitest-environment node
// What is odd in a text: what nobody sees, what turns it, what looks like something else; and what is honest.
import { describe, expect, it } from 'vitest';
import { plainly, uncoded } from '../src/components/coded';
import { foldedLines, groupsOf, linesOf } from '../src/markdown/code';
import { unsaid } from '../src/markdown/unsaid';
import { marksOf, piecesOf } from '../src/shown/marks';

const told = (text: string, code = false) =>
  marksOf(text, code).map(({ kind, code: point, name, like }) => [kind, point, name, like].filter(Boolean));
const kinds = (text: string, code = false) => marksOf(text, code).map(({ kind }) => kind);

describe('what nobody sees', () => {
  it('is marked by its code point and its name', () => {
    expect(told('a\u200bb')).toEqual([['unseen', 'U+200B', 'ZERO WIDTH SPACE']]);
    expect(told('a\u202eb\u2069')).toEqual([
      ['turns', 'U+202E', 'RIGHT-TO-LEFT OVERRIDE'],
      ['turns', 'U+2069', 'POP DIRECTIONAL ISOLATE'],
    ]);
    expect(told('a\u00adb\u3164c\u{e0041}d\u0000e\u2028f')).toEqual([
      ['unseen', 'U+00AD', 'SOFT HYPHEN'],
      ['unseen', 'U+3164', 'HANGUL FILLER'],
      ['unseen', 'U+E0041', 'TAG A'],
      ['unseen', 'U+0000', 'NULL'],
      ['unseen', 'U+2028', 'LINE SEPARATOR'],
    ]);
    expect(kinds('👍\ufe0f\ufe01\u{e0155}'), 'bytes that an emoji carries').toEqual(['unseen', 'unseen']);
  });

  it('isn’t what an emoji or a script is written with', () => {
    for (const honest of [
      'plain words\tand\nlines',
      'naïve Ærø Łódź ¿qué? “so” – 5 × 3 µs',
      '👩‍💻 👩🏽‍🚀 ❤️ 1️⃣ 🏳️‍🌈 🏴󠁧󠁢󠁳󠁣󠁴󠁿 ©️',
      'می‌خواهم क्‍ष 葛󠄀',
      '你好，世界。API接口 ＡＢＣ　全角',
      'Привет, мир: это не латиница',
      'Ελληνικά, Δt, 5 Ω',
    ])
      expect(told(honest), honest).toEqual([]);
  });

  it('isn’t what stands beside letters that are written from the right', () => {
    expect(told('العمل بلغة C++\u200f! ثم\u200e v2'), 'it does no more than they do').toEqual([]);
    expect(kinds('pay C++\u200f now'), 'where no such letter stands').toEqual(['turns']);
    expect(kinds('x = 1 # שלום\u200f', true).filter((kind) => kind !== 'apart')).toEqual(['turns']);
    expect(kinds('שלום \u202eabc'), 'what turns others').toEqual(['turns']);
  });

  it('is a blank of another kind, but for those that people write', () => {
    expect(told('a\u00a0b')).toEqual([['blank', 'U+00A0', 'NO-BREAK SPACE']]);
    expect(told('« oui\u00a0», 10\u00a0km, vrai\u202f!'), 'in prose').toEqual([]);
    expect(kinds('10\u00a0km', true), 'in code none is').toEqual(['blank']);
    expect(kinds('a\u3000b')).toEqual(['blank']);
    expect(kinds('\u3000\u3000段落，全角\u3000空格', true), 'Chinese has one of its own').toEqual([]);
  });
});

describe('ordinary text', () => {
  it('is passed over at one look, and nothing odd with it', () => {
    const missed: string[] = [];
    for (let point = 0; point <= 0xffff; point += 1) {
      const around = [`a${String.fromCharCode(point)}b`, `全${String.fromCharCode(point)}b`];
      // What isn't ordinary beside it has all of the text looked at.
      for (const text of around)
        for (const code of [false, true])
          if (marksOf(text, code).length + 1 !== marksOf(`${text}\n\u200b`, code).length)
            missed.push(point.toString(16));
    }
    expect(missed).toEqual([]);
  });
});

describe('a letter that looks like another', () => {
  it('is marked within a word of Latin', () => {
    expect(told('p\u0430yments.py')).toEqual([['alike', 'U+0430', 'CYRILLIC SMALL LETTER A', 'a']]);
    expect(told('Αdmin')).toEqual([['alike', 'U+0391', 'GREEK CAPITAL LETTER ALPHA', 'A']]);
    expect(told('ａdmin')).toEqual([['alike', 'U+FF41', 'FULLWIDTH LATIN SMALL LETTER A', 'a']]);
    expect(told('is_\u0435nabled')).toEqual([['alike', 'U+0435', 'CYRILLIC SMALL LETTER IE', 'e']]);
    expect(kinds('Ꭺdmin'), 'of a script that hardly anybody writes').toEqual(['alike']);
  });

  it('isn’t in words that are honest', () => {
    for (const honest of [
      ...['сосна', 'Git-репозиторий', 'x = Δx + λ', 'μm', 'café', 'GPUが速い'],
      '请使用Ａ方案或B方案，サーバーＡとserverB',
    ])
      expect(kinds(honest, true), honest).toEqual([]);
  });
});

describe('what is pushed far away', () => {
  it('is found by the blanks before it', () => {
    expect(kinds(`ok${' '.repeat(21)}rm -rf`)).toEqual(['spaces']);
    expect(kinds(`ok${' '.repeat(20)}rm -rf`)).toEqual([]);
    expect(kinds(`x = 1${' '.repeat(60)}# aligned`, true), 'code is aligned').toEqual([]);
    expect(kinds(`x = 1;${' '.repeat(61)}steal()`, true)).toEqual(['spaces']);
    expect(kinds(`${' '.repeat(120)}deep();`, true)).toEqual([]);
    expect(kinds(`${' '.repeat(121)}deep();`, true)).toEqual(['spaces']);
    expect(kinds(`${'\t'.repeat(31)}deep();`, true)).toEqual(['spaces']);
    expect(kinds(`x = 1;${' '.repeat(500)}`, true), 'at the end nothing is').toEqual([]);
  });

  it('or by the empty lines', () => {
    expect(marksOf(`a\n${'\n'.repeat(40)}b`, true)).toMatchObject([{ kind: 'lines', count: 40 }]);
    expect(kinds(`a\n${' \n'.repeat(40)}b`, true), 'with blanks in them').toEqual(['lines']);
    expect(kinds(`a\n${'\n'.repeat(20)}b`, true)).toEqual([]);
    const code = `a\n${'\n'.repeat(40)}b\n\nc`;
    const lines = foldedLines(code, linesOf(code));
    expect(lines.map(({ empty }) => empty)).toEqual([undefined, 40, undefined, undefined, undefined]);
    expect(groupsOf([...lines, ...linesOf('x\n'.repeat(80))])[1]?.from, 'numbers go on').toBe(40 + 60);
  });
});

describe('pieces', () => {
  const text = 'p\u0430y\u202e now';
  it('are all of the text, in its order', () => {
    const pieces = piecesOf(text, marksOf(text, true));
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(pieces.map((piece) => piece.mark?.kind)).toEqual([
      undefined,
      'alike',
      undefined,
      'turns',
      undefined,
    ]);
  });

  it('of a part keep the marks of the whole', () => {
    const marks = marksOf(text, true);
    const [first, second] = [piecesOf(text.slice(0, 2), marks), piecesOf(text.slice(2), marks, 2)];
    expect(first.map((piece) => piece.mark?.kind)).toEqual([undefined, 'alike']);
    expect(second.map((piece) => piece.text)).toEqual(['y', '\u202e', ' now']);
  });
});

describe('where only text fits', () => {
  it('what nobody sees is its code point', () => {
    expect(plainly('a\u202eb 👩‍💻 ❤️')).toBe('a⟨U+202E⟩b 👩‍💻 ❤️');
    expect(uncoded('`a\u200b`')).toBe('a⟨U+200B⟩');
    expect(plainly('می‌خواهم'), 'letters that are joined').toBe('می‌خواهم');
    expect(plainly('a\u2800\ufff9b')).toBe('a⟨U+2800⟩⟨U+FFF9⟩b');
  });
});

describe('a link', () => {
  it('says where it goes, as far as its words don’t', () => {
    expect(unsaid('https://a.example/x', 'the plan')).toEqual({ where: 'a.example', other: false });
    expect(unsaid('https://a.example/x/', 'https://a.example/x')).toBeNull();
    expect(unsaid('https://github.com/a/b', 'src/main.rs')).toEqual({ where: 'github.com', other: false });
    expect(unsaid('mailto:a@b.example', 'a@b.example')).toBeNull();
  });

  it('says more where its words are another address', () => {
    expect(unsaid('https://evil.example', 'github.com')).toEqual({ where: 'evil.example', other: true });
    expect(unsaid('https://evil.example/a', 'https://github.com/a')).toMatchObject({ other: true });
    expect(unsaid('https://github.com/evil/b', 'github.com/a/b')).toEqual({
      where: 'https://github.com/evil/b',
      other: true,
    });
    expect(unsaid('https://www.github.com/a', 'github.com/a')).toBeNull();
    expect(unsaid('mailto:a@evil.example', 'a@good.example')).toMatchObject({ other: true });
  });
});
