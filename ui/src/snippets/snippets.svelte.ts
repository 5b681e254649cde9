// The person's snippets, in the order in which the gate offers them. One that is deleted can
// be taken back until the list is closed: only then the gate hears of it, so that its uses aren't lost.
import type { Fault } from '../generated/Fault';
import type { Snippet } from '../generated/Snippet';
import { ask, toFault, type Port } from '../state/port';

export class Snippets {
  loaded = $state(false);
  /** Why they couldn't be read or changed. */
  fault = $state.raw<Fault | null>(null);
  busy = $state(false);
  /** One that was deleted and can still be taken back. */
  deleted = $state.raw<Snippet | null>(null);

  #all = $state.raw<readonly Snippet[]>([]);
  readonly list = $derived(this.#all.filter((snippet) => snippet.snippet_id !== this.deleted?.snippet_id));

  #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** Reads them. What was there before stands until they are here, and where they don't come. */
  async load(): Promise<void> {
    try {
      const { snippets } = await ask(this.#port, { command: 'snippets' });
      this.#all = snippets;
      this.fault = null;
    } catch (thrown) {
      this.fault = toFault(thrown);
    }
    this.loaded = true;
  }

  /** Stores one, anew or over the one with this identifier. Answers whether it is stored. */
  async save(snippet_id: string | null, name: string, text: string): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    try {
      const command = { command: 'save_snippet' as const, snippet_id, name: name.trim(), text };
      const { snippets } = await ask(this.#port, command);
      this.#all = snippets;
      this.fault = null;
      return true;
    } catch (thrown) {
      this.fault = toFault(thrown);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** Takes one off the list; `settle` deletes it for good, `restore` brings it back. */
  async remove(snippet: Snippet): Promise<void> {
    await this.settle();
    this.deleted = snippet;
  }

  restore(): void {
    this.deleted = null;
  }

  /** Deletes for good what was taken off the list. */
  async settle(): Promise<void> {
    const { deleted } = this;
    if (!deleted) return;
    this.#all = this.list;
    this.deleted = null;
    try {
      const command = { command: 'delete_snippet' as const, snippet_id: deleted.snippet_id };
      const { snippets } = await ask(this.#port, command);
      this.#all = snippets;
    } catch (thrown) {
      await this.load();
      this.fault = toFault(thrown);
    }
  }

  /** Counts that one was put into a reply. Nothing hangs on it, so a failure is silent. */
  used(snippet: Snippet): void {
    void this.#port
      .command({ command: 'use_snippet', snippet_id: snippet.snippet_id })
      .catch(() => undefined);
  }
}
