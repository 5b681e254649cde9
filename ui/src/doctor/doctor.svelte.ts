// The Doctor page's state: what was found last, and looking again.
import type { Fault } from '../generated/Fault';
import type { Finding } from '../generated/Finding';
import type { Level } from '../generated/Level';
import { kept } from '../state/kept.svelte';
import type { Main } from '../state/main.svelte';
import { ask, toFault, type Port } from '../state/port';

/** The levels, what hinders most first. */
export const LEVELS: readonly Level[] = ['fault', 'warning', 'note', 'good', 'skipped'];

export class Doctor {
  findings = $state.raw<readonly Finding[] | null>(null);
  /** Milliseconds that the last look took. */
  took = $state(0);
  /** When the look that goes on began, in milliseconds of this window's clock; null while none does. */
  since = $state<number | null>(null);
  /** Whether it waits for the person to answer a request. */
  popup = $state(false);
  fault = $state.raw<Fault | null>(null);
  /** When the last look ended. */
  at = $state<string | null>(null);

  #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  readonly groups = $derived(
    LEVELS.map((level) => ({
      level,
      findings: (this.findings ?? []).filter((finding) => finding.level === level),
    })).filter(({ findings }) => findings.length > 0),
  );

  count(level: Level): number {
    return (this.findings ?? []).filter((finding) => finding.level === level).length;
  }

  /** Looks at everything; with `popup` a request comes up, too, to see whether the person sees it. */
  async look(popup = false): Promise<void> {
    if (this.since !== null) return;
    this.since = Date.now();
    this.popup = popup;
    try {
      const { findings, took_ms } = await ask(this.#port, { command: 'doctor', popup });
      this.findings = findings;
      this.took = took_ms;
      this.at = new Date().toISOString();
      this.fault = null;
    } catch (thrown) {
      this.fault = toFault(thrown);
    } finally {
      this.since = null;
    }
  }
}

/** The doctor of a main window: what it found stays while other pages stand. */
export const doctorOf = kept((main: Main) => new Doctor(main.port));
