//! A proposed diff, held against what a repository has: whether it fits, and what it makes. Nothing of the repository is
//! run or changed: git applies the diff to objects of ours, each checked against its name.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::change::{Entry, Mode};
use crate::error::Error;
use crate::objects::Objects;
use crate::oid::Oid;
use crate::options::Options;
use crate::path::RepoPath;
use crate::process::Until;
use crate::proposal::{self, Origin, Proposal, Span};
use crate::repository::Repository;
use crate::snapshot::ManifestFile;
use crate::tree::NewTree;
use crate::unfit::Unfit;
use crate::what::Revision;

mod attempt;
mod complaint;
mod raw;

use attempt::{Attempt, Ground, Sides};

/// What whoever proposes a diff says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// It isn't applied yet.
    Proposed,
    /// It may be: `HEAD` may have it already.
    AlreadyApplied,
}

/// How a diff fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// On the commit.
    Forward,
    /// The commit has it already.
    Reverse,
    /// On the files that it touches as they lie in the work tree, byte by byte.
    Worktree,
    /// Those files have it already.
    WorktreeReverse,
}

impl Way {
    /// Whether it fits on files, and not on a commit.
    #[must_use]
    pub fn is_worktree(self) -> bool {
        matches!(self, Self::Worktree | Self::WorktreeReverse)
    }
}

/// What a proposed diff makes of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// How it fits.
    pub way: Way,
    /// The commit that it fits on, or that has it already; absent where there is no commit yet, and for a work tree.
    pub commit: Option<Oid>,
    /// The trees before and after, both kept. Those of a work tree have only the files that it touches, and are no trees
    /// of the repository; see [`Self::tree`].
    pub trees: (Oid, Oid),
    /// What became of each file that it touches, in its order; behind them what differs besides, where it names a file
    /// twice.
    pub files: Vec<Touched>,
    /// What differs, by path, as a manifest has it: a renamed file is one that went and one that came.
    pub changes: Vec<ManifestFile>,
    /// What whoever looks at it should be told. What of it nobody sees (invisible and bidirectional characters) isn't
    /// looked for here: gate-core knows these.
    pub warnings: Vec<Warning>,
    /// The difference as git makes it anew of the objects before and after: what a person is shown. See
    /// [`Difference::diff`](crate::Difference).
    pub diff: Vec<u8>,
}

/// What becomes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// Where it is to be; where it was, if it goes.
    pub path: RepoPath,
    /// Where it comes from, if the proposal says so.
    pub from: Option<Origin>,
    /// What it was, if it is renamed at the path that it had; absent where it is new, or a copy.
    pub old: Option<Entry>,
    /// What it is to be; absent where it goes.
    pub new: Option<Entry>,
    /// Which of its lines change, one for each hunk of [`Application::diff`].
    pub spans: Vec<Span>,
}

/// What isn't seen at first sight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// Hunks counted their lines wrongly, and were counted anew.
    Recounted,
    /// A symbolic link comes, goes or changes.
    Link(RepoPath),
    /// A submodule, or what `.gitmodules` says of them.
    Submodule(RepoPath),
    /// A file's mode changes, or it comes as one that may be executed.
    Mode {
        /// The file.
        path: RepoPath,
        /// Absent where it is new.
        old: Option<Mode>,
        /// What it is to be.
        new: Mode,
    },
    /// A `.gitattributes`, which says how files become objects and what is shown of them.
    Attributes(RepoPath),
}

/// Whether a diff that was proposed before fits yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fits {
    /// It fits on `HEAD`.
    Forward,
    /// `HEAD` has it.
    Reverse,
    /// It fits on the files of the work tree, or they have it: as good as those for one that was proposed so.
    Worktree,
    /// It does none of these.
    Neither(Box<Unfit>),
}

impl Application {
    /// The tree that the proposal was made on; absent for a work tree, which is none.
    #[must_use]
    pub fn base_tree(&self) -> Option<&Oid> {
        (!self.way.is_worktree()).then_some(&self.trees.0)
    }

