//! Questions to history: which commits lie between two, where two parted, whether one is in another's past. Each is
//! answered from commits whose names were checked; a lie about history is [`Error::Damaged`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::error::Error;
use crate::objects::{Commit, Objects};
use crate::oid::Oid;
use crate::options::{COMMITS, CONTENT_BYTES};
use crate::process::Until;
use crate::repository::{LISTING_BYTES, Repository};

/// The commits of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// A parent before its children.
    pub commits: Vec<Commit>,
    /// Parents that aren't in the range. Each is in the past of the range's beginning as the repository says, which
    /// isn't checked; where it is that beginning itself, there is nothing to be checked.
    pub before: Vec<Oid>,
}

/// The commits that only one of two has in its past, and those that both share next to them.
pub(crate) struct Fork {
    pub(crate) objects: Objects,
    /// Where the two parted: the last commits that both have.
    pub(crate) bases: Vec<Oid>,
}

impl Repository {
    /// The commits that `to` has in its past and `from` hasn't, itself included.
    ///
    /// # Errors
    /// [`Error::TooMany`] beyond [`COMMITS`], [`Error::Missing`], [`Error::Damaged`].
    pub async fn range(&self, from: &Oid, to: &Oid) -> Result<Range, Error> {
        self.between(Some(from), to).await
    }

    /// All that `to` has in its past, itself included: what a remote gets that has nothing yet.
    ///
    /// # Errors
    /// As [`Repository::range`].
    pub async fn past(&self, to: &Oid) -> Result<Range, Error> {
        self.between(None, to).await
    }

    async fn between(&self, from: Option<&Oid>, to: &Oid) -> Result<Range, Error> {
        let until = self.until();
        let excluded = from.map(|from| format!("^{from}"));
        let arguments: Vec<&str> =
            ["--topo-order", "--reverse", to.as_str()].into_iter().chain(excluded.as_deref()).collect();
        let listed = self.listed(&arguments, until).await?;
        let store = self.checked(&listed, until).await?;
        let commits = store.commits(&listed, until).await?;
        let within: BTreeSet<&Oid> = listed.iter().collect();
        let parents = commits.iter().flat_map(|commit| &commit.parents).filter(|parent| !within.contains(parent));
        let before: BTreeSet<Oid> = parents.cloned().collect();
        Ok(Range { commits, before: before.into_iter().collect() })
    }

    /// Whether `commit` is `tip` or in its past.
    ///
    /// # Errors
    /// As [`Repository::range`].
    pub async fn has(&self, tip: &Oid, commit: &Oid) -> Result<bool, Error> {
        if tip == commit {
            return Ok(true);
        }
        let until = self.until();
        let excluded = format!("^{commit}");
        let listed = self.listed(&["--ancestry-path", tip.as_str(), &excluded], until).await?;
        if listed.is_empty() {
            return Ok(false);
        }
        let store = self.checked(&listed, until).await?;
        let commits = store.commits(&listed, until).await?;
        let known: BTreeMap<&Oid, &Commit> = commits.iter().map(|commit| (&commit.oid, commit)).collect();
        let (mut next, mut seen) = (VecDeque::from([tip]), BTreeSet::new());
        while let Some(oid) = next.pop_front() {
            if oid == commit {
                return Ok(true);
            }
            if seen.insert(oid) {
                next.extend(known.get(oid).into_iter().flat_map(|commit| &commit.parents));
            }
        }
        Ok(false)
    }

    /// The commit at which two parted: the last one that both have in their past.
    ///
    /// # Errors
    /// [`Error::Parted`] where there is none, or more than one; and those of [`Repository::range`].
    pub async fn parted(&self, one: &Oid, other: &Oid) -> Result<Oid, Error> {
        let fork = self.fork(one, other, self.until()).await?;
        match &fork.bases[..] {
            [base] => Ok(base.clone()),
            bases => Err(Error::Parted { count: bases.len() }),
        }
    }

    /// What two have in their past and the other hasn't, and where they parted. Beyond that nothing is looked at, so two
    /// places that only their own past would tell apart are both named.
    pub(crate) async fn fork(&self, one: &Oid, other: &Oid, until: Until) -> Result<Fork, Error> {
        let between = format!("{one}...{other}");
        let call = self.look(&["rev-list", "--boundary", &between]).most_of("The listing of commits", LISTING_BYTES);
        let said = self.git.run(call, until).await?;
        let output = self.lacking(said)?;
        let (mut own, mut shared) = (Vec::new(), Vec::new());
        for line in output.split(|byte| *byte == b'\n') {
            match line.strip_prefix(b"-") {
                Some(line) => shared.extend(Oid::of_bytes(line)),
                None => own.extend(Oid::of_bytes(line)),
            }
        }
        if one == other {
            shared.push(one.clone());
        }
        own.append(&mut shared.clone());
        let objects = self.checked(&own, until).await?;
        objects.own.begin_at(&shared)?;
        let call = objects.own.call(&["merge-base", "--all", one.as_str(), other.as_str()]);
        let said = self.git.run(call, until).await?;
        // 1 says that there is none.
        let output = if said.code == Some(1) { Vec::new() } else { said.output()? };
        let bases = output.split(|byte| *byte == b'\n').filter_map(Oid::of_bytes).collect();
        Ok(Fork { objects, bases })
    }

    async fn listed(&self, arguments: &[&str], until: Until) -> Result<Vec<Oid>, Error> {
        let count = format!("--max-count={}", COMMITS + 1);
        let arguments = [&["rev-list", &count], arguments].concat();
        let said = self.git.run(self.look(&arguments).most(LISTING_BYTES), until).await?;
        let output = self.lacking(said)?;
        let commits: Vec<Oid> = output.split(|byte| *byte == b'\n').filter_map(Oid::of_bytes).collect();
        if commits.len() > COMMITS {
            return Err(Error::TooMany { what: "commits", most: COMMITS });
        }
        Ok(commits)
    }

    async fn checked(&self, oids: &[Oid], until: Until) -> Result<Objects, Error> {
        let store = Objects::temporary(&self.git, self.format()).await?;
        self.bring(oids.iter().cloned().collect(), &store, CONTENT_BYTES, until).await?;
        Ok(store)
    }
}
