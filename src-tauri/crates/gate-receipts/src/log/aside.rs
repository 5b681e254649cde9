//! Setting a log aside, so that a new one begins with a `break` that says why.
//!
//! A kill at any moment leaves the old log, the new one, or enough to go on ([`resume`]).

use std::io::{ErrorKind, Write as _};
use std::path::Path;

use gate_core::{Digest, Timestamp};

use crate::anchor::{Anchor, Silent};
use crate::error::{ReceiptsError, failed};
use crate::files;
use crate::kinds::{Aside, Break, Known, Reason, Said};
use crate::line::{Line, LineError, VERSION};
use crate::parts::{Head, HomeId};
use crate::pieces::{Pieces, Problem, Wrong, parsed, whole_lines};
use crate::proof::Proof;

/// Most heads of one anchor that a `break` tells.
const TOLD: usize = 8;
/// What the writer itself is called among those that know heads.
const WRITER: &str = "gate";

/// What is known beside a log of how far it went, by whom.
#[derive(Debug, Default)]
pub(super) struct Anchored(Vec<(&'static str, Vec<Head>)>);

impl Anchored {
    /// What a writer knows of what it wrote.
    pub(super) fn of_writer(heads: &[Head]) -> Self {
        let mut anchored = Self::default();
        anchored.put(WRITER, heads.to_vec());
        anchored
    }

    /// Asks the anchors. Those that don't answer are added to `silent`.
    pub(super) fn ask(&mut self, anchors: &[Box<dyn Anchor>], silent: &mut Vec<Silent>) {
        for anchor in anchors {
            match anchor.heads() {
                Ok(heads) => self.put(anchor.name(), heads),
                Err(why) => {
                    let said = Silent { by: anchor.name(), why };
                    if !silent.contains(&said) {
                        silent.push(said);
                    }
                }
            }
        }
    }

    fn put(&mut self, by: &'static str, mut heads: Vec<Head>) {
        // No line has the number 0, so that nothing is known by it.
        heads.retain(|head| head.seq > 0);
        if !heads.is_empty() {
            self.0.push((by, heads));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All heads that anybody knows.
    pub(super) fn heads(&self) -> Vec<Head> {
        self.0.iter().flat_map(|(_, heads)| heads).copied().collect()
    }

    /// The newest one of each.
    pub(super) fn newest(&self) -> impl Iterator<Item = Head> {
        self.0.iter().filter_map(|(_, heads)| heads.iter().copied().max_by_key(|head| head.seq))
    }

    /// The number of the line that the furthest one knows.
    pub(super) fn highest(&self) -> u64 {
        self.newest().map(|head| head.seq).max().unwrap_or(0)
    }

    /// The number of the line up to which each one knows the log.
    pub(super) fn lowest(&self) -> u64 {
        self.newest().map(|head| head.seq).min().unwrap_or(0)
    }

    fn told(&self) -> Vec<Known> {
        let told = |by: &'static str, head: &Head| Known { by: by.to_owned(), seq: head.seq, line: head.line };
        self.0.iter().flat_map(|(by, heads)| heads.iter().take(TOLD).map(|head| told(by, head))).collect()
    }
}

/// Why a log has to be set aside; absent where it hasn't.
pub(super) fn wrong_with(path: &Path, home: HomeId, heads: &[Head]) -> Result<Option<Reason>, ReceiptsError> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok((!heads.is_empty()).then_some(Reason::Gone)),
        Ok(found) if !found.is_file() => Ok(Some(Reason::Damaged)),
        _ => {
            let bytes = files::read(path)?.unwrap_or_default();
            refuse_newer(path, &bytes, heads)?;
            Ok(reason(&Pieces::read(&bytes, home, heads).problems))
        }
    }
}

fn reason(problems: &[Problem]) -> Option<Reason> {
    let is_missing = |problem: &Problem| matches!(problem.wrong, Wrong::Missing(_));
    match problems {
        [] => None,
        all if all.iter().all(is_missing) => Some(Reason::Shorter),
        _ => Some(Reason::Damaged),
    }
}

/// A log that a newer version wrote isn't damaged. That its last line was written like this has to be known: one flipped
/// bit makes another version, too.
fn refuse_newer(path: &Path, bytes: &[u8], heads: &[Head]) -> Result<(), ReceiptsError> {
    let last = bytes[..whole_lines(bytes)].split(|byte| *byte == b'\n').rev().find(|line| !line.is_empty());
    match last.map(|line| (line, Line::parse(line))) {
        Some((line, Err(LineError::Version(version))))
            if version > VERSION && heads.iter().any(|head| head.line == Digest::of_bytes(line)) =>
        {
            Err(ReceiptsError::Newer { path: path.to_owned(), version })
        }
        _ => Ok(()),
    }
}

/// Sets the log aside, if there is one, and begins a new one with a `break`.
pub(super) fn begin_anew(
    folder: &Path,
    home: HomeId,
    reason: Reason,
    anchored: &Anchored,
    anchors: &[Box<dyn Anchor>],
    at: Timestamp,
) -> Result<(), ReceiptsError> {
    let mut highest = anchored.highest();
    let mut aside = None;
    if matches!(reason, Reason::Shorter | Reason::Damaged) {
        let bytes = files::read(&folder.join(files::NAME))?.unwrap_or_default();
        let pieces = Pieces::read(&bytes, home, &anchored.heads());
        highest = highest.max(pieces.last_seq());
        aside = Some(described(&pieces, &bytes, files::aside(folder, at)));
    }
    let undelivered: usize = anchors.iter().map(|anchor| anchor.undelivered().len()).sum();
    let undelivered = u64::try_from(undelivered).unwrap_or(u64::MAX);
    let name = aside.as_ref().map(|aside| aside.name.clone());
    let said = Said::Break(Break { reason, aside, anchors: anchored.told(), undelivered });
    let line = Line { home, seq: highest + 1, prev: None, at, step: None, said, proof: Proof::None {} };
    let text = line.canonical()?;
    Line::parse(text.as_bytes())?;
    let next = folder.join(files::NEXT);
    if let Err(error) = write_whole(&next, &text) {
        // Best left as it was: the old log stands.
        let _ = files::remove(&next);
        return Err(failed("written", &next)(error));
    }
    if let Some(name) = name {
        files::rename(folder, files::NAME, &name)?;
    }
    files::rename(folder, files::NEXT, files::NAME)?;
    files::sync_folder(folder)
}

fn described(pieces: &Pieces, bytes: &[u8], name: String) -> Aside {
    let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    let good = pieces.counting().count();
    let torn = usize::from(count(bytes.len()) > pieces.whole && !pieces.reaches(bytes.len()));
    let bad = pieces.all.len() + torn - good;
    Aside { name, digest: Digest::of_bytes(bytes), good: count(good), bad: count(bad), until: pieces.until }
}

fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = files::private().write(true).create(true).truncate(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()
}

/// Goes on where a kill came between setting a log aside and the new one taking its place.
pub(super) fn resume(folder: &Path, home: HomeId) -> Result<(), ReceiptsError> {
    let next = folder.join(files::NEXT);
    let is_there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    if !is_there(files::NEXT) {
        return Ok(());
    }
    let bytes = files::read(&next)?.unwrap_or_default();
    let line = bytes.strip_suffix(b"\n").and_then(|line| parsed(line, home).ok());
    let goes_on = match line.map(|(line, _)| line.said) {
        Some(Said::Break(said)) => !is_there(files::NAME) && said.aside.is_none_or(|aside| is_there(&aside.name)),
        _ => false,
    };
    if goes_on {
        files::rename(folder, files::NEXT, files::NAME)?;
        return files::sync_folder(folder);
    }
    files::remove(&next).map_err(failed("written", &next))
}
