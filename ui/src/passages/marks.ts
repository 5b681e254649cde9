// Soft marks of passages: drawn over the text, which stays as it is.

/** Draws marks over ranges of the page, and takes them back. */
export class Marks {
  #mark: Highlight | null = null;
  #mine: Range[] = [];
  #blocks: Element[] = [];
  #attribute: string | null;

  /**
   * `name` is what style sheets call the mark. Where an engine can't mark a range, its whole block gets the
   * attribute, if there is one.
   */
  constructor(name: string, attribute: string | null) {
    this.#attribute = attribute;
    if (typeof Highlight === 'undefined' || typeof CSS === 'undefined' || !('highlights' in CSS)) return;
    this.#mark = CSS.highlights.get(name) ?? new Highlight();
    CSS.highlights.set(name, this.#mark);
  }

  /** Whether the engine can mark a range. */
  get marksRanges(): boolean {
    return this.#mark !== null;
  }

  /** Marks these ranges and no others. */
  draw(ranges: readonly Range[]): void {
    for (const range of this.#mine) this.#mark?.delete(range);
    for (const block of this.#blocks) block.removeAttribute(this.#attribute ?? '');
    this.#mine = [...ranges];
    this.#blocks = [];
    for (const range of this.#mine) {
      if (this.#mark) this.#mark.add(range);
      else this.#markBlock(range);
    }
  }

  #markBlock(range: Range): void {
    const element = range.startContainer.parentElement?.closest('[data-leaf]');
    if (!element || this.#attribute === null) return;
    element.setAttribute(this.#attribute, '');
    this.#blocks.push(element);
  }
}
