// A document in stretches: pieces small enough that each can be drawn within a frame, so that a page
// draws what is near its visible part and holds the room of the rest. Whatever is too large for one
// stretch (a list, a table, a paragraph without an end) is divided; its text stays as it was.
import type { Block } from '../generated/Block';
import type { Document } from '../generated/Document';
import type { Inline } from '../generated/Inline';
import type { Item } from '../generated/Item';
import { FOLDED_LINES } from './code';
import type { Leaf } from './plain';

/** How much a stretch holds: roughly characters, an element counting for forty of them. */
export const STRETCH_COST = 2400;
/** A paragraph, a table or an item of a list is divided only when it is larger than this: there it may be seen. */
export const LARGE_COST = 8000;
/** Characters of a line of running text, roughly; only heights are guessed from it. */
const LINE_CHARS = 92;
const ELEMENT_COST = 40;

/** A piece of a document that is drawn at once. */
export interface Stretch {
  blocks: Block[];
  /** The place of its first leaf among the document's. */
  first: number;
  /** How high it may be, in rem, before it has been drawn. */
  height: number;
}

/** Neighbouring stretches: far from the visible part they are one box, so that there are never thousands. */
export interface Section {
  /** The place of its first stretch, and of the first that is no longer its. */
  from: number;
  to: number;
  /** How high it may be, in rem. */
  height: number;
}

/** Stretches of a section. */
const SECTION = 32;

/** A document, divided. */
export interface Layout {
  stretches: Stretch[];
  sections: Section[];
  /** Every block with text of its own, in the order in which they are read. */
  leaves: Leaf[];
}

const continued = new WeakSet<Item | Block>();

/** Whether this goes on with what began before it: it has no mark of its own and no gap above it. */
export function isContinued(part: Item | Block): boolean {
  return continued.has(part);
}

/** The parts of one thing, all but the first marked as going on with it. */
function parts<T extends Item | Block>(all: T[]): T[] {
  for (const part of all.slice(1)) continued.add(part);
  return all;
}

const layouts = new WeakMap<Document, Layout>();

/** The document's stretches; always the same ones for the same document. */
export function layoutOf(document: Document): Layout {
  const known = layouts.get(document);
  if (known) return known;
  const leaves: Leaf[] = [];
  const stretches = packed(document.blocks.flatMap(divided), costOf).map((blocks): Stretch => {
    const first = leaves.length;
    collect(blocks, leaves);
    return { blocks, first, height: blocks.reduce((sum, block) => sum + heightOf(block), 0) };
  });
  const sections: Section[] = [];
  for (let from = 0; from < stretches.length; from += SECTION) {
    const to = Math.min(stretches.length, from + SECTION);
    sections.push({ from, to, height: sumOf(stretches.slice(from, to), (stretch) => stretch.height) });
  }
  const layout = { stretches, sections, leaves };
  layouts.set(document, layout);
  return layout;
}

function collect(blocks: Block[], leaves: Leaf[]): void {
  for (const block of blocks) {
    if (block.kind === 'quote') collect(block.children, leaves);
    else if (block.kind === 'list') for (const item of block.items) collect(item.children, leaves);
    else if (block.kind !== 'rule') leaves.push(block);
  }
}

function sumOf<T>(parts: readonly T[], cost: (part: T) => number): number {
  return parts.reduce((sum, part) => sum + cost(part), 0);
}

function inlineCost(node: Inline): number {
  if (node.kind === 'text') return node.text.length;
  if ('text' in node) return ELEMENT_COST + node.text.length;
  return ELEMENT_COST + ('children' in node ? sumOf(node.children, inlineCost) : 0);
}

const rowCost = (row: Inline[][]) => sumOf(row, (cell) => ELEMENT_COST + sumOf(cell, inlineCost));
const itemCost = (item: Item) => ELEMENT_COST + sumOf(item.children, costOf);

function costOf(block: Block): number {
  switch (block.kind) {
    case 'code':
      // Its first lines are drawn with the stretch; a long one is folded, and divides itself when it isn't.
      return ELEMENT_COST * 8 + Math.min(block.text.length, FOLDED_LINES * 60) * 2;
    case 'quote':
      return ELEMENT_COST + sumOf(block.children, costOf);
    case 'list':
      return ELEMENT_COST + sumOf(block.items, itemCost);
    case 'table':
      return ELEMENT_COST + rowCost(block.head) + sumOf(block.rows, rowCost);
    case 'rule':
      return ELEMENT_COST;
    default:
      return ELEMENT_COST + sumOf(block.children, inlineCost);
  }
}

