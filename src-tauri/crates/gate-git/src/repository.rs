//! A repository of somebody else's: found, known, and looked at from a directory of ours. What is asked of it stands in
//! the files of the questions.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Error;
use crate::oid::{Format, Oid};
use crate::options::{COMMITS, SECONDS};
use crate::own_dir::{OwnDir, blocking, quoted};
use crate::places::{self, Kind, Owners, Places};
use crate::process::{Call, Git, Said, Until};
use crate::settings::{self, Settings};
use crate::what::Revision;

/// Most bytes of the names of references below a short name.
const REFERENCES_BYTES: usize = 4 * 1024 * 1024;

/// Most bytes of a listing of commits.
pub(crate) const LISTING_BYTES: usize = COMMITS * 70;

/// A repository of somebody else's. Nothing in it is changed, but for what [`set_note`](Repository::set_note) says, and
/// none of its hooks, filters and other programs is run.
///
/// Every question gives an answer within [`SECONDS`], or fails; one that is dropped ends at once, with the git that it
/// runs. It may be asked several things at a time.
#[derive(Debug)]
pub struct Repository {
    pub(crate) git: Git,
    pub(crate) places: Places,
    pub(crate) settings: Settings,
    /// From where its objects are looked at; has none itself.
    view: OwnDir,
    /// The index, where it is another than the work tree's.
    index: Option<PathBuf>,
}

impl Repository {
    /// The repository that this folder is in: the folder's own, or that of the nearest one above it on the same file
    /// system. `path` is absolute.
    ///
    /// # Errors
    /// [`Error::NoRepository`]; [`Error::NotOwned`] where `owners` asks for that; [`Error::Astray`] where folder and
    /// repository don't lead to each other; [`Error::Unsupported`].
    pub async fn open(git: &Git, path: &Path, owners: Owners) -> Result<Self, Error> {
        let until = Until::after(Duration::from_secs(SECONDS));
        let path = path.to_owned();
        let places = blocking(move || places::find(&path, owners)).await?;
        let settings = settings::read(git, &places, until).await?;
        let places = places::settled(places, settings.worktree.as_deref(), settings.bare)?;
        let view = OwnDir::temporary(git, settings.format, Vec::new()).await?;
        // Where history is cut off, it is for us, too.
        let shallow = places.common_dir.join("shallow");
        if shallow.is_file() {
            let copy = view.folder().join("shallow");
            fs::copy(&shallow, copy).map_err(Error::io(shallow))?;
        }
        Ok(Self { git: git.clone(), places, settings, view, index: None })
    }

    /// The same with another index: the one that git names in `GIT_INDEX_FILE` while a hook runs, which holds what is
    /// being committed. `index` is absolute.
    #[must_use]
    pub fn with_index(mut self, index: &Path) -> Self {
        self.index = Some(index.to_owned());
        self
    }

