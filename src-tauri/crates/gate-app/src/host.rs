//! What the gate was started as.

use std::env::consts::EXE_EXTENSION;
use std::ffi::OsString;
use std::path::PathBuf;

use gate_core::Seat;
use gate_link::Home;

/// The command line program.
const PROGRAM: &str = "review-gate";

/// What the gate was started as: it stays so until it stops.
#[derive(Debug)]
pub(crate) struct Host {
    /// Its folders.
    pub(crate) home: Home,
    /// The command line program, as an agent's client should start it.
    pub(crate) command_path: String,
    /// Whether it has a window.
    pub(crate) window: bool,
    /// Where that is shown, as far as the system tells.
    pub(crate) seat: Option<Seat>,
    /// Where HTTP is served, e.g. `http://127.0.0.1:8321`; absent where it isn't.
    pub(crate) http: Option<String>,
    /// What it was started to allow.
    pub(crate) allows: Allows,
    /// The environment that it was started in, of which the person's programs have some.
    pub(crate) environment: Vec<(OsString, OsString)>,
}

impl Host {
    /// The program that runs of the person's agents are started by: `review-gate` beside this one, else the one that
    /// clients start.
    pub(crate) fn starter(&self) -> PathBuf {
        let beside = std::env::current_exe().ok().map(|own| own.with_file_name(PROGRAM).with_extension(EXE_EXTENSION));
        beside.filter(|program| program.is_file()).unwrap_or_else(|| PathBuf::from(&self.command_path))
    }

    /// The address of the gate's page, by the name that both of its addresses have; absent where it isn't served. It is
    /// the origin that a browser says.
    pub(crate) fn page(&self) -> Option<String> {
        self.http.as_ref().map(|http| http.replacen("127.0.0.1", "localhost", 1))
    }
}

/// What `review-gate serve` was started to allow, in a home that never had a window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allows {
    /// `--allow-scripts`: scripts may answer for the person.
    pub scripts: bool,
    /// `--terminal`: terminals may decide.
    pub terminal: bool,
}

impl Allows {
    /// The flags, as they are written.
    pub(crate) fn flags(self) -> Vec<String> {
        let all = [(self.scripts, "serve --allow-scripts"), (self.terminal, "serve --terminal")];
        all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_owned()).collect()
    }
}
