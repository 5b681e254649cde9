//! The service: takes connections, has the person asked, and signs what they confirmed.
//!
//! Knows how that is asked by [`Prompt`] alone.

use std::io;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use gate_core::{Digest, Timestamp};
use gate_receipts::{Bytes, HomeId, LINE_BYTES, Line, Proof, SigningKey};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::anchors::Anchors;
use crate::frames::{FrameError, bytes, hear, say};
use crate::prompt::{Peer, Prompt};
use crate::receipt::Receipt;
use crate::refused::{Refused, Why};
use crate::shown::digits;
use crate::turns::{Turn, Turns};
use crate::wire::{AGAIN, Asks, QUESTION_BYTES, Says, VERSION};

/// Most connections of all users.
const CONNECTIONS: usize = 64;

/// How long things may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// For the first message of a connection: one that says nothing has another's place.
    pub(crate) first: Duration,
    /// For polkit to say whether it would ask, and to close its prompt.
    pub(crate) polkit: Duration,
    /// For the person to confirm it.
    pub(crate) person: Duration,
    /// For the gate to say what comes next.
    pub(crate) gate: Duration,
    /// Without anybody, after which it ends; the system starts it again.
    pub(crate) idle: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(2),
            polkit: Duration::from_secs(15),
            person: Duration::from_secs(120),
            gate: Duration::from_secs(30),
            idle: Duration::from_secs(300),
        }
    }
}

/// The service.
#[derive(Debug)]
pub(crate) struct Witness<P> {
    key: SigningKey,
    anchors: Anchors,
    /// What is remembered is compared with what was, one after the other.
    keeping: Mutex<()>,
    turns: Turns,
    prompt: P,
    clock: fn() -> Timestamp,
    times: Times,
}

/// Why a connection ended: the gate is told, or is gone.
enum Ended {
    Told(Refused),
    Gone,
}

impl From<Refused> for Ended {
    fn from(refused: Refused) -> Self {
        Self::Told(refused)
    }
}

impl From<FrameError> for Ended {
    fn from(error: FrameError) -> Self {
        match error {
            FrameError::Unknown(why) => Self::Told(Refused::new(Why::Unfit, format!("This isn't understood: {why}."))),
            FrameError::Closed | FrameError::Io(_) => Self::Gone,
        }
    }
}

impl<P: Prompt> Witness<P> {
    pub(crate) fn new(key: SigningKey, folder: &Path, prompt: P, clock: fn() -> Timestamp, times: Times) -> Arc<Self> {
        let (anchors, turns) = (Anchors::in_folder(folder), Turns::default());
        Arc::new(Self { key, anchors, keeping: Mutex::new(()), turns, prompt, clock, times })
    }

    /// Takes connections until nobody has come for a while.
    ///
    /// # Errors
    /// Where the socket can't be used.
    pub(crate) async fn listen(self: Arc<Self>, listener: UnixListener) -> io::Result<()> {
        let here = TaskTracker::new();
        loop {
            let (stream, _) = match tokio::time::timeout(self.times.idle, listener.accept()).await {
                Ok(accepted) => accepted?,
                Err(_) if here.is_empty() => return Ok(()),
                Err(_) => continue,
            };
            // One that is too many is closed: whoever has opened so many isn't waited for.
            if here.len() < CONNECTIONS {
                let witness = self.clone();
                here.spawn(async move { witness.serve(stream).await });
            }
        }
    }

    async fn serve(&self, mut stream: UnixStream) {
        if let Err(Ended::Told(refused)) = self.answer(&mut stream).await {
            // It may be gone by now.
            let _ = tokio::time::timeout(self.times.gate, say(&mut stream, &Says::Refused(refused))).await;
        }
    }

    async fn answer(&self, stream: &mut UnixStream) -> Result<(), Ended> {
        let peer = peer_of(stream)?;
        let _connection = self.turns.connect(peer.user)?;
        match within(self.times.first, hear(stream)).await? {
            Asks::Hello { v, .. } | Asks::Known { v, .. } | Asks::Confirm { v, .. } if v != VERSION => {
                let message = format!("The gate speaks version {v}, and this service {VERSION}.");
                Err(Refused::new(Why::Version, message).into())
            }
            Asks::Hello { home, .. } => {
                let hello = self.hello(peer, home).await?;
                self.would_ask(stream, peer).await?;
                Ok(say(stream, &hello).await?)
            }
            Asks::Known { home, .. } => Ok(say(stream, &self.hello(peer, home).await?).await?),
            Asks::Confirm { line, ask, .. } => self.confirm(stream, peer, line, ask).await,
            Asks::Ask {} | Asks::Again { .. } | Asks::Kept { .. } => Err(out_of_turn()),
        }
    }

