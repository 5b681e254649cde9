//! Where doctor looks: the folders, the program, and the environment variables, read once.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use gate_core::{Fault, Timestamp};
use gate_link::Home;

use crate::privacy::Privacy;

/// What the checks look at.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The gate's folders.
    pub home: Home,
    /// This program's file.
    pub program: PathBuf,
    /// Its version.
    pub version: &'static str,
    /// The present moment.
    pub now: Timestamp,
    /// Where Linux tells of its sound cards, `/proc/asound`.
    pub sound_cards: PathBuf,
    /// Where the system's own files begin, `/`.
    pub system: PathBuf,
    variables: BTreeMap<String, OsString>,
}

impl Environment {
    /// What surrounds this process.
    ///
    /// # Errors
    /// When the process can't find its own file.
    pub fn of_process(home: Home) -> Result<Self, Fault> {
        let program = gate_os::programs::this()
            .map_err(|error| Fault::internal(format!("This program can't find its own file: {error}.")))?;
        let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Self {
            home,
            program,
            version: env!("CARGO_PKG_VERSION"),
            now: Timestamp(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)),
            sound_cards: PathBuf::from("/proc/asound"),
            system: PathBuf::from("/"),
            variables: variables.collect(),
        })
    }

    /// The same with other variables.
    #[must_use]
    pub fn with_variables<N: Into<String>, V: Into<OsString>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.variables = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        self
    }

    /// A variable that is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(name).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The person's own folder.
    pub(crate) fn user_folder(&self) -> Option<&Path> {
        self.variable("HOME").map(Path::new).filter(|path| path.is_absolute())
    }

    /// The folders of PATH.
    pub(crate) fn path(&self) -> Vec<PathBuf> {
        let folders = self.variable("PATH").map(|path| std::env::split_paths(path).collect::<Vec<_>>());
        folders.unwrap_or_default().into_iter().filter(|folder| folder.is_absolute()).collect()
    }

    /// The program of this name on PATH.
    pub(crate) fn on_path(&self, name: &str) -> Option<PathBuf> {
        let name = gate_os::programs::file_name(name);
        self.path().into_iter().map(|folder| folder.join(&name)).find(|file| is_executable(file))
    }

    /// Whether something that is no folder stands where the home belongs. Then nothing in it is there, and
    /// only that is to be said.
    pub(crate) fn has_no_home(&self) -> bool {
        std::fs::metadata(self.home.data_folder()).is_ok_and(|found| !found.is_dir())
    }

    /// What is kept out of findings.
    #[must_use]
    pub fn privacy(&self) -> Privacy {
        let name = |variable| self.variable(variable).and_then(OsStr::to_str).map(str::to_owned);
        let folder = self.user_folder();
        let last = folder.and_then(Path::file_name).and_then(OsStr::to_str).map(str::to_owned);
        Privacy::new(folder, [name("USER"), name("LOGNAME"), last].into_iter().flatten())
    }
}

pub(crate) use gate_os::files::may_start as is_executable;
