// All of permission questions, loaded when the first one comes: most requests are none.
import { calmly } from '../state/calmly.svelte';

export const permissions = calmly(() => import('./parts'));
