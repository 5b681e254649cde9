//! A copy of an index, in a directory of ours: what is staged, and with the files of the work tree what would be. Of the
//! work tree's files it reads what differs from the index, as git itself would, but for filters, which it refuses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gate_os::files::Stamp;

use crate::change::{self, Raw};
use crate::compare::FILES_BYTES;
use crate::error::Error;
use crate::objects::Objects;
use crate::oid::Oid;
use crate::options::Options;
use crate::os;
use crate::own_dir::{OwnDir, blocking};
use crate::path::RepoPath;
use crate::process::{Call, Until};
use crate::repository::Repository;
use crate::tree::NewTree;

/// Largest file of patterns (`info/exclude`, `info/attributes`) that is heeded, in bytes.
const PATTERNS_BYTES: u64 = 1024 * 1024;
/// A file that was changed this shortly before may be changed again without its time saying so.
const GRAIN: Duration = Duration::from_secs(2);

/// A copy of an index, which goes when it is dropped.
#[derive(Debug)]
pub(crate) struct IndexCopy<'a> {
    repository: &'a Repository,
    objects: &'a Objects,
    options: &'a Options,
    until: Until,
    own: OwnDir,
    file: PathBuf,
    /// Of the index that it was made of; absent where there was none.
    stamp: Option<Stamp>,
}

/// What of a work tree differs from its index.
#[derive(Debug, Default, PartialEq, Eq)]
struct Touched {
    gone: Vec<RepoPath>,
    /// Other than in the index, or not in it.
    other: Vec<RepoPath>,
}

impl<'a> IndexCopy<'a> {
    /// Copies it, with what says how a file of the work tree becomes an object. `objects` is where new objects go.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::Io`], [`Error::DiskFull`].
    pub(crate) async fn make(
        repository: &'a Repository,
        objects: &'a Objects,
        options: &'a Options,
        until: Until,
    ) -> Result<Self, Error> {
        let kept = repository.settings.kept.clone();
        let own = OwnDir::temporary(&repository.git, repository.format(), kept).await?;
        let (index, file) = (repository.index(), own.folder().join("index"));
        let (from, to) = (repository.places.clone(), own.folder().to_owned());
        let (copy, most) = (file.clone(), options.content_bytes);
        let stamp = blocking(move || {
            for name in ["info/exclude", "info/attributes"] {
                let (from, to) = (from.common_dir.join(name), to.join(name));
                if fs::metadata(&from).is_ok_and(|data| data.is_file() && data.len() <= PATTERNS_BYTES) {
                    fs::copy(&from, to).map_err(Error::io(from))?;
                }
            }
            let stamp = copied(&index, &copy, most)?;
            // What a split index builds on.
            for entry in fs::read_dir(&from.git_dir).map_err(Error::io(&from.git_dir))?.flatten() {
                if os::bytes(&entry.file_name()).starts_with(b"sharedindex.") {
                    copied(&entry.path(), &to.join(entry.file_name()), most)?;
                }
            }
            Ok(stamp)
        })
        .await?;
        Ok(Self { repository, objects, options, until, own, file, stamp })
    }

    /// The tree that the index makes of this one.
    ///
    /// # Errors
    /// [`Error::Unmerged`], [`Error::Missing`], and those of the bounds.
    pub(crate) async fn tree(&self, base: &Oid) -> Result<Oid, Error> {
        let changes = self.changes(base).await?;
        self.lacking(&changes, &BTreeSet::new()).await?;
        self.written(base, &changes).await
    }

    /// Takes the work tree's files in, and gives the tree that comes of it; absent where the files changed meanwhile, so
    /// that it never was.
    ///
    /// # Errors
    /// [`Error::Filtered`], [`Error::Unmerged`], [`Error::Unaddable`], [`Error::Missing`], and those of the bounds.
    pub(crate) async fn worktree_tree(&self, base: &Oid) -> Result<Option<Oid>, Error> {
        let began = fs::metadata(self.own.folder()).and_then(|data| data.modified());
        let began = began.map_err(Error::io(self.own.folder()))?;
        let touched = self.touched_within_bounds().await?;
        self.unfiltered(&touched).await?;
        self.take_in(&touched).await?;
        let changes = self.changes(base).await?;
        let written: BTreeSet<RepoPath> = touched.other.iter().cloned().collect();
        let missing = self.lacking(&changes, &written).await?;
        if !self.write_files(missing).await? {
            return Ok(None);
        }
        let tree = self.written(base, &changes).await?;
        // Whatever changed since about when this began is compared by its contents once more. If all is as it was read,
        // then all of it was so at once when the last file had been read.
        if self.file.exists() {
            let file = File::options().append(true).open(&self.file).map_err(Error::io(&self.file))?;
            file.set_modified(began - GRAIN).map_err(Error::io(&self.file))?;
        }
        let same = self.touched().await? == Touched::default() && self.is_current().await?;
        Ok(same.then_some(tree))
    }

    /// Whether the index is still the one that was copied.
    async fn is_current(&self) -> Result<bool, Error> {
        let (index, stamp) = (self.repository.index(), self.stamp);
        blocking(move || Ok(fs::metadata(index).ok().map(|data| Stamp::of(&data)) == stamp)).await
    }

