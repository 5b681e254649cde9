// The parts that come a moment later, or that not each request has, in one piece.
export { default as EmptyState } from '../components/EmptyState.svelte';
export { default as Farewell } from '../components/Farewell.svelte';
export { default as Happened } from '../components/Happened.svelte';
export { default as QueueList } from '../components/QueueList.svelte';
export { default as WorkLine } from '../components/WorkLine.svelte';
export { default as FoldedContext } from '../markdown/FoldedContext.svelte';
export { default as OutlinePanel } from '../markdown/OutlinePanel.svelte';
export { default as AttachmentChip } from './AttachmentChip.svelte';
export { default as Completions } from './Completions.svelte';
export { default as LaterChoices } from './LaterChoices.svelte';
export { default as OptionList } from './OptionList.svelte';
export { default as UndoNotes } from './UndoNotes.svelte';
export { nothingAsked } from '../review/spare';
