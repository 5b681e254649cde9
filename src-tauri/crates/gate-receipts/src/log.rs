//! The log of a home, as its one writer has it: opening, appending, looking things up.
//!
//! A line is on disk when [`Log::append`] returns, or it isn't there. Whatever happened to the file in between is
//! noticed before anything is written behind it. Knows neither what lines mean nor who else asks; it waits for disks,
//! and is called where that holds up nobody.

mod aside;
mod tail;

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use gate_core::{Digest, RequestId, Timestamp};

use crate::anchor::{Anchor, Silent};
use crate::chain::{Chain, Report};
use crate::clock::Reading;
use crate::error::{ReceiptsError, failed};
use crate::files::{self, Lock, Stamp};
use crate::kinds::{Break, Reason, Said};
use crate::line::{Line, LineError};
use crate::parts::{Head, HomeId};
use crate::proof::Proof;
use aside::Anchored;
use tail::Tail;

/// What is needed to open a log.
#[derive(Debug)]
pub struct Opening {
    /// The folder that it is in, which is there.
    pub folder: PathBuf,
    /// The home that it belongs to.
    pub home: HomeId,
    /// What remembers how far it went.
    pub anchors: Vec<Box<dyn Anchor>>,
    /// Whether there are replies from before there were receipts: a new log begins with a `break` then.
    pub upgrade: bool,
    /// The clocks.
    pub now: Reading,
}

/// A log that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The log.
    pub log: Log,
    /// What was noticed.
    pub noticed: Noticed,
}

/// What is noticed of a log when it is looked at. None of it stops anything, and all of it is for a person or the
/// record to hear.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Noticed {
    /// The chain was broken, and begins anew.
    pub broken: Option<Broken>,
    /// Bytes of a last line that was never whole, and was cut off.
    pub cut: u64,
    /// Lines behind the last one that an anchor knows: written before a kill, or by somebody else. A receipt whose
    /// reply the record doesn't hold is to be withdrawn.
    pub unknown: Vec<Noted>,
    /// Anchors that couldn't be asked.
    pub silent: Vec<Silent>,
}

/// A chain that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// What the log says of it.
    pub said: Break,
    /// Its line.
    pub head: Head,
    /// The replies that weren't delivered at that moment. They are to become drafts.
    pub undelivered: Vec<Undelivered>,
}

/// A reply that wasn't delivered when the chain broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undelivered {
    /// Its request.
    pub request: RequestId,
    /// The latest receipt of it that still counts.
    pub receipt: Option<Digest>,
}

/// A line in few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    /// Its number and digest.
    pub head: Head,
    /// When it says it was written.
    pub at: Timestamp,
    /// What it says.
    pub said: Said,
}

/// A line that was written.
#[derive(Debug, PartialEq, Eq)]
pub struct Appended {
    /// The line.
    pub line: Line,
    /// Its number and digest. The digest is the receipt's name.
    pub head: Head,
    /// What was noticed before it was written.
    pub noticed: Noticed,
    /// Anchors that couldn't be told.
    pub untold: Vec<Silent>,
}

/// The log of a home, as its one writer has it.
#[derive(Debug)]
pub struct Log {
    folder: PathBuf,
    home: HomeId,
    anchors: Vec<Box<dyn Anchor>>,
    /// Held for as long as this lives.
    _lock: Lock,
    file: File,
    /// How many bytes are lines.
    length: u64,
    /// How the file looked when it was last written or read.
    stamp: Option<Stamp>,
    /// The last line, and the one before it.
    heads: Vec<Head>,
    /// What the clocks said when the last line was made.
    last: Option<Reading>,
    /// What they said at the last draft.
    drafted: Option<Reading>,
    /// Behind the lines there may be a part of one that couldn't be written.
    dirty: bool,
    /// What nobody was told yet.
    noticed: Noticed,
    chain: Option<Chain>,
}

