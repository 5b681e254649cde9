// A person reading an agent's message: what is selected, which block has the keys, where the remarks stand.
import type { Sheet } from '../markdown/sheet';
import { scrollerOf } from '../markdown/nearness';
import type { Leaf } from '../markdown/plain';
import type { ReplyDraft } from '../reply/reply-draft.svelte';
import type { OpenRemark, Passage } from '../reply/remarks.svelte';
import { quoteInReply } from './insert';
import { passageIn } from './places';
import { Finder, passageOf, quoteOf } from './quote';

/** What the bubble is about: a passage, and the boxes of the page that it fills. */
export interface Picked {
  passage: Passage;
  /** Whether it is a block that has the keys, not a selection. */
  block: boolean;
  first: DOMRect;
  last: DOMRect;
}

export class Reader {
  readonly reply: ReplyDraft;
  readonly sheet: Sheet;
  picked = $state.raw<Picked | null>(null);
  /** The leaf that has the keys; null while none has. */
  cursor = $state<number | null>(null);

  /** The remarks below each leaf, and those whose passage isn't there. */
  readonly below: ReadonlyMap<Leaf, OpenRemark[]>;
  readonly lost: readonly OpenRemark[];

  constructor(reply: ReplyDraft, sheet: Sheet) {
    this.reply = reply;
    this.sheet = sheet;
    const strange = reply.remarks.all.filter((remark) => !remark.passage);
    const finder = strange.length > 0 ? new Finder(this.sheet.leaves) : null;
    for (const remark of strange) remark.passage = finder?.find(remark.quote) ?? null;

    this.below = $derived.by(() => {
      const below = new Map<Leaf, OpenRemark[]>();
      for (const remark of this.ordered) {
        const leaf = remark.passage && this.sheet.leaves[remark.passage.to.leaf];
        if (!leaf) continue;
        const here = below.get(leaf);
        if (here) here.push(remark);
        else below.set(leaf, [remark]);
      }
      return below;
    });
    this.lost = $derived(this.ordered.filter((remark) => !remark.passage));
  }

  /** The remarks in the order of the text, those without a place last. */
  get ordered(): OpenRemark[] {
    const place = ({ passage }: OpenRemark) => (passage ? passage.to.leaf * 1e7 + passage.to.ink : Infinity);
    return this.reply.remarks.all.toSorted((a, b) =>
      place(a) === place(b) ? a.key - b.key : place(a) - place(b),
    );
  }

  /** Takes what the page's selection covers of the message. */
  pick(root: HTMLElement): void {
    const selection = getSelection();
    const range = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
    const passage = range && passageIn(this.sheet, root, range);
    if (!range || !passage) {
      this.picked = null;
      return;
    }
    const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
    const whole = range.getBoundingClientRect();
    this.picked = { passage, block: false, first: boxes[0] ?? whole, last: boxes.at(-1) ?? whole };
  }

  /** Looks again where what is picked stands, after something above it has changed its height. */
  follow(root: HTMLElement): void {
    const { picked, cursor } = this;
    const element = picked?.block && cursor !== null ? this.sheet.element(cursor, false) : null;
    if (picked && element) {
      const box = element.getBoundingClientRect();
      this.picked = { ...picked, first: box, last: box };
    } else if (picked) this.pick(root);
  }

  /** Gives the keys to a leaf and shows what can be done with it. */
  enter(leaf: number, reveal = true): void {
    const element = this.sheet.element(leaf);
    const passage = passageOf(this.sheet.leaves, leaf);
    if (!element) return;
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
    if (reveal) element.scrollIntoView?.({ block: 'nearest' });
    // From here the Shift and arrow keys select.
    getSelection()?.collapse(element, 0);
    const box = element.getBoundingClientRect();
    this.cursor = leaf;
    this.picked = passage && this.reply.open ? { passage, block: true, first: box, last: box } : null;
  }

  /** Moves the keys to the next leaf with words, or to the first that is seen. */
  step(step: 1 | -1, root: HTMLElement): void {
    if (this.cursor === null) return this.enter(this.#firstSeen(root));
    for (let leaf = this.cursor + step; leaf >= 0 && leaf < this.sheet.leaves.length; leaf += step) {
      if (passageOf(this.sheet.leaves, leaf)) return this.enter(leaf);
    }
    return undefined;
  }

  /** Selects words of the block that has the keys: the next or the one before, or more of them. */
  select(key: 'ArrowLeft' | 'ArrowRight', extend: boolean): void {
    const selection = getSelection();
    if (!selection) return;
    const side = key === 'ArrowRight' ? 'right' : 'left';
    if (!extend && !selection.isCollapsed) {
      const forward = (side === 'right') === (document.documentElement.dir !== 'rtl');
      if (forward) selection.collapseToEnd();
      else selection.collapseToStart();
    }
    selection.modify('extend', side, 'word');
  }

  leave(): void {
    this.cursor = null;
    this.picked = null;
  }

  comment(): void {
    const { picked } = this;
    if (!picked) return;
    this.reply.remarks.begin(quoteOf(this.sheet.leaves, picked.passage), picked.passage);
    getSelection()?.removeAllRanges();
    this.picked = null;
  }

  quote(): void {
    const { picked } = this;
    if (!picked) return;
    getSelection()?.removeAllRanges();
    this.leave();
    quoteInReply(this.reply, quoteOf(this.sheet.leaves, picked.passage));
  }

  /** Shows a remark and gives it the keys. */
  show(remark: OpenRemark): void {
    if (remark.passage) this.sheet.element(remark.passage.to.leaf);
    const card = document.querySelector<HTMLElement>(`[data-remark="${remark.key}"]`);
    card?.scrollIntoView?.({ block: 'center' });
    (card?.querySelector('textarea') ?? card)?.focus({ preventScroll: true });
  }

  /** Shows the remark before or after another; after none, the first that isn't above what is seen. */
  showNext(step: 1 | -1, from: OpenRemark | null): void {
    const all = this.ordered;
    const here = from ? all.findIndex((each) => each.key === from.key) : step === 1 ? -1 : 0;
    const next = all[(here + step + all.length) % Math.max(1, all.length)];
    if (next) this.show(next);
  }

  #firstSeen(root: HTMLElement): number {
    const top = scrollerOf(root)?.getBoundingClientRect().top ?? 0;
    for (const element of root.querySelectorAll<HTMLElement>('[data-leaf]')) {
      if (element.getBoundingClientRect().bottom > top + 8) return this.sheet.leafAt(element) ?? 0;
    }
    return 0;
  }
}
