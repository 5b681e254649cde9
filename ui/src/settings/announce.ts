// What somebody else changed in the settings, said where the person is, with a way to take it back.
import '../i18n/words-settings';
import type { Setting } from '../generated/Setting';
import type { SettingChange } from '../generated/SettingChange';
import { said, t } from '../i18n/text.svelte';
import { agentName } from '../state/format';
import { ask, toFault, type Port } from '../state/port';
import { FAILURE, type Toasts } from '../state/toasts.svelte';
import { same } from './json';
import { saidInFile } from './said';

/** Who changed it, in a few words. */
export function whoChanged(change: Pick<SettingChange, 'by' | 'client'>): string {
  switch (change.by) {
    case 'agent':
      return agentName(change.client ?? '');
    case 'file':
      return t('settings-by-file');
    case 'terminal':
      return t('settings-by-terminal');
    case 'person':
      return t('settings-by-person');
  }
}

/** Whether a change is in effect: of a value that can't be one the warning speaks, and another holds. */
function holds(setting: Setting | undefined, change: SettingChange): boolean {
  return !setting?.fault || same(setting.value, change.to ?? setting.default);
}

/** Says what was changed. What came at once is one note, or as many as there is room for. */
export async function announce(port: Port, toasts: Toasts, changes: readonly SettingChange[]): Promise<void> {
  const others = changes.filter((change) => change.by !== 'person' && !change.undone);
  if (others.length === 0) return;
  let settings: readonly Setting[] = [];
  try {
    ({ settings } = await ask(port, { command: 'settings' }));
  } catch {
    // Without the settings' titles their names have to do.
  }
  const of = (change: SettingChange) => settings.find((each) => each.key === change.key);
  for (const change of others.filter((each) => holds(of(each), each)).slice(-3)) {
    const setting = of(change);
    const values = {
      who: whoChanged(change),
      name: setting ? said(setting.title) : change.key,
      from: saidInFile(setting, change.from),
      to: saidInFile(setting, change.to),
    };
    toasts.show(t('settings-announce', values), {
      milliseconds: FAILURE,
      action: { label: t('undo'), act: () => void takeBack(port, toasts, change) },
    });
  }
}

async function takeBack(port: Port, toasts: Toasts, change: SettingChange): Promise<void> {
  try {
    await ask(port, { command: 'undo_setting_change', change_id: change.change_id });
  } catch (thrown) {
    toasts.failed(t('settings-undo-failed'), toFault(thrown));
  }
}
