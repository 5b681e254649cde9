//! Objects that were taken over from a repository, each one's name checked against what it holds, in a folder of its
//! own: they are there until that folder is deleted, whatever becomes of the repository. Knows no work tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::error::Error;
use crate::oid::{Format, Oid};
use crate::options::CONTENT_BYTES;
use crate::own_dir::{OwnDir, blocking};
use crate::process::{Call, Git, Until};
use crate::repository::Repository;

/// Most bytes that are said of one object.
const LINE_BYTES: usize = 128;
/// Most bytes of commits that are read at once.
const COMMITS_BYTES: usize = 64 * 1024 * 1024;

/// A folder of objects of ours.
#[derive(Debug)]
pub struct Objects {
    pub(crate) git: Git,
    pub(crate) own: OwnDir,
}

/// A commit: a tree, and which commits came before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its name.
    pub oid: Oid,
    /// The files that it leads to.
    pub tree: Oid,
    /// None for a first one, several for a merge.
    pub parents: Vec<Oid>,
}

/// What git says of an object before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: String,
    pub(crate) bytes: u64,
}

impl Objects {
    /// A new one in this folder, which is empty or isn't there. Whoever owns the folder deletes it.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::DiskFull`].
    pub async fn create(git: &Git, folder: &Path, format: Format) -> Result<Self, Error> {
        Ok(Self { git: git.clone(), own: OwnDir::make(folder, format, Vec::new()).await? })
    }

    /// One that was created before.
    ///
    /// # Errors
    /// [`Error::Io`] where it isn't there.
    pub async fn open(git: &Git, folder: &Path) -> Result<Self, Error> {
        let objects = folder.join("objects");
        blocking(move || std::fs::read_dir(&objects).map(drop).map_err(Error::io(objects))).await?;
        Ok(Self { git: git.clone(), own: OwnDir::there(folder) })
    }

    pub(crate) async fn temporary(git: &Git, format: Format) -> Result<Self, Error> {
        Ok(Self { git: git.clone(), own: OwnDir::temporary(git, format, Vec::new()).await? })
    }

    /// The contents of a file by its object, at most `most` bytes.
    ///
    /// # Errors
    /// [`Error::Missing`] where no such file is kept here, [`Error::TooLarge`].
    pub async fn read(&self, oid: &Oid, most: usize) -> Result<Vec<u8>, Error> {
        let until = Until::after(std::time::Duration::from_secs(crate::options::SECONDS));
        let call = self.own.call(&["cat-file", "blob", oid.as_str()]).most_of("The file", most);
        let said = self.git.run(call, until).await?;
        if said.good { Ok(said.output) } else { Err(Error::Missing { oid: oid.clone(), cut: false }) }
    }

    /// Of these, what is here.
    pub(crate) async fn headers<'a>(
        &self,
        oids: impl IntoIterator<Item = &'a Oid>,
        until: Until,
    ) -> Result<BTreeMap<Oid, Header>, Error> {
        headers(&self.git, self.own.call(&[] as &[&str]), oids, until).await
    }

    /// Reads commits that are here.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::Damaged`].
    pub(crate) async fn commits(&self, oids: &[Oid], until: Until) -> Result<Vec<Commit>, Error> {
        let input: String = oids.iter().map(|oid| format!("{oid}\n")).collect();
        let call = self.own.call(&["cat-file", "--batch"]).input(input).most_of("The commits", COMMITS_BYTES);
        let output = self.git.run(call, until).await?.output()?;
        let mut rest = &output[..];
        let mut commits = Vec::with_capacity(oids.len());
        for oid in oids {
            let damaged = || Error::Damaged { oid: oid.clone() };
            let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
            let line = String::from_utf8_lossy(&rest[..end]).into_owned();
            let bytes = line.strip_prefix(oid.as_str()).and_then(|rest| rest.strip_prefix(" commit "));
            let Some(bytes) = bytes.and_then(|bytes| bytes.parse::<usize>().ok()) else {
                return Err(Error::Missing { oid: oid.clone(), cut: false });
            };
            let content = rest.get(end + 1..end + 1 + bytes).ok_or_else(damaged)?;
            commits.push(commit(oid, content).ok_or_else(damaged)?);
            rest = rest.get(end + 2 + bytes..).ok_or_else(damaged)?;
        }
        Ok(commits)
    }
}

