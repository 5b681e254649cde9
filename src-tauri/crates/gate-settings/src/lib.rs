//! The settings: what there is, in one table; the file `config.yaml`, which keeps whatever its owner
//! wrote in it; and the layers from which a value comes. Knows no gate and no window.

mod check;
mod confirmed;
mod document;
mod edit;
mod english;
mod file;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
mod guard;
mod layers;
mod migrate;
mod page;
mod scalar;
mod schema;
mod settings;
mod table;
mod values;
mod view;
mod weaker;

pub use check::{Checked, Wrong, check};
pub use confirmed::guards;
pub use document::{Broken, Spot};
pub use english::{kind_in_english, setting_in_english};
pub use file::{Changed, SettingsFile, Stamp, Wanted, unknown_setting};
pub use guard::{Guard, Held};
pub use layers::{Loaded, Overlay};
pub use migrate::VERSION;
pub use page::page;
pub use schema::{Entry, Shape, Tab};
pub use settings::defaults;
pub use table::{SETTINGS, Settings, TABS};
pub use values::{Values, Waits};
pub use view::{sections, settings, settings_for_agents};
pub use weaker::{weak, weakened};

/// A value as it stands in the file; a text without quotes, null as nothing.
#[must_use]
pub fn written(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        other => scalar::flow(other),
    }
}

/// The setting of this key.
#[must_use]
pub fn entry(key: &str) -> Option<&'static Entry> {
    SETTINGS.iter().find(|entry| entry.key == key)
}
