//! What became of one file from one tree to another, and how git says that. Runs nothing.

use serde::Serialize;

use crate::error::Error;
use crate::oid::Oid;
use crate::path::RepoPath;

/// What a path of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Mode {
    /// A file.
    #[serde(rename = "100644")]
    File,
    /// A file that may be executed.
    #[serde(rename = "100755")]
    Executable,
    /// A symbolic link; its object holds where it leads.
    #[serde(rename = "120000")]
    Link,
    /// A submodule; its object is a commit of another repository.
    #[serde(rename = "160000")]
    Submodule,
}

impl Mode {
    pub(crate) fn of_digits(digits: &[u8]) -> Option<Self> {
        match digits {
            // Group-writable files are of git's first weeks.
            b"100644" | b"100664" => Some(Self::File),
            b"100755" => Some(Self::Executable),
            b"120000" => Some(Self::Link),
            b"160000" => Some(Self::Submodule),
            _ => None,
        }
    }

    /// As git writes it, in octal.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
            Self::Submodule => "160000",
        }
    }
}

/// What a path of a tree is, and its object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub mode: Mode,
    /// Its contents, or a submodule's commit.
    pub oid: Oid,
}

/// How many lines of a file differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// Lines that came.
    pub added: u64,
    /// Lines that went.
    pub removed: u64,
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where it is; where it was, if it went.
    pub path: RepoPath,
    /// Where it was, if it was renamed.
    pub old_path: Option<RepoPath>,
    /// What it was; absent where it is new.
    pub old: Option<Entry>,
    /// What it is; absent where it went.
    pub new: Option<Entry>,
    /// What of it differs; absent for a binary.
    pub lines: Option<Lines>,
}

/// One entry of git's raw listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw {
    pub(crate) status: u8,
    pub(crate) path: RepoPath,
    pub(crate) old_path: Option<RepoPath>,
    pub(crate) old: Side,
    pub(crate) new: Side,
}

/// One side of it, as git says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) mode: Vec<u8>,
    /// Absent where there is none, and for a file that hasn't been hashed.
    pub(crate) oid: Option<Oid>,
}

impl Side {
    /// # Errors
    /// [`Error::Unsupported`] for a mode that git doesn't write.
    pub(crate) fn entry(&self) -> Result<Option<Entry>, Error> {
        let Some(oid) = &self.oid else { return Ok(None) };
        let unknown = || Error::Unsupported {
            why: format!("a file has the unknown mode {}", String::from_utf8_lossy(&self.mode)),
        };
        Ok(Some(Entry { mode: Mode::of_digits(&self.mode).ok_or_else(unknown)?, oid: oid.clone() }))
    }

    /// Whether its object is one of this repository's.
    pub(crate) fn is_own(&self) -> bool {
        self.mode != b"160000"
    }
}

/// Reads `:MODE MODE OID OID STATUS\0PATH\0` as often as it comes; a renamed or copied file has two paths. Gives what
/// comes behind, too. See <https://git-scm.com/docs/git-diff-tree#_raw_output_format>.
///
/// # Errors
/// [`Error::Git`] where it is something else.
pub(crate) fn raw(mut listing: &[u8]) -> Result<(Vec<Raw>, &[u8]), Error> {
    let mut entries = Vec::new();
    while let Some(rest) = listing.strip_prefix(b":") {
        let (head, rest) = part(rest)?;
        let fields: Vec<&[u8]> = head.split(|byte| *byte == b' ').collect();
        let [old_mode, new_mode, old, new, status] = fields[..] else { return Err(odd()) };
        let status = *status.first().ok_or_else(odd)?;
        let (first, rest) = part(rest)?;
        let (second, rest) = if matches!(status, b'R' | b'C') {
            let (second, rest) = part(rest)?;
            (Some(second), rest)
        } else {
            (None, rest)
        };
        let side = |mode: &[u8], oid: &[u8]| Side { mode: mode.to_vec(), oid: Oid::of_bytes(oid) };
        entries.push(Raw {
            status,
            path: RepoPath::new(second.unwrap_or(first)),
            old_path: second.map(|_| RepoPath::new(first)),
            old: side(old_mode, old),
            new: side(new_mode, new),
        });
        listing = rest;
    }
    Ok((entries, listing))
}

/// Reads `ADDED\tREMOVED\tPATH\0`, with dashes for a binary; of a renamed file the path is empty, and both of its own
/// follow.
///
/// # Errors
/// [`Error::Git`] where it is something else.
pub(crate) fn counts(mut listing: &[u8], raws: &[Raw]) -> Result<Vec<Option<Lines>>, Error> {
    let mut all = Vec::with_capacity(raws.len());
    for raw in raws {
        let (line, rest) = part(listing)?;
        listing = rest;
        let mut fields = line.splitn(3, |byte| *byte == b'\t');
        let (added, removed, path) = (fields.next(), fields.next(), fields.next().ok_or_else(odd)?);
        if path.is_empty() {
            listing = part(part(listing)?.1)?.1;
        } else if path != raw.path.as_bytes() {
            return Err(odd());
        }
        let number = |field: Option<&[u8]>| std::str::from_utf8(field?).ok()?.parse().ok();
        all.push(number(added).zip(number(removed)).map(|(added, removed)| Lines { added, removed }));
    }
    if listing.is_empty() { Ok(all) } else { Err(odd()) }
}

fn part(listing: &[u8]) -> Result<(&[u8], &[u8]), Error> {
    let end = listing.iter().position(|byte| *byte == 0).ok_or_else(odd)?;
    Ok((&listing[..end], &listing[end + 1..]))
}

fn odd() -> Error {
    Error::Git { command: "diff".to_owned(), words: "its listing can't be read".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "d5d0b8b4c4c9e936890870f6799cfbb5ba984470";
    const B: &str = "4a270318359d8c2a960136495bceeae9eee22424";

    #[test]
    fn a_listing_with_renames_binaries_and_odd_paths_is_read() {
        let zeros = "0".repeat(40);
        let text = format!(
            ":100644 100755 {A} {B} M\0bin\0:100644 100644 {A} {B} R092\0a b\0c\nd\0:000000 160000 {zeros} {B} A\0sub\0\
             -\t-\tbin\01\t0\t\0a b\0c\nd\01\t0\tsub\0"
        );
        let (raws, rest) = raw(text.as_bytes()).expect("a listing");
        let paths: Vec<_> = raws.iter().map(|raw| (raw.status, raw.path.to_string(), raw.old_path.is_some())).collect();
        let expected = [(b'M', "bin".into(), false), (b'R', "c\\x0ad".into(), true), (b'A', "sub".into(), false)];
        assert_eq!(paths, expected);
        assert_eq!(raws[2].old.entry().expect("nothing"), None);
        assert_eq!(raws[0].new.entry().expect("a file").map(|entry| entry.mode), Some(Mode::Executable));
        let lines = counts(rest, &raws).expect("counts");
        let one = Some(Lines { added: 1, removed: 0 });
        assert_eq!(lines, [None, one, one], "a binary has no lines");
    }

    #[test]
    fn what_is_cut_off_or_belongs_to_another_file_is_refused() {
        for end in [":100644", ":100644 100644 a b M\0", &format!(":100644 100644 {A} {B} R1\0a\0")] {
            assert!(raw(end.as_bytes()).is_err(), "{end}");
        }
        let (raws, _) = raw(format!(":100644 100644 {A} {B} M\0a\0").as_bytes()).expect("a listing");
        assert!(counts(b"1\t1\tb\0", &raws).is_err());
        assert!(counts(b"1\t1\ta\0more\0", &raws).is_err());
    }
}
