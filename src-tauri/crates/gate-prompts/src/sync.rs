//! Prompts from a git repository: fetched by the `git` program, checked, and served from a folder that is
//! always one whole version.
//!
//! What it must not know: what a prompt is. It takes files by their names, bounds them, and never shows
//! them to git again, so that no attribute, filter, hook or link of a repository has an effect here.

mod actor;
mod explain;
mod fetch;
mod folder;
mod git;
mod round;
mod source;
mod tree;
pub mod webhook;

use gate_core::{Fault, Timestamp, bounds};

pub use actor::{Clock, Plan, PromptSync, SyncOptions};
pub use folder::{Served, SyncedFolder, Version, served_from};
pub use source::{Protocol, Secret, Source, SourceText};

/// Where a synchronisation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncStatus {
    /// No repository is set.
    Off,
    /// None has been fetched yet.
    Never,
    /// It is being fetched.
    Syncing,
    /// What is served is what was there at the last look.
    Success,
    /// The last try failed; what was there before is still served.
    Error,
}

/// How far a synchronisation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncStep {
    /// The repository is asked for its newest commit.
    Asking,
    /// That is fetched.
    Fetching,
    /// Its files are read and checked.
    Reading,
}

/// How the synchronisation stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncState {
    /// Where it stands.
    pub status: SyncStatus,
    /// How far it is, for [`SyncStatus::Syncing`].
    pub step: Option<SyncStep>,
    /// The repository as the settings name it, which never holds a secret; empty for none.
    pub repository: String,
    /// The branch; empty for the repository's own.
    pub branch: String,
    /// The commit that is served; empty for none.
    pub commit: String,
    /// That commit's first line; empty for none.
    pub subject: String,
    /// When that commit was made.
    pub committed_at: Option<Timestamp>,
    /// How many prompts it gave: files that are taken and aren't partials.
    pub prompts: u32,
    /// How many files of the repository's folder were left out for their type.
    pub ignored: u32,
    /// When it was last fetched, or looked at and found unchanged, with success.
    pub synced_at: Option<Timestamp>,
    /// When it was last tried.
    pub tried_at: Option<Timestamp>,
    /// When it will be tried next; absent where it is never tried by itself.
    pub next_at: Option<Timestamp>,
    /// Why the last try failed.
    pub fault: Option<Fault>,
}

impl SyncState {
    /// Where no repository is set.
    #[must_use]
    pub fn off() -> Self {
        Self {
            status: SyncStatus::Off,
            step: None,
            repository: String::new(),
            branch: String::new(),
            commit: String::new(),
            subject: String::new(),
            committed_at: None,
            prompts: 0,
            ignored: 0,
            synced_at: None,
            tried_at: None,
            next_at: None,
            fault: None,
        }
    }
}

/// What a synchronisation may take. [`Limits::default`] is what the program uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Longest time of one run of git, in seconds.
    pub seconds: u64,
    /// Shortest time between two synchronisations by themselves, in seconds.
    pub pause_seconds: u64,
    /// Longest time to the next try after faults, in seconds, unless the interval is longer.
    pub back_off_seconds: u64,
    /// Largest size of what is downloaded, in bytes on the disk.
    pub disk_bytes: u64,
    /// Most entries of the repository's folder, those that are left out among them.
    pub entries: usize,
    /// Most files that are taken.
    pub files: usize,
    /// Largest file that is taken, in bytes.
    pub file_bytes: u64,
    /// Largest size of all files that are taken, in bytes.
    pub total_bytes: u64,
    /// Most folders above a file that is taken.
    pub depth: usize,
    /// Most commits of a branch among which a pinned one is looked for.
    pub history: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            seconds: bounds::PROMPT_SYNC_SECONDS,
            pause_seconds: bounds::PROMPT_SYNC_PAUSE_SECONDS,
            back_off_seconds: 60 * 60,
            disk_bytes: 256 * 1024 * 1024,
            entries: 100_000,
            files: bounds::PROMPT_FILES,
            file_bytes: bounds::PROMPT_FILE_BYTES as u64,
            total_bytes: bounds::PROMPTS_BYTES as u64,
            depth: bounds::PROMPT_DEPTH,
            history: 5000,
        }
    }
}
