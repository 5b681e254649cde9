//! All lines of a home: the log and those that were set aside before it, by receipt, request and tree.
//!
//! Reads only, and needs no lock: a log only grows, or is given another name whole. Knows no writer.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use gate_core::{Digest, RequestId, Timestamp};

use crate::error::{ReceiptsError, failed};
use crate::files;
use crate::keys::Fingerprint;
use crate::kinds::{Aside, Break, Decided, Does, Guard, Reason, Said};
use crate::line::Line;
use crate::parts::{Head, HomeId, Oid};
use crate::pieces::{Piece, Pieces, Problem, Step};
use crate::standing::After;
use crate::verify::{Counted, Keys, touch_of};

/// Most logs that were set aside and are still read.
const FILES: usize = 1000;

/// What has to be said with a receipt that counts all the same. A line that took it back may have been lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It stands in a log that was set aside.
    BeforeBreak,
    /// It stands in a log in which something is wrong.
    Damaged,
}

/// A receipt that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its name: its line's digest.
    pub id: Digest,
    /// Its line.
    pub line: Line,
    /// What it says.
    pub decided: Decided,
    /// What later lines say of it.
    pub after: After,
    /// What has to be said with it.
    pub mark: Option<Mark>,
}

/// What a security key's counter says that a person should hear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterSaid {
    /// The number of the line.
    pub seq: u64,
    /// The key.
    pub key: Fingerprint,
    /// What.
    pub counted: Counted,
}

/// How a chain is, all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines, of all files.
    pub lines: u64,
    /// Those that count.
    pub counting: u64,
    /// Where the chain stands.
    pub head: Option<Head>,
    /// What is wrong in the log.
    pub problems: Vec<Problem>,
    /// Bytes at the log's end that are no whole line.
    pub torn: u64,
    /// The breaks, latest first.
    pub breaks: Vec<Break>,
    /// Logs that were set aside and aren't there any more as they were; none of their lines counts.
    pub lost: Vec<String>,
    /// When clocks were set.
    pub steps: Vec<Step>,
    /// What counters of security keys say.
    pub counters: Vec<CounterSaid>,
}

impl Report {
    /// Whether nothing is wrong with the log. What was set aside before is no part of that.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Where a line stands: in which of the files, and which bytes of it.
#[derive(Debug, Clone, Copy)]
struct Span {
    file: usize,
    offset: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    span: Span,
    seq: u64,
    after: After,
    /// The line that withdrew it.
    withdrawal: Option<Span>,
    mark: Option<Mark>,
}

/// All lines of a home, by what is looked for.
#[derive(Debug, Default)]
pub struct Chain {
    files: Vec<PathBuf>,
    receipts: HashMap<Digest, Kept>,
    requests: HashMap<RequestId, Vec<Digest>>,
    trees: HashMap<Oid, Vec<Digest>>,
    sent: HashSet<(Digest, u64)>,
    guards: BTreeMap<String, Guard>,
    browsers: HashMap<Digest, Timestamp>,
    upgraded: Option<Timestamp>,
    keys: Keys,
    counters: HashMap<Fingerprint, u32>,
    report: Report,
}

/// A log that was read, and whether it is the one that is written to.
struct Volume {
    path: PathBuf,
    pieces: Pieces,
    mark: Option<Mark>,
}

impl Chain {
    /// Reads a folder's log whole, and what was set aside before it. `home` says whose it has to be; without it, it is
    /// whose it says. `heads` is what anchors know.
    ///
    /// # Errors
    /// When the log can't be read. One that isn't there is empty.
    pub fn read(folder: &Path, home: Option<HomeId>, heads: &[Head]) -> Result<Self, ReceiptsError> {
        let path = folder.join(files::NAME);
        let bytes = files::read(&path)?.unwrap_or_default();
        let home = home.or_else(|| home_of(&bytes)).unwrap_or(HomeId(uuid::Uuid::nil()));
        let pieces = Pieces::read(&bytes, home, heads);
        let mut chain = Self::default();
        chain.report.torn = u64::try_from(bytes.len()).unwrap_or(u64::MAX).saturating_sub(pieces.whole);
        chain.report.problems.clone_from(&pieces.problems);
        let mark = (!pieces.problems.is_empty()).then_some(Mark::Damaged);
        let mut volumes = vec![Volume { path, pieces, mark }];
        while let Some(Break { aside, anchors, .. }) = volumes.last().and_then(|volume| beginning(&volume.pieces)) {
            chain.report.breaks.extend(volumes.last().and_then(|volume| beginning(&volume.pieces)).cloned());
            let known: Vec<Head> = anchors.iter().map(|known| Head { seq: known.seq, line: known.line }).collect();
            let Some(aside) = aside.as_ref().filter(|_| volumes.len() < FILES) else { break };
            let Some((path, bytes)) = as_it_was(folder, aside) else {
                chain.report.lost.push(aside.name.clone());
                break;
            };
            volumes.push(Volume { path, pieces: Pieces::read(&bytes, home, &known), mark: Some(Mark::BeforeBreak) });
        }
        for Volume { path, pieces, mark } in volumes.into_iter().rev() {
            chain.take_volume(path, &pieces, mark);
        }
        Ok(chain)
    }

