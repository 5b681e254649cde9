//! Named pipes: bytes both ways, for this user alone, and never from another machine.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeClient, NamedPipeServer, ServerOptions};
use tokio::sync::Mutex;
use windows_sys::Win32::Foundation::ERROR_PIPE_BUSY;

use super::Ends;
use crate::User;
use crate::windows::security::Rights;
use crate::windows::{handles, user};

/// What comes over a connection.
pub type ReadHalf = tokio::io::ReadHalf<Stream>;
/// What goes over one.
pub type WriteHalf = tokio::io::WriteHalf<Stream>;

/// The longest name of a pipe (`CreateNamedPipe`).
pub const PATH_BYTES: usize = 256;

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

/// Listens at a name. There is always an end for the next one that connects.
#[derive(Debug)]
pub struct Listener {
    name: PathBuf,
    next: Mutex<NamedPipeServer>,
}

impl Listener {
    /// Begins to listen at a name that nobody listens at. Needs a tokio runtime.
    ///
    /// # Errors
    /// The system's: `PermissionDenied` where somebody listens there.
    pub fn bind(path: &Path) -> io::Result<Self> {
        Ok(Self { name: path.to_owned(), next: Mutex::new(end(path, true)?) })
    }

    /// The next connection, whosever it is.
    ///
    /// # Errors
    /// Only those that will not pass.
    pub async fn accept(&self) -> io::Result<Stream> {
        let mut next = self.next.lock().await;
        loop {
            let connected = next.connect().await;
            // Whoever is on the way finds this one.
            let taken = std::mem::replace(&mut *next, end(&self.name, false)?);
            // Whoever has gone again needs no answer.
            if connected.is_ok() {
                return Ok(Stream(End::Server(taken)));
            }
        }
    }
}

#[expect(unsafe_code, reason = "tokio takes rights as an address alone; see SAFETY")]
fn end(name: &Path, first: bool) -> io::Result<NamedPipeServer> {
    let rights = Rights::for_this_users_pipe()?;
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
    let pid = match &stream.0 {
        End::Server(pipe) => handles::client_of(pipe)?,
        End::Client(pipe) => handles::server_of(pipe)?,
    };
    Ok(Ends { pid: Some(pid), user: User::named(user::of_process(pid)?) })
}

/// The process as it was when it was first looked at.
#[derive(Debug)]
pub(super) struct Held(String);

impl Held {
    pub(super) fn of(stream: &Stream) -> Option<Self> {
        crate::process::began(ends_of(stream).ok()?.pid?).map(Self)
    }

    pub(super) fn names_still(&self, pid: u32) -> bool {
        crate::process::began(pid).as_ref() == Some(&self.0)
    }
}