    /// Who this is, and what it remembers of a home.
    async fn hello(&self, peer: Peer, home: Option<HomeId>) -> Result<Says, Refused> {
        let anchors = self.anchors.clone();
        let known = move || home.map_or_else(|| Ok(Vec::new()), |home| anchors.heads(peer.user, home));
        let heads = blocking(known).await?;
        let (version, key) = (env!("CARGO_PKG_VERSION").to_owned(), Bytes(self.key.public().to_wire()));
        Ok(Says::Hello { v: VERSION, version, key, heads })
    }

    /// Whether the person would be asked, for as long as the gate waits for that.
    async fn would_ask(&self, stream: &UnixStream, peer: Peer) -> Result<(), Ended> {
        let silent = |_| Err(Refused::new(Why::NoPolkit, "polkit doesn't answer."));
        tokio::select! {
            asked = tokio::time::timeout(self.times.polkit, self.prompt.would_ask(peer)) => {
                Ok(asked.unwrap_or_else(silent)?)
            }
            ended = leaving(stream) => Err(ended),
        }
    }

    async fn confirm(&self, stream: &mut UnixStream, peer: Peer, line: usize, ask: usize) -> Result<(), Ended> {
        let turn = tokio::select! {
            turn = self.turns.wait(peer.user) => turn?,
            ended = leaving(stream) => return Err(ended),
        };
        let (receipt, turn) = self.ask(stream, peer, (line, ask), turn).await?;
        let mut signed = self.sign(peer, receipt.line.clone()).await?;
        turn.confirmed();
        for again in 0..=AGAIN {
            say(stream, &self.signed(&signed)?).await?;
            match self.next(stream).await? {
                Asks::Kept { line } => {
                    self.keep(peer, signed, line).await?;
                    return Ok(say(stream, &Says::Kept {}).await?);
                }
                Asks::Again { line } if again < AGAIN => {
                    let text = self.soon(bytes(stream, line, LINE_BYTES)).await?;
                    let moved = receipt.again(&text, self.key.unsigned())?;
                    signed = self.sign(peer, moved).await?;
                }
                Asks::Again { .. } | Asks::Hello { .. } | Asks::Known { .. } | Asks::Confirm { .. } | Asks::Ask {} => {
                    return Err(out_of_turn());
                }
            }
        }
        Ok(())
    }

    /// Has the person asked, once it is this one's turn.
    async fn ask(
        &self,
        stream: &mut UnixStream,
        peer: Peer,
        (line, ask): (usize, usize),
        turn: Turn,
    ) -> Result<(Receipt, Turn), Ended> {
        say(stream, &Says::Turn {}).await?;
        let line = self.soon(bytes(stream, line, LINE_BYTES)).await?;
        let question = self.soon(bytes(stream, ask, QUESTION_BYTES)).await?;
        let (now, unsigned, anchors) = ((self.clock)(), self.key.unsigned(), self.anchors.clone());
        let read = move || {
            let receipt = Receipt::read(&line, &question, unsigned, now)?;
            anchors.may_follow(peer.user, &receipt.line, now)?;
            Ok(receipt)
        };
        let receipt = blocking(read).await?;
        let mut nonce = [0; 32];
        getrandom::fill(&mut nonce)
            .map_err(|error| Refused::new(Why::Broken, format!("The system gives no randomness: {error}.")))?;
        let digits = digits(&nonce, &receipt.digest);
        say(stream, &Says::Digits { digits: digits.clone() }).await?;
        match self.next(stream).await? {
            Asks::Ask {} => {}
            _ => return Err(out_of_turn()),
        }
        self.prompted(stream, peer, &receipt, &digits).await?;
        Ok((receipt, turn))
    }

