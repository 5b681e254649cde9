// What marks what is odd in a text, in one piece.
import '../i18n/words-shown';

export { default as Marks } from './Marks.svelte';
export { marksOf } from './marks';
