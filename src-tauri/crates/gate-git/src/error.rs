//! Why git can't do what is asked of it, and what to do about it. Knows nothing of how git is run.

use std::io;
use std::path::PathBuf;

use gate_core::{Code, Fault};

use crate::oid::Oid;
use crate::path::RepoPath;
use crate::refused::Refused;
use crate::unfit::Unfit;

/// Why something can't be had of a repository. Its text is the cause; [`Error::mend`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program isn't there or can't be started.
    #[error("Git can't be started.")]
    NoGit {
        /// Where it was looked for.
        program: PathBuf,
    },
    /// The program is too old for what is asked.
    #[error("Git {found} is too old: this needs {}.{} or newer.", .needs.0, .needs.1)]
    OldGit {
        /// What it says of itself.
        found: String,
        /// The first version that can do it.
        needs: (u32, u32),
    },
    /// There is no repository in this folder or above it.
    #[error("{} isn't in a git repository.", .path.display())]
    NoRepository {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A repository of another user.
    #[error("{} belongs to another user.", .path.display())]
    NotOwned {
        /// The file or folder that isn't ours.
        path: PathBuf,
    },
    /// A folder's `.git`, or its setting `core.worktree`, leads to a repository that doesn't lead back.
    #[error("{} leads to {}, which is not its own.", .link.display(), .to.display())]
    Astray {
        /// Where it stands.
        link: PathBuf,
        /// Where it leads.
        to: PathBuf,
    },
    /// A bare repository has no files that could be looked at.
    #[error("The repository is bare: it has no work tree.")]
    NoWorktree,
    /// A repository of a kind that isn't known here.
    #[error("The repository can't be read: {why}.")]
    Unsupported {
        /// What is unknown.
        why: String,
    },
    /// The text doesn't say what of a repository is meant.
    #[error("`{}` can't be looked at: {why}.", .text.escape_debug())]
    What {
        /// As it was given.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// No commit has this name.
    #[error("The repository has no commit `{name}`.")]
    UnknownRevision {
        /// As it was given.
        name: String,
    },
    /// Several references have this short name: what it means is for who gave it to say.
    #[error("`{name}` names several things in the repository.")]
    AmbiguousRevision {
        /// As it was given.
        name: String,
    },
    /// A range begins where it says, and not at a base besides.
    #[error("A range has its own base.")]
    BaseOfRange,
    /// The two ends of a range parted nowhere, or in several places.
    #[error("The two ends of the range have {count} commits where they parted, not one.")]
    Parted {
        /// How many.
        count: usize,
    },
    /// A file was changed that a program of the repository's would change on its way into git.
    #[error("`{path}` goes through the filter `{driver}` when it is staged, which is not run here.")]
    Filtered {
        /// The file.
        path: RepoPath,
        /// The filter's name.
        driver: String,
    },
    /// A merge has left a file in several versions.
    #[error("`{path}` has conflicts.")]
    Unmerged {
        /// The file.
        path: RepoPath,
    },
    /// Git can't take a file in.
    #[error("Git can't take in all files: {words}.")]
    Unaddable {
        /// What git says.
        words: String,
    },
    /// A bound in bytes was passed.
    #[error("{what} is larger than {most} bytes.")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The bound.
        most: u64,
    },
    /// A bound on a number was passed.
    #[error("There are more than {most} {what}.")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The bound.
        most: usize,
    },
    /// The time is over.
    #[error("Git took longer than {seconds} seconds.")]
    TooSlow {
        /// The bound.
        seconds: u64,
    },
    /// The files changed while they were read, several times over.
    #[error("The repository changes faster than it can be read.")]
    Changing,
    /// An object isn't in the repository.
    #[error("The repository lacks the object {oid}{}.", reason(.cut))]
    Missing {
        /// The object.
        oid: Oid,
        /// Whether the repository is known to lack objects.
        cut: bool,
    },
    /// What lies under an object's name isn't that object.
    #[error("The repository's object {oid} isn't what its name says.")]
    Damaged {
        /// The object.
        oid: Oid,
    },
    /// A reference was changed by somebody else at the same time.
    #[error("{name} was changed by another program, or is being changed.")]
    ReferenceMoved {
        /// The reference.
        name: String,
    },
    /// A proposed diff that doesn't come near git.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A proposed diff that doesn't fit.
    #[error("{0}")]
    Unfit(Box<Unfit>),
    /// The disk is full.
    #[error("The disk is full.")]
    DiskFull,
    /// A file can't be read or written.
    #[error("{} can't be read or written: {source}.", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Git failed in another way.
    #[error("`git {command}` failed: {words}.")]
    Git {
        /// Its subcommand.
        command: String,
        /// The last that it said.
        words: String,
    },
}

fn reason(cut: &bool) -> &'static str {
    if *cut { ": it is a shallow or a partial clone" } else { "" }
}

