//! What can go wrong between a process and the gate.

use gate_core::{Code, Fault, bounds};
use std::io;
use std::path::PathBuf;

/// A failure of the link. [`LinkError::fault`] says it to a person.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The user's home folder can't be found.
    #[error("the home folder of this user can't be found")]
    NoHome,
    /// The socket's path doesn't fit into a socket address.
    #[error("the path of the local socket, {path}, has {length} bytes; the system allows {bound}")]
    SocketPathTooLong {
        /// The socket's path.
        path: PathBuf,
        /// Its length in bytes.
        length: usize,
        /// The most bytes that fit.
        bound: usize,
    },
    /// A folder or file that must be private is not, and isn't ours to mend.
    #[error("{path} is not private to this user: {reason}")]
    FolderOpen {
        /// The folder or file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Something that is no socket stands where the socket belongs.
    #[error("{path} is in the way of the local socket: it is no socket")]
    InTheWay {
        /// The path.
        path: PathBuf,
    },
    /// A file or folder of the home can't be used.
    #[error("can't {doing} {path}: {source}")]
    File {
        /// What was tried, e.g. `create`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// Nobody listens on the socket, and starting a gate was not asked for or did not help.
    #[error("no gate can be reached at {path}: {reason}")]
    Unreachable {
        /// The socket's path.
        path: PathBuf,
        /// What was tried and how it failed.
        reason: String,
    },
    /// A line is longer than the bound.
    #[error("a line on the local socket is longer than {bound} bytes")]
    LineTooLong {
        /// The bound.
        bound: usize,
    },
    /// The first line of a connection is missing or isn't a hello of this protocol.
    #[error("the first line of the connection is no hello: {reason}")]
    Hello {
        /// What is wrong with it.
        reason: String,
    },
    /// The gate closed the connection without an answer.
    #[error("the gate ended before it answered")]
    Ended,
    /// What the gate says is no answer to what was asked.
    #[error("the gate's answer can't be read: {0}")]
    Unreadable(#[source] serde_json::Error),
    /// What was to be asked can't be written as JSON: a defect of the program.
    #[error("the question can't be written: {0}")]
    Unwritable(#[source] serde_json::Error),
    /// The connection broke.
    #[error("the connection to the gate broke: {0}")]
    Broken(#[source] io::Error),
}

impl LinkError {
    pub(crate) fn file(doing: &'static str, path: impl Into<PathBuf>, source: impl Into<io::Error>) -> Self {
        Self::File { doing, path: path.into(), source: source.into() }
    }

    /// The failure as a person reads it: code, cause and mend.
    #[must_use]
    pub fn fault(&self) -> Fault {
        let (code, mend) = match self {
            Self::NoHome => (Code::Internal, "Set HOME, or REVIEW_GATE_HOME to a folder of your own.".to_owned()),
            Self::SocketPathTooLong { .. } => {
                (Code::SocketPathTooLong, "Set REVIEW_GATE_HOME to a shorter path.".to_owned())
            }
            Self::FolderOpen { path, .. } => (
                Code::SocketFolderOpen,
                format!(
                    "Make {} yours with mode 0700, or set REVIEW_GATE_HOME to a folder of your own.",
                    path.display()
                ),
            ),
            Self::InTheWay { path } => (Code::InvalidSetting, format!("Move {} elsewhere.", path.display())),
            Self::File { source, path, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    (Code::DiskFull, "Free some space and try again.".to_owned())
                }
                _ => (
                    Code::ReadOnly,
                    format!("Make {} writable for you, or set REVIEW_GATE_HOME to another folder.", path.display()),
                ),
            },
            Self::Unreachable { .. } => (
                Code::GateUnreachable,
                "Run `review-gate serve` in a terminal to see why it doesn't start, or `review-gate doctor`."
                    .to_owned(),
            ),
            Self::LineTooLong { .. } => (Code::TooLarge, "Send less in one message.".to_owned()),
            Self::Hello { .. } | Self::Unreadable(_) => return Fault::of_versions(sentence(&self.to_string())),
            Self::Unwritable(_) => return Fault::internal(sentence(&self.to_string())),
            Self::Ended => {
                (Code::GateUnreachable, "Run the command again; nothing that was stored is lost.".to_owned())
            }
            Self::Broken(_) => (Code::GateUnreachable, "Try again; the gate may have been restarted.".to_owned()),
        };
        Fault::new(code, sentence(&self.to_string()), mend)
    }

    pub(crate) fn line_too_long() -> Self {
        Self::LineTooLong { bound: bounds::LINE_BYTES }
    }
}

/// The text with a capital and a full stop, unless it starts with a path.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|letter| letter.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::LinkError;
    use gate_core::Code;

    #[test]
    fn a_path_that_is_too_long_is_named_with_its_length_bound_and_mend() {
        let fault = LinkError::SocketPathTooLong { path: "/long/gate.sock".into(), length: 120, bound: 107 }.fault();
        assert_eq!(fault.code, Code::SocketPathTooLong, "scripts match on the code");
        assert_eq!(
            fault.message, "The path of the local socket, /long/gate.sock, has 120 bytes; the system allows 107.",
            "a person must see what is too long and by how much"
        );
        assert_eq!(fault.mend, "Set REVIEW_GATE_HOME to a shorter path.", "and what to do");
    }
}
