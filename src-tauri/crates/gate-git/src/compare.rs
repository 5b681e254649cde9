//! The difference of two trees, made by git from objects of ours alone: whatever a repository says in its settings and
//! attributes has no say in what of it is shown. Knows no work tree.

use std::collections::BTreeSet;

use crate::change::{self, Change, Raw};
use crate::error::Error;
use crate::objects::Objects;
use crate::oid::Oid;
use crate::options::{Form, Options};
use crate::own_dir::OwnDir;
use crate::process::Until;
use crate::repository::Repository;

/// Most bytes of a listing of files: paths of 400 bytes on average, folders among them.
pub(crate) const FILES_BYTES: usize = 64 * 1024 * 1024;
/// How a listing is written.
const LISTING: &[&str] = &["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--ignore-submodules=none"];
/// How files are paired and lines compared; all of it, lest another version of git has other defaults.
const LOOK: &[&str] = &["-M50%", "-l1000", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"];
/// How a diff is written.
const PATCH: &[&str] = &[
    "-p",
    "--full-index",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--submodule=short",
];

/// What two trees differ in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// In git's order, which is by path.
    pub files: Vec<Change>,
    /// As git writes it: unified, with whole object names, three lines around. Paths are quoted where they aren't plain
    /// ASCII; contents are as they are, not always UTF-8.
    pub diff: Vec<u8>,
}

impl Objects {
    /// What two trees differ in, of which all that differs is kept here.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::TooMany`], [`Error::TooSlow`] at the bounds; [`Error::Git`] where something isn't
    /// kept here.
    pub async fn compare(&self, old: &Oid, new: &Oid, options: &Options) -> Result<Difference, Error> {
        self.compare_until(old, new, options, Until::after(std::time::Duration::from_secs(options.seconds))).await
    }

    pub(crate) async fn compare_until(
        &self,
        old: &Oid,
        new: &Oid,
        options: &Options,
        until: Until,
    ) -> Result<Difference, Error> {
        let trees = [old.as_str(), new.as_str()];
        let listing = [LISTING, LOOK, &["--numstat"], &trees].concat();
        let listing = self.own.call(&listing).most_of("The listing of files", FILES_BYTES);
        let binaries: &[&str] = match options.form {
            Form::Shown => &[],
            Form::Whole => &["--binary"],
        };
        let patch = [&["diff-tree", "-r"], LOOK, PATCH, binaries, &trees].concat();
        let patch = self.own.call(&patch).most_of("The diff", options.diff_bytes);
        let (listing, patch) = tokio::join!(self.git.run(listing, until), self.git.run(patch, until));
        let listing = listing?.output()?;
        let (raws, rest) = change::raw(&listing)?;
        if raws.len() > options.files {
            return Err(Error::TooMany { what: "files that differ", most: options.files });
        }
        let lines = change::counts(rest, &raws)?;
        let files = raws.into_iter().zip(lines).map(|(raw, lines)| {
            let (old, new) = (raw.old.entry()?, raw.new.entry()?);
            Ok(Change { path: raw.path, old_path: raw.old_path, old, new, lines })
        });
        let files = files.collect::<Result<Vec<_>, Error>>()?;
        let diff = patch?.output()?;
        Ok(Difference { files, diff })
    }
}

impl Repository {
    /// Everything that two trees don't share, as the repository has it: trees and files of both. `beside` are objects of
    /// ours that count as well.
    ///
    /// # Errors
    /// [`Error::TooMany`] where more than `most` files differ, [`Error::Missing`].
    pub(crate) async fn differing(
        &self,
        old: &Oid,
        new: &Oid,
        beside: Option<&OwnDir>,
        most: usize,
        until: Until,
    ) -> Result<BTreeSet<Oid>, Error> {
        let listing = [LISTING, &["-t", "--no-renames", old.as_str(), new.as_str()]].concat();
        let mut call = self.look(&listing).most_of("The listing of files", FILES_BYTES);
        if let Some(own) = beside {
            call = call.with("GIT_OBJECT_DIRECTORY", own.objects());
        }
        let said = self.git.run(call, until).await?;
        let output = self.lacking(said)?;
        let (raws, _) = change::raw(&output)?;
        let tree = |raw: &&Raw| raw.old.mode != b"040000" && raw.new.mode != b"040000";
        if raws.iter().filter(tree).count() > most.saturating_mul(2) {
            return Err(Error::TooMany { what: "files that differ", most });
        }
        let sides = raws.into_iter().flat_map(|raw| [raw.old, raw.new]);
        let mut oids: BTreeSet<Oid> = sides.filter(|side| side.is_own()).filter_map(|side| side.oid).collect();
        oids.extend([old.clone(), new.clone()]);
        Ok(oids)
    }
}
