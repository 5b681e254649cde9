//! Why a proposed diff doesn't come near git.

use crate::path::RepoPath;

/// Why a proposed diff is refused before git sees it. Its text is the cause, and quotes the diff alone; lines are those
/// of the diff, from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is too large.
    #[error("The diff is larger than {most} bytes.")]
    TooLarge {
        /// The bound.
        most: usize,
    },
    /// It has too many files.
    #[error("The diff has more than {most} files.")]
    TooMany {
        /// The bound.
        most: usize,
    },
    /// There is nothing in it.
    #[error("No file is changed in the diff.")]
    Empty,
    /// It isn't a diff that git reads.
    #[error("The diff can't be read at line {line}: {why}.")]
    Unreadable {
        /// Where.
        line: usize,
        /// What is wrong there.
        why: &'static str,
    },
    /// A byte that no text has.
    #[error("The diff has a NUL byte in line {line}.")]
    Nul {
        /// Where.
        line: usize,
    },
    /// A path that doesn't begin at the top of the repository.
    #[error("`{path}` in line {line} of the diff is an absolute path.")]
    Absolute {
        /// Where.
        line: usize,
        /// As the diff has it.
        path: RepoPath,
    },
    /// A path that leads out of the repository, or may.
    #[error("`{path}` in line {line} of the diff has a part `..`.")]
    Parent {
        /// Where.
        line: usize,
        /// As the diff has it.
        path: RepoPath,
    },
    /// A path within what is git's own, in one of the spellings by which a file system finds it.
    #[error("`{path}` in line {line} of the diff is within `.git`, or would be on some systems.")]
    GitFolder {
        /// Where.
        line: usize,
        /// As the diff has it.
        path: RepoPath,
    },
    /// A binary of which only is said that it differs.
    #[error("The diff lacks the data of the binary in line {line}.")]
    NoData {
        /// Where.
        line: usize,
    },
}

impl Refused {
    /// The stable name of this kind of refusal.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "diff_too_large",
            Self::TooMany { .. } => "diff_too_many",
            Self::Empty => "diff_empty",
            Self::Unreadable { .. } => "diff_unreadable",
            Self::Nul { .. } => "diff_nul",
            Self::Absolute { .. } => "diff_absolute",
            Self::Parent { .. } => "diff_parent",
            Self::GitFolder { .. } => "diff_git_folder",
            Self::NoData { .. } => "diff_no_data",
        }
    }

    /// What to do about it, in a sentence.
    #[must_use]
    pub fn mend(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } | Self::TooMany { .. } => "Split the change.",
            Self::Empty => "Give a unified diff, as `git diff` makes it.",
            Self::Unreadable { .. } => "Make it with `git diff`, which begins paths with `a/` and `b/`.",
            Self::Nul { .. } | Self::NoData { .. } => "Make it with `git diff --binary --full-index`.",
            Self::Absolute { .. } | Self::Parent { .. } => "Make it with `git diff` at the top of the repository.",
            Self::GitFolder { .. } => "Leave git's own files out.",
        }
    }
}
