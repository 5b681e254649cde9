// The moment between the last answer and the window's going.

/** How long “All answered” stands, in milliseconds. */
export const FAREWELL = 600;

export class Farewell {
  standing = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Stands for its moment, then calls `over`; unless it is stopped. */
  begin(over: () => void): void {
    this.stop();
    this.standing = true;
    this.#timer = setTimeout(() => {
      this.standing = false;
      over();
    }, FAREWELL);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.standing = false;
  }
}