impl Log {
    /// Opens a folder's log, or begins it. Reads its end only, if that is as it has to be.
    ///
    /// # Errors
    /// `receipts_busy` where another writer has it, `receipts_newer` where a newer version wrote it, and where a file
    /// can't be used. Nothing was lost then.
    pub fn open(opening: Opening) -> Result<Opened, ReceiptsError> {
        let Opening { folder, home, anchors, upgrade, now } = opening;
        let lock = Lock::take(&folder)?;
        aside::resume(&folder, home)?;
        let path = folder.join(files::NAME);
        let mut noticed = Noticed::default();
        let mut anchored = Anchored::default();
        anchored.ask(&anchors, &mut noticed.silent);
        let is_there = path.symlink_metadata().is_ok();
        let reason = match Tail::read(&path, home, &anchored)? {
            _ if !is_there && anchored.is_empty() && !upgrade => None,
            Some(tail) if anchored.is_empty() && upgrade && tail.lines.is_empty() => Some(Reason::Upgrade),
            _ if !is_there => Some(Reason::Gone),
            Some(_) => None,
            None => aside::wrong_with(&path, home, &anchored.heads())?,
        };
        if let Some(reason) = reason {
            aside::begin_anew(&folder, home, reason, &anchored, &anchors, now.at)?;
        }
        let file = open_file(&path)?;
        if !is_there {
            files::sync_folder(&folder)?;
        }
        let mut log = Self {
            folder,
            home,
            anchors,
            _lock: lock,
            file,
            length: 0,
            stamp: None,
            heads: Vec::new(),
            last: None,
            drafted: None,
            dirty: false,
            noticed,
            chain: None,
        };
        log.take_up(&anchored)?;
        let noticed = log.noticed();
        Ok(Opened { log, noticed })
    }

    /// Writes a line that nobody signs.
    ///
    /// # Errors
    /// Where it can't be written. It isn't there then, and the log is as it was.
    pub fn append(&mut self, said: Said, now: Reading) -> Result<Appended, ReceiptsError> {
        self.look(now)?;
        self.write(self.next(said, now), now)
    }

    /// The line that would be written now, for a key to sign: what [`Line::signed`] gives. Nothing is held for it; if
    /// another line comes first, [`Self::append_signed`] says so.
    ///
    /// # Errors
    /// Where the log can't be used.
    pub fn draft(&mut self, said: Said, now: Reading) -> Result<Line, ReceiptsError> {
        self.look(now)?;
        self.drafted = Some(now);
        Ok(self.next(said, now))
    }

    /// Writes a line of [`Self::draft`] that was given its proof.
    ///
    /// # Errors
    /// `receipts_moved` where it doesn't follow the last line any more, and as [`Self::append`].
    pub fn append_signed(&mut self, line: Line, now: Reading) -> Result<Appended, ReceiptsError> {
        self.look(now)?;
        let follows = match self.head() {
            Some(head) => line.follows(head),
            None => line.begins() && line.seq == 1,
        };
        if !follows || line.home != self.home {
            return Err(ReceiptsError::Moved);
        }
        // A touch takes its time: the clocks are compared as they stood together.
        let made = self.drafted.filter(|drafted| drafted.at == line.at).unwrap_or(now);
        self.write(line, made)
    }

    /// What was noticed since it was last told. [`Self::append`] tells it with the line; after an error it is here.
    pub fn noticed(&mut self) -> Noticed {
        std::mem::take(&mut self.noticed)
    }

