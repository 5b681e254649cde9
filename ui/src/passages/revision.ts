// What changed from an earlier message of the agent to this one: block by block, and word by word where a
// block says something else in much the same words. Pure, and bounded in time.
import { leafText, type Leaf } from '../markdown/plain';
import type { Passage } from '../reply/remarks.svelte';
import { inkOf, passageOf } from './quote';
import { gapsOf } from './sequence';

/** Characters of a message that are compared; a longer one isn't. */
export const COMPARED_CHARS = 65_536;
/** Visible characters of a message that is worth comparing. */
export const LEAST_INK = 160;
/** Blocks that may differ before two messages count as different ones. */
const BLOCK_STEPS = 400;
/** Words that may differ before a block counts as written anew. */
const WORD_STEPS = 300;
/** The part of a message that has to stay for it to be a revision of another. */
const LEAST_KEPT = 0.3;
/** The part of their words that two blocks share when one is a rewording of the other. */
const LEAST_ALIKE = 0.4;
/** Blocks of one change that are compared with one another: so many of the one times so many of the other. */
const PAIRS = 2_500;

/** A piece of an earlier text, and whether it is gone. */
export interface Piece {
  text: string;
  gone: boolean;
}

/** What is to be seen at a block of the message. */
export interface Change {
  kind: 'new' | 'reworded' | 'kept';
  /** How a reworded block was; empty otherwise. */
  before: readonly Piece[];
  /** Blocks that stood after it and are gone. */
  removed: readonly string[];
}

export interface Revision {
  /** By the block's number; -1 for what stood before the first one and is gone. */
  changes: ReadonlyMap<number, Change>;
  /** The words of the message that are new. */
  fresh: readonly Passage[];
  /** The block at which each change begins: neighbouring blocks are one change. */
  places: readonly number[];
}

/**
 * How a message differs from an earlier one. Null where one of them is too long or too short to compare, or
 * where they have too little in common to be two versions of one text.
 */
export function revisionOf(before: readonly Leaf[], now: readonly Leaf[]): Revision | null {
  const [old, text] = [before.map(leafText), now.map(leafText)];
  if (Math.max(lengthOf(old), lengthOf(text)) > COMPARED_CHARS) return null;
  const all = Math.max(sum(old.map(inkOf)), sum(text.map(inkOf)));
  if (all < LEAST_INK) return null;
  const names = new Map<string, number>();
  const nameOf = (leaf: Leaf, words: string) => {
    const key = `${leaf.kind} ${words.replace(/\s+/g, ' ').trim()}`;
    const known = names.get(key) ?? names.size;
    names.set(key, known);
    return known;
  };
  const gaps = gapsOf(
    before.map((leaf, index) => nameOf(leaf, old[index] ?? '')),
    now.map((leaf, index) => nameOf(leaf, text[index] ?? '')),
    BLOCK_STEPS,
  );
  if (!gaps) return null;

  const changes = new Map<number, Change>();
  const fresh: Passage[] = [];
  const places: number[] = [];
  let lost = 0;
  let touched = false;
  const note = (leaf: number, change: Partial<Change>) => {
    const known = changes.get(leaf) ?? { kind: 'kept', before: [], removed: [] };
    changes.set(leaf, { ...known, ...change });
    touched = true;
  };
  for (const gap of gaps) {
    let next = gap.from;
    let above = gap.newFrom - 1;
    touched = false;
    const removedUntil = (end: number) => {
      const gone = old.slice(next, end).filter((words) => words.trim() !== '');
      if (gone.length > 0) note(above, { removed: [...(changes.get(above)?.removed ?? []), ...gone] });
      lost += sum(gone.map(inkOf));
      next = end;
    };
    const pairs = pairsOf(before, now, old, text, gap);
    for (let leaf = gap.newFrom; leaf < gap.newUntil; leaf += 1) {
      const words = text[leaf] ?? '';
      const twin = pairs.get(leaf);
      const reworded = twin === undefined ? null : rewordingOf(old[twin] ?? '', words, leaf);
      if (twin !== undefined && reworded) {
        removedUntil(twin);
        next = twin + 1;
        note(leaf, { kind: 'reworded', before: reworded.before });
        fresh.push(...reworded.fresh);
        lost += reworded.lost;
      } else if (words.trim() !== '') {
        const whole = passageOf(now, leaf);
        if (whole) fresh.push(whole);
        note(leaf, { kind: 'new' });
      }
      above = leaf;
    }
    removedUntil(gap.until);
    if (touched) places.push(Math.max(0, gap.newFrom < gap.newUntil ? gap.newFrom : above));
  }
  const kept = 1 - Math.max(lost, sum(fresh.map(({ from, to }) => to.ink - from.ink))) / all;
  return kept < LEAST_KEPT ? null : { changes, fresh, places };
}

