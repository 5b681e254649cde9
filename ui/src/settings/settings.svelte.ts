// The settings page's state: what is in force, what is being typed, and saving it one after the other as
// it is changed. It is kept while other pages stand, so that nothing that was typed is lost.
import type { Fault } from '../generated/Fault';
import type { SettingChange } from '../generated/SettingChange';
import type { SettingsImportPreview } from '../generated/SettingsImportPreview';
import type { SettingsView } from '../generated/SettingsView';
import type { WindowSettings } from '../generated/WindowSettings';
import { learn, said, t } from '../i18n/text.svelte';
import { kept } from '../state/kept.svelte';
import type { Main } from '../state/main.svelte';
import { ask, type Port, toFault } from '../state/port';
import { ofSettings } from '../state/warnings.svelte';
import { Field } from './field.svelte';
import { hasBlank, type Form } from './forms';
import { same, type Json } from './json';
import { finds } from './said';

/** How long typing rests before it is saved, in milliseconds. */
export const TYPING = 700;

/** Settings that the page wears while they are tried out, and what the windows call them. */
const TRIED: Record<string, keyof WindowSettings> = {
  'window.theme': 'theme',
  'window.font_size': 'font_size',
  'window.reduced_motion': 'reduced_motion',
  'window.language': 'language',
};

/** The places of the page that aren't sections of the file. */
export const CHANGES = 'changes';
export const FILE = 'file';
export const KEYS = 'keys';

/** What the line at the head says. */
export type Note = { kind: 'saving' } | { kind: 'saved' | 'reset' | 'undone'; name: string };

export class SettingsForm {
  told = $state.raw<SettingsView | null>(null);
  fields = $state.raw<readonly Field[]>([]);
  /** Why the settings can't be had, or something that belongs to no field failed. */
  fault = $state.raw<Fault | null>(null);
  place = $state('');
  query = $state('');
  note = $state.raw<Note | null>(null);
  /** What would make a guard weaker, and waits for the person to confirm it. */
  weaker = $state.raw<{ field: Field; value: Json; kind: 'saved' | 'reset' } | null>(null);

  readonly port: Port;
  #timers = new Map<Field, ReturnType<typeof setTimeout>>();
  #line: Promise<void> = Promise.resolve();
  #turn = 0;
  /** The gate's answer to a save may be here before its event: what was seen mustn't go back meanwhile. */
  #saved = $state.raw<ReadonlyMap<string, Json>>(new Map());
  /** What the windows were told last. */
  #windows: WindowSettings | null = null;

  constructor(port: Port) {
    this.port = port;
  }

  /** What is tried out, and what was saved and the windows haven't been told of. */
  readonly preview: Partial<WindowSettings> = $derived.by(() => {
    const tried: Record<string, unknown> = {};
    for (const field of this.fields) {
      const name = TRIED[field.key];
      if (!name) continue;
      const worn = field.draft && 'value' in field.read ? field.read.value : this.#saved.get(field.key);
      if (worn !== undefined && worn !== null) tried[name] = worn;
    }
    return tried;
  });

  /** The fields that the search finds, all of them without one. */
  readonly found: readonly Field[] = $derived.by(() => {
    const query = this.query.trim();
    return query === '' ? this.fields : this.fields.filter((field) => finds(field.setting, query));
  });

