// The person's snippets on the page that they are kept on: which one is looked at, and what of it is changed
// and not stored yet. It outlives the page, so that going elsewhere loses nothing that was typed.
import type { Snippet } from '../generated/Snippet';
import { t } from '../i18n/text.svelte';
import { matching, SNIPPETS, snippetProblem } from '../snippets/rules';
import type { Snippets } from '../snippets/snippets.svelte';
import { kept } from '../state/kept.svelte';
import type { Main } from '../state/main.svelte';
import type { Toasts } from '../state/toasts.svelte';

/** Stands for the one that is being made, where an identifier is asked for. */
export const NEW = 'new';

/** What can be changed of a snippet. */
export interface Words {
  name: string;
  text: string;
}

/** A row of the list: a snippet, or the one that is being made. */
export interface Row extends Words {
  id: string;
  /** Null for the one that is being made. */
  snippet: Snippet | null;
  /** Whether it says something else than what is stored. */
  changed: boolean;
}

/** The main window's, as the page left them. */
export const ownSnippetsOf = kept((main: Main) => new OwnSnippets(main.inbox.review.snippets, main.toasts));

export class OwnSnippets {
  readonly snippets: Snippets;
  query = $state('');
  /** The one that is looked at; the first where it isn't in the list. */
  chosen = $state<string | null>(null);
  /** Whether the person is in it, where there is no room for the list beside it. */
  inside = $state(false);
  /** Why it can't be stored like this. */
  problem = $state<string | null>(null);

  #drafts = $state.raw<ReadonlyMap<string, Words>>(new Map());
  #toasts: Toasts;
  #takeNote: () => void = () => undefined;

  readonly rows = $derived.by((): Row[] => {
    const made = this.#drafts.get(NEW);
    const stored = matching(this.snippets.list, this.query).map((snippet): Row => {
      const draft = this.#drafts.get(snippet.snippet_id);
      const { name, text } = draft ?? snippet;
      return { id: snippet.snippet_id, snippet, name, text, changed: draft !== undefined };
    });
    return made ? [{ id: NEW, snippet: null, ...made, changed: true }, ...stored] : stored;
  });
  readonly current = $derived(this.rows.find((row) => row.id === this.chosen) ?? this.rows[0] ?? null);
  /** Whether there is nothing to list, with or without words that are looked for. */
  readonly bare = $derived.by(() => {
    const { loaded, list, fault } = this.snippets;
    return loaded && list.length === 0 && !this.#drafts.has(NEW) && !fault;
  });

  constructor(snippets: Snippets, toasts: Toasts) {
    this.snippets = snippets;
    this.#toasts = toasts;
  }

  search(query: string): void {
    this.query = query;
  }

  choose(id: string): void {
    if (id !== this.current?.id) this.problem = null;
    this.chosen = id;
  }

  /** Chooses the row so many further down; the last or the first where there are fewer. */
  move(step: number): void {
    const here = this.rows.findIndex((row) => row.id === this.current?.id);
    const row = this.rows[Math.max(0, Math.min(this.rows.length - 1, here + step))];
    if (row) this.choose(row.id);
  }

  /** Begins a new one, or goes on with the one that was begun. */
  begin(words: Words = { name: '', text: '' }): void {
    if (this.snippets.list.length >= SNIPPETS) {
      this.#toasts.show(t('prompts-full', { most: SNIPPETS }));
      return;
    }
    const begun = this.#drafts.get(NEW);
    if (!begun || (begun.name.trim() === '' && begun.text.trim() === '')) this.#draft(NEW, words);
    this.choose(NEW);
    this.inside = true;
  }

  /** Takes what is typed. */
  write(row: Row, words: Partial<Words>): void {
    const { name, text } = { ...row, ...words };
    const same = row.snippet?.name === name && row.snippet.text === text;
    this.problem = null;
    this.#draft(row.id, same ? null : { name, text });
  }

  /** Puts back what is stored; a new one goes. */
  revert(row: Row): void {
    this.problem = null;
    this.#draft(row.id, null);
    if (row.id === NEW) this.inside = false;
  }

  /** Stores what was typed. Answers whether it is stored. */
  async save(row: Row): Promise<boolean> {
    this.problem = snippetProblem(row.name, row.text);
    if (this.problem || !row.changed) return false;
    if (!(await this.snippets.save(row.snippet?.snippet_id ?? null, row.name, row.text))) return false;
    const now = this.#drafts.get(row.id);
    // What was typed while it was being stored is still a change.
    if (now?.name === row.name && now.text === row.text) this.#draft(row.id, null);
    const name = row.name.trim().toLowerCase();
    const stored = this.snippets.list.find((snippet) => snippet.name.toLowerCase() === name);
    if (stored && this.chosen === row.id) this.chosen = stored.snippet_id;
    if (!this.rows.some((each) => each.id === this.chosen)) this.query = '';
    return true;
  }

  /** Takes one off the list; for as long as the note about it stands, it can be brought back. */
  async remove(row: Row): Promise<void> {
    const { snippet } = row;
    if (!snippet) return this.revert(row);
    const here = this.rows.findIndex((each) => each.id === row.id);
    const next = this.rows[here + 1] ?? this.rows[here - 1];
    this.#takeNote();
    await this.snippets.remove(snippet);
    this.chosen = next?.id ?? null;
    this.inside = false;
    this.#takeNote = this.#toasts.show(t('prompts-deleted', { name: snippet.name }), {
      action: { label: t('undo'), act: () => this.restore() },
      gone: () => void this.#settle(snippet),
    });
    return undefined;
  }

  /** Brings back the one that was just deleted. */
  restore(): void {
    const { deleted } = this.snippets;
    if (!deleted) return;
    this.snippets.restore();
    this.chosen = deleted.snippet_id;
    this.#takeNote();
  }

  async #settle(snippet: Snippet): Promise<void> {
    if (this.snippets.deleted?.snippet_id !== snippet.snippet_id) return;
    await this.snippets.settle();
    const { fault } = this.snippets;
    if (fault) this.#toasts.failed(t('prompts-not-deleted', { name: snippet.name }), fault);
    else this.#draft(snippet.snippet_id, null);
  }

  #draft(id: string, words: Words | null): void {
    const drafts = new Map(this.#drafts);
    if (words) drafts.set(id, words);
    else drafts.delete(id);
    this.#drafts = drafts;
  }
}
