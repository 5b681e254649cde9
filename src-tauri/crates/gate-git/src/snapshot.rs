//! A snapshot: what is to be looked at, made once, and kept. It ties the questions to the work tree, the index and
//! history together.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::change::{Change, Entry, Mode};
use crate::compare::Difference;
use crate::error::Error;
use crate::index::IndexCopy;
use crate::objects::Objects;
use crate::oid::Oid;
use crate::options::Options;
use crate::patch::Patch;
use crate::path::RepoPath;
use crate::process::Until;
use crate::repository::Repository;
use crate::what::{Revision, What};

/// How often a work tree is looked at that changes under the eye.
const TRIES: u32 = 3;

/// What two trees differ in, at one moment, and the names of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The commit that it is looked at beside; absent for a first commit.
    pub base: Option<Oid>,
    /// That commit's tree; the empty one for a first commit.
    pub base_tree: Oid,
    /// The commit that is looked at, or the last one of a range; absent for what isn't committed.
    pub commit: Option<Oid>,
    /// The tree that is looked at.
    pub tree: Oid,
    /// What became of each file, in git's order; empty where nothing differs.
    pub files: Vec<Change>,
    /// The difference as git writes it, for a person; see [`Difference::diff`](crate::Difference).
    pub diff: Vec<u8>,
}

/// What an approval of a snapshot is for. Its digest is that of its canonical JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Manifest {
    /// 1.
    pub v: u32,
    /// `repository`.
    pub kind: &'static str,
    /// The tree that it was shown on.
    pub base: Oid,
    /// The tree that it leads to.
    pub tree: Oid,
    /// What differs, by path. A renamed file is one that went and one that came.
    pub files: Vec<ManifestFile>,
    /// SHA-256 of the diff that was shown, in hexadecimal.
    pub diff: String,
}

/// What a manifest says of a file: path, mode (null where the file went), object before, object after (null where there
/// is none). Written as an array of these four.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ManifestFile(pub RepoPath, pub Option<Mode>, pub Option<Oid>, pub Option<Oid>);

