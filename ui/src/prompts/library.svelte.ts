// The prompts on the page that they are kept on: which are listed, which one is looked at, and how the
// synchronisation stands. It outlives the page, so that going elsewhere loses nothing that was typed.
import { untrack } from 'svelte';
import type { DeletedPrompt } from '../generated/DeletedPrompt';
import type { Fault } from '../generated/Fault';
import type { ImportedPromptVersion } from '../generated/ImportedPromptVersion';
import type { PromptImport } from '../generated/PromptImport';
import type { PromptLibrary } from '../generated/PromptLibrary';
import type { PromptOrigin } from '../generated/PromptOrigin';
import type { PromptSyncState } from '../generated/PromptSyncState';
import type { PromptView } from '../generated/PromptView';
import { t } from '../i18n/text.svelte';
import { kept } from '../state/kept.svelte';
import type { Main } from '../state/main.svelte';
import { ask, toFault, type Port } from '../state/port';
import type { Toasts } from '../state/toasts.svelte';
import { Making } from './making.svelte';
import { Opened } from './opened.svelte';
import { allRows, found, grouped, NEW, type LibraryRow, type Origins, type PromptRow } from './rows';

export const TABS = ['preview', 'source', 'versions', 'use'] as const;
export type Tab = (typeof TABS)[number];
export type PageSide = 'prompts' | 'replies';

/** How long what was just done can be taken back by a key, in milliseconds. */
const BACK = 10_000;

/** The main window's, as the page left it. */
export const libraryOf = kept((main: Main) => {
  const library = new Library(main.port, main.toasts);
  main.hears({
    prompts_changed: () => library.hear(null),
    prompt_sync_changed: ({ sync }) => library.hear(sync),
    resync: () => library.hear(null),
  });
  return library;
});

export class Library {
  told = $state.raw<PromptLibrary | null>(null);
  /** Why they can't be read. */
  fault = $state.raw<Fault | null>(null);
  side = $state<PageSide>('prompts');
  query = $state('');
  origins = $state<Origins>('all');
  /** The one that is looked at; the first where it isn't in the list. */
  chosen = $state<string | null>(null);
  /** Whether the person is in it, where there is no room for the list beside it. */
  inside = $state(false);
  /** What of a prompt is looked at; it stays while one goes from prompt to prompt. */
  tab = $state<Tab>('preview');
  opened = $state.raw<Opened | null>(null);
  making = $state.raw<Making | null>(null);
  importing = $state(false);
  /** Whether those that were deleted are listed. */
  deletedShown = $state(false);
  /** Whether how the synchronisation stands is shown in full. */
  syncShown = $state(false);
  /** A place in the source that somebody was sent to. */
  place = $state.raw<{ line: number; column: number } | null>(null);

  readonly port: Port;
  readonly toasts: Toasts;
  #known = new Map<string, Opened>();
  #unsaved = $state.raw<ReadonlyMap<string, PromptOrigin>>(new Map());
  /** Takes back what was done last. */
  #back = $state.raw<{ act: () => void } | null>(null);
  #turn = 0;
  /** How the synchronisation stood when it was told last, an object of its own each time. */
  #heard: PromptSyncState | null = null;

