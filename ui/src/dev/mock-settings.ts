// The mock gate's settings: answers the commands of the settings page. Scenes: `broken-file`, `bad-value`,
// `conflict` (the file changes while something is typed), `agent-changes`, `settings-gone`.
import type { Command } from '../generated/Command';
import type { Event } from '../generated/Event';
import type { Fault } from '../generated/Fault';
import type { Setting } from '../generated/Setting';
import type { SettingChange } from '../generated/SettingChange';
import type { WindowSettings } from '../generated/WindowSettings';
import { same } from '../settings/json';
import { changes, SECTIONS, settings } from './settings-fixtures';
import type { Answer } from '../state/port';

const FILE = '/home/you/.config/review-gate/config.yaml';

const BROKEN: Fault = {
  code: 'settings_file',
  message: `${FILE} can’t be read as YAML: line 12, column 3: a tab where spaces are expected.`,
  mend: 'Mend that line; until then the defaults hold and nothing is written.',
};

const EXPORTED = `# Review Gate's settings
version: 1
notifications:
  sounds: false
  quiet_hours: 22:00-07:30
window:
  undo_seconds: 8
`;

export class MockSettings {
  #scene: string;
  #settings: Setting[] = settings();
  #changes: SettingChange[] = changes();
  #saves: Record<string, unknown>[] = [];
  #wear: WindowSettings;
  #emit: (event: Event) => void;

  constructor(scene: string, wear: WindowSettings, emit: (event: Event) => void) {
    this.#scene = scene;
    this.#wear = wear;
    this.#emit = (event) => queueMicrotask(() => emit(event));
    this.#set('window.theme', wear.theme, false);
    this.#set('window.font_size', wear.font_size, false);
    this.#set('window.language', wear.language, false);
    if (scene === 'bad-value') {
      const fault: Fault = {
        code: 'invalid_setting',
        message: 'config.yaml, line 7: `window.font_size` is "huge"; it may be a whole number from 11 to 24.',
        mend: 'The default holds until it is mended.',
      };
      this.#at('window.font_size', { fault, set: true });
    }
    if (scene === 'empty') this.#changes = [];
  }

  command(command: Command): Answer | null {
    switch (command.command) {
      case 'settings':
        if (this.#scene === 'settings-gone') throw BROKEN;
        return this.#view();
      case 'save_settings':
        return this.#save(command.values, command.seen);
      case 'weaken_guard':
        this.#set(command.key, command.value);
        return this.#told();
      case 'undo_settings': {
        const last = this.#saves.pop();
        for (const [key, value] of Object.entries(last ?? {})) this.#set(key, value);
        return this.#told();
      }
      case 'undo_setting_change': {
        const change = this.#changes.find((each) => each.change_id === command.change_id);
        if (change) this.#set(change.key, change.from);
        this.#changes = this.#changes.map((each) => (each === change ? { ...each, undone: true } : each));
        return this.#told();
      }
      case 'preview_settings_import':
        if (command.text.includes('\t')) return { differences: [], problems: [BROKEN] };
        return {
          differences: [
            { key: 'window.font_size', from: null, to: 16 },
            { key: 'notifications.quiet_hours', from: '22:00-07:30', to: '23:00-06:00' },
          ],
          problems: [],
        };
      case 'import_settings':
        this.#set('window.font_size', 16);
        this.#set('notifications.quiet_hours', '23:00-06:00');
        return this.#told();
      case 'export_settings':
        return { text: EXPORTED };
      default:
        return null;
    }
  }

  /** Another language is chosen; it counts as the default, like the one that the windows come up with. */
  speak(tag: string): void {
    this.#set('window.language', tag, false);
    this.#told();
  }

  /** What happens by itself when the page stands. */
  begin(): void {
    if (this.#scene === 'conflict') void this.#conflict();
    if (this.#scene === 'agent-changes') {
      this.#byOthers('window.reduced_motion', true, 'agent');
      this.#byOthers('window.font_size', 15, 'agent');
    }
  }

  /** Somebody types, and the file changes meanwhile. */
  async #conflict(): Promise<void> {
    const field = () =>
      document.querySelector<HTMLInputElement>('[data-testid=setting-window-undo-seconds-control]');
    while (!field()) await new Promise((resolve) => setTimeout(resolve, 40));
    const input = field();
    if (!input) return;
    input.value = '20';
    input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    this.#byOthers('window.undo_seconds', 12, 'file');
  }

  #byOthers(key: string, to: unknown, by: 'file' | 'agent'): void {
    const change: SettingChange = {
      ...{ change_id: `other-${key}`, key, from: this.#of(key)?.value ?? null, to, by },
      ...{ client: by === 'agent' ? 'Claude Code' : null, session_uuid: null },
      ...{ at: new Date().toISOString(), undone: false },
    };
    this.#set(key, to);
    this.#changes = [change, ...this.#changes];
    this.#told();
    this.#emit({ event: 'setting_changes', changes: [change] });
  }

  #save(values: { [key: string]: unknown }, seen: { [key: string]: unknown }): Answer {
    if (this.#scene === 'broken-file') throw BROKEN;
    const before: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(values)) {
      const setting = this.#of(key);
      if (!setting) continue;
      const isWeak = key.startsWith('security.') ? value === true || value === 'L0' : value !== true;
      if ((key.startsWith('security.') || key === 'review.require_seen') && isWeak) {
        const fault: Fault = {
          code: 'needs_confirmation',
          message: `\`${key}\` protects you, and would get weaker.`,
          mend: 'Change it by itself, and confirm it.',
        };
        throw fault;
      }
      if (key in seen && !same(seen[key], setting.value)) {
        const fault: Fault = {
          code: 'setting_conflict',
          message: `\`${key}\` was changed meanwhile.`,
          mend: 'Look at it, and save again.',
        };
        throw fault;
      }
      if (
        key === 'network.allowed_hosts' &&
        Array.isArray(value) &&
        value.some((host) => /\s/.test(String(host)))
      ) {
        const fault: Fault = {
          code: 'setting_rejected',
          message: `\`${key}\`: “${value.find((host) => /\s/.test(String(host)))}” is no name of a machine.`,
          mend: 'Write names as in gate.internal.',
        };
        throw fault;
      }
      before[key] = setting.set ? setting.value : null;
      this.#set(key, value);
    }
    this.#saves.push(before);
    return this.#told();
  }

  #of(key: string): Setting | undefined {
    return this.#settings.find((each) => each.key === key);
  }

  #at(key: string, over: Partial<Setting>): void {
    this.#settings = this.#settings.map((each) => (each.key === key ? { ...each, ...over } : each));
  }

  /** Null is the default. */
  #set(key: string, value: unknown, stored = true): void {
    const setting = this.#of(key);
    if (!setting) return;
    const set = stored && value !== null;
    const source = set ? 'file' : 'default';
    this.#at(key, { value: value ?? setting.default, set, source, fault: null });
  }

  #told(): Answer {
    this.#wear = {
      ...this.#wear,
      theme: String(this.#of('window.theme')?.value),
      font_size: Number(this.#of('window.font_size')?.value),
      language: String(this.#of('window.language')?.value),
    };
    this.#emit({ event: 'settings_changed', settings: this.#wear });
    return this.#view();
  }

  #view(): Answer {
    return {
      sections: [...SECTIONS],
      settings: structuredClone(this.#settings),
      file: FILE,
      problems: this.#scene === 'broken-file' ? [BROKEN] : [],
      changes: structuredClone(this.#changes),
      can_undo: this.#saves.length > 0,
    };
  }
}
