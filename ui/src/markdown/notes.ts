// What stands below a block without being the agent's: the person's comments on it.
import { getContext, setContext, type Snippet } from 'svelte';
import type { Leaf } from './plain';

const KEY = Symbol('notes');

/** What to draw below a leaf. */
export interface Notes {
  /** Whether there is something; read while drawing, so that the page follows it. */
  has: (leaf: Leaf) => boolean;
  note: Snippet<[Leaf]>;
}

/** Gives every document below this component its notes. */
export function provideNotes(notes: Notes | null): void {
  setContext(KEY, notes);
}

/** The notes of here; null where there are none. */
export function notesHere(): Notes | null {
  return getContext<Notes | null | undefined>(KEY) ?? null;
}
