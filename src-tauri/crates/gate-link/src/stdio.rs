//! The process's standard input and output as the runtime reads them best.
//!
//! Clients hand over pipes (most of them) or sockets (Node); on Unix both can be waited for. tokio's own
//! `stdin` and `stdout` serve anything, with a change of thread at every line.

use tokio::io::{AsyncRead, AsyncWrite};

/// Standard input. Call it within a runtime, and once: what one reader has buffered, another misses.
#[must_use]
pub fn stdin() -> Box<dyn AsyncRead + Send + Unpin> {
    #[cfg(unix)]
    if let Some(input) = unix::stdin() {
        return input;
    }
    Box::new(tokio::io::stdin())
}

/// Standard output. Call it within a runtime.
#[must_use]
pub fn stdout() -> Box<dyn AsyncWrite + Send + Unpin> {
    #[cfg(unix)]
    if let Some(output) = unix::stdout() {
        return output;
    }
    Box::new(tokio::io::stdout())
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream as StdUnixStream;

    use rustix::fs::{FileType, fstat};
    use tokio::io::{AsyncRead, AsyncWrite};
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    pub(super) fn stdin() -> Option<Box<dyn AsyncRead + Send + Unpin>> {
        let input = io::stdin();
        if let Ok(pipe) = owned(&input).and_then(pipe::Receiver::from_owned_fd) {
            return Some(Box::new(pipe));
        }
        Some(Box::new(owned(&input).and_then(socket).ok()?))
    }

    pub(super) fn stdout() -> Option<Box<dyn AsyncWrite + Send + Unpin>> {
        let output = io::stdout();
        if let Ok(pipe) = owned(&output).and_then(pipe::Sender::from_owned_fd) {
            return Some(Box::new(pipe));
        }
        Some(Box::new(owned(&output).and_then(socket).ok()?))
    }

    fn owned(stream: &impl AsFd) -> io::Result<OwnedFd> {
        stream.as_fd().try_clone_to_owned()
    }

    fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
        if FileType::from_raw_mode(fstat(&fd)?.st_mode) != FileType::Socket {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let stream = StdUnixStream::from(fd);
        stream.set_nonblocking(true)?;
        UnixStream::from_std(stream)
    }
}
