//! What a proposal is tried on: of a tree, the paths that it touches and what stands in the way to them.

use std::collections::{BTreeMap, BTreeSet};

use super::Attempt;
use crate::change::{Entry, Mode};
use crate::compare::FILES_BYTES;
use crate::error::Error;
use crate::oid::Oid;
use crate::path::RepoPath;
use crate::process::Call;
use crate::proposal::Proposal;

/// Most bytes of paths in one run of git: Windows takes no more than 32 KiB.
const PATHS_BYTES: usize = 24 * 1024;

/// A tree, and what it has at the paths of a proposal and above them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::apply) struct Ground {
    pub(in crate::apply) tree: Oid,
    /// Files, links and submodules.
    pub(in crate::apply) files: BTreeMap<RepoPath, Entry>,
    /// Folders, by their trees.
    pub(in crate::apply) folders: BTreeMap<RepoPath, Oid>,
}

impl Attempt<'_> {
    /// That of a commit, once everything that it rests on is ours.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::Damaged`], those of the bounds.
    pub(in crate::apply) async fn ground(&self, commit: Option<&Oid>) -> Result<Ground, Error> {
        let repository = self.repository;
        let Some(commit) = commit else {
            return Ok(Ground {
                tree: repository.format().empty_tree(),
                files: BTreeMap::new(),
                folders: BTreeMap::new(),
            });
        };
        let name = format!("{commit}^{{tree}}");
        let tree = repository.look(&["rev-parse", "--verify", "--quiet", &name]);
        let none: &[&str] = &[];
        let (tree, said) =
            tokio::join!(repository.git.run(tree, self.until), self.listed(commit, || repository.look(none)));
        let Some(tree) = Oid::of_bytes(tree?.output.trim_ascii_end()) else {
            let tree = repository.commit(commit).await?.tree;
            return Err(self.lack(tree).await);
        };
        let said = match said {
            Err(Error::Missing { oid, .. }) => return Err(self.lack(oid).await),
            said => said?,
        };
        let touched = self.proposal.paths();
        let contents =
            said.files.iter().filter(|(path, entry)| touched.contains(path) && entry.mode != Mode::Submodule);
        let mut oids = BTreeSet::from([commit.clone(), tree.clone()]);
        oids.extend(said.folders.values().cloned());
        oids.extend(contents.map(|(_, entry)| entry.oid.clone()));
        repository.bring(oids, self.keep, self.options.content_bytes, self.until).await?;
        // The same again, of what is believed.
        let commits = [commit.clone()];
        let (commits, ours) =
            tokio::join!(self.keep.commits(&commits, self.until), self.listed(commit, || self.keep.own.call(none)));
        let is_so = commits?.first().is_some_and(|commit| commit.tree == tree) && ours? == said;
        if is_so { Ok(Ground { tree, ..said }) } else { Err(Error::Damaged { oid: commit.clone() }) }
    }

    /// Whether an object that git can't read is missing or damaged.
    async fn lack(&self, oid: Oid) -> Error {
        let only = BTreeSet::from([oid.clone()]);
        let brought = self.repository.bring(only, self.keep, self.options.content_bytes, self.until).await;
        brought.err().unwrap_or(Error::Missing { oid, cut: self.repository.is_cut() })
    }

    /// What a tree that is ours has.
    pub(in crate::apply) async fn ground_of(&self, tree: Oid) -> Result<Ground, Error> {
        self.listed(&tree, || self.keep.own.call(&[] as &[&str])).await
    }

    /// What a tree, or a commit's, has at the paths of the proposal and above them.
    async fn listed(&self, tree: &Oid, call: impl Fn() -> Call) -> Result<Ground, Error> {
        let mut ground = Ground { tree: tree.clone(), files: BTreeMap::new(), folders: BTreeMap::new() };
        for paths in portions(&around(self.proposal)) {
            let mut call = call().argument("ls-tree").argument("-z").argument("-t").argument("--full-tree");
            call = call.argument(tree.as_str()).argument("--").most_of("The listing of files", FILES_BYTES);
            for path in paths {
                call = call.argument(crate::os::text(path));
            }
            let said = self.repository.git.run(call, self.until).await?;
            let listing = self.repository.lacking(said)?;
            for line in listing.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
                let (mode, oid, path) = entry(line).ok_or_else(odd)?;
                match Mode::of_digits(mode) {
                    Some(mode) => drop(ground.files.insert(path, Entry { mode, oid })),
                    None if mode == b"040000" => drop(ground.folders.insert(path, oid)),
                    None => {
                        let why = format!("a file has the unknown mode {}", String::from_utf8_lossy(mode));
                        return Err(Error::Unsupported { why });
                    }
                }
            }
        }
        Ok(ground)
    }

    /// Whether a folder has no file but these; of one that nothing else was looked at in, some are left.
    pub(in crate::apply) async fn is_emptied(
        &self,
        folder: &RepoPath,
        tree: &Oid,
        gone: &BTreeSet<&RepoPath>,
    ) -> Result<bool, Error> {
        let call = self.keep.own.call(&["ls-tree", "-r", "-z", "--name-only", tree.as_str()]);
        let said = self.repository.git.run(call.most_of("The listing of files", FILES_BYTES), self.until).await?;
        let mut names = said.output.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(said.good && names.all(|name| gone.contains(&RepoPath::new([folder.as_bytes(), b"/", name].concat()))))
    }
}

/// The proposal's paths, and the folders above them.
fn around(proposal: &Proposal) -> BTreeSet<&[u8]> {
    let mut all = BTreeSet::new();
    for path in proposal.paths() {
        let path = path.as_bytes();
        all.insert(path);
        all.extend((0..path.len()).filter(|at| path[*at] == b'/').map(|end| &path[..end]));
    }
    all
}

fn portions<'a>(paths: &BTreeSet<&'a [u8]>) -> Vec<Vec<&'a [u8]>> {
    let (mut all, mut bytes) = (vec![Vec::new()], 0);
    for path in paths {
        bytes += path.len() + 3;
        match all.last_mut() {
            Some(last) if bytes <= PATHS_BYTES => last.push(*path),
            _ => {
                all.push(vec![*path]);
                bytes = path.len() + 3;
            }
        }
    }
    all.retain(|portion| !portion.is_empty());
    all
}

/// `MODE KIND OID\tPATH`
fn entry(line: &[u8]) -> Option<(&[u8], Oid, RepoPath)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut words = line[..tab].split(|byte| *byte == b' ');
    Some((words.next()?, Oid::of_bytes(words.nth(1)?)?, RepoPath::new(&line[tab + 1..])))
}

fn odd() -> Error {
    Error::Git { command: "ls-tree".to_owned(), words: "its listing can't be read".to_owned() }
}
