//! A terminal of the agent's own, between the person's and the agent: what is written to it by whatever means reaches the
//! agent alone. The person's is raw meanwhile, so that each key is the agent's, and Ctrl-C and Ctrl-Z do to the agent what
//! they do to any program.

use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::os::fd::{AsFd, OwnedFd};
use std::process::Stdio;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize};
use tokio::io::unix::AsyncFd;

/// How much is handed on at once, in bytes.
const PIECE: usize = 16 * 1024;

/// Which of the standard streams are the person's terminal, and the agent's in their place.
#[derive(Debug)]
pub(crate) struct Terminal {
    /// The person's, opened once more so that only this process waits for nothing there.
    person: AsyncFd<OwnedFd>,
    /// Our end of the agent's.
    agent: AsyncFd<OwnedFd>,
    /// The agent's end; let go of once it has been started.
    theirs: Option<OwnedFd>,
    /// As the person's terminal was; absent where standard input is something else, and no key is the agent's.
    before: Option<Termios>,
}

impl Terminal {
    /// A terminal like the person's; absent where none of the standard streams is one.
    ///
    /// # Errors
    /// When the system gives none.
    pub(crate) fn make() -> io::Result<Option<Self>> {
        let number = match (io::stdin().is_terminal(), io::stdout().is_terminal(), io::stderr().is_terminal()) {
            (true, ..) => 0,
            (_, true, _) => 1,
            (_, _, true) => 2,
            (false, false, false) => return Ok(None),
        };
        let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let reopened = rustix::fs::open(format!("/proc/self/fd/{number}"), flags, Mode::empty());
        let person = reopened.or_else(|_| rustix::fs::open("/dev/tty", flags, Mode::empty()))?;
        let agent = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&agent)?;
        unlockpt(&agent)?;
        let name = ptsname(&agent, Vec::new())?;
        let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        rustix::io::ioctl_fionbio(&agent, true)?;
        let looks = tcgetattr(&person)?;
        tcsetattr(&theirs, OptionalActions::Now, &looks)?;
        let before = (number == 0).then_some(looks);
        let terminal = Self { person: waited_for(person)?, agent: waited_for(agent)?, theirs: Some(theirs), before };
        terminal.fit();
        Ok(Some(terminal))
    }

    /// The agent's end in the place of a standard stream that is the person's terminal, that stream itself otherwise.
    ///
    /// # Errors
    /// When there are no descriptors left.
    pub(crate) fn stream(terminal: Option<&Self>, stream: &(impl AsFd + io::IsTerminal)) -> io::Result<Stdio> {
        let theirs = terminal.and_then(|terminal| terminal.theirs.as_ref()).filter(|_| stream.is_terminal());
        match theirs {
            Some(theirs) => Ok(theirs.try_clone()?.into()),
            None => Ok(File::from(stream.as_fd().try_clone_to_owned()?).into()),
        }
    }

    /// The agent has its end, so that ours hears when it is gone; and every key is the agent's from now on.
    pub(crate) fn hand_over(&mut self) {
        self.theirs = None;
        self.take_keys();
    }

    pub(crate) fn has_keys(&self) -> bool {
        self.before.is_some()
    }

    /// Every key goes to the agent, none is looked at on the way.
    pub(crate) fn take_keys(&self) {
        if let Some(before) = &self.before {
            let mut raw = before.clone();
            raw.make_raw();
            let _ = tcsetattr(&self.person, OptionalActions::Drain, &raw);
        }
    }

    /// The person's terminal is as it was.
    pub(crate) fn give_back(&self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(&self.person, OptionalActions::Drain, before);
        }
    }

    /// The agent's terminal is as large as the person's.
    pub(crate) fn fit(&self) {
        if let Ok(size) = tcgetwinsize(&self.person) {
            let _ = tcsetwinsize(&self.agent, size);
        }
    }

    /// Hands keys on, for as long as there are any. Never returns while the terminal is there.
    pub(crate) async fn keys(&self) {
        if self.has_keys() {
            copy(&self.person, &self.agent).await;
        }
        std::future::pending::<()>().await;
    }

    /// Hands on what the agent shows, until it has let go of its terminal.
    pub(crate) async fn screen(&self) {
        copy(&self.agent, &self.person).await;
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.give_back();
    }
}

#[expect(unsafe_code, reason = "tokio can't see that a descriptor of ours stays what it is; see SAFETY")]
fn waited_for(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: it owns its descriptor, which nothing here replaces, and gives the same number for as long as it is there.
    unsafe { AsyncFd::register(descriptor) }.map_err(|error| io::Error::other(error.to_string()))
}

async fn copy(from: &AsyncFd<OwnedFd>, to: &AsyncFd<OwnedFd>) {
    let mut piece = vec![0; PIECE];
    loop {
        let Ok(mut ready) = from.readable().await else { return };
        let read = ready.try_io(|from| Ok(rustix::io::read(from, &mut piece[..])?));
        let count = match read {
            Ok(Ok(0)) => return,
            Ok(Ok(count)) => count,
            Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => continue,
            // How a terminal says that nobody has its other end.
            Ok(Err(_)) => return,
            Err(_not_yet) => continue,
        };
        let mut rest = &piece[..count];
        while !rest.is_empty() {
            let Ok(mut ready) = to.writable().await else { return };
            match ready.try_io(|to| Ok(rustix::io::write(to, rest)?)) {
                Ok(Ok(written)) => rest = &rest[written..],
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(_)) => return,
                Err(_not_yet) => {}
            }
        }
    }
}
