// What a reply box needs for speaking: a request is read before it is answered.
import { calmly } from '../state/calmly.svelte';

export const speech = calmly(() => import('./parts'));
