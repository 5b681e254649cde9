// Where this window does what a finding’s command would do.
import type { Main } from '../state/main.svelte';

export interface Mend {
  /** The id of what its button says. */
  label: string;
  /** Leads there, or does it. */
  act: (main: Main) => void | Promise<void>;
}

/** What this window has for a command; null where only a terminal does it. */
export function mendOf(command: string | null): Mend | null {
  if (!command) return null;
  if (/^review-gate install(?: |$)/.test(command))
    return { label: 'doctor-mend-connect', act: (main) => main.go('connect') };
  if (command === 'review-gate config validate')
    return { label: 'doctor-mend-file', act: (main) => main.go('settings', 'file') };
  if (/^review-gate prompts (?:sync|check)$/.test(command))
    return { label: 'doctor-mend-prompts', act: (main) => main.go('prompts') };
  const [, key] = /^review-gate config set ([a-z_.]+) /.exec(command) ?? [];
  if (key) return { label: 'doctor-mend-setting', act: (main) => main.go('settings', key) };
  if (command === 'review-gate away off')
    return { label: 'doctor-mend-back', act: (main) => main.presence.setAway(false) };
  return null;
}
