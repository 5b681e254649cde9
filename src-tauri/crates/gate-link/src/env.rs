//! The few environment variables that this crate heeds, read once and passed in.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// One folder for config, data, logs and the socket.
pub(crate) const HOME: &str = "REVIEW_GATE_HOME";
/// `1`: never start a gate.
pub(crate) const NO_START: &str = "REVIEW_GATE_NO_START";
pub(crate) const RUNTIME_DIR: &str = "XDG_RUNTIME_DIR";
pub(crate) const DISPLAYS: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];

/// Environment variables. An empty value counts as none.
#[derive(Debug, Clone, Default)]
pub struct Env(BTreeMap<String, OsString>);

impl Env {
    /// The heeded variables of this process.
    #[must_use]
    pub fn of_process() -> Self {
        let names = [HOME, NO_START, RUNTIME_DIR].into_iter().chain(DISPLAYS);
        Self::from_pairs(names.filter_map(|name| Some((name, std::env::var_os(name)?))))
    }

    /// Exactly these variables.
    pub fn from_pairs<N: Into<String>, V: Into<OsString>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    /// The value of a variable that is set and not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(name).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Whether a display is named, so that a window could be shown.
    pub(crate) fn has_display(&self) -> bool {
        cfg!(any(target_os = "macos", windows)) || DISPLAYS.iter().any(|name| self.get(name).is_some())
    }

    /// Whether starting a gate is forbidden.
    pub(crate) fn forbids_start(&self) -> bool {
        self.get(NO_START).is_some_and(|value| value != "0")
    }
}
