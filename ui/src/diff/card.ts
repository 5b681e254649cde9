// What draws a comment between the lines of a diff is given.
import type { OpenComment } from '../reply/reply-draft.svelte';
import type { Pane } from './pane.svelte';

export interface CardProps {
  comment: OpenComment;
  pane: Pane;
  /** The file's place in the diff, and the key of the part that the card fills. */
  file: number;
  key: number;
}