impl Repository {
    /// What the repository says of these objects; those that it lacks are left out.
    pub(crate) async fn headers<'a>(
        &self,
        oids: impl IntoIterator<Item = &'a Oid>,
        until: Until,
    ) -> Result<BTreeMap<Oid, Header>, Error> {
        headers(&self.git, self.look(&[] as &[&str]), oids, until).await
    }

    /// Takes these objects over, unless they are there already.
    ///
    /// A repository's folder of objects may say anything under any name, and something else a moment later. What comes
    /// here is named anew by what it holds; whatever then lacks its name was a lie.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::Damaged`]; [`Error::TooLarge`] where they are more than `most` bytes together.
    pub(crate) async fn bring(
        &self,
        mut oids: BTreeSet<Oid>,
        to: &Objects,
        most: u64,
        until: Until,
    ) -> Result<(), Error> {
        // Git knows this one without having it.
        oids.remove(&self.format().empty_tree());
        let (there, known) = tokio::join!(to.headers(&oids, until), self.headers(&oids, until));
        let there = there?;
        oids.retain(|oid| !there.contains_key(oid));
        if oids.is_empty() {
            return Ok(());
        }
        let mut known = known?;
        known.retain(|oid, _| oids.contains(oid));
        if let Some(oid) = oids.iter().find(|oid| !known.contains_key(oid)) {
            return Err(Error::Missing { oid: oid.clone(), cut: self.is_cut() });
        }
        let bytes = known.values().fold(0_u64, |sum, header| sum.saturating_add(header.bytes));
        if bytes > most {
            return Err(Error::TooLarge { what: "What is looked at", most });
        }
        let list: String = oids.iter().map(|oid| format!("{oid}\n")).collect();
        // Each object whole: what it is doesn't hang on what another is said to be.
        let pack = self.look(&["pack-objects", "--stdout", "--quiet", "--window=0", "--no-reuse-delta"]).input(list);
        let unpack = to.own.call(&["index-pack", "--stdin"]);
        let (packed, unpacked) = self.git.pipe(pack, unpack, until).await?;
        if !packed.good {
            return Err(packed.failure());
        }
        unpacked.output()?;
        let came = to.headers(&oids, until).await?;
        match oids.into_iter().find(|oid| !came.contains_key(oid)) {
            Some(oid) => Err(Error::Damaged { oid }),
            None => Ok(()),
        }
    }

    /// Commits by their names, each checked against its name.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::Damaged`].
    pub async fn commits(&self, oids: &[Oid]) -> Result<Vec<Commit>, Error> {
        let until = self.until();
        let store = Objects::temporary(&self.git, self.format()).await?;
        self.bring(oids.iter().cloned().collect(), &store, CONTENT_BYTES, until).await?;
        store.commits(oids, until).await
    }

    /// A commit by its name.
    ///
    /// # Errors
    /// As [`Repository::commits`].
    pub async fn commit(&self, oid: &Oid) -> Result<Commit, Error> {
        let commits = self.commits(std::slice::from_ref(oid)).await?;
        commits.into_iter().next().ok_or_else(|| Error::Missing { oid: oid.clone(), cut: self.is_cut() })
    }
}

async fn headers<'a>(
    git: &Git,
    call: Call,
    oids: impl IntoIterator<Item = &'a Oid>,
    until: Until,
) -> Result<BTreeMap<Oid, Header>, Error> {
    let (mut input, mut count) = (String::new(), 0);
    for oid in oids {
        input.push_str(oid.as_str());
        input.push('\n');
        count += 1;
    }
    if count == 0 {
        return Ok(BTreeMap::new());
    }
    let call = call.argument("cat-file").argument("--batch-check").input(input).most(count * LINE_BYTES);
    let output = git.run(call, until).await?.output()?;
    let lines = output.split(|byte| *byte == b'\n').map(String::from_utf8_lossy);
    let found = lines.filter_map(|line| {
        // `OID KIND SIZE`, or `OID missing`.
        let mut words = line.split(' ');
        let (oid, kind, bytes) = (words.next()?, words.next()?, words.next()?);
        Some((Oid::parse(oid)?, Header { kind: kind.to_owned(), bytes: bytes.parse().ok()? }))
    });
    Ok(found.collect())
}

/// See <https://git-scm.com/docs/gitformat-pack>: `tree OID`, `parent OID` any number of times, and what else it says.
pub(crate) fn commit(oid: &Oid, content: &[u8]) -> Option<Commit> {
    let mut lines = content.split(|byte| *byte == b'\n');
    let named = |line: &[u8], name: &[u8]| line.strip_prefix(name).and_then(Oid::of_bytes);
    let tree = named(lines.next()?, b"tree ")?;
    let parents = lines.map_while(|line| named(line, b"parent ")).collect();
    Some(Commit { oid: oid.clone(), tree, parents })
}
