// Where spoken words go in a text, and where they are after the text was edited. Pure.

/** A part of a text: from the character `start` up to the one before `end`. */
export interface Part {
  start: number;
  end: number;
}

/** What is written without blanks between words: Chinese and Japanese, and their punctuation. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
/** What a word follows without a blank: opening brackets and quotes, and what holds words together. */
const OPENS = /[([{<“‘«„¿¡@#/\\-]$/u;
/** What follows a word without a blank. */
const CLOSES = /^[)\]}>.,;:!?…”’»%]/u;

/** The last character of a text, and the first: whole ones, also beyond the first plane. */
const last = (text: string) => [...text.slice(-2)].at(-1) ?? '';
const first = (text: string) => [...text.slice(0, 2)][0] ?? '';

function touch(before: string, after: string): boolean {
  const [left, right] = [last(before), first(after)];
  if (left === '' || right === '' || /\s/.test(left) || /\s/.test(right)) return true;
  if (UNSPACED.test(left) || UNSPACED.test(right)) return true;
  return OPENS.test(left) || CLOSES.test(right);
}

/** Spoken words with the blanks that they need between what stands before and behind them. */
export function spaced(before: string, spoken: string, after: string): string {
  const words = spoken.replace(/^[ \t]+|[ \t]+$/g, '');
  if (words === '') return '';
  return `${touch(before, words) ? '' : ' '}${words}${touch(words, after) ? '' : ' '}`;
}

/** The one place where two texts differ: from there, how much was taken out and how much put in. */
export function edit(before: string, after: string): { at: number; taken: number; put: number } {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at += 1;
  let tail = 0;
  while (tail < most - at && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return { at, taken: before.length - at - tail, put: after.length - at - tail };
}

/** Where a place in the text is after an edit; what was put in there stands before it. */
export function movedPlace(place: number, before: string, after: string): number {
  const { at, taken, put } = edit(before, after);
  if (place < at) return place;
  return place >= at + taken ? place + put - taken : at + put;
}

/** Where a part of the text is after an edit; null where it was edited itself. */
export function movedPart(part: Part, before: string, after: string): Part | null {
  const { at, taken, put } = edit(before, after);
  if (at + taken <= part.start) return { start: part.start + put - taken, end: part.end + put - taken };
  return at >= part.end ? part : null;
}
