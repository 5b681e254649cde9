//! A diff that somebody proposes, as they gave it: read as `git apply` will read it, and refused where it isn't to come
//! near git at all. Runs nothing, and knows no repository.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::change::Mode;
use crate::path::RepoPath;
use crate::refused::Refused;

mod hunks;
mod lines;
mod names;
#[cfg(test)]
mod tests;

use lines::{Correction, Reader};

/// Most bytes of a proposed diff.
pub const PROPOSAL_BYTES: usize = gate_core::bounds::DIFF_BYTES;

/// A proposed diff that was read. Of what is said around it, as in a mail or before the first file, nothing counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    files: Vec<ProposedFile>,
    /// As it was given.
    diff: Vec<u8>,
    /// What makes the numbers of its lines right, and gives its last line an end; by place.
    corrections: Vec<Correction>,
}

/// What a diff says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedFile {
    /// Where it is to be; where it was, if it goes.
    pub path: RepoPath,
    /// Where it comes from, if the diff says that it is renamed or copied.
    pub from: Option<Origin>,
    /// Whether the diff says that it is new.
    pub is_new: bool,
    /// Whether the diff says that it goes.
    pub is_gone: bool,
    /// The mode that the diff says it is to have.
    pub mode: Option<Mode>,
    /// The mode that the diff says it has.
    pub old_mode: Option<Mode>,
    /// Where its lines change, one for each hunk, as the diff counts them.
    pub spans: Vec<Span>,
    /// The line of the diff that it begins at, from 1.
    pub line: usize,
    /// Where in the diff it stands.
    pub(crate) bytes: Range<usize>,
    /// The line of the file, as it was, at which each hunk is to begin.
    pub(crate) hunks: Vec<u32>,
    /// What its binary data unfold to, as the diff says, in bytes.
    pub(crate) unfolded: u64,
    /// Another name that the diff has for it.
    other: Option<RepoPath>,
}

/// Where a file comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// It isn't there any more.
    Renamed(RepoPath),
    /// It stays there.
    Copied(RepoPath),
}

/// The lines of a file that a hunk changes, without those around: before and after, from 1. Where there are none the
/// range is empty, and stands at the line that comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// As it was.
    pub old: Range<u32>,
    /// As it is to be.
    pub new: Range<u32>,
}

impl Proposal {
    /// Reads a diff of at most [`PROPOSAL_BYTES`] and `most` files.
    ///
    /// Hunks whose headers count their lines wrongly are counted anew: [`Self::is_recounted`].
    ///
    /// # Errors
    /// [`Refused`], which quotes the diff alone.
    pub fn read(diff: &[u8], most: usize) -> Result<Self, Refused> {
        if diff.len() > PROPOSAL_BYTES {
            return Err(Refused::TooLarge { most: PROPOSAL_BYTES });
        }
        if let Some(at) = diff.iter().position(|byte| *byte == 0) {
            let line = diff[..at].split(|byte| *byte == b'\n').count();
            return Err(Refused::Nul { line });
        }
        let (files, corrections) = Reader::of(diff).files(most)?;
        if files.is_empty() {
            return Err(Refused::Empty);
        }
        Ok(Self { files, diff: diff.to_vec(), corrections })
    }

    /// Its files, as it has them: one may stand there twice.
    #[must_use]
    pub fn files(&self) -> &[ProposedFile] {
        &self.files
    }

    /// Whether hunks say wrongly how many lines they have, and were counted anew.
    #[must_use]
    pub fn is_recounted(&self) -> bool {
        self.corrections.iter().any(|(range, _)| !range.is_empty())
    }

    /// What git is given to apply it.
    pub(crate) fn text(&self) -> Vec<u8> {
        self.part(0..self.diff.len())
    }

    /// What git is given to take it back: all but copies, which it can't take back.
    pub(crate) fn text_backwards(&self) -> Vec<u8> {
        let files = self.files.iter().filter(|file| !matches!(file.from, Some(Origin::Copied(_))));
        files.flat_map(|file| self.part(file.bytes.clone())).collect()
    }

    fn part(&self, range: Range<usize>) -> Vec<u8> {
        let (mut text, mut at) = (Vec::with_capacity(range.len() + 2), range.start);
        for (place, line) in &self.corrections {
            if place.start >= range.start && place.end <= range.end {
                text.extend_from_slice(&self.diff[at..place.start]);
                text.extend_from_slice(line);
                at = place.end;
            }
        }
        text.extend_from_slice(&self.diff[at..range.end]);
        text
    }

    /// Each path that it names.
    pub(crate) fn paths(&self) -> BTreeSet<&RepoPath> {
        self.files.iter().flat_map(ProposedFile::paths).collect()
    }
}

impl ProposedFile {
    /// The path that it had, where the diff has another one for that than for where it is to be.
    #[must_use]
    pub fn old_path(&self) -> Option<&RepoPath> {
        self.from.as_ref().map(Origin::path).or(self.other.as_ref())
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        let from = self.from.iter().map(Origin::path);
        std::iter::once(&self.path).chain(from).chain(&self.other)
    }
}

impl Origin {
    /// Where it was.
    #[must_use]
    pub fn path(&self) -> &RepoPath {
        match self {
            Self::Renamed(path) | Self::Copied(path) => path,
        }
    }
}

/// The files of a diff that git has made of objects of ours, in its order. Binaries without their data are taken.
pub(crate) fn sections(diff: &[u8]) -> Vec<ProposedFile> {
    Reader::ours(diff).files(usize::MAX).map(|(files, _)| files).unwrap_or_default()
}