impl Snapshot {
    /// What an approval of this is for.
    #[must_use]
    pub fn manifest(&self) -> Manifest {
        let digest = Sha256::digest(&self.diff);
        Manifest {
            v: 1,
            kind: "repository",
            base: self.base_tree.clone(),
            tree: self.tree.clone(),
            files: by_path(&self.files),
            diff: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    /// What of it stays the same on another base.
    #[must_use]
    pub fn patch(&self) -> Option<Patch> {
        Patch::of(&self.diff)
    }
}

/// What differs as a manifest has it: by path, a renamed file being one that went and one that came.
pub(crate) fn by_path(changes: &[Change]) -> Vec<ManifestFile> {
    let mut files = Vec::with_capacity(changes.len());
    for change in changes {
        let oid = |entry: &Option<Entry>| entry.as_ref().map(|entry| entry.oid.clone());
        let mode = change.new.as_ref().map(|entry| entry.mode);
        match &change.old_path {
            Some(old_path) => {
                files.push(ManifestFile(old_path.clone(), None, oid(&change.old), None));
                files.push(ManifestFile(change.path.clone(), mode, None, oid(&change.new)));
            }
            None => files.push(ManifestFile(change.path.clone(), mode, oid(&change.old), oid(&change.new))),
        }
    }
    files.sort();
    files
}

impl Repository {
    /// Looks at `what` beside `base`: by default `HEAD` for what isn't committed, and its first parent for a commit. A
    /// range has its own, where its ends parted.
    ///
    /// The diff is made once, of objects, in `keep`, where all that differs stays: so it can be shown again, whatever
    /// becomes of the repository. It is of one moment.
    ///
    /// # Errors
    /// [`Error::UnknownRevision`], [`Error::BaseOfRange`], [`Error::Parted`]; [`Error::NoWorktree`] of a bare
    /// repository; [`Error::Filtered`], [`Error::Unmerged`], [`Error::Unaddable`] and [`Error::Changing`] of a work
    /// tree; [`Error::Missing`], [`Error::Damaged`]; [`Error::TooLarge`], [`Error::TooMany`], [`Error::TooSlow`].
    pub async fn snapshot(
        &self,
        what: &What,
        base: Option<&Revision>,
        keep: &Objects,
        options: &Options,
    ) -> Result<Snapshot, Error> {
        let until = Until::after(Duration::from_secs(options.seconds));
        match what {
            What::Worktree | What::Staged => self.uncommitted(what, base, keep, options, until).await,
            What::Commit(revision) => {
                let commit = self.resolve(revision).await?;
                let known = self.commit(&commit).await?;
                let base = match base {
                    Some(base) => Some(self.resolve(base).await?),
                    None => known.parents.first().cloned(),
                };
                let base_tree = self.tree_of(base.as_ref()).await?;
                self.shown(base, base_tree, Some(commit), known.tree, keep, options, until).await
            }
            What::Range(from, to) => {
                if base.is_some() {
                    return Err(Error::BaseOfRange);
                }
                let (from, commit) = (self.resolve(from).await?, self.resolve(to).await?);
                let base = self.parted(&from, &commit).await?;
                let base_tree = self.tree_of(Some(&base)).await?;
                let tree = self.tree_of(Some(&commit)).await?;
                self.shown(Some(base), base_tree, Some(commit), tree, keep, options, until).await
            }
        }
    }

    /// The tree of what is staged, beside which commit it would be committed: what a hook that runs before a commit asks.
    ///
    /// # Errors
    /// As [`Repository::snapshot`].
    pub async fn staged(&self) -> Result<Snapshot, Error> {
        let keep = Objects::temporary(&self.git, self.format()).await?;
        let options = Options::default();
        let until = self.until();
        let (base, base_tree) = self.base(None).await?;
        let index = IndexCopy::make(self, &keep, &options, until).await?;
        let tree = index.tree(&base_tree).await?;
        Ok(Snapshot { base, base_tree, commit: None, tree, files: Vec::new(), diff: Vec::new() })
    }

    async fn uncommitted(
        &self,
        what: &What,
        revision: Option<&Revision>,
        keep: &Objects,
        options: &Options,
        until: Until,
    ) -> Result<Snapshot, Error> {
        if self.worktree().is_none() {
            return Err(Error::NoWorktree);
        }
        for _ in 0..TRIES {
            let (base, base_tree) = self.base(revision).await?;
            let index = IndexCopy::make(self, keep, options, until).await?;
            let tree = match what {
                What::Worktree => index.worktree_tree(&base_tree).await?,
                What::Staged | What::Commit(_) | What::Range(..) => Some(index.tree(&base_tree).await?),
            };
            // Between the two somebody may have committed.
            match tree {
                Some(tree) if self.base(revision).await?.0 == base => {
                    return self.shown(base, base_tree, None, tree, keep, options, until).await;
                }
                _ => {}
            }
        }
        Err(Error::Changing)
    }

    /// The commit that something is looked at beside, and its tree; `HEAD` may name none yet.
    async fn base(&self, revision: Option<&Revision>) -> Result<(Option<Oid>, Oid), Error> {
        let base = match revision {
            Some(revision) => Some(self.resolve(revision).await?),
            None => self.named("HEAD^{commit}", self.until()).await?,
        };
        let tree = self.tree_of(base.as_ref()).await?;
        Ok((base, tree))
    }

    async fn tree_of(&self, commit: Option<&Oid>) -> Result<Oid, Error> {
        match commit {
            Some(commit) => Ok(self.commit(commit).await?.tree),
            None => Ok(self.format().empty_tree()),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what a snapshot consists of")]
    async fn shown(
        &self,
        base: Option<Oid>,
        base_tree: Oid,
        commit: Option<Oid>,
        tree: Oid,
        keep: &Objects,
        options: &Options,
        until: Until,
    ) -> Result<Snapshot, Error> {
        let mut oids = self.differing(&base_tree, &tree, Some(&keep.own), options.files, until).await?;
        oids.extend(base.iter().chain(&commit).cloned().collect::<BTreeSet<_>>());
        self.bring(oids, keep, options.content_bytes, until).await?;
        let Difference { files, diff } = keep.compare_until(&base_tree, &tree, options, until).await?;
        Ok(Snapshot { base, base_tree, commit, tree, files, diff })
    }
}
