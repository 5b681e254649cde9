// Taking prompts from a file or a folder, or from files that the person picks: what it would make is shown first,
// and only what is chosen is made.
import type { Fault } from '../generated/Fault';
import type { PromptFile } from '../generated/PromptFile';
import type { PromptImport } from '../generated/PromptImport';
import { t } from '../i18n/text.svelte';
import { ask, toFault, type Port } from '../state/port';

/** Most bytes of picked files that are read, those that the gate takes. */
const LARGEST = 8 * 1024 * 1024;

/** Where they come from: a path, or files in its place. */
interface From {
  path: string;
  files: PromptFile[];
}

export class Importing {
  path = $state('');
  /** What it would make; null while nothing was looked at. */
  told = $state.raw<PromptImport | null>(null);
  chosen = $state.raw<ReadonlySet<string>>(new Set());
  fault = $state.raw<Fault | null>(null);
  busy = $state(false);

  #port: Port;
  /** What was looked at: what is imported is what was shown. */
  #looked: From = { path: '', files: [] };

  constructor(port: Port) {
    this.#port = port;
  }

  readonly fresh = $derived((this.told?.prompts ?? []).filter((each) => each.change === 'new'));
  readonly replaced = $derived(
    (this.told?.prompts ?? []).filter((each) => each.change === 'changed' && this.chosen.has(each.id)).length,
  );

  /** Another path: what was shown isn't of it. */
  write(path: string): void {
    this.path = path;
    this.fault = null;
    if (path.trim() !== this.#looked.path || this.#looked.files.length > 0) this.told = null;
  }

  async look(): Promise<void> {
    const path = this.path.trim();
    if (path === '' || this.busy) return;
    await this.#look({ path, files: [] });
  }

  /** Looks at files that the person picked. */
  async pick(picked: readonly File[]): Promise<void> {
    if (picked.length === 0 || this.busy) return;
    this.path = '';
    this.told = null;
    if (picked.reduce((bytes, file) => bytes + file.size, 0) > LARGEST) {
      this.fault = {
        code: 'too_large',
        message: t('prompts-import-large', { most: LARGEST / 1024 / 1024 }),
        mend: t('prompts-import-fewer'),
      };
      return;
    }
    const read = picked.map(async (file) => ({ name: file.name, text: await file.text() }));
    try {
      await this.#look({ path: '', files: await Promise.all(read) });
    } catch {
      const [message, mend] = [t('prompts-import-unread'), t('prompts-import-again')];
      this.fault = { code: 'unreadable_file', message, mend };
    }
  }

  async #look(from: From): Promise<void> {
    this.busy = true;
    this.fault = null;
    try {
      const { import: told } = await ask(this.#port, { command: 'preview_prompt_import', ...from });
      if (from.path !== this.path.trim()) return;
      this.#looked = from;
      this.told = told;
      // What the person has is replaced only if they say so.
      this.chosen = new Set(this.fresh.map((each) => each.id));
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
    this.chosen = new Set(on ? this.fresh.map((each) => each.id) : []);
  }

  /** Answers what was made; null where it failed. */
  async carryOut(): Promise<PromptImport | null> {
    if (this.busy || this.chosen.size === 0) return null;
    this.busy = true;
    this.fault = null;
    try {
      const command = { command: 'import_prompts' as const, ...this.#looked, ids: [...this.chosen] };
      const { import: made } = await ask(this.#port, command);
      return made;
    } catch (thrown) {
      this.fault = toFault(thrown);
      return null;
    } finally {
      this.busy = false;
    }
  }
}
