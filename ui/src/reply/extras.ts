// What is needed around a request only after it was read: files and snippets that are offered while one writes,
// the files of a reply, the times to put it off until, the list of what waits, what can be taken back, and what the
// review window shows when nothing waits any more.
import { calmly } from '../state/calmly.svelte';

export const extras = calmly(() => import('./extra-parts'));
