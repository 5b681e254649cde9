//! Whether what was committed, or is staged, is what was approved.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::compare::FILES_BYTES;
use crate::error::Error;
use crate::objects::Objects;
use crate::own_dir::{OwnDir, blocking};
use crate::patch::Patch;
use crate::path::RepoPath;
use crate::process::Until;
use crate::proposal::{self, Origin};
use crate::repository::Repository;
use crate::snapshot::{ManifestFile, Snapshot, by_path};

/// Largest file of attributes beside the settings that is heeded, in bytes.
const ATTRIBUTES_BYTES: u64 = 1024 * 1024;

/// What was approved: an [`Application`](crate::Application)'s `changes` and `diff`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Approved<'a> {
    /// What differs, by path.
    pub changes: &'a [ManifestFile],
    /// As git made it of the same objects, in the same [`Form`](crate::Form) as the snapshot's.
    pub diff: &'a [u8],
}

/// What became of something that was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The same objects before and after, the same modes, and nothing beside.
    Exact,
    /// The same patch on another base: paths, modes, and every line of each hunk with those around, wherever in the file
    /// it stands ([`Patch`]). Nothing beside.
    Equivalent,
    /// Something else.
    Differs {
        /// Of what was approved, what came out otherwise or not at all.
        paths: Vec<RepoPath>,
        /// What is there and wasn't approved.
        extra: Vec<RepoPath>,
    },
    /// Nothing of what was approved is there.
    Missing,
    /// All that differs goes through a filter when it is staged, as LFS does it, which isn't run here.
    Unchecked {
        /// These files.
        paths: Vec<RepoPath>,
    },
}

impl Approved<'_> {
    /// Holds it against what a snapshot says, as it stands there: filters aren't thought of.
    #[must_use]
    pub fn outcome(&self, snapshot: &Snapshot) -> Outcome {
        let there = by_path(&snapshot.files);
        let approved: BTreeMap<_, _> = self.changes.iter().map(|file| (&file.0, file)).collect();
        let found: BTreeMap<_, _> = there.iter().map(|file| (&file.0, file)).collect();
        if approved == found {
            return Outcome::Exact;
        }
        let (one, other) = (patches(self.diff), patches(&snapshot.diff));
        let is_same = |path: &RepoPath, file: &ManifestFile| {
            found.get(path).is_some_and(|there| {
                let kind = |file: &ManifestFile| (file.1, file.2.is_some(), file.3.is_some());
                let patch = one.get(path);
                file == *there || (kind(file) == kind(there) && patch.is_some() && patch == other.get(path))
            })
        };
        let differ = approved.iter().filter(|(path, file)| !is_same(path, file));
        let paths: Vec<RepoPath> = differ.map(|(path, _)| (*path).clone()).collect();
        let extra: Vec<RepoPath> =
            found.keys().filter(|path| !approved.contains_key(**path)).map(|path| (*path).clone()).collect();
        if approved.keys().all(|path| !found.contains_key(*path)) {
            Outcome::Missing
        } else if paths.is_empty() && extra.is_empty() {
            Outcome::Equivalent
        } else {
            Outcome::Differs { paths, extra }
        }
    }
}

impl Repository {
    /// What became of something that was approved, by the [`Repository::snapshot`] of a commit or of what is staged, and
    /// the objects that keep it.
    ///
    /// # Errors
    /// Where git can't say which files go through a filter.
    pub async fn outcome(
        &self,
        approved: &Approved<'_>,
        snapshot: &Snapshot,
        keep: &Objects,
    ) -> Result<Outcome, Error> {
        let outcome = approved.outcome(snapshot);
        if let Outcome::Differs { paths, extra } = &outcome
            && extra.is_empty()
            && self.all_filtered(paths, snapshot, keep, self.until()).await?
        {
            return Ok(Outcome::Unchecked { paths: paths.clone() });
        }
        Ok(outcome)
    }

    /// Whether each of these has a filter, by the attributes of the snapshot and of the repository. Whoever writes to it
    /// says so; it only tells apart what isn't approved.
    async fn all_filtered(
        &self,
        paths: &[RepoPath],
        snapshot: &Snapshot,
        keep: &Objects,
        until: Until,
    ) -> Result<bool, Error> {
        let own = OwnDir::temporary(&self.git, self.format(), self.settings.kept.clone()).await?;
        let from = self.places.common_dir.join("info/attributes");
        let to = own.folder().join("info/attributes");
        blocking(move || {
            if fs::metadata(&from).is_ok_and(|data| data.is_file() && data.len() <= ATTRIBUTES_BYTES) {
                fs::copy(&from, to).map_err(Error::io(from))?;
            }
            Ok(())
        })
        .await?;
        let call = |arguments: &[&str]| {
            let call = own.call(arguments).with("GIT_INDEX_FILE", own.folder().join("index"));
            let call = call.with("GIT_OBJECT_DIRECTORY", keep.own.objects());
            self.seen_from(call).most_of("The listing of files", FILES_BYTES)
        };
        // `MODE KIND OID\tPATH\0`, as `update-index` takes it.
        let mut attributes = Vec::new();
        for names in attribute_files(paths).chunks(100) {
            let listing = ["ls-tree", "-z", "--full-tree", snapshot.tree.as_str(), "--"];
            let listing = names.iter().fold(call(&listing), |call, name| call.argument(crate::os::text(name)));
            attributes.extend(self.output(listing, until).await?);
        }
        self.output(call(&["update-index", "-z", "--index-info"]).input(attributes), until).await?;
        let asked: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        let call = call(&["check-attr", "--cached", "-z", "--stdin", "filter"]).without("GIT_ATTR_NOSYSTEM");
        let said = self.output(call.input(asked), until).await?;
        // `PATH\0filter\0VALUE\0`
        let values: Vec<&[u8]> = said.split(|byte| *byte == 0).skip(2).step_by(3).collect();
        let has_filter = |value: &&[u8]| !matches!(*value, b"unspecified" | b"unset" | b"set");
        Ok(values.len() == paths.len() && values.iter().all(has_filter))
    }
}

/// The files of attributes that have a say on these paths.
fn attribute_files(paths: &[RepoPath]) -> Vec<Vec<u8>> {
    let name = b".gitattributes";
    let mut files = BTreeSet::from([name.to_vec()]);
    for path in paths.iter().map(RepoPath::as_bytes) {
        let ends = (0..path.len()).filter(|at| path[*at] == b'/');
        files.extend(ends.map(|end| [&path[..=end], name].concat()));
    }
    files.into_iter().collect()
}

/// What of a diff stays the same on another base, by path; of a renamed file by both of its paths.
fn patches(diff: &[u8]) -> BTreeMap<RepoPath, Vec<Patch>> {
    let mut patches: BTreeMap<RepoPath, Vec<Patch>> = BTreeMap::new();
    for section in proposal::sections(diff) {
        let Some(patch) = Patch::of(&diff[section.bytes.clone()]) else { continue };
        if let Some(from) = section.from.as_ref().map(Origin::path) {
            patches.entry(from.clone()).or_default().push(patch);
        }
        patches.entry(section.path).or_default().push(patch);
    }
    patches
}
