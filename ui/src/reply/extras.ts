// What is needed around a request only after it was read: files and snippets that are offered while one writes,
// the files of a reply, the times to put it off until, the list of what waits, what can be taken back, and what the
// review window shows when nothing waits any more. And what many requests have none of: context, and options.
import type { RequestView } from '../generated/RequestView';
import { calmly } from '../state/calmly.svelte';

export const extras = calmly(() => import('./extra-parts'));

/** Whether a request is shown with any of them. */
export function needsExtras({ context, options, attachments }: RequestView): boolean {
  return context !== null || options.length > 0 || attachments.length > 0;
}
