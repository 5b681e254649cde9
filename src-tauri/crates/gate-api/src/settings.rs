//! Settings as a front end shows and changes them. What each of them is stands in gate-settings.

use gate_core::{Fault, SessionUuid, SettingChangeId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::phrase::Phrase;

/// Settings that stand together on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SettingSection {
    /// Its name, e.g. `waiting`.
    pub section: String,
    /// Its title.
    pub title: Phrase,
}

/// One setting: what it is, and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Setting {
    /// Its name in the file, e.g. `window.font_size`.
    pub key: String,
    /// The section that it stands in; may be another than its name begins with.
    pub section: String,
    /// Its title.
    pub title: Phrase,
    /// What it does, in a sentence or two.
    pub help: Phrase,
    /// What it may be.
    pub kind: SettingKind,
    /// Whether it may be null, for none.
    pub optional: bool,
    /// What holds where nobody has set it.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub default: Value,
    /// What holds now. Of a setting that applies at the next start: what will hold then.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub value: Value,
    /// Whether the file has it, be it as it is now or with a fault.
    pub set: bool,
    /// Where the value comes from.
    pub source: SettingSource,
    /// What agents may do with it.
    pub agent: AgentAccess,
    /// When a change takes effect.
    pub applies: Applies,
    /// What is wrong with what the file or the environment says; then another value holds.
    pub fault: Option<Fault>,
    /// Whether it is left out of exports.
    pub secret: bool,
}

/// What a setting may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SettingKind {
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Number {
        /// The least.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        min: i64,
        /// The most.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        max: i64,
        /// What it counts, e.g. seconds.
        unit: Option<Phrase>,
    },
    /// Keys as in `CmdOrCtrl+Alt+G`; empty for none.
    Keys {
        /// Most characters.
        max_chars: usize,
    },
    /// A line of text; empty for none.
    Text {
        /// Most characters.
        max_chars: usize,
    },
    /// One of a few words.
    Choice {
        /// What it may be.
        choices: Vec<SettingChoice>,
    },
    /// A list of texts.
    List {
        /// Most entries.
        max_items: usize,
        /// Most characters of one.
        max_chars: usize,
    },
    /// Two times of the day as in `22:00-07:30`.
    Hours,
    /// A client's name to its seconds, or to `{"stdio": …, "http": …}`. A name may have a version, as in
    /// `codex >= 0.60`.
    Waiting {
        /// Fewest seconds.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        min: i64,
        /// Most seconds.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        max: i64,
        /// Most clients.
        max_items: usize,
        /// Most characters of a name.
        max_chars: usize,
    },
}

/// One of the words that a setting may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SettingChoice {
    /// As it stands in the file.
    pub value: String,
    /// What it is called.
    pub title: Phrase,
}

/// Where a value comes from; a later one wins over an earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SettingSource {
    /// Nobody has set it.
    Default,
    /// `config.yaml`.
    File,
    /// A variable `REVIEW_GATE__SECTION__KEY`. What the file says counts again without it.
    Environment,
    /// An argument that the program was started with.
    Flag,
}

/// What agents may do with a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AgentAccess {
    /// They don't know of it.
    None,
    /// They may read it.
    See,
    /// They may read and change it; the person is told, and can take it back.
    Change,
}

/// When a change takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Applies {
    /// At once.
    Now,
    /// When the gate is started the next time.
    NextStart,
}

/// Who changed a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ChangedBy {
    /// The person, in a window.
    Person,
    /// An agent, through its tool.
    Agent,
    /// Whoever wrote the file.
    File,
    /// A command line.
    Terminal,
}

impl ChangedBy {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Person, Self::Agent, Self::File, Self::Terminal];

    /// The word for it in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::File => "file",
            Self::Terminal => "terminal",
        }
    }
}

/// A setting that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SettingChange {
    /// Its identifier.
    pub change_id: SettingChangeId,
    /// Which setting.
    pub key: String,
    /// What the file said before; null for nothing, so that the default held.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub from: Value,
    /// What it says since; null for nothing.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub to: Value,
    /// By whom.
    pub by: ChangedBy,
    /// The agent's name as a person reads it; absent for others.
    pub client: Option<String>,
    /// The agent's session, where it has one.
    pub session_uuid: Option<SessionUuid>,
    /// When.
    pub at: Timestamp,
    /// Whether it was taken back.
    pub undone: bool,
}

/// Where an imported file differs from what holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SettingDifference {
    /// Which setting.
    pub key: String,
    /// What the file says; null for nothing.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub from: Value,
    /// What the imported one says.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub to: Value,
}

/// Every setting, and what the page shows around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SettingsView {
    /// The sections, in their order on the page.
    pub sections: Vec<SettingSection>,
    /// The settings, in their order on the page.
    pub settings: Vec<Setting>,
    /// The path of `config.yaml`; it need not exist.
    pub file: String,
    /// What is wrong with the file: what can't be read, what names no setting.
    pub problems: Vec<Fault>,
    /// What was changed, the latest first; at most [`gate_core::bounds::SETTING_CHANGES`].
    pub changes: Vec<SettingChange>,
    /// Whether there is a save that can be taken back.
    pub can_undo: bool,
}
