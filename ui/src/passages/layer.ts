// What a message needs of the layer over it, which is loaded after the message stands on the page.
import type { Snippet } from 'svelte';
import type { Leaf } from '../markdown/plain';

export interface Layer {
  /** Whether there are comments on a leaf; read while drawing, so that the page follows it. */
  has: (leaf: Leaf) => boolean;
  /** The comments on a leaf. */
  note: Snippet<[Leaf]>;
  /** Gives the keys to a leaf that is seen. */
  enter: (leaf: number) => void;
}
