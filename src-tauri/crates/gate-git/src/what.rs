//! What of a repository is looked at, in the words that agents and terminals use. Knows no repository.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// Longest name of a commit, in bytes.
const REVISION_BYTES: usize = 250;

/// What a snapshot is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// `worktree`: all files as they lie there, untracked ones included and ignored ones not, as `git add --all`
    /// would take them in.
    Worktree,
    /// `staged`: what `git commit` would commit.
    Staged,
    /// A commit, beside its first parent.
    Commit(Revision),
    /// `A..B`: what the commits of B bring that A lacks, from where the two parted.
    Range(Revision, Revision),
}

/// The name of a commit, as git understands it: digits, a branch, a tag, `HEAD~2`. At most 250 bytes, without what
/// would name a file, a search or several commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision(String);

impl Revision {
    /// The commit that is checked out.
    #[must_use]
    pub fn head() -> Self {
        Self("HEAD".to_owned())
    }

    /// As it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Revision {
    type Err = Error;

    /// # Errors
    /// [`Error::What`].
    fn from_str(text: &str) -> Result<Self, Error> {
        let refused = |why| Error::What { text: text.to_owned(), why };
        if text.is_empty() {
            return Err(refused("a commit is missing"));
        }
        if text.len() > REVISION_BYTES {
            return Err(refused("it is longer than 250 bytes"));
        }
        if text.starts_with('-') {
            return Err(refused("a commit's name doesn't begin with `-`"));
        }
        if text.contains("..") {
            return Err(refused("one commit is to be named, not a range"));
        }
        let odd = |c: char| c.is_control() || c.is_whitespace() || matches!(c, ':' | '?' | '*' | '[' | '\\' | '!');
        if text.contains(odd) {
            return Err(refused("it isn't the name of one commit"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for What {
    type Err = Error;

    /// A branch that is called `worktree` or `staged` is `refs/heads/worktree`.
    ///
    /// # Errors
    /// [`Error::What`].
    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "worktree" => return Ok(Self::Worktree),
            "staged" => return Ok(Self::Staged),
            _ => {}
        }
        if text.contains("...") {
            return Err(Error::What { text: text.to_owned(), why: "a range has two dots: A..B" });
        }
        match text.split_once("..") {
            Some((from, to)) => Ok(Self::Range(from.parse()?, to.parse()?)),
            None => Ok(Self::Commit(text.parse()?)),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Worktree => f.write_str("worktree"),
            Self::Staged => f.write_str("staged"),
            Self::Commit(commit) => commit.fmt(f),
            Self::Range(from, to) => write!(f, "{from}..{to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_asked_for_is_read_and_written_alike() {
        let good =
            ["worktree", "staged", "HEAD", "main~2^1", "v1.0^{commit}", "refs/heads/worktree", "a..b", "ünter/x"];
        for text in good {
            assert_eq!(text.parse::<What>().expect("good").to_string(), text);
        }
        assert_eq!("a..b".parse::<What>().expect("good"), What::Range(Revision("a".into()), Revision("b".into())));
    }

    #[test]
    fn what_names_no_one_commit_is_refused() {
        let long = "a".repeat(REVISION_BYTES + 1);
        let bad = [
            "",
            "..",
            "a..",
            "..b",
            "a...b",
            "a..b..c",
            "--output=x",
            "a..-b",
            "HEAD:secret",
            ":/fix",
            "^{/fix it}",
            "a b",
            "a\nb",
            "HEAD^!",
            "refs/*",
            &long,
        ];
        for text in bad {
            let error = text.parse::<What>().expect_err(text);
            assert!(matches!(error, Error::What { .. }), "{text} is refused before git sees it");
        }
    }
}
