// Faults of voice in the language of the windows; others in the gate's own words.
import type { Code } from '../generated/Code';
import type { Fault } from '../generated/Fault';
import { t } from '../i18n/text.svelte';

const OWN: Partial<Record<Code, string>> = {
  no_microphone: 'voice-no-microphone',
  microphone_busy: 'voice-busy',
  microphone_denied: 'voice-denied',
  microphone_gone: 'voice-gone',
  transcription: 'voice-failed',
};

/** The cause and what mends it. */
export function faultWords({ code, message, mend }: Fault): { message: string; mend: string } {
  const own = OWN[code];
  return own ? { message: t(own), mend: t(`${own}-mend`) } : { message, mend };
}
