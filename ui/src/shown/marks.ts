// What of a text nobody would see as it is, or would take for something else: where it stands, and what it is. Pure.
// The gate shows the same characters to terminals (gate-core/src/unseen.rs).
import { alikeIn } from './alike';
import { nameOf } from './names';

/**
 * What is odd: a character that nobody sees, one that turns the direction of reading, a blank that isn't the usual one, a
 * letter that looks like another, very many blanks or empty lines that push what follows far away. A letter that is
 * written from the right is only kept from moving what stands around it.
 */
export type Kind = 'unseen' | 'turns' | 'blank' | 'alike' | 'spaces' | 'lines' | 'apart';

export interface Mark {
  /** From where to before where, in UTF-16 units. */
  start: number;
  end: number;
  kind: Kind;
  /** The code point, like `U+202E`; empty for none. */
  code: string;
  /** What Unicode calls it; empty where that isn't known. */
  name: string;
  /** The letter that it looks like; empty for none. */
  like: string;
  /** How many blanks or lines. */
  count: number;
}

/** More blanks than this in a line of prose, which would show one of them. */
const BLANKS = 20;
/** More columns of blanks than this between words of code; before its first word there may be more. */
const COLUMNS = 60;
const INDENT = 120;
const TAB = 4;
/** More empty lines than this, one below the other. */
export const LINES = 20;

/** Flags of parts of a country, and all that may be odd. */
const ODD =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}|[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\x00-\x08\x0B-\x1F\x7F-\x9F\u00A0\u1680\u2000-\u200A\u202F\u205F\u2800\u3000\uFFF9-\uFFFB]/gu;
/**
 * Text in which nothing is odd: Latin letters, signs, Chinese, Japanese and Korean ones. Most that is written is, and this
 * costs one look at it.
 */
const ORDINARY =
  /^[\n\t\x20-\x7E\xA1-\xAC\xAE-\u017E\u0180-\u024F\u02B0-\u02FF\u2010-\u2027\u2030-\u205E\u2070-\u20BF\u2116\u2122\u2150-\u27FF\u2900-\u2BFF\u2E80-\u2FFF\u3001-\u312F\u3190-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF\uFF01-\uFF20\uFF3B-\uFF40\uFF5B-\uFF9F]*$/;
const PUSHES = /[ \t]{16}|(?:\n[ \t]*){20}/;
const BLANK = /\p{Zs}/u;
const TURNS = /\p{Bidi_Control}/u;
/** An emoji before a joiner: with the selector of its form, or a colour of skin. */
const EMOJI_BEFORE = /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?$/u;
const PICTOGRAPH_BEFORE = /\p{Extended_Pictographic}$/u;
const PICTOGRAPH_AFTER = /^\p{Extended_Pictographic}/u;
/** Scripts whose letters are joined, or kept apart, by characters that nobody sees. */
const JOINS =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Mongolian}]$/u;
const CHINESE =
  /[\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3001-\u303F\uFF00-\uFFEF]/u;
/** Runs of letters that are written from the right. */
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]+/gu;
/** What people who write such letters put beside signs and Latin words: it does no more than one of the letters would. */
const SIDE = /[\u200E\u200F\u061C]/;