    /// What it is to its work tree.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.places.kind
    }

    /// The top of its files; absent for a bare one.
    #[must_use]
    pub fn worktree(&self) -> Option<&Path> {
        self.places.worktree.as_deref()
    }

    /// What is this work tree's own: `HEAD`, the index.
    #[must_use]
    pub fn git_dir(&self) -> &Path {
        &self.places.git_dir
    }

    /// What all its work trees share. Two repositories are the same where this is.
    #[must_use]
    pub fn common_dir(&self) -> &Path {
        &self.places.common_dir
    }

    /// The folder that git looks for this repository's hooks in, whether it is there or not: `core.hooksPath` of whichever
    /// settings count, else its own. None of them is run here.
    #[must_use]
    pub fn hooks_folder(&self) -> PathBuf {
        // Hooks run at the top of the work tree.
        let from = self.places.worktree.as_ref().unwrap_or(&self.places.git_dir);
        match &self.settings.hooks {
            Some(folder) => from.join(folder),
            None => self.places.common_dir.join("hooks"),
        }
    }

    /// Which hash it names its objects by.
    #[must_use]
    pub fn format(&self) -> Format {
        self.settings.format
    }

    /// Whether it has only a part of its history or of its objects.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.settings.partial || self.view.folder().join("shallow").exists()
    }

    /// The folders that are read and don't lie below `folder`: those of a work tree's or a submodule's repository, those
    /// whose objects it borrows, and whatever somebody put there to have it looked at. Whoever asks for another decides
    /// whether that one may read them.
    #[must_use]
    pub fn outside(&self, folder: &Path) -> Vec<&Path> {
        let folder = gate_os::files::real_path(folder).unwrap_or_else(|_| folder.to_owned());
        let Places { worktree, git_dir, common_dir, objects, .. } = &self.places;
        let all = worktree.iter().chain([git_dir, common_dir]).chain(objects);
        let outside: BTreeSet<&Path> = all.map(PathBuf::as_path).filter(|path| !path.starts_with(&folder)).collect();
        outside.into_iter().collect()
    }

    /// The whole name of a commit. Of references that share a short name git takes a tag before a branch, and whoever may
    /// push only tags would say what a branch is: such a name is refused.
    ///
    /// # Errors
    /// [`Error::UnknownRevision`], [`Error::AmbiguousRevision`].
    pub async fn resolve(&self, revision: &Revision) -> Result<Oid, Error> {
        let name = revision.as_str();
        let short = name.split(['^', '~', '@', ':']).next().unwrap_or_default();
        if self.references(short).await? > 1 {
            return Err(Error::AmbiguousRevision { name: short.to_owned() });
        }
        match self.named(&format!("{name}^{{commit}}"), self.until()).await {
            Ok(Some(oid)) => Ok(oid),
            // Git fails in this way where the name can't be one, too.
            Ok(None) | Err(Error::Git { .. }) => Err(Error::UnknownRevision { name: name.to_owned() }),
            Err(error) => Err(error),
        }
    }

    /// The full name of the reference that a name means, as `refs/heads/main` of `HEAD`, `@{upstream}` or `main`; absent
    /// where it means a commit in another way: by an object's name, `main~0`, or `HEAD` where no branch is checked out.
    ///
    /// # Errors
    /// Where git can't say it.
    pub async fn reference(&self, revision: &Revision) -> Result<Option<String>, Error> {
        let git_dir = &self.places.git_dir;
        let name = revision.as_str();
        let arguments = ["rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options", name];
        let call = Call::new(&arguments, git_dir).with("GIT_DIR", git_dir.as_os_str());
        let said = self.git.run(call, self.until()).await?;
        let full = std::str::from_utf8(said.output.trim_ascii_end()).ok().filter(|full| full.starts_with("refs/"));
        match (said.good, said.code) {
            (true, _) => Ok(full.map(str::to_owned)),
            (false, Some(1)) => Ok(None),
            _ => Err(said.failure()),
        }
    }

    /// How many references a short name may mean.
    async fn references(&self, short: &str) -> Result<usize, Error> {
        if matches!(short, "" | "HEAD") || short.starts_with("refs/") {
            return Ok(0);
        }
        // Git's own places (gitrevisions(7), *refname*).
        let mut places = ["", "tags/", "heads/", "remotes/"].map(|place| format!("refs/{place}{short}")).to_vec();
        places.push(format!("refs/remotes/{short}/HEAD"));
        let mut arguments = vec!["for-each-ref", "--format=%(refname)", "--"];
        arguments.extend(places.iter().map(String::as_str));
        let git_dir = &self.places.git_dir;
        let call = Call::new(&arguments, git_dir).most(REFERENCES_BYTES);
        let said = self.git.run(call.with("GIT_DIR", git_dir.as_os_str()), self.until()).await?;
        if !said.good {
            return Err(said.failure());
        }
        let found: BTreeSet<&[u8]> = said.output.split(|byte| *byte == b'\n').collect();
        // As a beginning it finds those below it, too.
        Ok(places.iter().filter(|place| found.contains(place.as_bytes())).count())
    }

    /// What a name names, where there is such a thing. Only here, in [`Self::reference`] and [`Self::references`], and where its settings are read, does git run in
    /// the repository itself: it reads settings and references, and runs nothing that they name.
    pub(crate) async fn named(&self, name: &str, until: Until) -> Result<Option<Oid>, Error> {
        let git_dir = &self.places.git_dir;
        let call = Call::new(&["rev-parse", "--verify", "--quiet", "--end-of-options", name], git_dir);
        let said = self.git.run(call.with("GIT_DIR", git_dir.as_os_str()), until).await?;
        let oid = Oid::of_bytes(said.output.trim_ascii_end()).filter(|oid| oid.format() == self.format());
        match (said.good, oid, said.code) {
            (true, Some(oid), _) => Ok(Some(oid)),
            (false, _, Some(1)) => Ok(None),
            _ => Err(said.failure()),
        }
    }

    /// The index that counts.
    pub(crate) fn index(&self) -> PathBuf {
        self.index.clone().unwrap_or_else(|| self.places.git_dir.join("index"))
    }

    /// The time that one question has.
    pub(crate) fn until(&self) -> Until {
        Until::after(Duration::from_secs(SECONDS))
    }

    /// A run of git that sees the repository's objects, in a directory of ours.
    pub(crate) fn look<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Call {
        self.seen_from(self.view.call(arguments))
    }

    /// Lets a run of git see the repository's objects, too.
    pub(crate) fn seen_from(&self, call: Call) -> Call {
        match self.places.objects.first() {
            Some(objects) => call.with("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(objects)),
            None => call,
        }
    }

    /// Runs it, and takes what it wrote.
    pub(crate) async fn output(&self, call: Call, until: Until) -> Result<Vec<u8>, Error> {
        self.git.run(call, until).await?.output()
    }

    /// What it wrote; a lack of objects is said to be that.
    pub(crate) fn lacking(&self, said: Said) -> Result<Vec<u8>, Error> {
        if said.good {
            return Ok(said.output);
        }
        let words = said.words.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_ascii_hexdigit()));
        match words.rev().find_map(Oid::parse) {
            Some(oid) => Err(Error::Missing { oid, cut: self.is_cut() }),
            None => Err(said.failure()),
        }
    }
}
