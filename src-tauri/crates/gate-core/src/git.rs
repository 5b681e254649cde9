//! What git holds of a question: which trees it is about. Knows no repository.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// How many digits stand for an object where a person or a model reads it.
const SHOWN: usize = 12;

/// The name of an object of git's: 40 (SHA-1) or 64 (SHA-256) hexadecimal digits in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
#[serde(try_from = "String")]
pub struct Oid(String);

impl Oid {
    /// As git writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its first digits, to be read by a person.
    #[must_use]
    pub fn beginning(&self) -> &str {
        self.0.get(..SHOWN).unwrap_or(&self.0)
    }
}

impl TryFrom<String> for Oid {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if matches!(text.len(), 40 | 64) && text.bytes().all(digit) {
            return Ok(Self(text));
        }
        Err("a name of git's has 40 or 64 hexadecimal digits in lower case".to_owned())
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What of a repository a question shows, as the gate itself read it: the question's diff is between these trees. A
/// receipt's `content.git` is `base_tree` and `tree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct QuestionGit {
    /// The top folder of the work tree, or a bare repository, as an absolute path without symbolic links.
    pub repository: String,
    /// What was asked for, in its words: `worktree`, `staged`, a commit, or `A..B`, where a side that is a branch is named as
    /// that branch, whatever it was asked for by (`HEAD`).
    pub what: String,
    /// The commit that it is shown on; absent for a first commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub base: Option<Oid>,
    /// That commit's tree; the empty one for a first commit.
    pub base_tree: Oid,
    /// The commit that is shown, or the last one of a range; absent for what isn't committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub commit: Option<Oid>,
    /// The tree that it leads to.
    pub tree: Oid,
    /// Of the canonical JSON of gate-git's manifest: both trees, each file's objects, and the diff as it was shown.
    pub manifest: Digest,
}

/// What of a repository is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum GitKind {
    /// The files as they lie there.
    Worktree,
    /// What would be committed.
    Staged,
    /// A commit.
    Commit,
    /// What one commit brings that another lacks.
    Range,
}

/// The two trees that a decision about a repository is for, and for no others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitTrees {
    /// The tree that it was shown on: that of the commit before it.
    pub base: Oid,
    /// The tree that it leads to.
    pub tree: Oid,
}

impl QuestionGit {
    /// The two trees that an approval is for.
    #[must_use]
    pub fn trees(&self) -> GitTrees {
        GitTrees { base: self.base_tree.clone(), tree: self.tree.clone() }
    }

    /// What of it is shown.
    #[must_use]
    pub fn kind(&self) -> GitKind {
        match (&*self.what, &self.commit) {
            (_, Some(_)) if self.what.contains("..") => GitKind::Range,
            (_, Some(_)) => GitKind::Commit,
            ("staged", None) => GitKind::Staged,
            (_, None) => GitKind::Worktree,
        }
    }

    /// What the gate shows, in English: for terminals and exports.
    #[must_use]
    pub fn in_words(&self) -> String {
        let name = self.name();
        let shown = match (self.kind(), &self.commit) {
            (GitKind::Worktree, _) => format!("Work tree of {name}"),
            (GitKind::Staged, _) => format!("What is staged in {name}"),
            (GitKind::Commit, Some(commit)) => format!("Commit {} of {name}", commit.beginning()),
            (GitKind::Range | GitKind::Commit, _) => format!("{} of {name}", self.what),
        };
        match &self.base {
            Some(base) => format!("{shown} on {}, made by Review Gate", base.beginning()),
            None => format!("{shown} before any commit, made by Review Gate"),
        }
    }

    /// The same with the folder and the trees that a decision is for.
    #[must_use]
    pub fn in_full(&self) -> String {
        // The words have the first ones; the last one follows from the trees and the diff.
        let Self { what: _, base: _, commit: _, repository, base_tree, tree, manifest: _ } = self;
        format!("{}\n{repository}\ntree {tree} on tree {base_tree}", self.in_words())
    }

    /// The repository's name: the last part of its path.
    #[must_use]
    pub fn name(&self) -> &str {
        let path = self.repository.trim_end_matches(['/', '\\']);
        path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or(&self.repository)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_git_s_is_hexadecimal() {
        for length in [40, 64] {
            let text = "0a".repeat(length / 2);
            let oid = Oid::try_from(text.clone()).expect("it has its digits");
            assert_eq!(oid.to_string(), text);
            assert_eq!(oid.beginning(), "0a0a0a0a0a0a");
        }
        for wrong in ["", &"0A".repeat(20), &"0g".repeat(20), &"0".repeat(41)] {
            assert!(Oid::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_shown_is_said_in_words() {
        let oid = |digits: &str| Oid::try_from(digits.repeat(20)).expect("it has its digits");
        for (what, committed, kind, words) in [
            ("worktree", false, GitKind::Worktree, "Work tree of shop on 9a9a9a9a9a9a, made by Review Gate"),
            ("staged", false, GitKind::Staged, "What is staged in shop on 9a9a9a9a9a9a, made by Review Gate"),
            ("HEAD", true, GitKind::Commit, "Commit 4f4f4f4f4f4f of shop on 9a9a9a9a9a9a, made by Review Gate"),
            ("a..b", true, GitKind::Range, "a..b of shop on 9a9a9a9a9a9a, made by Review Gate"),
        ] {
            let git = QuestionGit {
                repository: "/w/shop".to_owned(),
                what: what.to_owned(),
                base: Some(oid("9a")),
                base_tree: oid("1b"),
                commit: committed.then(|| oid("4f")),
                tree: oid("2c"),
                manifest: Digest::of_bytes(b"manifest"),
            };
            assert_eq!((git.kind(), git.in_words()), (kind, words.to_owned()));
        }
    }

    #[test]
    fn a_repository_is_called_as_its_folder() {
        let oid = || Oid::try_from("0a".repeat(20)).expect("it has its digits");
        let at = |repository: &str| QuestionGit {
            repository: repository.to_owned(),
            what: "worktree".to_owned(),
            base: None,
            base_tree: oid(),
            commit: None,
            tree: oid(),
            manifest: Digest::of_bytes(b"manifest"),
        };
        for (path, name) in [("/a/shop", "shop"), ("/a/shop/", "shop"), ("C:\\a\\shop", "shop"), ("/", "/")] {
            assert_eq!(at(path).name(), name);
        }
    }
}
