//! The settings.

use std::collections::BTreeMap;

use gate_core::{Fault, SettingChangeId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::program::WindowSettings;
use crate::settings::{SettingChange, SettingDifference, SettingsView};
use crate::{commands, events};

commands! {
    /// Every setting.
    settings: ReadSettings {} -> SettingsView, by Anyone, Look;

    /// Changes settings in the file, all of them or none. `setting_rejected` with what is wrong with each,
    /// `setting_conflict` where one is not what `seen` says, `settings_file` where the file can't be changed as it
    /// is. A guard gets only safer by it: `needs_confirmation` in a window or on a page, else `setting_forbidden`.
    save_settings: SaveSettings {
        /// Each setting's new value; null for what holds where nobody has set it.
        values: BTreeMap<String, Value> as "Record<string, unknown>",
        /// The values that the person has seen; a setting that isn't named is changed whatever it is.
        #[serde(default)]
        seen: BTreeMap<String, Value> as "Record<string, unknown>",
    } -> SettingsView, by Tuner, Act;

    /// Makes a guard weaker, which the person has just confirmed.
    weaken_guard: WeakenGuard {
        /// Which one.
        key: String,
        /// What it is to be; null for what holds where nobody has set it.
        value: Value as "unknown",
    } -> SettingsView, by Confirmer, Act;

    /// Takes back the last save, whoever made it. `unknown_setting` where there is none.
    undo_settings: UndoSettings {} -> SettingsView, by Tuner, Act;

    /// Takes back one change. `setting_conflict` where the setting was changed again since.
    undo_setting_change: UndoSettingChange {
        /// Which one.
        change_id: SettingChangeId,
    } -> SettingsView, by Tuner, Act;

    /// What importing a `config.yaml` would change.
    preview_settings_import: PreviewSettingsImport {
        /// Its text.
        text: String,
    } -> SettingsImportPreview, by Anyone, Look;

    /// Takes over all settings of a `config.yaml`; others stay. `setting_rejected` where it holds invalid ones, and
    /// nothing is changed then.
    import_settings: ImportSettings {
        /// Its text.
        text: String,
    } -> SettingsView, by Tuner, Act;

    /// The settings that are set, as the text of a `config.yaml`, secrets left out.
    export_settings: ExportSettings {} -> SettingsText, by Anyone, Look;
}

events! {
    /// Settings are other than before, or what is wrong with them.
    SettingsChanged {
        /// Those that the windows follow.
        settings: WindowSettings,
    }, InWindows;

    /// Settings were changed by somebody other than the person in a window; each of the changes can be
    /// taken back.
    SettingChanges {
        /// What was changed.
        changes: Vec<SettingChange>,
    }, InWindows;
}

/// What an import would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SettingsImportPreview {
    /// Where the text differs from the file.
    pub differences: Vec<SettingDifference>,
    /// What is wrong with the text; with any of them it can't be imported.
    pub problems: Vec<Fault>,
}

/// The settings as a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SettingsText {
    /// Its text.
    pub text: String,
}