impl Error {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Io { path, source },
        }
    }

    /// The stable name of this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoGit { .. } => "no_git",
            Self::OldGit { .. } => "old_git",
            Self::NoRepository { .. } => "no_repository",
            Self::NotOwned { .. } => "not_owned",
            Self::Astray { .. } => "astray",
            Self::NoWorktree => "no_worktree",
            Self::Unsupported { .. } => "unsupported",
            Self::What { .. } => "what",
            Self::UnknownRevision { .. } => "unknown_revision",
            Self::AmbiguousRevision { .. } => "ambiguous_revision",
            Self::BaseOfRange => "base_of_range",
            Self::Parted { .. } => "parted",
            Self::Filtered { .. } => "filtered",
            Self::Unmerged { .. } => "unmerged",
            Self::Unaddable { .. } => "unaddable",
            Self::TooLarge { .. } => "too_large",
            Self::TooMany { .. } => "too_many",
            Self::TooSlow { .. } => "too_slow",
            Self::Changing => "changing",
            Self::Missing { .. } => "missing",
            Self::Damaged { .. } => "damaged",
            Self::ReferenceMoved { .. } => "reference_moved",
            Self::Refused(refused) => refused.code(),
            Self::Unfit(_) => "unfit",
            Self::DiskFull => "disk_full",
            Self::Io { .. } => "io",
            Self::Git { .. } => "git",
        }
    }

    /// What to do about it, in a sentence.
    #[must_use]
    pub fn mend(&self) -> &'static str {
        match self {
            Self::NoGit { .. } => "Install git 2.31 or newer.",
            Self::OldGit { .. } => "Install a newer git.",
            Self::NoRepository { .. } => "Name a folder of a git repository.",
            Self::NotOwned { .. } => "Clone it as your own user, or change its owner.",
            Self::Astray { .. } => "Look at where it leads; `git worktree repair` mends a work tree that was moved.",
            Self::NoWorktree => "Name a commit or a range, or a folder with a work tree.",
            Self::Unsupported { .. } => "Name another repository, or install a newer version of this program.",
            Self::What { .. } => "Use `worktree`, `staged`, a commit, or `A..B`.",
            Self::UnknownRevision { .. } => "Name a commit, a branch or a tag that the repository has.",
            Self::AmbiguousRevision { .. } => "Give its whole name, as refs/heads/main or refs/remotes/origin/main.",
            Self::BaseOfRange => "Leave the base out, or name a commit.",
            Self::Parted { .. } => "Name the commit to begin at: BASE..B.",
            Self::Filtered { .. } => "Stage it first with `git add`, then ask with `staged`.",
            Self::Unmerged { .. } => "Resolve the conflicts and stage the file first.",
            Self::Unaddable { .. } => "Remove or ignore that file, or stage what is meant and ask with `staged`.",
            Self::TooLarge { .. } | Self::TooMany { .. } => "Split the change.",
            Self::TooSlow { .. } => "Try again while the machine is less busy, or with a smaller change.",
            Self::Changing => "Try again when nothing writes to it, or stage what is meant and ask with `staged`.",
            Self::Missing { cut: true, .. } => "Fetch it: `git fetch --unshallow`, or `git fetch --refetch`.",
            Self::Missing { cut: false, .. } | Self::Damaged { .. } => "Look at it with `git fsck`, or clone it anew.",
            Self::ReferenceMoved { .. } => "Try again.",
            Self::Refused(refused) => refused.mend(),
            Self::Unfit(_) => {
                "Rebase it on HEAD: make it anew with `git diff`, its paths beginning with `a/` and `b/`."
            }
            Self::DiskFull => "Make room on the disk.",
            Self::Io { .. } => "Look at the file and its permissions.",
            Self::Git { .. } => "Try the same by hand; if git does it there, report this with the log file.",
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::What { .. }
            | Error::UnknownRevision { .. }
            | Error::AmbiguousRevision { .. }
            | Error::BaseOfRange
            | Error::Parted { .. } => Code::InvalidInput,
            Error::TooLarge { .. } | Error::Refused(Refused::TooLarge { .. }) => Code::TooLarge,
            Error::TooMany { .. } | Error::Refused(Refused::TooMany { .. }) => Code::TooMany,
            Error::Refused(_) | Error::Unfit(_) => Code::InvalidDiff,
            Error::DiskFull => Code::DiskFull,
            Error::NoGit { .. }
            | Error::OldGit { .. }
            | Error::NoRepository { .. }
            | Error::NotOwned { .. }
            | Error::Astray { .. }
            | Error::NoWorktree
            | Error::Unsupported { .. }
            | Error::Filtered { .. }
            | Error::Unmerged { .. }
            | Error::Unaddable { .. }
            | Error::TooSlow { .. }
            | Error::Changing
            | Error::Missing { .. }
            | Error::Damaged { .. }
            | Error::ReferenceMoved { .. }
            | Error::Io { .. }
            | Error::Git { .. } => Code::Repository,
        };
        Self::new(code, error.to_string(), error.mend())
    }
}