    fn take_volume(&mut self, path: PathBuf, pieces: &Pieces, mark: Option<Mark>) {
        let file = self.files.len();
        self.files.push(path);
        self.report.lines += u64::try_from(pieces.all.len()).unwrap_or(u64::MAX);
        self.report.steps.extend(&pieces.steps);
        for (Piece { offset, bytes, .. }, line, head) in pieces.counting() {
            self.take(Span { file, offset: *offset, bytes: *bytes }, line, head, mark);
        }
    }

    /// Takes up a line that was just written at the log's end.
    pub(crate) fn take_written(&mut self, line: &Line, head: Head, offset: u64, bytes: usize) {
        let file = self.files.len().saturating_sub(1);
        self.report.lines += 1;
        self.report.steps.extend(line.step.map(|millis| Step { seq: line.seq, millis }));
        self.take(Span { file, offset, bytes }, line, head, None);
    }

    fn take(&mut self, span: Span, line: &Line, head: Head, mark: Option<Mark>) {
        self.report.counting += 1;
        self.report.head = Some(head);
        match &line.said {
            Said::Decided(decided) => {
                self.requests.entry(decided.request).or_default().push(head.line);
                if let Some(git) = &decided.content.git {
                    self.trees.entry(git.tree.clone()).or_default().push(head.line);
                }
                let kept = Kept { span, seq: line.seq, after: After::default(), withdrawal: None, mark };
                self.receipts.entry(head.line).or_insert(kept);
            }
            Said::Released(released) => {
                if let Some(kept) = self.receipts.get_mut(&released.receipt) {
                    kept.after.released.get_or_insert(line.at);
                }
            }
            Said::Withdrawn(withdrawn) => {
                if let Some(kept) = self.receipts.get_mut(&withdrawn.receipt) {
                    kept.after.withdrawn.get_or_insert(line.at);
                    kept.withdrawal.get_or_insert(span);
                }
            }
            Said::Sent(sent) => {
                self.sent.insert((sent.receipt, sent.row));
            }
            Said::Key(_) => self.keys.hear(line),
            Said::Guard(guard) => {
                self.guards.insert(guard.setting.clone(), guard.clone());
            }
            Said::SignIn(said) => match said.does {
                Does::Begins => drop(self.browsers.insert(said.browser, line.at)),
                Does::Ends => drop(self.browsers.remove(&said.browser)),
            },
            // What made a guard safer, or signed a browser out, may have been lost with it.
            Said::Break(said) if said.reason != Reason::Upgrade => {
                self.guards.clear();
                self.browsers.clear();
            }
            Said::Break(_) => self.upgraded = Some(line.at),
        }
        self.count(line);
    }

    fn count(&mut self, line: &Line) {
        let Some((key, touch)) = line.proof.key().zip(touch_of(line)) else { return };
        let Some(before) = self.counters.insert(key.clone(), touch.counter) else { return };
        let counted = Counted::of(before, touch.counter);
        if counted != Counted::Next {
            self.report.counters.push(CounterSaid { seq: line.seq, key: key.clone(), counted });
        }
    }

    /// The receipt of this name.
    ///
    /// # Errors
    /// When its file can't be read, or its line isn't what it was.
    pub fn receipt(&self, id: Digest) -> Result<Option<Found>, ReceiptsError> {
        let Some(kept) = self.receipts.get(&id) else { return Ok(None) };
        let (bytes, changed) = self.bytes_of(kept.span)?;
        if Digest::of_bytes(&bytes) != id {
            return Err(changed);
        }
        let line = Line::parse(&bytes)?;
        let Said::Decided(decided) = line.said.clone() else { return Err(changed) };
        Ok(Some(Found { id, line, decided, after: kept.after, mark: kept.mark }))
    }

    /// The line that took a receipt back or revoked it; absent where none did.
    ///
    /// # Errors
    /// As [`Self::receipt`].
    pub fn withdrawal(&self, id: Digest) -> Result<Option<Line>, ReceiptsError> {
        let Some(span) = self.receipts.get(&id).and_then(|kept| kept.withdrawal) else { return Ok(None) };
        let (bytes, changed) = self.bytes_of(span)?;
        let line = Line::parse(&bytes)?;
        match &line.said {
            Said::Withdrawn(said) if said.receipt == id => Ok(Some(line)),
            _ => Err(changed),
        }
    }

