//! What can go wrong with a log, told apart by a stable word.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use gate_core::{Code, Digest, Fault};

use crate::line::LineError;

/// A failure of the log.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptsError {
    /// A file can't be used.
    #[error("{path} can't be {done}: {source}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What was to be done with it: `read`, `written`, `moved` or `locked`.
        done: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// Another process, or another place in this one, writes this log.
    #[error("{0} is held by another writer")]
    Busy(PathBuf),
    /// The log was written by a newer version; nothing was changed.
    #[error("{path} was written by a newer version (form {version})")]
    Newer {
        /// The log.
        path: PathBuf,
        /// The version of its form.
        version: u64,
    },
    /// What was to be written is no line.
    #[error("the line can't be written: {0}")]
    Line(#[from] LineError),
    /// The chain went on since the line was drafted: it has to be drafted, and signed, once more.
    #[error("another line was written in the meantime")]
    Moved,
    /// There is no such receipt.
    #[error("there is no receipt {0}")]
    UnknownReceipt(Digest),
    /// It was said before.
    #[error("receipt {receipt} was {done} before")]
    Before {
        /// The receipt.
        receipt: Digest,
        /// What: `withdrawn`, `released` or `sent`.
        done: &'static str,
    },
    /// A receipt's line isn't what it was.
    #[error("{path} was changed while it was read")]
    Changed {
        /// The file.
        path: PathBuf,
    },
}

impl ReceiptsError {
    /// A stable word for it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::File { .. } if self.is_full() => "disk_full",
            Self::File { .. } => "receipts_file",
            Self::Busy(_) => "receipts_busy",
            Self::Newer { .. } => "receipts_newer",
            Self::Line(_) => "receipts_line",
            Self::Moved => "receipts_moved",
            Self::UnknownReceipt(_) => "unknown_receipt",
            Self::Before { .. } => "receipts_before",
            Self::Changed { .. } => "receipts_changed",
        }
    }

    /// Whether there was no room.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge];
        matches!(self, Self::File { source, .. } if full.contains(&source.kind()))
    }
}

/// What happened to a file that couldn't be used; `done` completes “can't be …”.
pub(crate) fn failed(done: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ReceiptsError {
    let path = path.to_owned();
    move |source| ReceiptsError::File { path, done, source }
}

impl From<ReceiptsError> for Fault {
    fn from(error: ReceiptsError) -> Self {
        let message = format!("The receipts: {error}.");
        match &error {
            error if error.is_full() => Self::new(Code::DiskFull, message, "Free some space and send it again."),
            ReceiptsError::File { source, .. } => Self::of_file(source.kind(), message),
            ReceiptsError::Busy(_) => {
                Self::new(Code::UnreadableFile, message, "Stop the other gate of this home, then try again.")
            }
            ReceiptsError::Newer { .. } => Self::of_newer_file(message),
            ReceiptsError::Moved | ReceiptsError::Changed { .. } => {
                Self::new(Code::UnreadableFile, message, "Try again.")
            }
            ReceiptsError::UnknownReceipt(_) => {
                Self::new(Code::InvalidInput, message, "Name a receipt as a result or `review-gate verify` gave it.")
            }
            ReceiptsError::Line(_) | ReceiptsError::Before { .. } => Self::internal(message),
        }
    }
}
