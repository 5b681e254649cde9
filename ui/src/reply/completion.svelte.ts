// What is offered while the person types: files of the agent's workspace after `@`, and the person's
// snippets after a `/` at the very beginning. Knows neither the page nor where the field stands.
import '../i18n/words-writing';
import type { Fault } from '../generated/Fault';
import type { FoundFile } from '../generated/FoundFile';
import type { Snippet } from '../generated/Snippet';
import { t } from '../i18n/text.svelte';
import { matching } from '../snippets/rules';
import type { Snippets } from '../snippets/snippets.svelte';
import { toFault } from '../state/port';

/** Milliseconds between the last key and the question for files. */
export const PAUSE = 110;
/** gate-core/src/bounds.rs: characters of a path that are looked for. */
export const QUERY_CHARS = 200;
/** Snippets that are offered while typing; all of them stand in their own list. */
const SNIPPETS_OFFERED = 8;

export interface Trigger {
  kind: 'file' | 'snippet';
  /** The part of the text that a choice replaces. */
  start: number;
  end: number;
  query: string;
}

export type Offer = { kind: 'file'; file: FoundFile } | { kind: 'snippet'; snippet: Snippet };

/** What completions are asked of. */
export interface Source {
  complete(query: string): Promise<{ files: FoundFile[]; more: boolean }>;
  /** Whether the agent named a workspace. */
  hasWorkspace(): boolean;
  /** Absent where no snippets are offered. */
  snippets?: Snippets;
}

/** What the caret stands in; null where nothing is to be completed. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  if (before.startsWith('/') && caret === text.length && !/[\n/]/.test(before.slice(1)))
    return { kind: 'snippet', start: 0, end: caret, query: before.slice(1) };
  const word = /(?:^|[\s([{<"'`,:])@([^\s@]*)$/u.exec(before.slice(-QUERY_CHARS - 2));
  const query = word?.[1];
  if (query === undefined || query.length > QUERY_CHARS) return null;
  return { kind: 'file', start: caret - query.length - 1, end: caret, query };
}

/** How a path is written in a reply. */
export function mention(path: string): string {
  return /\s/.test(path) ? `@"${path}"` : `@${path}`;
}

/** A path as pieces, those apart that were looked for. Positions count characters, not code units. */
export function marked({ path, positions }: FoundFile): { text: string; hit: boolean }[] {
  const hits = new Set(positions);
  const pieces: { text: string; hit: boolean }[] = [];
  for (const [index, char] of Array.from(path).entries()) {
    const hit = hits.has(index);
    const last = pieces.at(-1);
    if (last && last.hit === hit) last.text += char;
    else pieces.push({ text: char, hit });
  }
  return pieces;
}

export class Completion {
  trigger = $state.raw<Trigger | null>(null);
  offers = $state.raw<readonly Offer[]>([]);
  active = $state(0);
  /** Why nothing is offered, in a sentence; null where something is or nothing need be said. */
  note = $state<string | null>(null);
  /** Whether there are more than are offered. */
  more = $state(false);

  readonly open = $derived(this.trigger !== null && (this.offers.length > 0 || this.note !== null));

  #source: Source;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;
  /** Where the person said that nothing is to be completed. */
  #refused: number | null = null;

  constructor(source: Source) {
    this.#source = source;
  }

  /** The text or the caret is other than before. */
  follow(text: string, caret: number): void {
    const trigger = triggerAt(text, caret);
    const before = this.trigger;
    if (!trigger) {
      this.#refused = null;
      this.close();
      return;
    }
    if (trigger.start === this.#refused) return;
    if (trigger.kind === 'snippet' && !this.#source.snippets) return this.close();
    if (before && before.kind === trigger.kind && before.start === trigger.start) {
      if (before.query === trigger.query) return;
    } else this.close();
    this.#refused = null;
    this.trigger = trigger;
    if (trigger.kind === 'snippet') void this.#offerSnippets(trigger.query);
    else this.#offerFiles(trigger.query);
  }

  /** Goes without a choice, and stays away from here. */
  refuse(): void {
    this.#refused = this.trigger?.start ?? null;
    this.close();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.trigger = null;
    this.offers = [];
    this.note = null;
    this.more = false;
    this.active = 0;
  }

  move(step: 1 | -1): void {
    const { length } = this.offers;
    if (length > 0) this.active = (this.active + step + length) % length;
  }

  /** What choosing this one puts in the place of what was typed; null where there is nothing to choose. */
  choose(index = this.active): { start: number; end: number; text: string } | null {
    const offer = this.offers[index];
    const { trigger } = this;
    if (!offer || !trigger) return null;
    this.close();
    const { start, end } = trigger;
    if (offer.kind === 'file') return { start, end, text: `${mention(offer.file.path)} ` };
    this.#source.snippets?.used(offer.snippet);
    return { start, end, text: offer.snippet.text };
  }

  async #offerSnippets(query: string): Promise<void> {
    const { snippets } = this.#source;
    if (!snippets) return;
    const turn = (this.#turn += 1);
    if (!snippets.loaded) await snippets.load();
    if (turn !== this.#turn) return;
    const found = matching(snippets.list, query).slice(0, SNIPPETS_OFFERED);
    this.offers = found.map((snippet) => ({ kind: 'snippet', snippet }));
    this.active = 0;
    // A path or a command of the agent may begin like this: what fits nothing stays what it is.
    this.note = query === '' && found.length === 0 ? t('writing-snippets-none') : null;
  }

  #offerFiles(query: string): void {
    clearTimeout(this.#timer);
    if (!this.#source.hasWorkspace()) {
      this.note = t('writing-no-workspace');
      return;
    }
    const turn = (this.#turn += 1);
    this.#timer = setTimeout(() => void this.#ask(query, turn), PAUSE);
  }

  async #ask(query: string, turn: number): Promise<void> {
    let fault: Fault | null = null;
    let found: { files: FoundFile[]; more: boolean } = { files: [], more: false };
    try {
      found = await this.#source.complete(query);
    } catch (thrown) {
      fault = toFault(thrown);
    }
    // Meanwhile something else was typed.
    if (turn !== this.#turn) return;
    this.offers = found.files.map((file) => ({ kind: 'file', file }));
    this.more = found.more;
    this.active = 0;
    this.note = null;
    if (fault) this.note = `${fault.message} ${fault.mend}`.trim();
    else if (found.files.length === 0) this.note = t('writing-no-file');
  }
}