    /// Where the chain stands.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        self.heads.first().copied()
    }

    /// All lines, to look things up in. The first time, and whenever somebody else touched the file, it is read whole:
    /// up to a second for 10,000 lines.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn chain(&mut self) -> Result<&Chain, ReceiptsError> {
        self.clean()?;
        let is_same = self.stamp.is_some() && self.stamp == files::stamp(&self.path());
        let kept = self.chain.take().filter(|_| is_same);
        let chain = match kept {
            Some(chain) => chain,
            None => {
                let mut known = Anchored::of_writer(&self.heads);
                known.ask(&self.anchors, &mut self.noticed.silent);
                Chain::read(&self.folder, Some(self.home), &known.heads())?
            }
        };
        Ok(self.chain.insert(chain))
    }

    /// Checks the whole chain. A log in which something is wrong is set aside, and a new one begins.
    ///
    /// # Errors
    /// When a file can't be used.
    pub fn check(&mut self, now: Reading) -> Result<(Report, Noticed), ReceiptsError> {
        self.clean()?;
        self.look_closely(now)?;
        let report = self.chain()?.report().clone();
        Ok((report, self.noticed()))
    }

    /// Looks whether anybody touched the file since it was last written or read.
    fn look(&mut self, now: Reading) -> Result<(), ReceiptsError> {
        self.clean()?;
        if self.stamp.is_some() && self.stamp == files::stamp(&self.path()) {
            return Ok(());
        }
        self.look_closely(now)
    }

    fn look_closely(&mut self, now: Reading) -> Result<(), ReceiptsError> {
        let path = self.path();
        let mut known = Anchored::of_writer(&self.heads);
        known.ask(&self.anchors, &mut self.noticed.silent);
        self.chain = None;
        if let Some(reason) = aside::wrong_with(&path, self.home, &known.heads())? {
            aside::begin_anew(&self.folder, self.home, reason, &known, &self.anchors, now.at)?;
        }
        self.file = open_file(&path)?;
        files::sync_folder(&self.folder)?;
        self.take_up(&known)
    }

    /// Takes the file as it is, which is as it has to be: cuts off what is torn, and notes what nobody knew.
    fn take_up(&mut self, anchored: &Anchored) -> Result<(), ReceiptsError> {
        let path = self.path();
        let tail = match Tail::read(&path, self.home, anchored)? {
            Some(tail) => tail,
            None => Tail::whole(&path, self.home, anchored)?,
        };
        self.length = tail.whole;
        if tail.torn > 0 {
            self.restore().map_err(failed("written", &path))?;
            self.noticed.cut += tail.torn;
        }
        // A writer that goes on in the same process knows how its clocks stood together.
        if self.heads.first() != tail.lines.first().map(|(_, head)| head) {
            self.last = tail.lines.first().map(|(line, _)| Reading { at: line.at, steady: None });
        }
        self.heads = tail.lines.iter().take(2).map(|(_, head)| *head).collect();
        self.stamp = files::stamp(&path);
        self.note(tail.lines, anchored.highest())
    }

    /// Notes the lines behind the last one that was known; `lines` has the latest first.
    fn note(&mut self, lines: Vec<(Line, Head)>, known_up_to: u64) -> Result<(), ReceiptsError> {
        for (line, head) in lines.into_iter().rev().filter(|(_, head)| head.seq > known_up_to) {
            let Line { at, said, .. } = line;
            match said {
                Said::Break(said) => {
                    let undelivered = self.undelivered()?;
                    let untold = self.tell(head);
                    self.noticed.silent.extend(untold);
                    self.noticed.broken = Some(Broken { said, head, undelivered });
                }
                said => self.noticed.unknown.push(Noted { head, at, said }),
            }
        }
        Ok(())
    }

    fn undelivered(&mut self) -> Result<Vec<Undelivered>, ReceiptsError> {
        let requests: Vec<_> = self.anchors.iter().flat_map(|anchor| anchor.undelivered()).collect();
        if requests.is_empty() {
            return Ok(Vec::new());
        }
        let chain = self.chain()?;
        let of = |request| {
            let receipt = chain.of_request(request)?.first().map(|found| found.id);
            Ok(Undelivered { request, receipt })
        };
        requests.into_iter().map(of).collect()
    }

    fn next(&self, said: Said, now: Reading) -> Line {
        let head = self.head();
        Line {
            home: self.home,
            seq: head.map_or(1, |head| head.seq + 1),
            prev: head.map(|head| head.line),
            at: now.at,
            step: self.last.and_then(|last| now.step_since(last)),
            said,
            proof: Proof::None {},
        }
    }

    fn write(&mut self, line: Line, made: Reading) -> Result<Appended, ReceiptsError> {
        let text = line.canonical()?;
        // What couldn't be read back would break the chain.
        if Line::parse(text.as_bytes())? != line {
            return Err(LineError::NotCanonical(0).into());
        }
        self.refer(&line.said)?;
        let head = Head { seq: line.seq, line: Digest::of_bytes(text.as_bytes()) };
        let path = self.path();
        let mut bytes = text.into_bytes();
        bytes.push(b'\n');
        let mut put = || {
            self.file.seek(SeekFrom::Start(self.length))?;
            self.file.write_all(&bytes)?;
            self.file.sync_data()?;
            self.file.metadata()
        };
        let stamp = match put() {
            Ok(found) => Stamp::of(&found),
            Err(error) => {
                self.dirty = true;
                // Where that fails, too, it is tried again before the next line.
                let _ = self.clean();
                return Err(failed("written", &path)(error));
            }
        };
        if let Some(chain) = &mut self.chain {
            chain.take_written(&line, head, self.length, bytes.len() - 1);
        }
        self.length += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.stamp = Some(stamp);
        self.heads = std::iter::once(head).chain(self.head()).collect();
        self.last = Some(made);
        let untold = self.tell(head);
        Ok(Appended { line, head, noticed: self.noticed(), untold })
    }

    /// Whether what a line refers to is there, and wasn't said of it before.
    fn refer(&mut self, said: &Said) -> Result<(), ReceiptsError> {
        let (receipt, row) = match said {
            Said::Released(released) => (released.receipt, None),
            Said::Withdrawn(withdrawn) => (withdrawn.receipt, None),
            Said::Sent(sent) => (sent.receipt, Some(sent.row)),
            Said::Decided(_) | Said::Guard(_) | Said::SignIn(_) | Said::Key(_) | Said::Break(_) => return Ok(()),
        };
        let chain = self.chain()?;
        let after = chain.after(receipt).ok_or(ReceiptsError::UnknownReceipt(receipt))?;
        let done = match said {
            Said::Sent(_) => row.filter(|row| chain.was_sent(receipt, *row)).map(|_| "sent"),
            // What was taken back isn't released any more.
            _ if after.withdrawn.is_some() => Some("withdrawn"),
            Said::Released(_) => after.released.map(|_| "released"),
            _ => None,
        };
        done.map_or(Ok(()), |done| Err(ReceiptsError::Before { receipt, done }))
    }

    /// Tells the anchors where the chain stands, and gives those that couldn't be told.
    fn tell(&mut self, head: Head) -> Vec<Silent> {
        let told = self.anchors.iter_mut().map(|anchor| (anchor.name(), anchor.keep(head)));
        told.filter_map(|(by, told)| told.err().map(|why| Silent { by, why })).collect()
    }

    /// Takes away what a line left behind that couldn't be written.
    fn clean(&mut self) -> Result<(), ReceiptsError> {
        if self.dirty {
            let path = self.path();
            self.restore().map_err(failed("written", &path))?;
            // Of this file, whatever has its name now.
            self.stamp = self.file.metadata().ok().as_ref().map(Stamp::of);
            self.dirty = false;
        }
        Ok(())
    }

    fn restore(&mut self) -> std::io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.sync_data()
    }

    fn path(&self) -> PathBuf {
        self.folder.join(files::NAME)
    }
}

fn open_file(path: &Path) -> Result<File, ReceiptsError> {
    let mut options = files::private();
    options.read(true).write(true).create(true).truncate(false);
    options.open(path).map_err(failed("written", path))
}
