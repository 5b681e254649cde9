// Formatted text as plain words: for where there is room for one line only, and for quoting it.
import type { Block } from '../generated/Block';
import type { Inline } from '../generated/Inline';

/** The words of a line; a break is a space. */
export function wordsOf(nodes: Inline[], lineBreak = ' '): string {
  return nodes
    .map((node) =>
      'text' in node ? node.text : 'children' in node ? wordsOf(node.children, lineBreak) : lineBreak,
    )
    .join('');
}

/** A block that holds text itself; the others hold blocks. */
export type Leaf = Extract<Block, { kind: 'paragraph' | 'heading' | 'code' | 'table' }>;

/** The text of a leaf as the page shows it: a line a row in tables, a tab between cells. */
export function leafText(leaf: Leaf): string {
  if (leaf.kind === 'code') return leaf.text.replace(/\n$/, '');
  if (leaf.kind === 'table') {
    return [leaf.head, ...leaf.rows]
      .map((row) => row.map((cell) => wordsOf(cell, '\n')).join('\t'))
      .join('\n');
  }
  return wordsOf(leaf.children, '\n');
}

/** The first words of a document, at most 160 characters. */
export function firstWords(blocks: Block[]): string {
  for (const block of blocks) {
    if (block.kind === 'paragraph' || block.kind === 'heading') return wordsOf(block.children).slice(0, 160);
    if (block.kind === 'code') return block.text.slice(0, 160);
    const inner =
      block.kind === 'quote' ? block.children : block.kind === 'list' ? (block.items[0]?.children ?? []) : [];
    const words = firstWords(inner);
    if (words) return words;
  }
  return '';
}
