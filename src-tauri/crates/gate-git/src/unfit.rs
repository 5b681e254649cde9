//! Why a proposal doesn't fit. Only the proposal itself is quoted: whoever gave it needn't be one who may see the repository.

use std::fmt;

use crate::oid::Oid;
use crate::path::RepoPath;

/// The first thing in a proposal that doesn't fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// The file.
    pub path: RepoPath,
    /// Which of its hunks, from 1, and the line of the file that it names; absent where it isn't one of its hunks.
    pub hunk: Option<(usize, u32)>,
    /// In which way.
    pub why: Misfit,
    /// What `HEAD` is now, to make it anew on; absent where there is no commit.
    pub head: Option<Oid>,
}

/// In which way a file doesn't fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    /// It isn't there.
    Missing,
    /// It is there already.
    There,
    /// Its lines are others.
    Lines,
    /// It is of another kind: a link, say, and not a file.
    Kind,
    /// There is a folder in its place, or a file in the place of a folder that it is in.
    Folder,
    /// It is a binary whose contents are others.
    Contents,
    /// A folder that it is in is a symbolic link.
    Link,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` doesn't fit: ", self.path)?;
        match (self.why, self.hunk) {
            (Misfit::Missing, _) => f.write_str("there is no such file")?,
            (Misfit::There, _) => f.write_str("there is such a file already")?,
            (Misfit::Lines, Some((number, line))) => {
                write!(f, "the lines of hunk {number} (line {line}) aren't there")?;
            }
            (Misfit::Lines, None) => f.write_str("its lines are others")?,
            (Misfit::Kind, _) => f.write_str("it is of another kind (file, link, submodule)")?,
            (Misfit::Folder, _) => f.write_str("a folder or a file is in its place")?,
            (Misfit::Contents, _) => f.write_str("its contents are others")?,
            (Misfit::Link, _) => f.write_str("a folder above it is a symbolic link")?,
        }
        match &self.head {
            Some(head) => write!(f, ". HEAD is {head}."),
            None => f.write_str(". There is no commit yet."),
        }
    }
}
