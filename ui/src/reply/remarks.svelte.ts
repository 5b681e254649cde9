// The person's comments on passages of an agent's message, while they can be edited.
import type { Remark } from '../generated/Remark';

/** gate-core/src/bounds.rs: longest quote of a remark, in characters. */
export const QUOTE_CHARS = 4000;

/** Where a passage begins and ends: the leaf of the document, and the visible characters before it there. */
export interface Passage {
  from: { leaf: number; ink: number };
  to: { leaf: number; ink: number };
}

let count = 0;

/** A remark while it can be edited. */
export class OpenRemark {
  readonly key = (count += 1);
  readonly quote: string;
  /** Where the quote stands; null until it is looked for, and where it isn't found. */
  passage = $state.raw<Passage | null>(null);
  body = $state('');
  editing = $state(false);
  /** What it said before this round of editing. */
  before = '';

  constructor(quote: string, body: string, editing: boolean, passage: Passage | null = null) {
    this.quote = quote;
    this.body = body;
    this.editing = editing;
    this.passage = passage;
  }
}

/** All remarks of a request. `may` says whether they can be changed, `changed` hears that they were. */
export class Remarks {
  all = $state<OpenRemark[]>([]);
  #may: () => boolean;
  #changed: () => void;

  constructor(stored: readonly Remark[], may: () => boolean, changed: () => void) {
    this.#may = may;
    this.#changed = changed;
    this.all = stored.map(({ quote, body }) => new OpenRemark(quote, body, false));
  }

  /** As the gate stores them: without those that say nothing. */
  stored(): Remark[] {
    return this.all.filter((remark) => remark.body.trim() !== '').map(({ quote, body }) => ({ quote, body }));
  }

  /** Begins a remark on a passage; an unfinished one on the same passage is taken up again. */
  begin(quote: string, passage: Passage): OpenRemark | null {
    if (!this.#may()) return null;
    const unfinished = this.all.find((other) => other.editing && other.quote === quote);
    if (unfinished) return unfinished;
    this.all.push(new OpenRemark(quote, '', true, passage));
    return this.all.at(-1) ?? null;
  }

  /** Takes what is typed into a remark; it is saved with the draft before it is finished. */
  write(remark: OpenRemark, body: string): void {
    if (!this.#may()) return;
    remark.body = body;
    this.#changed();
  }

  edit(remark: OpenRemark): void {
    if (!this.#may()) return;
    remark.before = remark.body;
    remark.editing = true;
  }

  /** Ends editing and keeps what was typed; an empty remark goes. */
  finish(remark: OpenRemark): void {
    remark.editing = false;
    if (remark.body.trim() === '') this.remove(remark);
  }

  /** Ends editing as if it hadn't begun. */
  revert(remark: OpenRemark): void {
    this.write(remark, remark.before);
    this.finish(remark);
  }

  remove(remark: OpenRemark): void {
    if (!this.#may()) return;
    this.all = this.all.filter((other) => other.key !== remark.key);
    this.#changed();
  }
}
