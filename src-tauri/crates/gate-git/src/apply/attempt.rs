//! One proposal on its way through git: an index of the paths that it touches, `git apply`, and what the index has then.

mod ground;

use std::collections::{BTreeMap, BTreeSet};

use super::complaint;
use crate::change::{Entry, Mode};
use crate::compare::FILES_BYTES;
use crate::error::Error;
use crate::objects::Objects;
use crate::oid::Oid;
use crate::options::Options;
use crate::own_dir::OwnDir;
use crate::path::RepoPath;
use crate::process::{Call, MADE, Said, Until};
use crate::proposal::{Origin, PROPOSAL_BYTES, Proposal};
use crate::refused::Refused;
use crate::repository::Repository;
use crate::snapshot::ManifestFile;
use crate::unfit::{Misfit, Unfit};

pub(super) use ground::Ground;

/// What a proposal is tried with.
pub(super) struct Attempt<'a> {
    pub(super) repository: &'a Repository,
    pub(super) proposal: &'a Proposal,
    pub(super) keep: &'a Objects,
    pub(super) options: &'a Options,
    pub(super) until: Until,
    own: OwnDir,
}

/// What the paths of a proposal, and those above them, are before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) old: BTreeMap<RepoPath, Entry>,
    pub(super) new: BTreeMap<RepoPath, Entry>,
}

impl<'a> Attempt<'a> {
    pub(super) async fn new(
        repository: &'a Repository,
        proposal: &'a Proposal,
        keep: &'a Objects,
        options: &'a Options,
        until: Until,
    ) -> Result<Self, Error> {
        if proposal.files().len() > options.files {
            return Err(Refused::TooMany { most: options.files }.into());
        }
        let unfolded = proposal.files().iter().fold(0, |all: u64, file| all.saturating_add(file.unfolded));
        if unfolded > options.content_bytes {
            return Err(Error::TooLarge { what: MADE, most: options.content_bytes });
        }
        let on = |key| ("core", key, b"true".to_vec());
        let settings = vec![on("protectHFS"), on("protectNTFS")];
        let own = OwnDir::temporary(&repository.git, repository.format(), settings).await?;
        Ok(Self { repository, proposal, keep, options, until, own })
    }

    /// A run of git with an index of this name, among objects of ours.
    pub(super) fn call(&self, arguments: &[&str], index: &str) -> Call {
        let index = self.own.folder().join(format!("index-{index}"));
        let most = self.options.content_bytes.saturating_add(PROPOSAL_BYTES as u64);
        let call = self.own.call(arguments).with("GIT_INDEX_FILE", index).holding(most);
        call.with("GIT_OBJECT_DIRECTORY", self.keep.own.objects()).most_of("The listing of files", FILES_BYTES)
    }

    /// Tries it on a ground, with an index of this name.
    pub(super) async fn forward(&self, ground: &Ground, index: &str) -> Result<Result<Sides, Unfit>, Error> {
        let new = match self.applied(&ground.files, index, &[], self.proposal.text()).await? {
            Ok(new) => new,
            Err(said) => return complaint::found(self.proposal, &ground.files, said).map(Err),
        };
        let sides = Sides { old: ground.files.clone(), new };
        Ok(match self.checked(ground, &sides).await? {
            Some(path) => Err(Unfit { path, hunk: None, why: Misfit::Folder, head: None }),
            None => Ok(sides),
        })
    }

    /// Tries to take it back from a ground that may have it: what was before is the *new* side then. That applying it to
    /// that makes the ground again is tried, too: git's word on what was before isn't enough.
    pub(super) async fn reverse(&self, ground: &Ground, index: &str) -> Result<Option<Sides>, Error> {
        let text = self.proposal.text_backwards();
        let mut before = ground.files.clone();
        if !text.is_empty() {
            match self.applied(&ground.files, index, &["--reverse"], text).await? {
                Ok(files) => before = files,
                Err(_) => return Ok(None),
            }
        }
        for file in self.proposal.files() {
            if let Some(Origin::Copied(_)) = file.from {
                before.remove(&file.path);
            }
            // What comes back is a plain file to git, whatever it was.
            if let (true, Some(mode), Some(entry)) = (file.is_gone, file.old_mode, before.get_mut(&file.path)) {
                entry.mode = mode;
            }
        }
        let sides = Sides { old: ground.files.clone(), new: before };
        match self.checked(ground, &sides).await {
            Ok(None) => {}
            Ok(Some(_)) | Err(Error::Refused(_)) => return Ok(None),
            Err(error) => return Err(error),
        }
        let again = self.applied(&sides.new, &format!("{index}-again"), &[], self.proposal.text()).await?;
        Ok(again.is_ok_and(|files| files == ground.files).then_some(sides))
    }