  constructor(port: Port, toasts: Toasts) {
    this.port = port;
    this.toasts = toasts;
    $effect(() => {
      const id = this.current;
      untrack(() => this.#open(id));
    });
    // A browser asks before it closes a page in which something isn't saved.
    $effect(() => {
      if (this.#unsaved.size === 0) return;
      const guard = (event: BeforeUnloadEvent) => event.preventDefault();
      window.addEventListener('beforeunload', guard);
      return () => window.removeEventListener('beforeunload', guard);
    });
  }

  readonly all = $derived(allRows(this.told, this.#unsaved));
  /** How many come from where. */
  readonly counts = $derived.by(() => {
    const counts: Record<PromptOrigin, number> = { built_in: 0, synced: 0, local: 0 };
    for (const row of this.all) if (row.key !== NEW) counts[row.origin] += 1;
    return counts;
  });
  readonly rows = $derived.by((): LibraryRow[] => {
    const { origins, query } = this;
    const wanted = this.all.filter((row) => origins === 'all' || row.origin === origins || row.key === NEW);
    return query.trim() === '' ? grouped(wanted) : found(wanted, query);
  });
  readonly prompts = $derived(this.rows.filter((row): row is PromptRow => row.kind === 'prompt'));
  /** The id of what is looked at: what was chosen, else the first of the person's own or of what was found. */
  readonly current = $derived.by((): string | null => {
    const { chosen, prompts } = this;
    if (prompts.some((row) => row.key === chosen)) return chosen;
    if (chosen !== null && this.#unsaved.has(chosen) && this.query.trim() === '') return chosen;
    const searched = this.query.trim() !== '' || this.origins !== 'all';
    const first = searched || this.counts.local > 0 ? prompts[0] : undefined;
    return first?.key ?? null;
  });
  readonly sync = $derived(this.told?.sync ?? null);
  readonly problems = $derived(this.told?.problems ?? []);
  readonly canTakeBack = $derived(this.#back !== null);

  async load(): Promise<void> {
    const turn = (this.#turn += 1);
    const heard = this.#heard;
    try {
      const { library } = await ask(this.port, { command: 'prompts' });
      if (turn !== this.#turn) return;
      this.#take(library, heard);
    } catch (thrown) {
      if (turn === this.#turn) this.fault = toFault(thrown);
    }
  }

  /** Something is other than before: how the synchronisation stands, or anything at all. */
  hear(sync: PromptSyncState | null): void {
    if (sync) {
      this.#heard = sync;
      if (this.told) this.told = { ...this.told, sync };
      return;
    }
    // What isn't looked at is read again when it is.
    for (const [id, opened] of this.#known)
      if (opened !== this.opened && !opened.unsaved) this.#known.delete(id);
    void this.load();
    void this.opened?.load();
  }

  search(query: string): void {
    this.query = query;
  }

  choose(id: string): void {
    this.chosen = id;
  }

  /** Chooses the prompt so many further down; the last or the first where there are fewer. */
  move(step: number): void {
    const { prompts } = this;
    const here = prompts.findIndex((row) => row.key === this.current);
    const row = prompts[Math.max(0, Math.min(prompts.length - 1, here + step))];
    if (row) this.choose(row.key);
  }

  /** Shows a prompt's source, at a place if one is known. */
  show(id: string, line: number | null, column: number | null): void {
    this.query = '';
    this.origins = 'all';
    this.choose(id);
    this.tab = 'source';
    this.inside = true;
    this.place = line === null ? null : { line, column: column ?? 1 };
  }

  /** Begins a new one, or goes on with the one that was begun. */
  begin(): void {
    this.query = '';
    this.making ??= new Making(this.port, () => {
      const own = this.all.filter((row) => row.origin === 'local' && row.key !== NEW);
      return new Set(own.map((row) => row.key));
    });
    this.#mark(NEW, true, 'local');
    this.choose(NEW);
    this.inside = true;
  }

  /** Puts aside the one that was begun; a note brings it back. */
  discard(): void {
    const { making } = this;
    if (!making) return;
    this.making = null;
    this.#mark(NEW, false);
    this.chosen = null;
    this.inside = false;
    if (!making.touched) return;
    this.toasts.show(t('prompts-new-discarded'), {
      action: {
        label: t('undo'),
        act: () => {
          this.making = making;
          this.begin();
        },
      },
    });
  }

  /** Writes the one that was begun. Answers whether it is there. */
  async create(): Promise<boolean> {
    const made = await this.making?.save();
    if (!made) return false;
    this.making = null;
    this.#mark(NEW, false);
    this.#adopt(made);
    return true;
  }

  /** Copies the one that is looked at into the person's folder; a note takes it back. */
  async makeOwn(opened: Opened): Promise<void> {
    const original = opened.view?.origin;
    if (!(await opened.makeOwn())) return;
    await this.load();
    this.toasts.show(t(original === 'built_in' ? 'prompts-owned-built-in' : 'prompts-owned-synced'), {
      action: { label: t('undo'), act: () => void this.#delete(opened) },
    });
  }

  async save(opened: Opened): Promise<void> {
    if (await opened.save()) await this.load();
  }

  /** Goes back to what the file says; a note brings back what was typed. */
  revert(opened: Opened): void {
    const typed = opened.revert();
    this.toasts.show(t('prompts-reverted'), {
      action: { label: t('undo'), act: () => opened.write(typed) },
    });
  }

  /** Deletes a prompt's file; a note and a key bring it back. */
  async remove(opened: Opened): Promise<void> {
    const { view } = opened;
    if (!view || !opened.own) return;
    const title = view.entry?.prompt.title ?? view.id;
    const here = this.prompts.findIndex((row) => row.key === opened.id);
    const next = this.prompts[here + 1] ?? this.prompts[here - 1];
    if (!(await this.#delete(opened))) return;
    // Where it hid another, that one is in its place now.
    if (!this.all.some((row) => row.key === opened.id)) {
      this.chosen = next?.key ?? null;
      this.inside = false;
    }
    this.#offer(t('prompts-removed', { title }), () => this.#bringBack(view));
  }

  /** Says what an import made; a note and a key take it back. */
  async imported(made: PromptImport): Promise<void> {
    const written = made.prompts.flatMap(({ id, version_id }) =>
      version_id === null ? [] : [{ prompt_id: id, version_id }],
    );
    this.#offer(t('prompts-imported', { n: written.length }), () => this.#undoImport(written));
    await this.load();
  }

  /** Brings back one of those that were deleted, as it was last. Answers whether it is there. */
  async restoreDeleted({ prompt_id, version_id }: DeletedPrompt): Promise<boolean> {
    try {
      const { prompt } = await ask(this.port, { command: 'restore_prompt', prompt_id, version_id });
      this.#adopt(prompt);
      return true;
    } catch (thrown) {
      this.toasts.failed(t('prompts-not-back', { title: prompt_id }), toFault(thrown));
      return false;
    }
  }

  /** Takes back what was done last, while its note stands. */
  takeBack(): void {
    this.#back?.act();
  }

  async syncNow(): Promise<void> {
    const heard = this.#heard;
    try {
      const { sync } = await ask(this.port, { command: 'sync_prompts' });
      if (this.told) this.told = { ...this.told, sync: this.#newest(sync, heard) };
    } catch (thrown) {
      this.toasts.failed(t('prompts-sync-not'), toFault(thrown));
    }
  }

  async cancelSync(): Promise<void> {
    try {
      // That it is over is told when it is.
      await ask(this.port, { command: 'cancel_prompt_sync' });
    } catch (thrown) {
      this.toasts.failed(t('prompts-sync-not-cancelled'), toFault(thrown));
    }
  }

  /** Says what was done, and offers to take it back: by the note and by a key. */
  #offer(done: string, undo: () => Promise<void>): void {
    let takeNote: () => void = () => undefined;
    const back = {
      act: () => {
        this.#back = null;
        takeNote();
        void undo();
      },
    };
    this.#back = back;
    takeNote = this.toasts.show(done, {
      action: { label: t('undo'), act: back.act },
      milliseconds: BACK,
      gone: () => {
        if (this.#back === back) this.#back = null;
      },
    });
  }

  async #undoImport(imported: ImportedPromptVersion[]): Promise<void> {
    try {
      const { kept } = await ask(this.port, { command: 'undo_prompt_import', imported });
      this.toasts.show(
        kept.length === 0
          ? t('prompts-import-undone')
          : t('prompts-import-kept', { n: kept.length, name: kept[0] ?? '' }),
      );
      await this.load();
    } catch (thrown) {
      this.toasts.failed(t('prompts-import-not-undone'), toFault(thrown));
    }
  }

  async #delete(opened: Opened): Promise<boolean> {
    const { view } = opened;
    if (!view) return false;
    try {
      const command = { command: 'delete_prompt' as const, prompt_id: view.id, seen: view.sha256 };
      const heard = this.#heard;
      const { library } = await ask(this.port, command);
      this.#turn += 1;
      opened.revert();
      this.#known.delete(opened.id);
      this.#take(library, heard);
      if (this.opened === opened) {
        this.opened = null;
        this.#open(this.current);
      }
      return true;
    } catch (thrown) {
      opened.refused = toFault(thrown);
      await opened.load();
      return false;
    }
  }

  /** Restores the last version of what was deleted, or writes it anew where none was kept. */
  async #bringBack(view: PromptView): Promise<void> {
    try {
      const { versions } = await ask(this.port, { command: 'prompt_versions', prompt_id: view.id });
      const kept = versions.find((each) => each.cause !== 'deleted' && each.sha256 === view.sha256);
      const { prompt } = await ask(
        this.port,
        kept
          ? { command: 'restore_prompt', prompt_id: view.id, version_id: kept.version_id }
          : {
              ...{ command: 'save_prompt', prompt_id: view.id, seen: null },
              prompt: { format: view.format, text: view.text },
            },
      );
      this.#adopt(prompt);
    } catch (thrown) {
      this.toasts.failed(
        t('prompts-not-back', { title: view.entry?.prompt.title ?? view.id }),
        toFault(thrown),
      );
    }
  }

  /** Looks at a prompt that has just come into the folder. */
  #adopt(view: PromptView): void {
    const opened = this.#openedOf(view.id);
    opened.take(view);
    if (this.origins !== 'all') this.origins = 'local';
    this.chosen = view.id;
    this.opened = opened;
    void this.load();
  }

  /** `heard` is what was told last when it was asked for. */
  #take(library: PromptLibrary, heard: PromptSyncState | null): void {
    this.told = { ...library, sync: this.#newest(library.sync, heard) };
    this.fault = null;
  }

  /** Events overtake answers: one that came since it was asked is newer than the answer, or another follows. */
  #newest(answered: PromptSyncState, heard: PromptSyncState | null): PromptSyncState {
    return this.#heard === heard || !this.#heard ? answered : this.#heard;
  }

  #open(id: string | null): void {
    if (this.opened?.id === id) return;
    this.opened?.preview.stop();
    if (id === null || id === NEW) {
      this.opened = null;
      return;
    }
    const opened = this.#openedOf(id);
    this.opened = opened;
    if (opened.view) opened.look(true);
    else void opened.load();
  }

  #openedOf(id: string): Opened {
    const known = this.#known.get(id);
    if (known) return known;
    const opened = new Opened(this.port, id, () =>
      this.#mark(id, opened.unsaved, opened.view?.origin ?? 'local'),
    );
    this.#known.set(id, opened);
    return opened;
  }

  #mark(id: string, unsaved: boolean, origin: PromptOrigin = 'local'): void {
    if (this.#unsaved.has(id) === unsaved) return;
    const marks = new Map(this.#unsaved);
    if (unsaved) marks.set(id, origin);
    else marks.delete(id);
    this.#unsaved = marks;
  }
}
