// What the bar that finds words knows of a search, whatever is looked through.

/** Hits that are told apart; there may be more. */
export const HITS = 5000;
/** Characters of what is looked for. */
export const QUERY_CHARS = 500;

export interface Search {
  readonly query: string;
  /** How many hits there are. */
  readonly count: number;
  /** Which of them was gone to; −1 for none. */
  readonly at: number;
  readonly searching: boolean;
  /** Whether there may be more than were counted. */
  readonly more: boolean;
  /** Looks for these words, and goes to the first hit. */
  look(query: string): Promise<void>;
  /** To the next hit or the one before, round and round. */
  step(step: 1 | -1): void;
}
