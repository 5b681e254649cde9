// Formatted text as plain words, for where there is room for one line only.
import type { Block } from '../generated/Block';
import type { Inline } from '../generated/Inline';

/** The words of a line. */
export function wordsOf(nodes: Inline[]): string {
  return nodes
    .map((node) => ('text' in node ? node.text : 'children' in node ? wordsOf(node.children) : ' '))
    .join('');
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