  /** The settings of the last save, which undoing takes back; none where that isn’t known. */
  readonly #last: readonly string[] = $derived.by(() => {
    if (!this.told?.can_undo) return [];
    const { changes } = this.told;
    const last = changes.find((change) => !change.undone);
    const saved = changes.filter(({ undone, at, by }) => !undone && at === last?.at && by === last.by);
    return saved.map(({ key }) => key);
  });

  /** The names of what undoing takes back. */
  readonly undoes: readonly string[] = $derived(this.#last.map((key) => this.nameOf(key)));

  /**
   * Whether undoing belongs to where the person is: to a section of what it takes back, or to what a search has found of
   * it. To the list of changes always, and to the file where it was more than a section’s: it was taken over whole.
   */
  readonly undoBelongs: boolean = $derived.by(() => {
    if (!this.told?.can_undo) return false;
    const last = this.fields.filter(({ key }) => this.#last.includes(key));
    if (this.#last.length === 0) return true;
    if (this.query.trim() !== '') return last.some((field) => this.found.includes(field));
    const sections = new Set(last.map(({ setting }) => setting.section));
    if (this.place === CHANGES) return true;
    return this.place === FILE ? sections.size > 1 : sections.has(this.place);
  });

  /** Loads the settings, or loads them again. */
  async load(): Promise<void> {
    const turn = (this.#turn += 1);
    // Without the other languages the search finds what is said in this one.
    void learn('setting').catch(() => undefined);
    try {
      const told = await ask(this.port, { command: 'settings' });
      if (turn === this.#turn) this.#take(told);
    } catch (thrown) {
      if (turn === this.#turn) this.fault = toFault(thrown);
    }
  }

  /** The windows have been told. */
  worn(settings: WindowSettings): void {
    this.#windows = settings;
    this.#keep((key, value) => !same(this.#told(key), value));
    void this.load();
  }

  /** The field of a setting. */
  of(key: string): Field | undefined {
    return this.fields.find((field) => field.key === key);
  }

  /** The fields of a section. */
  in(section: string): readonly Field[] {
    return this.fields.filter((field) => field.setting.section === section);
  }

  /** Takes what a field holds now, and saves it: at once, or when typing rests. */
  edit(field: Field, form: Form, typing: boolean): void {
    field.edit(form);
    this.#stop(field);
    if (!typing) void this.save(field);
    else
      this.#timers.set(
        field,
        setTimeout(() => void this.save(field, true), TYPING),
      );
  }

  /**
   * Saves a field that can be saved; what is wrong stays in it and says so. While somebody types, what has to be
   * confirmed waits until they leave the field: half an address is nothing to ask about.
   */
  save(field: Field, typing = false): Promise<void> {
    this.#stop(field);
    return this.#inLine(async () => {
      const value = field.unsaved;
      if (value === undefined) {
        if (field.draft && 'value' in field.read && !hasBlank(field.draft)) field.revert();
        return;
      }
      // What the gate has refused for what it is isn't sent again as it is.
      if (field.overtaken || field.refused?.code === 'setting_rejected') return;
      await this.#put(field, value, 'saved', field.seen, typing);
    });
  }

  /** Puts a setting back to its default. */
  reset(field: Field): Promise<void> {
    this.#stop(field);
    field.revert();
    return this.#inLine(() => this.#put(field, null, 'reset', field.setting.value));
  }

  /** Makes the guard weaker: the person has confirmed it. */
  weaken(): Promise<void> {
    const { weaker } = this;
    this.weaker = null;
    return this.#inLine(async () => {
      if (!weaker) return;
      const { field, value, kind } = weaker;
      const { draft } = field;
      await this.#act({ command: 'weaken_guard', key: field.key, value });
      if (this.fault) return;
      field.saved(draft);
      this.note = { kind, name: said(field.setting.title) };
    });
  }

  /** Leaves the guard as it is. */
  keepSafe(): void {
    this.weaker?.field.revert();
    this.weaker = null;
  }

  /** Saves the person's own over what somebody else set meanwhile. */
  keepMine(field: Field): Promise<void> {
    field.insist();
    return this.save(field);
  }

  /** Lets a field go back to what is in force. */
  revert(field: Field): void {
    this.#stop(field);
    field.revert();
  }

  /** Saves what is still being typed: the page goes. */
  leave(): void {
    for (const field of this.fields) if (this.#timers.has(field)) void this.save(field);
  }

  /** Takes the last save back. */
  undo(): Promise<void> {
    return this.#inLine(async () => {
      if (!this.told?.can_undo) return;
      const [name = ''] = this.undoes;
      await this.#act({ command: 'undo_settings' });
      if (!this.fault) this.note = { kind: 'undone', name };
    });
  }

  /** Takes back one change, an agent's or another's. */
  undoChange(change: SettingChange): Promise<void> {
    return this.#inLine(async () => {
      await this.#act({ command: 'undo_setting_change', change_id: change.change_id });
      if (!this.fault) this.note = { kind: 'undone', name: this.nameOf(change.key) };
    });
  }

  /** What a setting is called; its key where it isn't known. */
  nameOf(key: string): string {
    const setting = this.of(key)?.setting;
    return setting ? said(setting.title) : key;
  }

  /** What would change if this text were the file. Throws a `Fault`. */
  previewImport(text: string): Promise<SettingsImportPreview> {
    return ask(this.port, { command: 'preview_settings_import', text });
  }

  /** Takes the settings of this text over. Throws a `Fault`. */
  async import(text: string): Promise<void> {
    this.#take(await ask(this.port, { command: 'import_settings', text }));
    this.note = { kind: 'saved', name: t('settings-imported') };
  }

  /** The settings as a file, without secrets. Throws a `Fault`. */
  async export(): Promise<string> {
    return (await ask(this.port, { command: 'export_settings' })).text;
  }

  async #put(
    field: Field,
    value: Json,
    kind: 'saved' | 'reset',
    seen: Json = field.seen,
    typing = false,
  ): Promise<void> {
    const { draft } = field;
    const turn = this.#turn;
    field.saving = true;
    this.note = { kind: 'saving' };
    try {
      const told = await ask(this.port, {
        command: 'save_settings',
        values: { [field.key]: value },
        seen: { [field.key]: seen },
      });
      this.#answered(told, turn);
      this.#wear(field);
      field.saved(draft, typing);
      this.note = { kind, name: said(field.setting.title) };
    } catch (thrown) {
      const fault = toFault(thrown);
      this.note = null;
      if (fault.code === 'needs_confirmation') {
        if (!typing) this.weaker = { field, value, kind };
        return;
      }
      field.refused = fault;
      // Somebody else may have changed it: the field says so with what it is now.
      await this.load();
    } finally {
      field.saving = false;
    }
  }

  async #act(
    command:
      | { command: 'undo_settings' }
      | { command: 'weaken_guard'; key: string; value: Json }
      | { command: 'undo_setting_change'; change_id: SettingChange['change_id'] },
  ): Promise<void> {
    const turn = this.#turn;
    try {
      this.#answered(await ask(this.port, command), turn);
    } catch (thrown) {
      this.fault = toFault(thrown);
    }
  }

  /** What the windows know of a setting that they wear. */
  #told(key: string): Json {
    const name = TRIED[key];
    return name && this.#windows?.[name];
  }

  /** Has the windows wear what was saved until they know it themselves. */
  #wear(field: Field): void {
    const { key, setting } = field;
    if (key in TRIED && !same(this.#told(key), setting.value))
      this.#saved = new Map([...this.#saved, [key, setting.value]]);
  }

  #keep(holds: (key: string, value: Json) => boolean): void {
    if (this.#saved.size > 0)
      this.#saved = new Map([...this.#saved].filter(([key, value]) => holds(key, value)));
  }

  /** Takes what a command has answered. What was heard of since its turn may be newer, so that is asked for again. */
  #answered(told: SettingsView, turn: number): void {
    const overtaken = turn !== this.#turn;
    this.#turn += 1;
    this.#take(told);
    if (overtaken) void this.load();
  }

  #take(told: SettingsView): void {
    this.told = told;
    this.fault = null;
    const before = new Map(this.fields.map((field) => [field.key, field]));
    const known = told.settings.every((setting) => before.has(setting.key));
    for (const setting of told.settings) before.get(setting.key)?.told(setting);
    if (!known || told.settings.length !== this.fields.length)
      this.fields = told.settings.map((setting) => before.get(setting.key) ?? new Field(setting));
    this.#keep((key, value) => same(this.of(key)?.setting.value, value));
    if (!this.place) this.place = told.sections[0]?.section ?? FILE;
  }

  /** One after the other: each save is given what the one before has seen. */
  #inLine(act: () => Promise<void>): Promise<void> {
    this.#line = this.#line.then(act, act);
    return this.#line;
  }

  #stop(field: Field): void {
    clearTimeout(this.#timers.get(field));
    this.#timers.delete(field);
  }
}

/** The settings of a main window: made when they are first needed. */
export const settingsOf = kept((main: Main) => {
  const form = new SettingsForm(main.port);
  const load = () => void form.load();
  main.hears({
    settings_changed: ({ settings }) => form.worn(settings),
    setting_changes: load,
    resync: load,
    warning: ({ fault }) => {
      if (ofSettings(fault)) load();
    },
  });
  return form;
});
