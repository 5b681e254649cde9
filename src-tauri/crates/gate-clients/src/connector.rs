//! For whom clients are connected, and how.

use std::path::PathBuf;

use crate::entry::Start;
use crate::folders::Folders;
use crate::toolsets::Toolsets;

/// The folder below the gate's data folder with the copies of what people attach, which agents may read.
pub const COPIES: &str = "attachments";

/// How a client is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether its rules are written, too.
    pub rules: bool,
    /// Whether an entry of Review Gate V2, or another one of our name, makes place.
    pub take_over: bool,
    /// Whether its agents may call this server's tools, and read the copies of what the person attaches, without asking
    /// before each call. Permission that is there already stays without it.
    pub allow: bool,
    /// Whether its questions whether an agent may do something come to the gate. A way that is there already stays
    /// without it.
    pub questions: bool,
    /// What its agents are served. Absent: what the entry asks for already, and of a new one the default.
    pub toolsets: Option<Toolsets>,
}

/// Connects clients to the program, and disconnects them.
#[derive(Debug, Clone)]
pub struct Connector {
    pub(crate) folders: Folders,
    pub(crate) data: PathBuf,
    pub(crate) start: Start,
}

impl Connector {
    /// For the clients of these folders. `data` is the gate's data folder.
    #[must_use]
    pub fn new(folders: Folders, data: PathBuf, start: Start) -> Self {
        Self { folders, data, start }
    }

    /// The clients' folders.
    #[must_use]
    pub fn folders(&self) -> &Folders {
        &self.folders
    }
}
