// What shows and answers permission questions, in one piece.
import '../i18n/words-permission';

export { default as Answers } from './Answers.svelte';
export { default as Asked } from './Asked.svelte';
export { default as Became } from './Became.svelte';
export { default as Waits } from './Waits.svelte';
export { isWriting } from './answering.svelte';
export { hear } from './events';
