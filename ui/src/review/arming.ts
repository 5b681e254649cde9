// Whether what a person does is meant for what stands on the page. A window comes up, or one request takes another's
// place, under hands that are at something else. Pure: what happens comes in with its time, in milliseconds of a clock
// that never goes back.

/** For how long what sends has to have stood before anything sends it, in milliseconds. */
export const REST = 700;
/** How far a mouse has to have moved on the screen, in pixels: enter and move events come by themselves. */
export const MOVED = 3;
/** How soon after the person's own act what comes up counts as what they wanted, in milliseconds. */
export const FOLLOWS = 5_000;

/** Why nothing is sent: it came up too short a while ago, or the mouse has stood still since. */
export type Refusal = 'early' | 'still';

interface Point {
  x: number;
  y: number;
}

/** What stands on a page, and whether the person may act on it by now. */
export class Arming {
  #visible = false;
  /** Since when the page has the keys. */
  #focused: number | null = null;
  /** Since when it has been painted while it could be seen. */
  #painted: number | null = null;
  /** When the last key or button went down that wasn't meant for it. */
  #pressed = -Infinity;
  /** Whether it is here by the person's own act. */
  #own = false;
  /** Where the mouse is over the page, and where it was when this came up; null where nobody knows. */
  #at: Point | null = null;
  #from: Point | null = null;
  #moved = false;
  /** What the last press of a button or a finger is good for. */
  #press: Refusal | null = 'early';

  /** Something else stands on the page. `acted` is when the person last did something of their own here. */
  stands(at: number, acted: number): void {
    this.#anew();
    this.#own = this.#here && at - acted <= FOLLOWS;
  }

  /** What may be done with it has changed under the pointer: what is typed goes on, sending begins anew. */
  changes(at: number): void {
    this.#own = this.writes(at);
    this.#anew();
  }

  /** It has been painted. */
  painted(at: number): void {
    if (this.#visible) this.#painted ??= at;
  }

  /** Whether the page can be seen and has the keys, now. */
  look(visible: boolean, focused: boolean, at: number, acted: number): void {
    const before = this.#here;
    if (visible !== this.#visible) {
      this.#visible = visible;
      this.#anew();
      this.out();
    }
    if (!focused) {
      this.#focused = null;
      this.#stillness();
    } else this.#focused ??= at;
    if (!this.#here) this.#own = false;
    else if (!before) this.#own = at - acted <= FOLLOWS;
  }

  /** The person has had it come up, or has clicked in it. */
  acts(): void {
    this.#own ||= this.#here;
  }

  /** A key goes down. Answers whether it may write or do anything else here. */
  key(at: number): boolean {
    const writes = this.writes(at);
    if (!writes) this.#pressed = at;
    return writes;
  }

  /** The mouse is there on the screen, by a movement or because the page came to be under it. */
  point(x: number, y: number, enters = false): void {
    this.#at = { x, y };
    if (enters || !this.#from) this.#stillness();
    else if (Math.hypot(x - this.#from.x, y - this.#from.y) >= MOVED) this.#moved = true;
  }

  /** The mouse has left the page. */
  out(): void {
    this.#at = null;
    this.#stillness();
  }

  /** A button goes down, or a finger or a pen touches. Answers whether that is an act of the person's own here. */
  press(at: number, mouse: boolean): boolean {
    const moved = !mouse || this.#moved;
    const stood = this.#painted !== null && at - this.#painted >= REST;
    this.#press = at < this.armedAt ? 'early' : moved ? null : 'still';
    if (moved && stood) this.acts();
    else if (!this.writes(at)) this.#pressed = at;
    return moved && stood;
  }

  /** From when on a key sends; never, while nobody is to see it. */
  get armedAt(): number {
    if (!this.#here || this.#painted === null || this.#focused === null) return Infinity;
    const since = Math.max(this.#painted, this.#focused);
    return (this.#own ? since : Math.max(since, this.#pressed)) + REST;
  }

  /** Whether what is typed is taken. */
  writes(at: number): boolean {
    return this.#own || at >= this.armedAt;
  }

  /** Why a key sends nothing, or what a screen reader presses; null where it sends. */
  sends(at: number): Refusal | null {
    return at >= this.armedAt ? null : 'early';
  }

  /** Why a click sends nothing; null where it sends. Each click has a press of its own. */
  clicked(): Refusal | null {
    const press = this.#press;
    this.#press = 'early';
    return press;
  }

  get #here(): boolean {
    return this.#visible && this.#focused !== null;
  }

  #anew(): void {
    this.#painted = null;
    this.#stillness();
  }

  /** From now on the mouse has stood still, and no press counts. */
  #stillness(): void {
    this.#from = this.#at;
    this.#moved = false;
    this.#press = 'early';
  }
}
