//! Guards: settings that protect the person. What the person has confirmed in a window or on a page, or has
//! made safer than it is by itself, is the weakest that the file and the environment may say.
//!
//! Knows where confirmations stand, not who may confirm.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gate_core::{Code, Fault};
use serde_json::Value;

use crate::check::check;
use crate::guard::{Guard, Held};
use crate::schema::Entry;
use crate::{SETTINGS, Values, entry};

/// The name of the file with what was confirmed, beside the settings.
const FILE: &str = "guards.json";

/// The guards among the settings.
pub fn guards() -> impl Iterator<Item = (&'static Entry, Guard)> {
    SETTINGS.iter().filter_map(|entry| Some((entry, entry.guard?)))
}

/// Those of them that the file and the environment can't make weaker.
pub(crate) fn held_guards(held: Held) -> impl Iterator<Item = (&'static Entry, Guard)> {
    guards().filter(move |(entry, guard)| held == Held::All || entry.is_of_security() || *guard == Guard::Demand)
}

/// What the person has confirmed or made safer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Confirmed {
    path: PathBuf,
}

impl Confirmed {
    /// What was confirmed for the settings file at this path.
    pub(crate) fn beside(settings: &Path) -> Self {
        Self { path: settings.with_file_name(FILE) }
    }

    /// The values; none where nothing was confirmed, or what stands there can't be read.
    pub(crate) fn read(&self) -> Values {
        let said =
            fs::read(&self.path).ok().and_then(|bytes| serde_json::from_slice::<BTreeMap<String, Value>>(&bytes).ok());
        let of = |(key, value): (String, Value)| {
            let known = entry(&key).filter(|known| known.guard.is_some())?;
            Some((known.key, check(known, &value).value?))
        };
        said.unwrap_or_default().into_iter().filter_map(of).collect()
    }

    /// Writes down that this value is the weakest; absent for that the default is again.
    ///
    /// # Errors
    /// `settings_file` where that can't be written.
    pub(crate) fn write(&self, key: &'static str, value: Option<&Value>) -> Result<(), Fault> {
        let mut values = self.read();
        let before = values.clone();
        match value {
            Some(value) => drop(values.insert(key, value.clone())),
            None => drop(values.remove(key)),
        }
        if values == before {
            return Ok(());
        }
        let fault = |error: &std::io::Error| {
            Fault::new(
                Code::SettingsFile,
                format!("{} can't be written: {error}.", self.path.display()),
                "Mend what it says, then try again; nothing was changed.",
            )
        };
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|error| fault(&error))?;
        let text = serde_json::to_vec(&values).map_err(|error| Fault::internal(error.to_string()))?;
        // A temporary file is its owner's alone, and stays so.
        let written = tempfile::Builder::new().prefix(".guards.").tempfile_in(folder).and_then(|mut file| {
            file.write_all(&text)?;
            file.as_file().sync_all()?;
            file.persist(&self.path).map_err(|error| error.error)
        });
        written.map(drop).map_err(|error| fault(&error))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_confirmed_is_kept_privately_until_it_is_taken_back() -> Result<(), Fault> {
        let folder = tempfile::tempdir().map_err(|error| Fault::internal(error.to_string()))?;
        let confirmed = Confirmed::beside(&folder.path().join("config.yaml"));
        assert_eq!(confirmed.read(), Values::new());
        confirmed.write("security.terminal_answers", Some(&json!(true)))?;
        assert_eq!(confirmed.read(), Values::from([("security.terminal_answers", json!(true))]));
        confirmed.write("security.terminal_answers", None)?;
        assert_eq!(confirmed.read(), Values::new());
        fs::write(folder.path().join(FILE), "{\"window.theme\":\"dark\",\"nothing\":1}").ok();
        assert_eq!(confirmed.read(), Values::new(), "what is no guard needs no confirmation");
        Ok(())
    }
}
