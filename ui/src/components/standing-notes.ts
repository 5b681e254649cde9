// The notes of the main window, a moment after it stands: before the first of them, so that a screen reader hears it.
import { calmly } from '../state/calmly.svelte';

export const standingNotes = calmly(() => import('./Toasts.svelte'));
