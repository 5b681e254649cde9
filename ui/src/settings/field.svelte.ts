// One setting and what somebody is at in its field. What is typed stays until it is saved, taken back or
// reset, whatever happens to the setting meanwhile.
import type { Fault } from '../generated/Fault';
import type { Setting } from '../generated/Setting';
import { formOf, hasBlank, read, type Form, type Read } from './forms';
import { same, type Json } from './json';
import { said } from '../i18n/text.svelte';

export class Field {
  /** The setting as the gate told it last. */
  setting: Setting = $state.raw() as Setting;
  /** What is typed and not saved yet; null while nobody is at it. */
  draft = $state.raw<Form | null>(null);
  /** What the gate said against it. */
  refused = $state.raw<Fault | null>(null);
  saving = $state(false);
  /** The value that the draft began with. */
  #seen = $state.raw<Json>(null);

  constructor(setting: Setting) {
    this.setting = setting;
  }

  get key(): string {
    return this.setting.key;
  }

  /** What stands in the field. */
  readonly form: Form = $derived(this.draft ?? formOf(this.setting.kind, this.setting.value));
  /** What it means. */
  readonly read: Read = $derived(
    this.draft ? read(this.setting, this.draft, said(this.setting.title)) : { value: this.setting.value },
  );
  /** What is wrong with it, in a sentence. */
  readonly problem: string | null = $derived(
    'problem' in this.read
      ? this.read.problem
      : this.refused
        ? `${this.refused.message} ${this.refused.mend}`.trim()
        : null,
  );
  /** Which of several rows is wrong. */
  readonly wrongRow: number | null = $derived('problem' in this.read ? (this.read.row ?? null) : null);
  /** Whether somebody else changed the setting while the person was at it. */
  readonly overtaken: boolean = $derived(
    this.draft !== null &&
      !this.saving &&
      !same(this.setting.value, this.#seen) &&
      !('value' in this.read && same(this.setting.value, this.read.value)),
  );
  /** Whether only something else than this page can change it. */
  readonly fixed: boolean = $derived(this.setting.source === 'environment' || this.setting.source === 'flag');

  /** What the person saw when they began. */
  get seen(): Json {
    return this.#seen;
  }

  /** The value that is to be saved; undefined where there is nothing to save, or nothing that could be. */
  get unsaved(): Json | undefined {
    if (!this.draft || 'problem' in this.read) return undefined;
    // Without the text changed there is nothing to do; but what the file holds wrongly is put right by it.
    if (same(this.read.value, this.setting.value) && !this.setting.fault) return undefined;
    return this.read.value;
  }

  edit(form: Form): void {
    if (this.fixed) return;
    if (!this.draft) this.#seen = this.setting.value;
    this.refused = null;
    this.draft = form;
  }

  /** Takes what the gate says now. What is being typed stays. */
  told(setting: Setting): void {
    this.setting = setting;
  }

  /** Saved as this draft: nothing of it is left to do, unless the person has gone on or is about to. */
  saved(draft: Form | null, typing = false): void {
    this.refused = null;
    // A row that was added and isn't written in yet stays for whoever added it, and a space for the word after it.
    const unfinished = draft && (hasBlank(draft) || (typing && draft.form === 'text' && !this.#shows(draft)));
    if (this.draft === draft && !unfinished) this.draft = null;
    else this.#seen = this.setting.value;
  }

  /** Whether the setting itself would stand there just so. */
  #shows(draft: Form): boolean {
    return same(formOf(this.setting.kind, this.setting.value), draft);
  }

  /** Goes back to what is in force. */
  revert(): void {
    this.draft = null;
    this.refused = null;
  }

  /** Keeps the person's own where somebody else has changed it meanwhile. */
  insist(): void {
    this.refused = null;
    this.#seen = this.setting.value;
  }
}
