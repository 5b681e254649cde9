// The moment between the last answer and the window's going.

/** How long “All answered” stands where nothing can be taken back, in milliseconds. */
export const FAREWELL = 600;

export class Farewell {
  standing = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over: () => void = () => undefined;

  /** Stands until it is stopped. Calls `over` after `milliseconds`, at least after its moment. */
  begin(over: () => void, milliseconds = 0): void {
    this.#over = over;
    this.standing = true;
    this.last(milliseconds);
  }

  /** Stands for so long from now on, at least for its moment; for nothing where it doesn't stand. */
  last(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!this.standing) return;
    this.#timer = setTimeout(this.#over, Math.max(FAREWELL, milliseconds));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.standing = false;
  }
}
