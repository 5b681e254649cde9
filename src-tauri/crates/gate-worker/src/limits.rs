//! How long a run may take, and how much it may print and be given.

use std::time::Duration;

/// The bounds of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its end, by the clock of this machine.
    pub time: Duration,
    /// What it may print, standard output and standard error together, in bytes. More ends it.
    pub output: usize,
    /// From when it is asked to end until it is made to.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(600), output: 1 << 20, grace: Duration::from_secs(5) }
    }
}

/// The bounds of a run's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderLimits {
    /// Files.
    pub files: usize,
    /// Bytes in all of them.
    pub bytes: u64,
}

impl Default for FolderLimits {
    fn default() -> Self {
        Self { files: 50_000, bytes: 512 << 20 }
    }
}
