//! Connections between processes of one machine: a Unix socket, a named pipe on Windows. Both carry bytes both ways, and
//! the system says who is at the other end.

use std::io;
use std::path::Path;

use crate::User;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{Listener, PATH_BYTES, ReadHalf, Stream, WriteHalf};
#[cfg(windows)]
pub use windows::{Listener, PATH_BYTES, ReadHalf, Stream, WriteHalf};

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// Who is at the other end of a connection, as the system says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    /// The process, where the system tells it.
    pub pid: Option<u32>,
    /// Whose it is.
    pub user: User,
}

impl Ends {
    /// Of a connection.
    ///
    /// # Errors
    /// Where the system doesn't tell.
    pub fn of(stream: &Stream) -> io::Result<Self> {
        system::ends_of(stream)
    }
}

/// Connects to where a process listens.
///
/// # Errors
/// The system's: of the kind `WouldBlock` where somebody listens and too many connect at once.
pub async fn connect(path: &Path) -> io::Result<Stream> {
    system::connect(path).await
}

/// Whether nobody listens there, or whoever did died while it was asked.
#[must_use]
pub fn is_absence(error: &io::Error) -> bool {
    use io::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::NotConnected
    )
}

/// The process at the other end, held, so that its number becomes no other's unnoticed. Absent before Linux 6.5 and on
/// macOS; then what is read twice has to do.
#[derive(Debug)]
pub struct Held(system::Held);

impl Held {
    /// Of a connection.
    #[must_use]
    pub fn of(stream: &Stream) -> Option<Self> {
        system::Held::of(stream).map(Self)
    }

    /// Whether this is its number: until it has ended and was collected. Where that isn't told, it is.
    #[must_use]
    pub fn names_still(&self, pid: u32) -> bool {
        self.0.names_still(pid)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// A path that no other test listens at.
    fn place(folder: &Path) -> std::path::PathBuf {
        if cfg!(windows) {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return format!(r"\\.\pipe\gate-os-test-{name}").into();
        }
        folder.join("socket")
    }

    #[tokio::test]
    async fn both_ends_know_each_other_and_hear_all_and_the_end() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = place(folder.path());
        assert!(connect(&path).await.is_err_and(|error| is_absence(&error)), "nobody listens");
        let listener = Listener::bind(&path)?;
        // A pipe's may be another one of this user's, too.
        assert!(cfg!(windows) || Listener::bind(&path).is_err(), "one that listens keeps its name");
        for round in 0..3_u8 {
            let (theirs, ours) = tokio::join!(listener.accept(), connect(&path));
            let (theirs, ours) = (theirs?, ours?);
            for end in [&theirs, &ours] {
                let ends = Ends::of(end)?;
                assert!(ends.user.is_this(), "round {round}");
                assert!(ends.pid.is_none_or(|pid| pid == std::process::id()));
            }
            let (mut read, mut write) = theirs.into_split();
            let (mut our_read, mut our_write) = ours.into_split();
            our_write.write_all(b"question").await?;
            let mut heard = [0; 8];
            read.read_exact(&mut heard).await?;
            assert_eq!(&heard, b"question");
            let answer = vec![round; 300_000];
            let said = tokio::spawn(async move { write.write_all(&answer).await });
            let mut heard = vec![0; 300_000];
            our_read.read_exact(&mut heard).await?;
            assert!(heard.iter().all(|byte| *byte == round));
            said.await??;
            drop(read);
            assert_eq!(our_read.read(&mut [0]).await?, 0, "what was dropped has ended");
        }
        Ok(())
    }
}
