//! The system's journal as what remembers how far the log went: it takes a line's number and digest from the person's
//! processes, and none of them can take an entry out. No entry holds anybody's words.
//!
//! Who wrote an entry isn't asked beyond its user. Any process of the person's can write one, and one that claims a longer
//! log does no more than cutting the log would, which that process can do as well: the chain begins anew, and says so. What
//! else journald knows of a sender is no proof, since a program that starts ours right after it sent something is told as
//! ours. No entry makes anything count.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gate_core::{Digest, Timestamp};
use gate_git::child::{Ended, Running};
use gate_receipts::{Anchor, Head, HomeId, RECEIPT_MILLIS};
use serde_json::Value;
use tokio::process::Command;
use tokio::sync::Notify;

use crate::work::blocking;

/// journald's own socket (<https://systemd.io/JOURNAL_NATIVE_PROTOCOL/>).
const SOCKET: &str = "/run/systemd/journal/socket";
/// What reads the journal, wherever `PATH` leads.
const READER: &str = "/usr/bin/journalctl";
/// What marks these entries.
const MESSAGE_ID: &str = "6f1b9f0a3d8e4c52a7d0c1e95b3f7a28";
/// At most so often is it told.
const EVERY: Duration = Duration::from_secs(1);
/// How long reading it may take at first, and at most after it took longer: nobody waits for that.
const PATIENCE: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(30 * 60);
/// How much of it is read, in bytes: more than a line a minute for as long as an approval counts.
const MOST: usize = 16 * 1024 * 1024;
/// How many of the last lines that it knows count.
const HEADS: usize = 256;
/// How many lines before the last that the record knows it still vouches for, and how far beyond it one may be. A number
/// that is further could be chosen so that no line can follow it.
const NEAR: u64 = 200;
const FAR: u64 = 1_000_000;

/// Where the journal is.
#[derive(Debug, Clone)]
pub(crate) struct JournalAt {
    /// What takes entries.
    pub(crate) socket: PathBuf,
    /// The program that reads them.
    pub(crate) reader: PathBuf,
    /// How long reading them may take at first.
    pub(crate) patience: Duration,
}

impl JournalAt {
    /// The system's, where it has one.
    pub(crate) fn of_system() -> Option<Self> {
        let at = Self { socket: SOCKET.into(), reader: READER.into(), patience: PATIENCE };
        (cfg!(target_os = "linux") && at.socket.exists()).then_some(at)
    }
}

/// The journal, and what is known of it.
#[derive(Debug)]
pub(super) struct Journal {
    at: JournalAt,
    home: HomeId,
    /// The home's folder, by a digest: a copy of it elsewhere has a log of its own.
    place: String,
    user: u32,
    /// The last line that the record knew when the log was opened.
    recorded: u64,
    state: Mutex<State>,
    wanted: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// What it remembered at the start.
    heads: Vec<Head>,
    /// Why it couldn't be read, though it may remember something.
    unread: Option<Unread>,
    /// What it wasn't told yet.
    untold: Option<Head>,
}

/// Why it isn't known what the journal remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// Somebody has filled it.
    TooMuch,
    /// This machine has other things to do, as it has when somebody logs in.
    Slow,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMuch => write!(f, "it has more than {MOST} bytes of them"),
            Self::Slow => f.write_str("reading them takes too long"),
        }
    }
}

/// How long the next try may take, and how long it is waited for, after one that was given this long.
pub(super) fn longer(patience: Duration) -> Duration {
    (patience * 2).min(LONGEST)
}