    /// A line's bytes, and what to say where they aren't what they were.
    fn bytes_of(&self, span: Span) -> Result<(Vec<u8>, ReceiptsError), ReceiptsError> {
        let path = &self.files[span.file];
        let bytes = read_back(path, span).map_err(failed("read", path))?;
        Ok((bytes, ReceiptsError::Changed { path: path.clone() }))
    }

    /// The receipts of a request, latest first.
    ///
    /// # Errors
    /// As [`Self::receipt`].
    pub fn of_request(&self, request: RequestId) -> Result<Vec<Found>, ReceiptsError> {
        self.all(self.requests.get(&request))
    }

    /// Whether a request has any receipt.
    #[must_use]
    pub fn has_receipt(&self, request: RequestId) -> bool {
        self.requests.contains_key(&request)
    }

    /// The receipts that lead to a tree, latest first.
    ///
    /// # Errors
    /// As [`Self::receipt`].
    pub fn of_tree(&self, tree: &Oid) -> Result<Vec<Found>, ReceiptsError> {
        self.all(self.trees.get(tree))
    }

    fn all(&self, ids: Option<&Vec<Digest>>) -> Result<Vec<Found>, ReceiptsError> {
        let mut ids: Vec<_> = ids.into_iter().flatten().copied().collect();
        ids.sort_by_key(|id| std::cmp::Reverse(self.receipts.get(id).map(|kept| kept.seq)));
        ids.dedup();
        ids.into_iter().filter_map(|id| self.receipt(id).transpose()).collect()
    }

    /// What later lines say of a receipt; absent where there is none of this name.
    #[must_use]
    pub fn after(&self, receipt: Digest) -> Option<After> {
        self.receipts.get(&receipt).map(|kept| kept.after)
    }

    /// Whether this row of what a receipt lets out has left.
    #[must_use]
    pub fn was_sent(&self, receipt: Digest, row: u64) -> bool {
        self.sent.contains(&(receipt, row))
    }

    /// The names of all receipts, the newest first.
    #[must_use]
    pub fn newest(&self) -> Vec<Digest> {
        let mut ids: Vec<_> = self.receipts.iter().map(|(id, kept)| (std::cmp::Reverse(kept.seq), *id)).collect();
        ids.sort_unstable_by_key(|(seq, _)| *seq);
        ids.into_iter().map(|(_, id)| id).collect()
    }

    /// The last that was said of each guard since the last break.
    #[must_use]
    pub fn guards(&self) -> &BTreeMap<String, Guard> {
        &self.guards
    }

    /// The browsers that signed in since the last break and not out again, and when that was.
    #[must_use]
    pub fn browsers(&self) -> &HashMap<Digest, Timestamp> {
        &self.browsers
    }

    /// When the first log began in a home that had replies already: those have no receipts.
    #[must_use]
    pub fn upgraded(&self) -> Option<Timestamp> {
        self.upgraded
    }

    /// What a security key's counter was when it signed last; absent for one that never did.
    #[must_use]
    pub fn counter(&self, key: &Fingerprint) -> Option<u32> {
        self.counters.get(key).copied()
    }

    /// The keys that were enrolled.
    #[must_use]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// How it is.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }
}

/// Checks a folder's chain whole: every line's form, number and link, and what anchors know of it.
///
/// # Errors
/// As [`Chain::read`].
pub fn verify_chain(folder: &Path, home: Option<HomeId>, heads: &[Head]) -> Result<Report, ReceiptsError> {
    Chain::read(folder, home, heads).map(|chain| chain.report)
}

fn beginning(pieces: &Pieces) -> Option<&Break> {
    match pieces.all.first().and_then(|piece| piece.line.as_ref().ok()) {
        Some((Line { said: Said::Break(begins), .. }, _)) => Some(begins),
        _ => None,
    }
}

fn home_of(bytes: &[u8]) -> Option<HomeId> {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    lines.find_map(|line| Line::parse(line).ok()).map(|line| line.home)
}

/// A log that was set aside, if it is as it was then.
fn as_it_was(folder: &Path, aside: &Aside) -> Option<(PathBuf, Vec<u8>)> {
    let path = folder.join(&aside.name);
    let bytes = files::read(&path).ok().flatten()?;
    (Digest::of_bytes(&bytes) == aside.digest).then_some((path, bytes))
}

fn read_back(path: &Path, span: Span) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(span.offset))?;
    let mut line = vec![0; span.bytes];
    file.read_exact(&mut line)?;
    Ok(line)
}