/** Which earlier block each block of a gap is a rewording of, both in their order. */
function pairsOf(
  before: readonly Leaf[],
  now: readonly Leaf[],
  old: readonly string[],
  text: readonly string[],
  gap: { from: number; until: number; newFrom: number; newUntil: number },
): Map<number, number> {
  const pairs = new Map<number, number>();
  if ((gap.until - gap.from) * (gap.newUntil - gap.newFrom) > PAIRS) return pairs;
  const bags = old.slice(gap.from, gap.until).map((words) => bagOf(wordsOf(words)));
  let next = gap.from;
  for (let leaf = gap.newFrom; leaf < gap.newUntil; leaf += 1) {
    const bag = bagOf(wordsOf(text[leaf] ?? ''));
    let best = LEAST_ALIKE;
    let found = -1;
    for (let each = next; each < gap.until; each += 1) {
      if (before[each]?.kind !== now[leaf]?.kind) continue;
      const alike = likeness(bags[each - gap.from] ?? new Map(), bag);
      if (alike >= best) [best, found] = [alike + Number.EPSILON, each];
    }
    if (found < 0) continue;
    pairs.set(leaf, found);
    next = found + 1;
  }
  return pairs;
}

/** Words, single signs and white space; every sign of a script without blanks is a word. */
function wordsOf(text: string): string[] {
  return (
    text.match(
      /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu,
    ) ?? []
  );
}

function bagOf(words: readonly string[]): Map<string, number> {
  const bag = new Map<string, number>();
  for (const word of words) if (/\S/.test(word)) bag.set(word, (bag.get(word) ?? 0) + 1);
  return bag;
}

/** The part of their words that two bags share, from 0 to 1. */
function likeness(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let shared = 0;
  for (const [word, count] of one) shared += Math.min(count, other.get(word) ?? 0);
  const all = sum([...one.values()]) + sum([...other.values()]);
  return all === 0 ? 0 : (2 * shared) / all;
}

interface Rewording {
  before: Piece[];
  fresh: Passage[];
  /** Visible characters that are gone. */
  lost: number;
}

/** What of a block is new, and what of its earlier text is gone; null where nearly all of it is. */
function rewordingOf(before: string, now: string, leaf: number): Rewording | null {
  const [old, words] = [wordsOf(before), wordsOf(now)];
  const gaps = gapsOf(old, words, WORD_STEPS);
  if (!gaps) return null;
  const text = (of: readonly string[], from: number, until: number) => of.slice(from, until).join('');
  const pieces: Piece[] = [];
  const say = (said: string, gone: boolean) => {
    const last = pieces.at(-1);
    if (said === '') return;
    if (last && last.gone === gone) last.text += said;
    // Words with nothing but a blank between them are one stretch.
    else if (gone && last?.text.trim() === '' && pieces.length > 1) {
      pieces.pop();
      const before = pieces.at(-1);
      if (before) before.text += last.text + said;
    } else pieces.push({ text: said, gone });
  };
  const fresh: Passage[] = [];
  let at = 0;
  let newAt = 0;
  let ink = 0;
  for (const { from, until, newFrom, newUntil } of gaps) {
    const between = text(words, newAt, newFrom);
    const start = ink + inkOf(between);
    const end = start + inkOf(text(words, newFrom, newUntil));
    const last = fresh.at(-1);
    if (last && start === last.to.ink) last.to = { leaf, ink: end };
    else if (end > start) fresh.push({ from: { leaf, ink: start }, to: { leaf, ink: end } });
    say(text(old, at, from), false);
    say(text(old, from, until), true);
    [at, newAt, ink] = [until, newUntil, end];
  }
  say(text(old, at, old.length), false);
  return { before: pieces, fresh, lost: sum(pieces.map((piece) => (piece.gone ? inkOf(piece.text) : 0))) };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
const lengthOf = (texts: readonly string[]) => sum(texts.map((text) => text.length));
