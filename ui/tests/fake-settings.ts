// The settings of a gate that exists only in the test: it keeps what is saved, and refuses as it is told.
import type { Command } from '../src/generated/Command';
import type { Fault } from '../src/generated/Fault';
import type { Setting } from '../src/generated/Setting';
import type { SettingChange } from '../src/generated/SettingChange';
import type { SettingKind } from '../src/generated/SettingKind';
import { same } from '../src/settings/json';
import { fault } from './fake-gate';
import type { Answer } from '../src/state/port';

/** A setting that the catalogues don't have: its ids stand for its texts. */
export function setting(
  key: string,
  kind: SettingKind,
  value: unknown,
  over: Partial<Setting> = {},
): Setting {
  return {
    ...{ key, section: key.split('.')[0] ?? '', kind, optional: false, default: value, value },
    ...{ title: { id: `Title of ${key}` }, help: { id: `Help of ${key}` } },
    ...{ set: false, source: 'default', agent: 'see', applies: 'now', fault: null, secret: false },
    ...over,
  };
}

const theme: SettingKind = {
  kind: 'choice',
  choices: [
    { value: 'system', title: { id: 'setting-window-theme-system' } },
    { value: 'dark', title: { id: 'setting-window-theme-dark' } },
  ],
};
export const size: SettingKind = { kind: 'number', min: 11, max: 24, unit: { id: 'setting-unit-pixels' } };
export const list: SettingKind = { kind: 'list', max_items: 3, max_chars: 12 };
export const waiting: SettingKind = { kind: 'waiting', min: 5, max: 600, max_items: 3, max_chars: 20 };

export function change(id: string, over: Partial<SettingChange> = {}): SettingChange {
  return {
    ...{ change_id: id, key: 'window.font_size', from: 14, to: 18, by: 'agent', client: 'Cursor' },
    ...{ session_uuid: null, at: new Date().toISOString(), undone: false },
    ...over,
  };
}

export class FakeSettings {
  settings: Setting[] = [
    setting('window.theme', theme, 'system'),
    setting('window.font_size', size, 14),
    setting('window.raise', { kind: 'switch' }, true),
    setting('window.hotkey', { kind: 'keys', max_chars: 40 }, 'CmdOrCtrl+Alt+G', { applies: 'next_start' }),
    setting('notifications.quiet_hours', { kind: 'hours' }, null, { optional: true }),
    setting('network.allowed_hosts', list, []),
    setting('security.guard', { kind: 'switch' }, false, { section: 'network' }),
    setting('waiting.clients', waiting, {}),
  ];
  problems: Fault[] = [];
  changes: SettingChange[] = [];
  canUndo = false;
  /** How many parties were seen in reviews. */
  parties = 11;

  /** What is in force. */
  value(key: string): unknown {
    return this.settings.find((each) => each.key === key)?.value;
  }

  set(key: string, value: unknown, over: Partial<Setting> = {}): void {
    this.settings = this.settings.map((each) =>
      each.key === key ? { ...each, value: value ?? each.default, set: value !== null, ...over } : each,
    );
  }

  /** Given to a gate as its `record`. */
  readonly answer = (command: Command): Answer => {
    switch (command.command) {
      case 'settings':
        return this.#view();
      case 'save_settings':
        for (const [key, value] of Object.entries(command.values)) {
          if (key in command.seen && !same(command.seen[key], this.value(key)))
            throw fault('setting_conflict');
          this.set(key, value);
        }
        this.canUndo = true;
        return this.#view();
      case 'weaken_guard':
        this.set(command.key, command.value);
        return this.#view();
      case 'undo_settings':
        this.canUndo = false;
        return this.#view();
      case 'undo_setting_change':
        this.changes = this.changes.map((each) =>
          each.change_id === command.change_id ? { ...each, undone: true } : each,
        );
        return this.#view();
      case 'preview_settings_import':
        return {
          differences: [{ key: 'window.font_size', from: null, to: 20 }],
          problems: [],
        };
      case 'import_settings':
        this.set('window.font_size', 20);
        return this.#view();
      case 'review_parties':
        return { known: this.parties };
      case 'export_settings':
        return { text: 'version: 1\n' };
      default:
        throw fault('internal');
    }
  };

  #view(): Answer {
    const sections = [...new Set(this.settings.map((each) => each.section))];
    return {
      sections: sections.map((section) => ({ section, title: { id: `Section ${section}` } })),
      settings: structuredClone(this.settings),
      file: '/home/me/config.yaml',
      problems: this.problems,
      changes: this.changes,
      can_undo: this.canUndo,
    };
  }
}