    /// The tree that it leads to; absent for a work tree.
    #[must_use]
    pub fn tree(&self) -> Option<&Oid> {
        (!self.way.is_worktree()).then_some(&self.trees.1)
    }
}

impl Repository {
    /// Applies a proposal, to objects of ours alone. Tried in this order: on `base`, or on `HEAD` where it isn't said;
    /// backwards on `HEAD`, where it may be applied already; on the files of the work tree, as their bytes are, and
    /// backwards on those.
    ///
    /// Whatever differs is in `keep` then, so that it can be compared and read again. Line ends, whitespace, attributes,
    /// filters and settings have no say: bytes fit or don't.
    ///
    /// # Errors
    /// [`Error::Unfit`] where it fits in none of the ways; [`Error::Refused`] where git doesn't read it, or it changes
    /// nothing; [`Error::UnknownRevision`], [`Error::AmbiguousRevision`]; [`Error::Missing`], [`Error::Damaged`];
    /// [`Error::TooLarge`], [`Error::TooMany`], [`Error::TooSlow`].
    pub async fn apply(
        &self,
        proposal: &Proposal,
        base: Option<&Revision>,
        applied: Applied,
        keep: &Objects,
        options: &Options,
    ) -> Result<Application, Error> {
        let until = Until::after(Duration::from_secs(options.seconds));
        let head = self.named("HEAD", until).await?;
        let commit = match base {
            Some(base) => Some(self.resolve(base).await?),
            None => head.clone(),
        };
        let attempt = Attempt::new(self, proposal, keep, options, until).await?;
        let ground = attempt.ground(commit.as_ref()).await?;
        let unfit = match attempt.forward(&ground, "forward").await? {
            Ok(sides) => return attempt.application(Way::Forward, commit, &ground, sides).await,
            Err(unfit) => unfit,
        };
        let other = if commit == head { None } else { Some(attempt.ground(head.as_ref()).await?) };
        let here = other.as_ref().unwrap_or(&ground);
        if applied == Applied::AlreadyApplied
            && let Some(sides) = attempt.reverse(here, "reverse").await?
        {
            return attempt.application(Way::Reverse, head, here, sides).await;
        }
        if let Some(top) = self.worktree() {
            let files = attempt.ground_of_files(top, here).await?;
            if let Ok(sides) = attempt.forward(&files, "files").await? {
                return attempt.application(Way::Worktree, None, &files, sides).await;
            }
            if applied == Applied::AlreadyApplied
                && let Some(sides) = attempt.reverse(&files, "files-reverse").await?
            {
                return attempt.application(Way::WorktreeReverse, None, &files, sides).await;
            }
        }
        Err(Error::Unfit(Box::new(Unfit { head, ..unfit })))
    }

    /// Whether a proposal fits on `HEAD`, or `HEAD` has it already; where neither is so, whether the same holds of the
    /// files in the work tree.
    ///
    /// # Errors
    /// As [`Repository::apply`], but for [`Error::Unfit`].
    pub async fn fits(&self, proposal: &Proposal, options: &Options) -> Result<Fits, Error> {
        let until = Until::after(Duration::from_secs(options.seconds));
        let head = self.named("HEAD", until).await?;
        let keep = Objects::temporary(&self.git, self.format()).await?;
        let attempt = Attempt::new(self, proposal, &keep, options, until).await?;
        let ground = attempt.ground(head.as_ref()).await?;
        let unfit = match attempt.forward(&ground, "forward").await? {
            Ok(_) => return Ok(Fits::Forward),
            Err(unfit) => unfit,
        };
        if attempt.reverse(&ground, "reverse").await?.is_some() {
            return Ok(Fits::Reverse);
        }
        if let Some(top) = self.worktree() {
            let files = attempt.ground_of_files(top, &ground).await?;
            let fits = attempt.forward(&files, "files").await?.is_ok();
            if fits || attempt.reverse(&files, "files-reverse").await?.is_some() {
                return Ok(Fits::Worktree);
            }
        }
        Ok(Fits::Neither(Box::new(Unfit { head, ..unfit })))
    }
}

