//! The gate's end: whether `review-gated` is there, and having the person confirm a receipt.
//!
//! Nothing of it blocks. Dropping what waits takes the prompt back.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gate_receipts::{Bytes, Enrolled, Head, HomeId, Keys, Line, Proof, PublicKey, Verifier as _};
use tokio::net::UnixStream;

use crate::frames::{FrameError, hear, say};
use crate::refused::{Refused, Why};
use crate::wire::{Asks, SOCKET, Says, VERSION};

/// How long the service may take for what nobody is asked for.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long it may take in all: its queue, each with its own time, and then the person.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// Where the service is.
#[derive(Debug, Clone)]
pub struct Client {
    socket: PathBuf,
}

/// A service that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The program's version.
    pub version: String,
    /// Its key.
    pub key: PublicKey,
    /// The lines of the home that it remembers, newest first.
    pub heads: Vec<Head>,
}

/// A receipt that the person confirmed.
#[derive(Debug)]
pub struct Confirmed {
    stream: UnixStream,
    line: Line,
    key: PublicKey,
}

impl Default for Client {
    fn default() -> Self {
        Self::at(Path::new(SOCKET))
    }
}

impl Client {
    /// The service at another socket than the system's, for tests. What it signs counts as far as its key does.
    #[must_use]
    pub fn at(socket: &Path) -> Self {
        Self { socket: socket.to_owned() }
    }

    /// Whether receipts could be confirmed now: the service answers, and polkit would ask. Whether the person's session
    /// shows polkit's prompts is known only when something is asked.
    ///
    /// # Errors
    /// Why it couldn't, and what helps ([`Refused::mend`]).
    pub async fn reachable(&self, home: Option<HomeId>) -> Result<Reached, Refused> {
        self.hello(Asks::Hello { v: VERSION, home }).await
    }

    /// Which key is the service's own, and which lines of a home it remembers, whether polkit would ask or not.
    ///
    /// # Errors
    /// Where there is no service, or it doesn't answer.
    pub async fn known(&self, home: Option<HomeId>) -> Result<Reached, Refused> {
        self.hello(Asks::Known { v: VERSION, home }).await
    }

    async fn hello(&self, asks: Asks) -> Result<Reached, Refused> {
        let mut stream = self.connect().await?;
        say(&mut stream, &asks).await.map_err(silent)?;
        match soon(&mut stream, PATIENCE).await? {
            Says::Hello { v: VERSION, version, key, heads } => Ok(Reached { version, key: key_of(&key)?, heads }),
            other => Err(unexpected(&other)),
        }
    }

    /// Has the person confirm a receipt: a line of level L2 whose proof isn't made yet, and the text of the question that
    /// it is of ([`gate_core::question_text`]). `on_digits` is given the digits that the prompt will show, once it is this
    /// receipt's turn; the prompt comes up when it returns. Takes as long as the person does, two minutes at most, and
    /// those who are before it.
    ///
    /// # Errors
    /// Why it wasn't confirmed.
    pub async fn confirm(
        &self,
        line: &Line,
        question: &str,
        on_digits: impl FnOnce(&str),
    ) -> Result<Confirmed, Refused> {
        let text = text_of(line)?;
        let mut stream = self.connect().await?;
        let lengths = Asks::Confirm { v: VERSION, line: text.len(), ask: question.len() };
        say(&mut stream, &lengths).await.map_err(silent)?;
        match soon(&mut stream, LONGEST).await? {
            Says::Turn {} => {}
            other => return Err(unexpected(&other)),
        }
        send(&mut stream, text.as_bytes()).await?;
        send(&mut stream, question.as_bytes()).await?;
        let Says::Digits { digits } = expected(soon(&mut stream, PATIENCE).await?, is_digits)? else {
            return Err(impossible());
        };
        on_digits(&digits);
        say(&mut stream, &Asks::Ask {}).await.map_err(silent)?;
        let (line, key) = signed(soon(&mut stream, LONGEST).await?, line)?;
        Ok(Confirmed { stream, line, key })
    }

    async fn connect(&self) -> Result<UnixStream, Refused> {
        let connecting = tokio::time::timeout(PATIENCE, UnixStream::connect(&self.socket));
        let Ok(connected) = connecting.await else {
            return Err(Refused::new(Why::Silent, format!("{} takes no connection.", self.socket.display())));
        };
        connected.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                Refused::new(Why::Absent, format!("There is no review-gated: no {}.", self.socket.display()))
            }
            _ => {
                Refused::new(Why::Silent, format!("review-gated can't be reached: {}: {error}.", self.socket.display()))
            }
        })
    }
}

impl Confirmed {
    /// The line with its proof, as it goes into the log.
    #[must_use]
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// The key that signed it.
    #[must_use]
    pub fn key(&self) -> &PublicKey {
        &self.key
    }