    /// What git makes of an index that has these, or what it says where it can't.
    async fn applied(
        &self,
        files: &BTreeMap<RepoPath, Entry>,
        index: &str,
        how: &[&str],
        text: Vec<u8>,
    ) -> Result<Result<BTreeMap<RepoPath, Entry>, Said>, Error> {
        if !files.is_empty() {
            let line = |(path, entry): (&RepoPath, &Entry)| {
                let head = format!("{} {}\t", entry.mode.as_str(), entry.oid);
                [head.as_bytes(), path.as_bytes(), b"\0"].concat()
            };
            let input: Vec<u8> = files.iter().flat_map(line).collect();
            let call = self.call(&["update-index", "-z", "--index-info"], index).input(input);
            self.repository.output(call, self.until).await?;
        }
        let apply = [&["apply", "--cached", "--whitespace=nowarn"], how, &["-"]].concat();
        let said = self.repository.git.run(self.call(&apply, index).input(text), self.until).await?;
        if !said.good {
            return Ok(Err(said));
        }
        let listing = self.repository.output(self.call(&["ls-files", "--stage", "-z"], index), self.until).await?;
        let lines = listing.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        lines.map(|line| staged(line).ok_or_else(odd)).collect::<Result<_, _>>().map(Ok)
    }

    /// The first file that would take the place of a folder, where something is left in that.
    ///
    /// # Errors
    /// [`Error::Refused`] where git reads other paths in the proposal than we, or nothing differs.
    async fn checked(&self, ground: &Ground, sides: &Sides) -> Result<Option<RepoPath>, Error> {
        let known = self.proposal.paths();
        if sides.differing().any(|(path, ..)| !known.contains(path)) {
            let line = self.proposal.files().first().map_or(1, |file| file.line);
            return Err(Refused::Unreadable { line, why: "git reads other paths in it" }.into());
        }
        let mut gone = BTreeSet::new();
        let mut is_change = false;
        for (path, _, new) in sides.differing() {
            is_change = true;
            if new.is_none() {
                gone.insert(path);
            }
        }
        if !is_change {
            return Err(Refused::Empty.into());
        }
        for path in sides.new.keys() {
            if let Some(tree) = ground.folders.get(path)
                && !self.is_emptied(path, tree, &gone).await?
            {
                return Ok(Some(path.clone()));
            }
        }
        Ok(None)
    }
}

impl Sides {
    /// The paths at which something differs, and what was and is there.
    pub(super) fn differing(&self) -> impl Iterator<Item = (&RepoPath, Option<&Entry>, Option<&Entry>)> {
        let paths: BTreeSet<&RepoPath> = self.old.keys().chain(self.new.keys()).collect();
        let all = paths.into_iter().map(|path| (path, self.old.get(path), self.new.get(path)));
        all.filter(|(_, old, new)| old != new)
    }

    pub(super) fn changes(&self) -> Vec<ManifestFile> {
        let oid = |entry: Option<&Entry>| entry.map(|entry| entry.oid.clone());
        let file = |(path, old, new): (&RepoPath, Option<&Entry>, Option<&Entry>)| {
            ManifestFile(path.clone(), new.map(|entry| entry.mode), oid(old), oid(new))
        };
        self.differing().map(file).collect()
    }
}

/// `MODE OID STAGE\tPATH`
fn staged(line: &[u8]) -> Option<(RepoPath, Entry)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut words = line[..tab].split(|byte| *byte == b' ');
    let (mode, oid) = (Mode::of_digits(words.next()?)?, Oid::of_bytes(words.next()?)?);
    Some((RepoPath::new(&line[tab + 1..]), Entry { mode, oid }))
}

fn odd() -> Error {
    Error::Git { command: "ls-files".to_owned(), words: "its listing can't be read".to_owned() }
}