impl Attempt<'_> {
    /// What comes of it, where it fits.
    async fn application(
        &self,
        way: Way,
        commit: Option<Oid>,
        ground: &Ground,
        sides: Sides,
    ) -> Result<Application, Error> {
        let made = self.made(ground, &sides).await?;
        let (trees, sides) = match way {
            Way::Forward | Way::Worktree => ((ground.tree.clone(), made), sides),
            Way::Reverse | Way::WorktreeReverse => {
                ((made, ground.tree.clone()), Sides { old: sides.new, new: sides.old })
            }
        };
        let compared = self.keep.compare_until(&trees.0, &trees.1, self.options, self.until).await?;
        let changes = sides.changes();
        let warnings = self.warnings(&sides);
        let files = self.touched(&sides, &compared.diff);
        Ok(Application { way, commit, trees, files, changes, warnings, diff: compared.diff })
    }

    /// The tree that this makes of the one that it fits on.
    async fn made(&self, ground: &Ground, sides: &Sides) -> Result<Oid, Error> {
        let mut tree = NewTree::of(&ground.tree);
        let (gone, there): (Vec<_>, Vec<_>) = sides.differing().partition(|(_, _, new)| new.is_none());
        gone.iter().for_each(|(path, ..)| tree.without(path.as_bytes()));
        for (path, _, new) in there {
            if let Some(new) = new {
                tree.with(path.as_bytes(), new.mode.as_str(), new.oid.as_str());
            }
        }
        tree.written(self.repository, self.call(&[], "none"), self.until).await
    }

    fn touched(&self, sides: &Sides, diff: &[u8]) -> Vec<Touched> {
        let mut spans: BTreeMap<RepoPath, Vec<Span>> = BTreeMap::new();
        for section in proposal::sections(diff) {
            spans.entry(section.path).or_default().extend(section.spans);
        }
        let (mut files, mut seen, mut left) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for file in self.proposal.files() {
            let was = match &file.from {
                Some(Origin::Renamed(from)) => from,
                Some(Origin::Copied(_)) | None => &file.path,
            };
            let (old, new) = (sides.old.get(was).cloned(), sides.new.get(&file.path).cloned());
            let changes = file.from.is_some() || old != new;
            if changes && seen.insert(&file.path) {
                if let Some(Origin::Renamed(from)) = &file.from {
                    left.insert(from);
                }
                let spans = spans.remove(&file.path).unwrap_or_default();
                files.push(Touched { path: file.path.clone(), from: file.from.clone(), old, new, spans });
            }
        }
        // A second section of the same file may come from elsewhere: rules for paths are to hear of that, too.
        let differing = sides.differing().filter(|(path, ..)| !seen.contains(path) && !left.contains(path));
        files.extend(differing.map(|(path, old, new)| Touched {
            path: path.clone(),
            from: None,
            old: old.cloned(),
            new: new.cloned(),
            spans: spans.remove(path).unwrap_or_default(),
        }));
        files
    }

    fn warnings(&self, sides: &Sides) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.proposal.is_recounted() {
            warnings.push(Warning::Recounted);
        }
        for (path, old, new) in sides.differing() {
            let modes = (old.map(|entry| entry.mode), new.map(|entry| entry.mode));
            let name = path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_ascii_lowercase();
            let is = |mode| modes.0 == Some(mode) || modes.1 == Some(mode);
            if is(Mode::Link) {
                warnings.push(Warning::Link(path.clone()));
            }
            if is(Mode::Submodule) || path.as_bytes().eq_ignore_ascii_case(b".gitmodules") {
                warnings.push(Warning::Submodule(path.clone()));
            }
            if name == b".gitattributes" {
                warnings.push(Warning::Attributes(path.clone()));
            }
            if let (old, Some(new)) = modes
                && old.unwrap_or(Mode::File) != new
                && (old.is_some() || new == Mode::Executable)
            {
                warnings.push(Warning::Mode { path: path.clone(), old, new });
            }
        }
        warnings
    }
}
