// What the person should know of without being held up by it. Each stands until it is put aside; a second
// one stands beside the first.
import type { Fault } from '../generated/Fault';

/** Whether it is about the settings or their file. */
export function ofSettings(fault: Fault): boolean {
  return fault.code === 'invalid_setting' || fault.code === 'settings_file';
}

const keyOf = (fault: Fault) => `${fault.code} ${fault.message}`;

export class Warnings {
  list = $state.raw<readonly Fault[]>([]);
  #aside = new Set<string>();

  /** Takes what a snapshot knows of. What was put aside stays there. */
  know(faults: readonly Fault[]): void {
    for (const fault of faults) if (!this.#aside.has(keyOf(fault))) this.add(fault);
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