/** Whether a character that nobody sees is what an emoji or a script is written with. */
function isNeeded(point: number, before: string, after: string): boolean {
  if (point === 0xfe0e || point === 0xfe0f)
    return PICTOGRAPH_BEFORE.test(before) || (/[0-9#*]$/.test(before) && after.startsWith('\u20E3'));
  if (point === 0x200c) return JOINS.test(before);
  if (point === 0x200d)
    return JOINS.test(before) || (EMOJI_BEFORE.test(before) && PICTOGRAPH_AFTER.test(after));
  if (point >= 0x180b && point <= 0x180f) return /[\u1800-\u18AA]$/.test(before);
  if ((point >= 0xfe00 && point <= 0xfe02) || (point >= 0xe0100 && point <= 0xe01ef))
    return /\p{Ideographic}$/u.test(before);
  return false;
}

/**
 * Whether a blank is one that people write: before French signs and in numbers of prose; between Chinese characters, and
 * before the first of them.
 */
function isWritten(point: number, before: string, after: string, code: boolean): boolean {
  if (point === 0x3000) return CHINESE.test(before.slice(-1) + after.replace(/^\u3000/, '').charAt(0));
  if (code || (point !== 0xa0 && point !== 0x202f)) return false;
  return /[\d«‹–]$/.test(before) || /^[:;!?»›%‰€°§\d–]/.test(after);
}

const codeOf = (point: number) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;

function* characters(text: string, code: boolean): Generator<Mark> {
  const fromRight = !code && text.search(FROM_RIGHT) >= 0;
  for (const { index, 0: found } of text.matchAll(ODD)) {
    const point = found.codePointAt(0) ?? 0;
    // A flag that is written out.
    if (point === 0x1f3f4) continue;
    const end = index + found.length;
    const [before, after] = [text.slice(Math.max(0, index - 4), index), text.slice(end, end + 2)];
    if (isNeeded(point, before, after) || isWritten(point, before, after, code)) continue;
    if (fromRight && SIDE.test(found)) continue;
    const kind = TURNS.test(found) ? 'turns' : BLANK.test(found) ? 'blank' : 'unseen';
    const mark = {
      start: index,
      end,
      kind,
      code: codeOf(point),
      name: nameOf(point),
      like: '',
      count: 1,
    } as const;
    yield mark;
  }
}

function* runs(text: string, code: boolean): Generator<Mark> {
  for (const { index, 0: found } of text.matchAll(/[ \t]{16,}/g)) {
    const end = index + found.length;
    const [before, after] = [text.charAt(index - 1), text.charAt(end)];
    // Nothing is pushed away at the end of a line.
    if (after === '' || after === '\n' || after === '\r') continue;
    const begins = before === '' || before === '\n';
    const columns = [...found].reduce((sum, blank) => sum + (blank === '\t' ? TAB : 1), 0);
    if (code ? columns <= (begins ? INDENT : COLUMNS) : begins || columns <= BLANKS) continue;
    yield { start: index, end, kind: 'spaces', code: '', name: '', like: '', count: found.length };
  }
  for (const { index, 0: found } of text.matchAll(/\n(?:[ \t\r]*\n){20,}/g)) {
    const end = index + found.length;
    const count = found.split('\n').length - 2;
    // The line breaks around them stay.
    if (end < text.length && count > LINES)
      yield { start: index + 1, end: end - 1, kind: 'lines', code: '', name: '', like: '', count };
  }
}

function* letters(text: string): Generator<Mark> {
  for (const { start, letter, like, name } of alikeIn(text)) {
    const code = codeOf(letter.codePointAt(0) ?? 0);
    yield { start, end: start + letter.length, kind: 'alike', code, name, like, count: 1 };
  }
}

function* fromRight(text: string): Generator<Mark> {
  for (const { index, 0: found } of text.matchAll(FROM_RIGHT))
    yield { start: index, end: index + found.length, kind: 'apart', code: '', name: '', like: '', count: 1 };
}

/**
 * What is odd in a text, in its order; none overlap. In `code` most odd blanks are, and letters that are written from the
 * right stay where they stand.
 */
export function marksOf(text: string, code: boolean): Mark[] {
  if (ORDINARY.test(text) && !PUSHES.test(text)) return [];
  const marks = [...characters(text, code), ...runs(text, code), ...letters(text)];
  if (code) marks.push(...fromRight(text));
  marks.sort((a, b) => a.start - b.start);
  let end = 0;
  return marks.filter((mark) => {
    if (mark.start < end) return false;
    end = mark.end;
    return true;
  });
}

/** A piece of a text: odd, or not. */
export interface Piece {
  text: string;
  mark: Mark | null;
}

/** A part of a text in pieces. `marks` are those of the whole text, of which the part begins at `from`. */
export function piecesOf(part: string, marks: readonly Mark[], from = 0): Piece[] {
  const pieces: Piece[] = [];
  const to = from + part.length;
  let at = from;
  for (const mark of marks) {
    const [start, end] = [Math.max(mark.start, from), Math.min(mark.end, to)];
    if (end <= start) continue;
    if (start > at) pieces.push({ text: part.slice(at - from, start - from), mark: null });
    pieces.push({ text: part.slice(start - from, end - from), mark });
    at = end;
  }
  if (at < to) pieces.push({ text: part.slice(at - from), mark: null });
  return pieces;
}