    /// A run of git with this index, new objects going to ours.
    fn call(&self, arguments: &[&str]) -> Call {
        let call = self.own.call(arguments).with("GIT_INDEX_FILE", self.file.as_os_str());
        let call = call.with("GIT_OBJECT_DIRECTORY", self.objects.own.objects());
        self.repository.seen_from(call).most_of("The listing of files", FILES_BYTES)
    }

    /// The same in the work tree.
    fn in_worktree(&self, arguments: &[&str]) -> Result<Call, Error> {
        let top = self.repository.worktree().ok_or(Error::NoWorktree)?;
        let call = self.call(arguments).folder(top).with("GIT_WORK_TREE", top);
        // What the machine says of line ends counts for its git, and so does it here.
        Ok(call.without("GIT_ATTR_NOSYSTEM"))
    }

    async fn output(&self, call: Call) -> Result<Vec<u8>, Error> {
        self.repository.output(call, self.until).await
    }

    async fn touched(&self) -> Result<Touched, Error> {
        let mut touched = Touched::default();
        // Git would ask each submodule how it is, in a git of its own that heeds the submodule's settings. Which commit
        // it stands at is all that counts, and is seen without.
        let differs = &["diff-files", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=dirty"];
        let listing = self.output(self.in_worktree(differs)?).await?;
        for raw in change::raw(&listing)?.0 {
            match raw.status {
                b'U' => return Err(Error::Unmerged { path: raw.path }),
                b'D' => touched.gone.push(raw.path),
                _ => touched.other.push(raw.path),
            }
        }
        let untracked = self.in_worktree(&["ls-files", "-z", "--others", "--exclude-standard"])?;
        let untracked = self.output(untracked).await?;
        let names = untracked.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        // A repository in the work tree is a folder here, and will be a submodule.
        touched.other.extend(names.map(|name| RepoPath::new(name.strip_suffix(b"/").unwrap_or(name))));
        Ok(touched)
    }

    async fn touched_within_bounds(&self) -> Result<Touched, Error> {
        let touched = self.touched().await?;
        if self.bounds(&touched).await.is_ok() {
            return Ok(touched);
        }
        // Many may have been touched without being changed; git finds out by reading them.
        let refresh = self.in_worktree(&["update-index", "-q", "--refresh", "--ignore-submodules"])?;
        self.repository.git.run(refresh, self.until).await?;
        let touched = self.touched().await?;
        self.bounds(&touched).await?;
        Ok(touched)
    }

    async fn bounds(&self, touched: &Touched) -> Result<(), Error> {
        if touched.gone.len().max(touched.other.len()) > self.options.files {
            return Err(Error::TooMany { what: "files that differ", most: self.options.files });
        }
        let top = self.repository.worktree().ok_or(Error::NoWorktree)?.to_owned();
        let (paths, most) = (touched.other.clone(), self.options.content_bytes);
        blocking(move || {
            let sizes = paths.iter().filter_map(|path| fs::symlink_metadata(top.join(os::text(path.as_bytes()))).ok());
            let bytes = sizes.filter(fs::Metadata::is_file).fold(0_u64, |sum, data| sum.saturating_add(data.len()));
            if bytes > most { Err(Error::TooLarge { what: "What is looked at", most }) } else { Ok(()) }
        })
        .await
    }

    /// # Errors
    /// [`Error::Filtered`] where staging one of these would run a program.
    async fn unfiltered(&self, touched: &Touched) -> Result<(), Error> {
        let filters = &self.repository.settings.filters;
        if filters.is_empty() || touched.other.is_empty() {
            return Ok(());
        }
        let call = self.in_worktree(&["check-attr", "-z", "--stdin", "filter"])?.input(lines(&touched.other));
        let listing = self.output(call).await?;
        let mut parts = listing.split(|byte| *byte == 0);
        while let (Some(path), Some(_), Some(value)) = (parts.next(), parts.next(), parts.next()) {
            let driver = String::from_utf8_lossy(value);
            if filters.contains(&*driver) {
                return Err(Error::Filtered { path: RepoPath::new(path), driver: driver.into_owned() });
            }
        }
        Ok(())
    }

    /// Notes in the copy what the files are, without writing them: git would touch what the repository has already.
    async fn take_in(&self, touched: &Touched) -> Result<(), Error> {
        if !touched.gone.is_empty() {
            let nothing = self.repository.format().nothing();
            let gone = touched
                .gone
                .iter()
                .flat_map(|path| [format!("0 {nothing}\t").as_bytes(), path.as_bytes(), b"\0"].concat());
            let call = self.in_worktree(&["update-index", "-z", "--index-info"])?;
            self.output(call.input(gone.collect::<Vec<_>>())).await?;
        }
        self.add(&["--info-only"], &self.file, &touched.other).await
    }

    async fn add(&self, how: &[&str], index: &Path, paths: &[RepoPath]) -> Result<(), Error> {
        if paths.is_empty() {
            return Ok(());
        }
        let arguments = [&["update-index", "-z", "--add", "--remove", "--replace"], how, &["--stdin"]].concat();
        let call = self.in_worktree(&arguments)?.with("GIT_INDEX_FILE", index).input(lines(paths));
        let said = self.repository.git.run(call, self.until).await?;
        if said.good {
            return Ok(());
        }
        // The first complaint names the file, the last one only says that there was one.
        let words = said.words.lines().find_map(|line| line.strip_prefix("error: ")).map(str::to_owned);
        Err(Error::Unaddable { words: words.unwrap_or_else(|| said.cause()) })
    }

    /// What the index changes in a tree.
    async fn changes(&self, base: &Oid) -> Result<Vec<Raw>, Error> {
        // What is only to be added some day is in no tree, yet in the index.
        let arguments = ["diff-index", "--cached", "-z", "--raw", "--no-renames", "--no-abbrev"];
        let call = self.call(&arguments).argument("--ita-invisible-in-index").argument("--ignore-submodules=none");
        let said = self.repository.git.run(call.argument(base.as_str()), self.until).await?;
        let listing = self.repository.lacking(said)?;
        let (changes, _) = change::raw(&listing)?;
        if let Some(raw) = changes.iter().find(|raw| raw.status == b'U') {
            return Err(Error::Unmerged { path: raw.path.clone() });
        }
        if changes.len() > self.options.files.saturating_mul(2) {
            return Err(Error::TooMany { what: "files that differ", most: self.options.files });
        }
        Ok(changes)
    }

    /// The files whose objects the repository lacks; an error where one isn't among those `written` in a moment.
    async fn lacking(&self, changes: &[Raw], written: &BTreeSet<RepoPath>) -> Result<BTreeMap<RepoPath, Oid>, Error> {
        let new: Vec<(&RepoPath, &Oid)> = changes
            .iter()
            .filter(|raw| raw.new.is_own())
            .filter_map(|raw| raw.new.oid.as_ref().map(|oid| (&raw.path, oid)))
            .collect();
        let there = self.repository.headers(new.iter().map(|(_, oid)| *oid), self.until).await?;
        let missing = new.into_iter().filter(|(_, oid)| !there.contains_key(*oid));
        let missing = missing.map(|(path, oid)| {
            let cut = self.repository.is_cut();
            if written.contains(path) {
                Ok((path.clone(), oid.clone()))
            } else {
                Err(Error::Missing { oid: oid.clone(), cut })
            }
        });
        missing.collect()
    }

    /// Writes these files to our objects; whether they still are what they were.
    async fn write_files(&self, files: BTreeMap<RepoPath, Oid>) -> Result<bool, Error> {
        if files.is_empty() {
            return Ok(true);
        }
        // An index that doesn't know these yet: of what it knows git writes nothing.
        let (from, to) = (self.repository.index(), self.own.folder().join("index-written"));
        let (copy, most) = (to.clone(), self.options.content_bytes);
        blocking(move || copied(&from, &copy, most)).await?;
        let paths: Vec<RepoPath> = files.keys().cloned().collect();
        self.add(&[], &to, &paths).await?;
        let there = self.objects.headers(files.values(), self.until).await?;
        Ok(files.values().all(|oid| there.contains_key(oid)))
    }

    /// Writes the tree that these changes make of a tree. `git write-tree` would touch those that the repository has.
    async fn written(&self, base: &Oid, changes: &[Raw]) -> Result<Oid, Error> {
        if changes.is_empty() {
            return Ok(base.clone());
        }
        let mut tree = NewTree::of(base);
        let (gone, there): (Vec<&Raw>, Vec<&Raw>) = changes.iter().partition(|raw| raw.new.oid.is_none());
        gone.iter().for_each(|raw| tree.without(raw.path.as_bytes()));
        for raw in there {
            let mode = raw.new.entry()?.map(|entry| entry.mode.as_str()).unwrap_or_default();
            tree.with(raw.path.as_bytes(), mode, raw.new.oid.as_ref().map(Oid::as_str).unwrap_or_default());
        }
        tree.written(self.repository, self.call(&[]), self.until).await
    }
}

fn lines(paths: &[RepoPath]) -> Vec<u8> {
    paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect()
}

/// Copies a file as it is at one moment, with the time that it says of itself: by that git knows which files it has to
/// read again. Absent where it isn't there.
fn copied(from: &Path, to: &Path, most: u64) -> Result<Option<Stamp>, Error> {
    match fs::metadata(from) {
        // Of a pipe nobody knows when it says something.
        Ok(data) if !data.is_file() => {
            return Err(Error::Unsupported { why: format!("{} is no file", from.display()) });
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(from)(error)),
    }
    let mut file = File::open(from).map_err(Error::io(from))?;
    let data = file.metadata().map_err(Error::io(from))?;
    if data.len() > most {
        return Err(Error::TooLarge { what: "The index", most });
    }
    let mut copy = File::create(to).map_err(Error::io(to))?;
    io::copy(&mut file, &mut copy).map_err(Error::io(to))?;
    let stamp = Stamp::of(&data);
    if let Some(at) = stamp.modified {
        copy.set_modified(at).map_err(Error::io(to))?;
    }
    Ok(Some(stamp))
}
