// The person's templates for replies, in the order in which the gate offers them. One that is deleted can
// be taken back until the list is closed: only then the gate hears of it, so that its uses aren't lost.
import type { Fault } from '../generated/Fault';
import type { Snippet } from '../generated/Snippet';
import { t } from '../i18n/text.svelte';
import { ask, toFault, type Port } from '../state/port';

/** gate-core/src/bounds.rs: most snippets, and the characters of a name and of a text. */
export const SNIPPETS = 200;
export const SNIPPET_NAME_CHARS = 80;
export const SNIPPET_CHARS = 20_000;

const characters = (text: string) => [...text].length;

/** Snippets whose name or text holds every word of `query`; those whose name begins with it come first. */
export function matching(snippets: readonly Snippet[], query: string): Snippet[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const whole = words.join(' ');
  const found = snippets.filter((snippet) => {
    const hay = `${snippet.name}\n${snippet.text}`.toLowerCase();
    return words.every((word) => hay.includes(word));
  });
  const rank = (snippet: Snippet) => {
    const name = snippet.name.toLowerCase();
    if (whole === '' || name.startsWith(whole)) return 0;
    return words.every((word) => name.includes(word)) ? 1 : 2;
  };
  return found
    .map((snippet, place) => ({ snippet, place, rank: rank(snippet) }))
    .sort((a, b) => a.rank - b.rank || a.place - b.place)
    .map((each) => each.snippet);
}

/** Why a snippet can't be saved like this, in one sentence; null when it can. */
export function snippetProblem(name: string, text: string): string | null {
  if (name.trim() === '') return t('reply-snippet-no-name');
  if (characters(name.trim()) > SNIPPET_NAME_CHARS)
    return t('reply-snippet-long-name', { most: SNIPPET_NAME_CHARS });
  if (text.trim() === '') return t('reply-snippet-no-text');
  if (characters(text) > SNIPPET_CHARS) return t('reply-snippet-long-text', { most: SNIPPET_CHARS });
  return null;
}

/** What a reply would be called as a snippet: its first words. */
export function nameFor(text: string): string {
  const line = text.trim().split('\n')[0]?.trim() ?? '';
  const letters = [...line];
  return letters.length <= 40 ? line : `${letters.slice(0, 39).join('').trimEnd()}…`;
}

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