impl Journal {
    /// That of a home in this folder; absent where it isn't known whose that is.
    pub(super) fn new(at: JournalAt, home: HomeId, folder: &Path, recorded: u64) -> Option<Self> {
        let whole = folder.canonicalize().ok()?;
        let place = Digest::of_bytes(whole.as_os_str().as_encoded_bytes()).to_string();
        let user = owner(folder)?;
        let (state, wanted) = (Mutex::default(), Notify::new());
        Some(Self { at, home, place, user, recorded, state, wanted })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the journal how far the log went, whenever it went further.
    pub(super) async fn keep(&self) {
        loop {
            self.wanted.notified().await;
            self.tell();
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Tells it what it doesn't know yet. One that takes nothing just now is told with what comes next.
    pub(super) fn tell(&self) {
        let Some(head) = self.lock().untold.take() else { return };
        if let Err(error) = send(&self.at.socket, self.entry(head).as_bytes()) {
            tracing::debug!(%error, "the journal takes nothing");
            self.lock().untold.get_or_insert(head);
        }
    }

    fn entry(&self, Head { seq, line }: Head) -> String {
        format!(
            "MESSAGE=The receipts have reached line {seq}.\nMESSAGE_ID={MESSAGE_ID}\nPRIORITY=6\n\
             SYSLOG_IDENTIFIER=review-gate\n{}\n{}\nREVIEW_GATE_SEQ={seq}\nREVIEW_GATE_DIGEST={line}\n",
            self.of_home(),
            self.of_place(),
        )
    }

    fn of_home(&self) -> String {
        format!("REVIEW_GATE_HOME={}", self.home)
    }

    fn of_place(&self) -> String {
        format!("REVIEW_GATE_PLACE={}", self.place)
    }

    /// Reads what it remembers, of as long as approvals count; nothing where this user may not read it.
    ///
    /// # Errors
    /// Where it may remember something and that isn't known.
    pub(super) async fn read(&self, now: Timestamp, patience: Duration) -> Result<Vec<Head>, Unread> {
        let recorded = self.recorded;
        let read = match self.ask(now, patience).await {
            Ok(said) => Ok(blocking(move || Ok(heads_in(&said, recorded))).await.unwrap_or_default()),
            Err(unread) => Err(unread),
        };
        let mut state = self.lock();
        state.unread = read.as_ref().err().copied();
        if let Ok(heads) = &read {
            state.heads.clone_from(heads);
        }
        read
    }

    /// How long reading it may take at first.
    pub(super) fn patience(&self) -> Duration {
        self.at.patience
    }

    async fn ask(&self, now: Timestamp, patience: Duration) -> Result<Vec<u8>, Unread> {
        let reach = i64::try_from(RECEIPT_MILLIS).unwrap_or(i64::MAX);
        let since = now.0.saturating_sub(reach).max(0) / 1000;
        let mut command = Command::new(&self.at.reader);
        command.env_clear().env("LC_ALL", "C").current_dir("/").stdin(Stdio::null());
        command.args(["--output=json", "--output-fields=REVIEW_GATE_SEQ,REVIEW_GATE_DIGEST", "--no-pager", "--quiet"]);
        command.arg(format!("--since=@{since}")).arg(format!("_UID={}", self.user));
        command.arg(format!("MESSAGE_ID={MESSAGE_ID}")).args([self.of_home(), self.of_place()]);
        let asked = async { Running::start(command)?.behind().ended(MOST).await };
        match tokio::time::timeout(patience, asked).await {
            Ok(Ok(Ended { output: None, .. })) => Err(Unread::TooMuch),
            Ok(Ok(Ended { status, output: Some(output), .. })) if status.success() => Ok(output),
            // Nobody may read it, or there is none.
            Ok(Ok(Ended { words, .. })) => {
                tracing::debug!(%words, "the journal isn't read");
                Ok(Vec::new())
            }
            Ok(Err(error)) => {
                tracing::debug!(%error, "the journal isn't read");
                Ok(Vec::new())
            }
            Err(_) => Err(Unread::Slow),
        }
    }
}

/// The last lines that entries name, newest first. What isn't one of ours is passed over.
fn heads_in(said: &[u8], recorded: u64) -> Vec<Head> {
    let near = recorded.saturating_sub(NEAR)..=recorded.saturating_add(FAR);
    let entries = said.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let found = entries.filter_map(|entry| {
        let seq: u64 = entry["REVIEW_GATE_SEQ"].as_str()?.parse().ok()?;
        let line: Digest = entry["REVIEW_GATE_DIGEST"].as_str()?.parse().ok()?;
        near.contains(&seq).then_some(Head { seq, line })
    });
    // Of a log that went back and on there are two of a number, and both are known.
    let found: HashSet<Head> = found.collect();
    let mut heads: Vec<Head> = found.into_iter().collect();
    heads.sort_unstable_by_key(|head| std::cmp::Reverse(head.seq));
    heads.truncate(HEADS);
    heads
}

/// The anchor in the journal.
#[derive(Debug)]
pub(super) struct OfJournal(pub(super) Arc<Journal>);

impl Anchor for OfJournal {
    fn name(&self) -> &'static str {
        "journal"
    }

    fn heads(&self) -> Result<Vec<Head>, String> {
        let state = self.0.lock();
        state.unread.map_or_else(|| Ok(state.heads.clone()), |unread| Err(unread.to_string()))
    }

    fn keep(&mut self, head: Head) -> Result<(), String> {
        self.0.lock().untold = Some(head);
        self.0.wanted.notify_one();
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn send(socket: &Path, entry: &[u8]) -> std::io::Result<()> {
    let from = std::os::unix::net::UnixDatagram::unbound()?;
    from.set_nonblocking(true)?;
    from.send_to(entry, socket).map(drop)
}

#[cfg(target_os = "linux")]
fn owner(folder: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    folder.metadata().ok().map(|found| found.uid())
}

#[cfg(not(target_os = "linux"))]
fn send(_: &Path, _: &[u8]) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn owner(_: &Path) -> Option<u32> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
