// A prompt that is looked at: its file, what was typed in it and isn't saved yet, its versions. It stays
// where it is while the person looks at others.
import type { Fault } from '../generated/Fault';
import type { PromptVersion } from '../generated/PromptVersion';
import type { PromptVersionId } from '../generated/PromptVersionId';
import type { PromptView } from '../generated/PromptView';
import { ask, toFault, type Port } from '../state/port';
import { Preview } from './preview.svelte';

interface Draft {
  text: string;
  /** Names the text that it was made from. */
  seen: string;
}

export class Opened {
  readonly id: string;
  view = $state.raw<PromptView | null>(null);
  /** Why it can't be read. */
  fault = $state.raw<Fault | null>(null);
  /** Why it can't be saved. */
  refused = $state.raw<Fault | null>(null);
  busy = $state(false);
  versions = $state.raw<readonly PromptVersion[] | null>(null);
  versionsFault = $state.raw<Fault | null>(null);
  /** The version that is compared with what is now. */
  version = $state<PromptVersionId | null>(null);
  readonly preview: Preview;

  #draft = $state.raw<Draft | null>(null);
  #port: Port;
  #turn = 0;
  #told: () => void;

  constructor(port: Port, id: string, told: () => void) {
    this.#port = port;
    this.#told = told;
    this.id = id;
    this.preview = new Preview(port);
  }

  readonly text = $derived(this.#draft?.text ?? this.view?.text ?? '');
  readonly unsaved = $derived(this.#draft !== null);
  readonly own = $derived(this.view?.origin === 'local');
  /** Whether the file says something else than what the typed text was made from. */
  readonly overtaken = $derived(
    this.#draft !== null && this.view !== null && this.own && this.view.sha256 !== this.#draft.seen,
  );
  /** What is wrong with the text as it stands. */
  readonly problems = $derived.by(
    () => (this.#draft ? this.preview.told?.problems : null) ?? this.view?.problems ?? [],
  );
  readonly compared = $derived(
    this.versions?.find((each) => each.version_id === this.version) ?? this.versions?.[0] ?? null,
  );

  /** Reads it. What was there stands until it is here; what was typed stays. */
  async load(): Promise<void> {
    const turn = (this.#turn += 1);
    try {
      const { prompt } = await ask(this.#port, { command: 'prompt', prompt_id: this.id });
      if (turn !== this.#turn) return;
      this.take(prompt);
    } catch (thrown) {
      if (turn === this.#turn) this.fault = toFault(thrown);
      return;
    }
    if (this.versions) await this.loadVersions();
  }

  /** Takes what the gate says of it. */
  take(view: PromptView): void {
    this.#turn += 1;
    this.view = view;
    this.fault = null;
    if (this.#draft?.text === view.text) this.#draft = null;
    this.#told();
    this.look(true);
  }

  write(text: string): void {
    if (!this.view) return;
    this.refused = null;
    const seen = this.#draft?.seen ?? this.view.sha256;
    this.#draft = text === this.view.text ? null : { text, seen };
    this.#told();
    this.look();
  }

  /** Goes back to what the file says. Answers what was typed. */
  revert(): string {
    const { text } = this;
    this.#draft = null;
    this.refused = null;
    this.#told();
    this.look(true);
    return text;
  }

  put(name: string, value: string | undefined): void {
    this.preview.put(name, value);
    this.look();
  }

  /** Asks what it gives now. */
  look(now = false): void {
    if (!this.view) return;
    const unsaved = this.#draft ? { format: this.view.format, text: this.#draft.text } : null;
    const wanted = { id: this.id, unsaved, prompt: this.view.entry?.prompt ?? null };
    if (now) void this.preview.now(wanted);
    else this.preview.soon(wanted);
  }

  /** Writes what was typed into its file. Answers whether it is there. */
  async save(): Promise<boolean> {
    const { view } = this;
    const draft = this.#draft;
    if (!view || !draft || this.busy) return false;
    return this.#write(draft.text, this.own && !this.fault ? draft.seen : null);
  }

  /** Writes what was typed over what the file says now. */
  async keepMine(): Promise<boolean> {
    const { view } = this;
    const draft = this.#draft;
    return view !== null && draft !== null && this.#write(draft.text, this.own ? view.sha256 : null);
  }

  /** Copies it into the person's folder, where it hides the original. */
  async makeOwn(): Promise<boolean> {
    return this.view !== null && !this.own && this.#write(this.text, null);
  }

  /** Puts an earlier text back; used where a change is taken back. */
  async putBack(text: string): Promise<boolean> {
    return this.view !== null && this.#write(text, this.own ? this.view.sha256 : null);
  }

  async #write(text: string, seen: string | null): Promise<boolean> {
    const { view } = this;
    if (!view || this.busy) return false;
    this.busy = true;
    this.refused = null;
    try {
      const { prompt } = await ask(this.#port, {
        command: 'save_prompt',
        prompt_id: this.id,
        prompt: { format: view.format, text },
        seen,
      });
      // What was typed while it was being saved is made from what is saved now.
      const draft = this.#draft;
      this.#draft = draft === null || draft.text === text ? null : { ...draft, seen: prompt.sha256 };
      this.take(prompt);
      if (this.versions) void this.loadVersions();
      return true;
    } catch (thrown) {
      const fault = toFault(thrown);
      const passed = fault.code === 'prompt_conflict' || fault.code === 'name_taken';
      // What is there now is what the person is asked about.
      if (passed) await this.load();
      this.refused = passed && this.overtaken ? null : fault;
      return false;
    } finally {
      this.busy = false;
    }
  }

  async loadVersions(): Promise<void> {
    try {
      const { versions } = await ask(this.#port, { command: 'prompt_versions', prompt_id: this.id });
      this.versions = versions;
      this.versionsFault = null;
    } catch (thrown) {
      this.versionsFault = toFault(thrown);
    }
  }

  /** Writes an earlier version into the person's folder. Answers whether it is there. */
  async restore(version: PromptVersion): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    try {
      const { prompt } = await ask(this.#port, {
        command: 'restore_prompt',
        prompt_id: this.id,
        version_id: version.version_id,
      });
      this.take(prompt);
      this.version = null;
      await this.loadVersions();
      return true;
    } catch (thrown) {
      this.versionsFault = toFault(thrown);
      return false;
    } finally {
      this.busy = false;
    }
  }
}
