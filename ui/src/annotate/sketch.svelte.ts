// A drawing while it is made: tool, colour, thickness, and every step of it to go back and forth.
import { BLANK, MARKS, type Colour, type Drawing, type Mark, type Tool, type Box } from './marks';

/** Steps that can be taken back. */
export const STEPS = 500;

export class Sketch {
  tool = $state<Tool>('pen');
  colour = $state<Colour>('red');
  /** Index in `THICKNESSES`. */
  thickness = $state(1);
  drawing = $state.raw<Drawing>(BLANK);
  #past = $state.raw<readonly Drawing[]>([]);
  #future = $state.raw<readonly Drawing[]>([]);

  readonly canUndo = $derived(this.#past.length > 0);
  readonly canRedo = $derived(this.#future.length > 0);
  /** Whether there is anything that would be lost. */
  readonly changed = $derived(this.drawing !== BLANK);
  readonly full = $derived(this.drawing.marks.length >= MARKS);

  add(mark: Mark): void {
    if (!this.full) this.#step({ ...this.drawing, marks: [...this.drawing.marks, mark] });
  }

  crop(box: Box | null): void {
    this.#step({ ...this.drawing, crop: box });
  }

  undo(): void {
    const before = this.#past.at(-1);
    if (!before) return;
    this.#past = this.#past.slice(0, -1);
    this.#future = [...this.#future, this.drawing];
    this.drawing = before;
  }

  redo(): void {
    const after = this.#future.at(-1);
    if (!after) return;
    this.#future = this.#future.slice(0, -1);
    this.#past = [...this.#past, this.drawing];
    this.drawing = after;
  }

  #step(next: Drawing): void {
    this.#past = [...this.#past.slice(1 - STEPS), this.drawing];
    this.#future = [];
    this.drawing = next;
  }
}
