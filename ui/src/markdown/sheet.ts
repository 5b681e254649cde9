// A document on the page: from what it says to where that stands, and back.
import type { Document } from '../generated/Document';
import { Nearness } from './nearness';
import type { Leaf } from './plain';
import { layoutOf, type Layout } from './stretches';

export class Sheet {
  readonly document: Document;
  readonly layout: Layout;
  readonly nearness = new Nearness();
  #nodes = new Map<number, HTMLElement>();
  #sections = new Map<number, HTMLElement>();

  constructor(document: Document) {
    this.document = document;
    this.layout = layoutOf(document);
  }

  get leaves(): readonly Leaf[] {
    return this.layout.leaves;
  }

  /** Takes note of where a stretch stands. Returns how to forget it. */
  place(index: number, node: HTMLElement): () => void {
    this.#nodes.set(index, node);
    return () => {
      if (this.#nodes.get(index) === node) this.#nodes.delete(index);
    };
  }

  /** Takes note of where a section stands, by the place of its first stretch. Returns how to forget it. */
  placeSection(from: number, node: HTMLElement): () => void {
    this.#sections.set(from, node);
    return () => {
      if (this.#sections.get(from) === node) this.#sections.delete(from);
    };
  }

  /** The element of a leaf; null where there is none. One that isn't drawn is drawn first, if `draw`. */
  element(leaf: number, draw = true): HTMLElement | null {
    const { stretches, sections } = this.layout;
    const index = stretches.findLastIndex((stretch) => stretch.first <= leaf);
    const stretch = stretches[index];
    const section = this.#sections.get(sections.find(({ to }) => index < to)?.from ?? 0);
    if (draw && section) this.nearness.bring(section);
    const node = this.#nodes.get(index);
    if (!stretch || !node) return null;
    if (draw) this.nearness.bring(node);
    return node.querySelectorAll<HTMLElement>('[data-leaf]')[leaf - stretch.first] ?? null;
  }

  /** The leaf that a node of the page belongs to; null outside of all. */
  leafAt(node: Node): number | null {
    const element = node instanceof Element ? node : node.parentElement;
    const leaf = element?.closest('[data-leaf]');
    const stretch = leaf?.closest<HTMLElement>('[data-stretch]');
    const index = Number(stretch?.dataset['stretch']);
    if (!leaf || !stretch || this.#nodes.get(index) !== stretch) return null;
    const place = [...stretch.querySelectorAll('[data-leaf]')].indexOf(leaf);
    return place === -1 ? null : (this.layout.stretches[index]?.first ?? 0) + place;
  }
}

const standing = new WeakMap<Element, Sheet>();

/** Takes note of the element that a document stands in. */
export function standsIn(node: Element, sheet: Sheet): void {
  standing.set(node, sheet);
}

/** The document that stands in an element. */
export function sheetIn(node: Element): Sheet | undefined {
  return standing.get(node);
}
