//! How a snapshot is wanted, and what it may take. Knows nothing of git.

use gate_core::bounds;

/// Most bytes of a diff, by default: those of a review request.
pub const DIFF_BYTES: usize = bounds::DIFF_BYTES;
/// Most files of a snapshot, by default.
pub const FILES: usize = 2000;
/// Most bytes of the contents that a snapshot keeps, and of the files that it reads, by default.
pub const CONTENT_BYTES: u64 = 256 * 1024 * 1024;
/// Longest time that anything here takes, in seconds, by default.
pub const SECONDS: u64 = 30;
/// Largest file that is compared line by line, in bytes; a larger one is taken for a binary.
pub const TEXT_BYTES: u64 = 16 * 1024 * 1024;
/// Most commits that are looked at for one question.
pub const COMMITS: usize = 20_000;

/// What a diff says of binaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// That they differ, and their objects: for a person.
    #[default]
    Shown,
    /// All of them, so that `git apply` makes the same tree.
    Whole,
}

/// How a snapshot is wanted, and what it may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What the diff says of binaries.
    pub form: Form,
    /// Most bytes of the diff.
    pub diff_bytes: usize,
    /// Most files that differ.
    pub files: usize,
    /// Most bytes of what differs, before and after together, and of the index.
    pub content_bytes: u64,
    /// Longest time, in seconds.
    pub seconds: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            form: Form::default(),
            diff_bytes: DIFF_BYTES,
            files: FILES,
            content_bytes: CONTENT_BYTES,
            seconds: SECONDS,
        }
    }
}
