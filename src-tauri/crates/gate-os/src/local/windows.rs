//! Named pipes: bytes both ways, for this user alone, and never from another machine.

use std::future::{Future as _, poll_fn};
use std::io;
use std::os::windows::io::OwnedHandle;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeClient, NamedPipeServer, ServerOptions};
use tokio::sync::Mutex;
use windows_sys::Win32::Foundation::ERROR_PIPE_BUSY;

use super::Ends;
use crate::User;
use crate::windows::security::{self, Rights};
use crate::windows::{handles, process, user};

/// What comes over a connection.
pub type ReadHalf = tokio::io::ReadHalf<Stream>;
/// What goes over one.
pub type WriteHalf = tokio::io::WriteHalf<Stream>;

/// The longest name of a pipe (`CreateNamedPipe`).
pub const PATH_BYTES: usize = 256;

/// How long to wait for memory to become free again, and how often.
const SCARCITY_PAUSE: Duration = Duration::from_millis(100);
const SCARCITY_PAUSES: u32 = 50;

/// A connection.
#[derive(Debug)]
pub struct Stream(End);

#[derive(Debug)]
enum End {
    Server(NamedPipeServer),
    Client(NamedPipeClient),
}

impl Stream {
    /// What comes, and what goes.
    #[must_use]
    pub fn into_split(self) -> (ReadHalf, WriteHalf) {
        tokio::io::split(self)
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match &mut self.0 {
            End::Server(pipe) => Pin::new(pipe).poll_read(context, into),
            End::Client(pipe) => Pin::new(pipe).poll_read(context, into),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.0 {
            End::Server(pipe) => Pin::new(pipe).poll_write(context, bytes),
            End::Client(pipe) => Pin::new(pipe).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.0 {
            End::Server(pipe) => Pin::new(pipe).poll_flush(context),
            End::Client(pipe) => Pin::new(pipe).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

/// How many may connect at the same moment; whoever comes then tries again. A socket's queue, which pipes don't have.
const ENDS: usize = 8;

/// Listens at a name. There are always ends for those that connect next.
#[derive(Debug)]
pub struct Listener {
    name: PathBuf,
    waiting: Mutex<Vec<NamedPipeServer>>,
}

impl Listener {
    /// Begins to listen at a name that nobody listens at. Needs a tokio runtime.
    ///
    /// # Errors
    /// The system's: `PermissionDenied` where somebody listens there who isn't this user.
    pub fn bind(path: &Path) -> io::Result<Self> {
        let mut waiting = vec![first(path)?];
        for _ in 1..ENDS {
            waiting.push(end(path, false)?);
        }
        Ok(Self { name: path.to_owned(), waiting: Mutex::new(waiting) })
    }

    /// The next connection, whosever it is.
    ///
    /// # Errors
    /// Only those that will not pass.
    pub async fn accept(&self) -> io::Result<Stream> {
        let mut waiting = self.waiting.lock().await;
        loop {
            let (index, connected) = first_of(&waiting).await;
            let another = self.another().await?;
            let Some(place) = waiting.get_mut(index) else { continue };
            let taken = std::mem::replace(place, another);
            match connected {
                Ok(()) => return Ok(Stream(End::Server(taken))),
                // Whoever has gone again needs no answer.
                Err(_) => tokio::time::sleep(SCARCITY_PAUSE).await,
            }
        }
    }

    /// An end for the next one. A passing lack of memory is waited out.
    async fn another(&self) -> io::Result<NamedPipeServer> {
        for _ in 0..SCARCITY_PAUSES {
            if let Ok(made) = end(&self.name, false) {
                return Ok(made);
            }
            tokio::time::sleep(SCARCITY_PAUSE).await;
        }
        end(&self.name, false)
    }
}

/// The first end. Those who were connected to a process that has ended keep its pipe: where that is this user's, it is taken
/// over. Who may listen at all is for a lock to say.
fn first(path: &Path) -> io::Result<NamedPipeServer> {
    match end(path, true) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let kept = end(path, false)?;
            let is_ours = User::named(security::owner_of_pipe(&kept)?).is_this();
            is_ours.then_some(kept).ok_or(error)
        }
        made => made,
    }
}

/// Waits until somebody connects to one of them. Which one that is, the system chooses.
async fn first_of(waiting: &[NamedPipeServer]) -> (usize, io::Result<()>) {
    let mut connecting: Vec<_> = waiting.iter().map(|end| Box::pin(end.connect())).collect();
    poll_fn(|context| {
        let ends = connecting.iter_mut().enumerate();
        let mut ready = ends.filter_map(|(index, end)| match end.as_mut().poll(context) {
            Poll::Ready(connected) => Some((index, connected)),
            Poll::Pending => None,
        });
        ready.next().map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

fn end(name: &Path, first: bool) -> io::Result<NamedPipeServer> {
    end_with(&Rights::for_this_users_pipe()?, name, first)
}

#[expect(unsafe_code, reason = "tokio takes rights as an address alone; see SAFETY")]
fn end_with(rights: &Rights, name: &Path, first: bool) -> io::Result<NamedPipeServer> {
    let mut attributes = rights.attributes();
    let mut options = ServerOptions::new();
    // SAFETY: they are of the kind that is asked for, and the rights outlive the call.
    unsafe {
        let attributes = (&raw mut attributes).cast();
        options.first_pipe_instance(first).create_with_security_attributes_raw(name, attributes)
    }
}

pub(super) async fn connect(path: &Path) -> io::Result<Stream> {
    match ClientOptions::new().open(path) {
        Ok(pipe) => Ok(Stream(End::Client(pipe))),
        Err(error) if error.raw_os_error() == Some(ERROR_PIPE_BUSY.cast_signed()) => {
            Err(io::Error::new(io::ErrorKind::WouldBlock, error))
        }
        Err(error) => Err(error),
    }
}

pub(super) fn ends_of(stream: &Stream) -> io::Result<Ends> {
    match &stream.0 {
        End::Server(pipe) => {
            let pid = handles::client_of(pipe)?;
            Ok(Ends { pid: Some(pid), user: User::named(user::of_process(pid)?) })
        }
        // Who served it first may have handed it on, and have ended: whose it is doesn't change.
        End::Client(pipe) => {
            let pid = handles::server_of(pipe)?;
            Ok(Ends { pid: Some(pid), user: User::named(security::owner_of_pipe(pipe)?) })
        }
    }
}

#[derive(Debug)]
pub(super) struct Held {
    pid: u32,
    _process: OwnedHandle,
}

impl Held {
    pub(super) fn of(stream: &Stream) -> Option<Self> {
        let pid = ends_of(stream).ok()?.pid?;
        Some(Self { pid, _process: process::open(pid).ok()? })
    }

    pub(super) fn names_still(&self, pid: u32) -> bool {
        self.pid == pid
    }
}

#[cfg(test)]
mod tests {
    use windows_sys::Win32::Foundation::ERROR_INVALID_OWNER;

    use super::*;

    fn name(of: &str) -> PathBuf {
        PathBuf::from(format!(r"\\.\pipe\gate-os-{of}-{}", std::process::id()))
    }

    #[tokio::test]
    async fn a_pipe_that_another_user_made_is_known_for_theirs() -> io::Result<()> {
        let name = name("anothers");
        let theirs = match end_with(&Rights::for_anothers_pipe()?, &name, true) {
            // Only administrators may make what isn't theirs.
            Err(error) if error.raw_os_error() == Some(ERROR_INVALID_OWNER.cast_signed()) => return Ok(()),
            made => made?,
        };
        let (heard, ours) = tokio::join!(theirs.connect(), connect(&name));
        heard?;
        let ends = ends_of(&ours?)?;
        assert!(!ends.user.is_this(), "whoever took the gate's name isn't taken for the gate: {ends:?}");
        Ok(())
    }

    #[tokio::test]
    async fn eight_connect_before_anybody_takes_them_in_and_all_are() -> io::Result<()> {
        let name = name("crowd");
        let listener = Listener::bind(&name)?;
        let mut came = Vec::new();
        for number in 0..ENDS {
            came.push(connect(&name).await.map_err(|error| io::Error::other(format!("{number}: {error}")))?);
        }
        let more = connect(&name).await.err().map(|error| error.kind());
        assert_eq!(more, Some(io::ErrorKind::WouldBlock), "whoever comes then is told to try again");
        for _ in 0..ENDS {
            assert!(ends_of(&listener.accept().await?)?.user.is_this());
        }
        connect(&name).await.map(drop)
    }
}
