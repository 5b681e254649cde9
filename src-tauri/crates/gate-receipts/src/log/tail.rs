//! The end of a log: its last lines, back to what anchors know.
//!
//! Says whether the end is as it has to be. What is wrong where it isn't, it doesn't know.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use super::aside::Anchored;
use crate::error::{ReceiptsError, failed};
use crate::files;
use crate::kinds::Said;
use crate::line::{LINE_BYTES, Line};
use crate::parts::{Head, HomeId};
use crate::pieces::{parsed, whole_lines};

/// How much of a log's end is read at first, in bytes: some 300 lines.
const WINDOW: u64 = 256 * 1024;

/// The end of a log.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// The last lines, the latest first: those that no anchor knows, and two more.
    pub(super) lines: Vec<(Line, Head)>,
    /// Bytes of the file that are whole lines.
    pub(super) whole: u64,
    /// Bytes behind them.
    pub(super) torn: u64,
}

impl Tail {
    /// Reads a log's end; absent where the whole log has to be read to tell whether it is as it has to be.
    pub(super) fn read(path: &Path, home: HomeId, anchored: &Anchored) -> Result<Option<Self>, ReceiptsError> {
        let length = match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Some(Self::default())),
            Err(error) => return Err(failed("read", path)(error)),
            Ok(found) if !found.is_file() => return Ok(None),
            Ok(found) => found.len(),
        };
        let start = length.saturating_sub(WINDOW);
        let mut bytes = Vec::new();
        let mut read = || {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(start))?;
            file.take(length - start).read_to_end(&mut bytes)
        };
        read().map_err(failed("read", path))?;
        Ok(Self::of(&bytes, start, home, anchored))
    }

    /// Reads a log back to its beginning.
    pub(super) fn whole(path: &Path, home: HomeId, anchored: &Anchored) -> Result<Self, ReceiptsError> {
        let bytes = files::read(path)?.unwrap_or_default();
        Self::of(&bytes, 0, home, anchored).ok_or_else(|| ReceiptsError::Changed { path: path.to_owned() })
    }

    /// What there is in the bytes from `start` on.
    fn of(bytes: &[u8], start: u64, home: HomeId, anchored: &Anchored) -> Option<Self> {
        let whole = whole_lines(bytes);
        let torn = bytes.len() - whole;
        if torn > LINE_BYTES || (whole == 0 && start > 0) {
            return None;
        }
        let mut lines: Vec<(Line, Head)> = Vec::new();
        let mut end = whole;
        while end > 0 && !(lines.len() >= 2 && lines.last().is_some_and(|(_, head)| head.seq <= anchored.lowest())) {
            let begin = bytes[..end - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            if begin == 0 && start > 0 {
                return None;
            }
            let (line, head) = parsed(&bytes[begin..end - 1], home).ok()?;
            if lines.last().is_some_and(|(later, _)| !later.follows(head)) {
                return None;
            }
            lines.push((line, head));
            end = begin;
        }
        let first = lines.last().map(|(line, _)| line).filter(|_| end == 0);
        if first.is_some_and(|first| !first.begins()) {
            return None;
        }
        // What was known before a chain began anew is none of its lines.
        let before = first.filter(|first| matches!(first.said, Said::Break(_))).map_or(0, |first| first.seq);
        let is_here = |known: Head| known.seq < before || lines.iter().any(|(_, head)| *head == known);
        if !anchored.newest().all(is_here) {
            return None;
        }
        let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
        Some(Self { lines, whole: start + count(whole), torn: count(torn) })
    }
}