/** Neighbours together, as many as a stretch holds. */
function packed<T>(parts: T[], cost: (part: T) => number, most = STRETCH_COST): T[][] {
  const packs: T[][] = [];
  let room = 0;
  for (const part of parts) {
    const needs = cost(part);
    const pack = packs.at(-1);
    if (pack && needs <= room) pack.push(part);
    else {
      packs.push([part]);
      room = most;
    }
    room -= needs;
  }
  return packs;
}

/** The block, or blocks that together say the same, none much larger than a stretch. */
function divided(block: Block): Block[] {
  if (block.kind === 'code' || block.kind === 'rule' || costOf(block) <= STRETCH_COST) return [block];
  if (block.kind === 'quote') {
    const packs = packed(block.children.flatMap(divided), costOf);
    return parts(packs.map((children): Block => ({ kind: 'quote', children })));
  }
  if (block.kind === 'list') return dividedList(block);
  if (costOf(block) <= LARGE_COST) return [block];
  if (block.kind === 'table') return dividedTable(block);
  const lines = packed(block.children.flatMap(dividedInline), inlineCost);
  return parts(
    lines.map((children, index): Block =>
      block.kind === 'heading' && index === 0
        ? { kind: 'heading', level: block.level, children }
        : { kind: 'paragraph', children },
    ),
  );
}

function dividedList(list: Extract<Block, { kind: 'list' }>): Block[] {
  const items = list.items.flatMap((item) => {
    if (itemCost(item) <= LARGE_COST) return [item];
    const packs = packed(item.children.flatMap(divided), costOf);
    return parts(
      packs.map((children, index): Item => ({ checked: index === 0 ? item.checked : null, children })),
    );
  });
  let number = list.start;
  return parts(
    packed(items, itemCost).map((pack): Block => {
      const start = number;
      if (number !== null) number += pack.filter((item) => !continued.has(item)).length;
      return { kind: 'list', start, items: pack };
    }),
  );
}

/** Tables with the same head; a row that fills more than a stretch is shown as paragraphs. */
function dividedTable(table: Extract<Block, { kind: 'table' }>): Block[] {
  const room = LARGE_COST - Math.min(rowCost(table.head), LARGE_COST / 2);
  const packs = packed(table.rows, rowCost, room);
  return packs.flatMap((rows) =>
    sumOf(rows, rowCost) > room
      ? rows.flat().flatMap((cell) => divided({ kind: 'paragraph', children: cell }))
      : [{ kind: 'table', head: table.head, rows } satisfies Block],
  );
}

function dividedInline(node: Inline): Inline[] {
  if (inlineCost(node) <= STRETCH_COST) return [node];
  if ('text' in node) return slices(node.text).map((text) => ({ kind: node.kind, text }));
  if (!('children' in node)) return [node];
  return packed(node.children.flatMap(dividedInline), inlineCost).map((children) => ({ ...node, children }));
}

/** Text in slices that a stretch holds, cut between words where there are any, never inside a character. */
function slices(text: string): string[] {
  const cuts: string[] = [];
  const most = STRETCH_COST / 2;
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + most);
    if (end < text.length) {
      const space = text.slice(start, end).lastIndexOf(' ');
      if (space > most / 2) end = start + space + 1;
      else if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
    }
    cuts.push(text.slice(start, end));
    start = end;
  }
  return cuts;
}

/** How high the block may be, in rem, with the gap above it. */
function heightOf(block: Block): number {
  switch (block.kind) {
    case 'code':
      return 4.4 + 1.44 * Math.min(FOLDED_LINES, block.text.split('\n', FOLDED_LINES + 1).length);
    case 'quote':
      return 0.2 + sumOf(block.children, heightOf);
    case 'list':
      return 0.5 + sumOf(block.items, (item) => sumOf(item.children, heightOf) - 0.25);
    case 'table':
      return 3 + 2.36 * block.rows.length;
    case 'rule':
      return 0.8;
    case 'heading':
      return 3;
    case 'paragraph':
      return 0.7 + 1.5 * Math.max(1, Math.ceil(sumOf(block.children, inlineChars) / LINE_CHARS));
  }
}

function inlineChars(node: Inline): number {
  if ('text' in node) return node.text.length;
  return 'children' in node ? sumOf(node.children, inlineChars) : LINE_CHARS / 2;
}
