// What the person should know of without being held up by it. Each stands until it is put aside, or is no longer
// so; a second one stands beside the first.
import type { Fault } from '../generated/Fault';
import { ask, type Port } from './port';

/** Whether it is about the settings or their file. */
export function ofSettings(fault: Fault): boolean {
  return fault.code === 'invalid_setting' || fault.code === 'settings_file';
}

/** Whether it is about the log of receipts. */
export function ofReceipts(fault: Fault): boolean {
  return fault.code === 'receipts';
}

const keyOf = (fault: Fault) => `${fault.code} ${fault.message}`;

export class Warnings {
  list = $state.raw<readonly Fault[]>([]);
  #aside = new Set<string>();

  /**
   * Takes what a snapshot knows of. What `stood` when it was asked for and isn't in it no longer holds; what was put
   * aside stays there.
   */
  know(faults: readonly Fault[], stood: readonly Fault[] = this.list): void {
    const known = new Set(faults.map(keyOf));
    this.list = this.list.filter((fault) => !stood.includes(fault) || known.has(keyOf(fault)));
    for (const fault of faults) if (!this.#aside.has(keyOf(fault))) this.add(fault);
  }

  /** Looks whether what is said of the settings still holds, after they have changed. */
  async renew(port: Port): Promise<void> {
    const stood = this.list;
    if (!stood.some(ofSettings)) return;
    try {
      const { warnings } = await ask(port, { command: 'snapshot' });
      this.know(warnings, stood);
    } catch {
      // What isn't known to be mended stays.
    }
  }

  /** It happened now, so it stands even when it was put aside before; never twice. */
  add(fault: Fault): void {
    this.#aside.delete(keyOf(fault));
    if (!this.list.some((each) => keyOf(each) === keyOf(fault))) this.list = [...this.list, fault];
  }

  /** Puts one aside. */
  dismiss(fault: Fault): void {
    this.#aside.add(keyOf(fault));
    this.list = this.list.filter((each) => keyOf(each) !== keyOf(fault));
  }
}
