// Taking prompts from a file or a folder: what it would make is shown first, and only what is chosen is made.
import type { Fault } from '../generated/Fault';
import type { PromptImport } from '../generated/PromptImport';
import { ask, toFault, type Port } from '../state/port';

export class Importing {
  path = $state('');
  /** What it would make; null while none was looked at. */
  told = $state.raw<PromptImport | null>(null);
  chosen = $state.raw<ReadonlySet<string>>(new Set());
  fault = $state.raw<Fault | null>(null);
  busy = $state(false);

  #port: Port;
  /** The path that was looked at: what is imported is what was shown. */
  #looked = '';

  constructor(port: Port) {
    this.#port = port;
  }

  readonly replaced = $derived(
    (this.told?.prompts ?? []).filter((each) => each.exists && this.chosen.has(each.id)).length,
  );

  /** Another path: what was shown isn't of it. */
  write(path: string): void {
    this.path = path;
    this.fault = null;
    if (path.trim() !== this.#looked) this.told = null;
  }

  async look(): Promise<void> {
    const path = this.path.trim();
    if (path === '' || this.busy) return;
    this.busy = true;
    this.fault = null;
    try {
      const { import: told } = await ask(this.#port, { command: 'preview_prompt_import', path });
      if (path !== this.path.trim()) return;
      this.#looked = path;
      this.told = told;
      // What the person has is replaced only if they say so.
      this.chosen = new Set(told.prompts.filter((each) => !each.exists).map((each) => each.id));
    } catch (thrown) {
      this.fault = toFault(thrown);
    } finally {
      this.busy = false;
    }
  }

  choose(id: string, on: boolean): void {
    const chosen = new Set(this.chosen);
    if (on) chosen.add(id);
    else chosen.delete(id);
    this.chosen = chosen;
  }

  /** Chooses all that replace nothing, or none. */
  chooseAll(on: boolean): void {
    const all = this.told?.prompts ?? [];
    this.chosen = new Set(on ? all.filter((each) => !each.exists).map((each) => each.id) : []);
  }

  /** Answers how many were written; null where it failed. */
  async carryOut(): Promise<number | null> {
    if (this.busy || this.chosen.size === 0) return null;
    this.busy = true;
    this.fault = null;
    try {
      const { import: made } = await ask(this.#port, {
        command: 'import_prompts',
        path: this.#looked,
        ids: [...this.chosen],
      });
      return made.prompts.filter((each) => each.written).length;
    } catch (thrown) {
      this.fault = toFault(thrown);
      return null;
    } finally {
      this.busy = false;
    }
  }
}