    /// Has the prompt come up, for as long as the person may take and the gate is there. One that polkit doesn't close then
    /// goes with the connection to it: it keeps nobody's turn.
    async fn prompted(&self, stream: &UnixStream, peer: Peer, receipt: &Receipt, digits: &str) -> Result<(), Refused> {
        let over = CancellationToken::new();
        let mut asking = pin!(self.prompt.ask(peer, &receipt.shown, digits, &over));
        let time = self.times.person;
        let refused = tokio::select! {
            asked = &mut asking => return asked,
            left = tokio::time::timeout(time, leaving(stream)) => match left {
                Err(_) => Refused::new(Why::TimedOut, format!("Nobody answered within {} seconds.", time.as_secs())),
                Ok(_) => Refused::new(Why::Cancelled, "The gate took it back."),
            },
        };
        over.cancel();
        // What it says now is too late, whatever it is.
        let _ = tokio::time::timeout(self.times.polkit, asking).await;
        Err(refused)
    }

    async fn sign(&self, peer: Peer, line: Line) -> Result<Line, Refused> {
        let (now, anchors) = ((self.clock)(), self.anchors.clone());
        let follows = move || anchors.may_follow(peer.user, &line, now).map(|()| line);
        self.key.sign(blocking(follows).await?).map_err(broken)
    }

    /// Remembers a line, which has to be the one that was signed last.
    async fn keep(&self, peer: Peer, signed: Line, kept: Digest) -> Result<(), Refused> {
        let _one = self.keeping.lock().await;
        let (now, anchors) = ((self.clock)(), self.anchors.clone());
        let keep = move || {
            let head = signed.head().map_err(broken)?;
            if kept != head.line {
                return Err(Refused::new(Why::OtherContent, "Another line was signed last."));
            }
            anchors.may_follow(peer.user, &signed, now)?;
            anchors.keep(peer.user, &signed, head)
        };
        blocking(keep).await
    }

    fn signed(&self, line: &Line) -> Result<Says, Refused> {
        let Proof::Ed25519 { sig, .. } = &line.proof else {
            return Err(Refused::new(Why::Broken, "The line has no signature."));
        };
        Ok(Says::Signed { key: Bytes(self.key.public().to_wire()), sig: sig.clone() })
    }

    /// The gate's next message.
    async fn next(&self, stream: &mut UnixStream) -> Result<Asks, Ended> {
        self.soon(hear(stream)).await
    }

    async fn soon<T>(&self, heard: impl Future<Output = Result<T, FrameError>>) -> Result<T, Ended> {
        within(self.times.gate, heard).await
    }
}

/// What the gate says in this time.
async fn within<T>(time: Duration, heard: impl Future<Output = Result<T, FrameError>>) -> Result<T, Ended> {
    let late = |_| Refused::new(Why::TimedOut, "The gate didn't go on.");
    Ok(tokio::time::timeout(time, heard).await.map_err(late)??)
}

/// Waits until the gate closes its end, or says something where it has nothing to say.
async fn leaving(stream: &UnixStream) -> Ended {
    loop {
        // What is said to be readable may not be, after the last byte was read.
        let readable = stream.readable().await;
        match readable.and_then(|()| stream.try_read(&mut [0])) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok(_) | Err(_) => return Ended::Gone,
        }
    }
}

/// Does what waits for a disk, or reads megabytes, where that holds up nobody.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Refused> + Send + 'static) -> Result<T, Refused> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Refused::new(Why::Broken, format!("It broke: {error}."))))
}

fn out_of_turn() -> Ended {
    Refused::new(Why::Unfit, "The gate said what has no place here.").into()
}

fn broken(error: gate_receipts::LineError) -> Refused {
    Refused::new(Why::Broken, format!("The line can't be written: {error}."))
}

/// Who is at the other end.
fn peer_of(stream: &UnixStream) -> Result<Peer, Refused> {
    let unknown = |why: String| Refused::new(Why::Broken, format!("The system doesn't say who asks: {why}."));
    let credentials = stream.peer_cred().map_err(|error| unknown(error.to_string()))?;
    let pid = credentials.pid().and_then(|pid| u32::try_from(pid).ok()).ok_or_else(|| unknown("no process".into()))?;
    let start = started(pid).map_err(|error| unknown(format!("process {pid}: {error}")))?;
    Ok(Peer { pid, start, user: credentials.uid() })
}

/// When a process began (proc_pid_stat(5), field 22).
fn started(pid: u32) -> io::Result<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The program's name may have anything in it, and ends with the last bracket.
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
    let start = fields.split_whitespace().nth(19).and_then(|ticks| ticks.parse().ok());
    start.ok_or_else(|| io::Error::other("no start time"))
}

/// This machine's clock.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
