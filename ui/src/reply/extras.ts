// What is needed around a request only after it was read: files and snippets that are offered while one writes,
// the files of a reply, the times to put it off until, and what can be taken back.
import { calmly } from '../state/calmly.svelte';

export const extras = calmly(() => import('./extra-parts'));
