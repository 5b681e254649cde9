// Passages of a document as text: what stands between two places of it, and where a text stands in it.
// Places count visible characters, so that it doesn't matter how the page breaks its lines. Pure.
import { leafText, type Leaf } from '../markdown/plain';
import { QUOTE_CHARS, type Passage } from '../reply/remarks.svelte';

/** How many visible characters the text has. */
export function inkOf(text: string): number {
  return text.replace(/\s+/g, '').length;
}

/** The index in the text before which as many visible characters stand; a place behind white space, not before. */
export function indexOfInk(text: string, ink: number): number {
  let seen = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (/\s/.test(text.charAt(index))) continue;
    if (seen === ink) return index;
    seen += 1;
  }
  return text.length;
}

/** The index in the text right after as many visible characters. */
export function endOfInk(text: string, ink: number): number {
  return ink <= 0 ? 0 : Math.min(text.length, indexOfInk(text, ink - 1) + 1);
}

/** The words of a passage, at most {@link QUOTE_CHARS}; an empty line between blocks. */
export function quoteOf(leaves: readonly Leaf[], { from, to }: Passage): string {
  const parts: string[] = [];
  let length = 0;
  for (let index = from.leaf; index <= to.leaf && length <= QUOTE_CHARS; index += 1) {
    const leaf = leaves[index];
    if (!leaf) break;
    const text = leafText(leaf);
    const start = index === from.leaf ? indexOfInk(text, from.ink) : 0;
    const end = index === to.leaf ? endOfInk(text, to.ink) : text.length;
    const part = text.slice(start, Math.min(end, start + QUOTE_CHARS + 1)).trimEnd();
    if (part.trim() === '') continue;
    parts.push(part);
    length += part.length + 2;
  }
  return cut(parts.join('\n\n'));
}

function cut(text: string): string {
  // The gate counts characters, this counts their halves; fewer is always allowed.
  if (text.length <= QUOTE_CHARS) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(QUOTE_CHARS - 1)) ? QUOTE_CHARS - 1 : QUOTE_CHARS;
  return text.slice(0, end);
}

/** A whole leaf as a passage. */
export function passageOf(leaves: readonly Leaf[], index: number): Passage | null {
  const leaf = leaves[index];
  const ink = leaf ? inkOf(leafText(leaf)) : 0;
  return ink === 0 ? null : { from: { leaf: index, ink: 0 }, to: { leaf: index, ink } };
}

/** Where a document's text stands, to look for many quotes in it. */
export class Finder {
  #text: string;
  /** Where each leaf begins in the text. */
  #starts: number[] = [];

  constructor(leaves: readonly Leaf[]) {
    const parts: string[] = [];
    let at = 0;
    for (const leaf of leaves) {
      const ink = leafText(leaf).replace(/\s+/g, '');
      this.#starts.push(at);
      parts.push(ink);
      at += ink.length;
    }
    this.#text = parts.join('');
  }

  /** The first passage with these words; null where there is none. */
  find(quote: string): Passage | null {
    const ink = quote.replace(/\s+/g, '');
    const at = ink === '' ? -1 : this.#text.indexOf(ink);
    if (at === -1) return null;
    const from = this.#leafAt(at);
    const to = this.#leafAt(at + ink.length - 1);
    return {
      from: { leaf: from, ink: at - (this.#starts[from] ?? 0) },
      to: { leaf: to, ink: at + ink.length - (this.#starts[to] ?? 0) },
    };
  }

  #leafAt(place: number): number {
    return Math.max(
      0,
      this.#starts.findLastIndex((start) => start <= place),
    );
  }
}

/** The text as a Markdown quotation, with an empty line after it to write on. */
export function quoted(text: string): string {
  const lines = text.trim().split(/\r?\n/);
  return `${lines.map((line) => (line.trim() === '' ? '>' : `> ${line}`)).join('\n')}\n\n`;
}
