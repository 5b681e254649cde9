// All that a reply box shows of voice, in one piece.
import '../i18n/words-voice';

export { default as MicButton } from './MicButton.svelte';
export { default as SpokenText } from './SpokenText.svelte';
export { default as VoiceStrip } from './VoiceStrip.svelte';
export { voiceOf } from './voice.svelte';