    /// Has the same receipt signed as another line, where the log went on in the meantime: within half a minute, and
    /// without asking the person again.
    ///
    /// # Errors
    /// Where it is another receipt, or too late.
    pub async fn again(&mut self, line: &Line) -> Result<(), Refused> {
        let text = text_of(line)?;
        say(&mut self.stream, &Asks::Again { line: text.len() }).await.map_err(silent)?;
        send(&mut self.stream, text.as_bytes()).await?;
        (self.line, self.key) = signed(soon(&mut self.stream, PATIENCE).await?, line)?;
        Ok(())
    }

    /// Says that the line stands in the log: from now on the service sees it if it doesn't. Where that isn't said, because
    /// it couldn't be written, the service remembers nothing of it.
    ///
    /// # Errors
    /// Where the service can't remember it. The line is good nevertheless.
    pub async fn kept(mut self) -> Result<(), Refused> {
        let line = self.line.digest().map_err(|error| unfit(&error.to_string()))?;
        say(&mut self.stream, &Asks::Kept { line }).await.map_err(silent)?;
        match soon(&mut self.stream, PATIENCE).await? {
            Says::Kept {} => Ok(()),
            other => Err(unexpected(&other)),
        }
    }
}

/// What the line's signature is made of.
fn text_of(line: &Line) -> Result<String, Refused> {
    line.signed().map_err(|error| unfit(&error.to_string()))
}

async fn send(stream: &mut UnixStream, bytes: &[u8]) -> Result<(), Refused> {
    use tokio::io::AsyncWriteExt as _;
    match tokio::time::timeout(PATIENCE, stream.write_all(bytes)).await {
        Ok(Ok(())) => Ok(()),
        // It may have said why it takes no more.
        Ok(Err(error)) => match soon(stream, PATIENCE).await {
            Ok(Says::Refused(refused)) | Err(refused) if refused.why != Why::Silent => Err(refused),
            _ => Err(silent(error.into())),
        },
        Err(_) => Err(Refused::new(Why::Silent, "review-gated takes nothing more.")),
    }
}

async fn soon(stream: &mut UnixStream, patience: Duration) -> Result<Says, Refused> {
    match tokio::time::timeout(patience, hear(stream)).await {
        Ok(heard) => heard.map_err(silent),
        Err(_) => Err(Refused::new(Why::Silent, "review-gated doesn't answer.")),
    }
}

/// The line with the signature that the service gave, which has to hold.
fn signed(says: Says, line: &Line) -> Result<(Line, PublicKey), Refused> {
    let Says::Signed { key, sig } = expected(says, |says| matches!(says, Says::Signed { .. }))? else {
        return Err(impossible());
    };
    let key = key_of(&key)?;
    let line = Line { proof: Proof::Ed25519 { key: key.fingerprint(), sig }, ..line.clone() };
    let alone = Keys(vec![Enrolled { public: key.clone(), origin: None, after: 0, until: None }]);
    match alone.prove(&line) {
        Ok(Some(_)) => Ok((line, key)),
        Ok(None) | Err(_) => Err(Refused::new(Why::Silent, "review-gated signed something else.")),
    }
}

fn key_of(bytes: &Bytes) -> Result<PublicKey, Refused> {
    match PublicKey::from_wire(&bytes.0) {
        Ok(key @ PublicKey::Ed25519(_)) => Ok(key),
        _ => Err(Refused::new(Why::Silent, "review-gated has no key of a kind that is known.")),
    }
}

fn is_digits(says: &Says) -> bool {
    let good = |digits: &str| digits.len() == 9 && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
    matches!(says, Says::Digits { digits } if good(digits))
}

fn expected(says: Says, is: impl FnOnce(&Says) -> bool) -> Result<Says, Refused> {
    if is(&says) { Ok(says) } else { Err(unexpected(&says)) }
}

fn unexpected(says: &Says) -> Refused {
    match says {
        Says::Refused(refused) => refused.clone(),
        Says::Hello { v, .. } if *v != VERSION => {
            Refused::new(Why::Version, format!("review-gated speaks version {v}, and this gate {VERSION}."))
        }
        _ => impossible(),
    }
}

fn impossible() -> Refused {
    Refused::new(Why::Silent, "review-gated says what has no place here.")
}

fn unfit(why: &str) -> Refused {
    Refused::new(Why::Unfit, format!("The receipt can't be written: {why}."))
}

fn silent(error: FrameError) -> Refused {
    match error {
        FrameError::Closed => Refused::new(Why::Silent, "review-gated ended before it answered."),
        FrameError::Io(error) => Refused::new(Why::Silent, format!("review-gated can't be reached: {error}.")),
        FrameError::Unknown(why) => Refused::new(Why::Version, format!("review-gated isn't understood: {why}.")),
    }
}
