// Finding in a diff: what is looked for, where it was found, and which of it is gone to.
import { HITS, type Search } from '../find/search';
import { hitFrom, pattern, search, type Hit } from './find';
import type { Pane } from './pane.svelte';

/** How long to search before the page gets its turn again, in milliseconds. */
const SLICE = 8;

export class Finder implements Search {
  open = $state(false);
  query = $state('');
  hits = $state.raw<readonly Hit[]>([]);
  /** The index of the hit that was gone to; −1 for none. */
  at = $state(-1);
  searching = $state(false);

  readonly count = $derived(this.hits.length);
  readonly wanted = $derived(this.open ? pattern(this.query) : null);
  /** Whether there may be more hits than were counted. */
  readonly more = $derived(this.count >= HITS);
  readonly hit = $derived<Hit | null>(this.hits[this.at] ?? null);

  #pane: Pane;
  #turn = 0;
  #from = { file: 0, hunk: 0, row: 0 };

  constructor(pane: Pane) {
    this.#pane = pane;
  }

  /** Opens the field; what is found first is looked for from here on. */
  begin(): void {
    this.open = true;
    this.#here();
    if (this.query) void this.look(this.query);
  }

  close(): void {
    this.open = false;
    this.#turn += 1;
    this.searching = false;
    this.hits = [];
    this.at = -1;
  }

  /** Looks for a text, and goes to the first hit from where the search began. */
  async look(query: string): Promise<void> {
    this.query = query;
    this.#turn += 1;
    const turn = this.#turn;
    this.hits = [];
    this.at = -1;
    const wanted = pattern(query);
    this.searching = wanted !== null;
    if (!wanted) return;
    const found: Hit[] = [];
    let begin = performance.now();
    for (const some of search(
      this.#pane.bodies.map((body) => body.file),
      wanted,
    )) {
      found.push(...some);
      if (performance.now() - begin < SLICE) continue;
      await new Promise((resolve) => setTimeout(resolve));
      if (turn !== this.#turn) return;
      begin = performance.now();
    }
    this.hits = found;
    this.searching = false;
    this.#go(hitFrom(found, this.#from, 1));
  }

  /** To the next or the previous hit, round and round. */
  step(step: 1 | -1): void {
    const { length } = this.hits;
    if (length > 0)
      this.#go(this.at < 0 ? (step === 1 ? 0 : length - 1) : (this.at + step + length) % length);
  }

  #go(index: number): void {
    const hit = this.hits[index];
    if (!hit) return;
    this.at = index;
    const pane = this.#pane;
    const body = pane.bodies[hit.file];
    pane.cursor.toRow(hit.file, hit.hunk, hit.row);
    const key = pane.cursor.at?.key;
    if (body && typeof key === 'number' && hit.start >= body.limitOf(key))
      pane.showMore(body, key, hit.start + this.query.length + 200);
  }

  #here(): void {
    const pane = this.#pane;
    const at = pane.cursor.at;
    const rows = pane.cursor.rows();
    this.#from = at && rows ? { file: at.file, ...rows } : { file: pane.current, hunk: 0, row: 0 };
  }
}
