//! What the tools and the resource about the settings need of the running gate.

use async_trait::async_trait;
use gate_core::{Fault, Timestamp};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::port::Whose;

/// A setting that agents may see.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigEntry {
    /// Its name, e.g. `window.theme`.
    pub key: String,
    /// Its title.
    pub title: String,
    /// What it does, in a sentence or two.
    pub help: String,
    /// What holds now, or from the next start on.
    pub value: Value,
    /// What holds where nobody has set it.
    pub default: Value,
    /// What it may be.
    pub allowed: Value,
    /// Whether agents may change it.
    pub may_change: bool,
    /// When a change takes effect.
    pub applies: Applies,
}

/// When a change of a setting takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Applies {
    /// At once.
    Now,
    /// When the gate is started the next time.
    NextStart,
}

/// A setting that an agent has changed.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedSetting {
    /// Its name.
    pub key: String,
    /// What was set before; null for nothing.
    pub from: Value,
    /// What is set now; null for nothing.
    pub to: Value,
    /// When that takes effect.
    pub applies: Applies,
    /// Whether something that wins over what is set says something else.
    pub overridden: bool,
}

/// The settings, as far as agents may see and change them.
#[async_trait]
pub trait ConfigPort: Send + Sync + 'static {
    /// The settings of these keys that agents may see; all of them where no keys are named.
    ///
    /// # Errors
    /// `unknown_setting`, and `setting_forbidden` for one that they may not see.
    fn config(&self, keys: Option<&[String]>) -> Result<Vec<ConfigEntry>, Fault>;

    /// When one of the settings that agents may see was last changed; absent where none was, as far as that is
    /// remembered.
    async fn config_changed(&self) -> Result<Option<Timestamp>, Fault>;

    /// Changes settings, all of them or none; null for the default. The person is told.
    ///
    /// # Errors
    /// `setting_rejected`, `setting_forbidden`, `unknown_setting`, and `settings_file` where the file
    /// can't be changed.
    async fn update_config(&self, whose: Whose, values: Map<String, Value>) -> Result<Vec<ChangedSetting>, Fault>;
}
