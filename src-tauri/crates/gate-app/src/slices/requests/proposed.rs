//! Diffs that agents propose, held against the repository of the folder that they work in. Nothing there is run or
//! changed.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gate_core::proposal::{Checked, Fits, ProposedFile, bounds as proposal_bounds};
use gate_core::{Code, Digest, Fault, Oid, QuestionGit, bounds};
use gate_git::{
    Application, Applied, Error, Mode, Objects, Options, Origin, Owners, Patch, Proposal, RepoPath, Repository,
    Revision, Span, Warning, Way,
};

use tempfile::TempDir;

use super::Requests;
use super::repository::{Repositories, of_its_own, unwritable};
use crate::work::blocking;

/// Most bytes of a file that is read on either side of a change.
const SIDE_BYTES: usize = 4 * 1024 * 1024;

/// A file's path, and what it holds before and after.
pub(crate) type Sides = (String, Option<Vec<u8>>, Option<Vec<u8>>);

/// A diff that was held against a repository.
#[derive(Debug)]
pub(crate) struct HeldAgainst {
    /// What was found.
    pub(crate) checked: Checked,
    /// The difference as git makes it of what it has before and after: what a person is shown.
    pub(crate) shown: Vec<u8>,
    /// The same in git's names, where it is of a commit; its manifest is for the caller to name.
    pub(crate) git: Option<QuestionGit>,
}

/// Whether a diff that was proposed before still stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It applies, or is applied.
    Stands,
    /// It is neither: in what way, and what to make it anew on.
    Stale(String),
}

impl Requests {
    /// The repository that a folder is in, by its common directory; absent where there is none that may be read.
    pub(crate) async fn repository_of(&self, folder: PathBuf) -> Option<String> {
        let repository = self.repository(&folder).await.ok()?;
        Some(repository.common_dir().to_string_lossy().into_owned())
    }

    /// The repository that a folder is in.
    ///
    /// # Errors
    /// Where there is none, or none that may be read.
    pub(crate) async fn repository(&self, folder: &Path) -> Result<Repository, Fault> {
        self.repositories.opened(folder).await
    }

    /// Holds a diff against a repository.
    ///
    /// # Errors
    /// `diff_conflict` where it fits in no way, `invalid_diff` where it can't be read, and what git says.
    pub(crate) async fn hold_against(
        &self,
        repository: &Repository,
        diff: &[u8],
        base: Option<&str>,
        is_applied: bool,
    ) -> Result<HeldAgainst, Fault> {
        let held = async {
            let proposal = read(diff)?;
            let base: Option<Revision> = base.map(str::parse::<Revision>).transpose()?;
            let _turn = self.repositories.turns.acquire().await.map_err(|error| Fault::internal(error.to_string()))?;
            let new = self.repositories.new_folder("held-").await?;
            let git = self.repositories.git().await?;
            let keep = Objects::create(git, new.path(), repository.format()).await?;
            let applied = if is_applied { Applied::AlreadyApplied } else { Applied::Proposed };
            let made = repository.apply(&proposal, base.as_ref(), applied, &keep, &Options::default()).await;
            let made = made.map_err(conflict)?;
            let common = repository.common_dir().to_string_lossy().into_owned();
            let top = repository.worktree().unwrap_or_else(|| repository.common_dir());
            let git = trees(&made, &top.to_string_lossy())?;
            Ok(HeldAgainst { checked: found(&made, common), shown: made.diff, git })
        };
        in_time(held).await
    }

    /// The files that a diff changes in the repository of a folder, each before and after; absent where it isn't there then,
    /// or can't be read.
    ///
    /// # Errors
    /// As [`Requests::hold_against`].
    pub(crate) async fn sides_of(&self, folder: &Path, diff: &[u8], base: Option<&str>) -> Result<Vec<Sides>, Fault> {
        let read = async {
            let proposal = read(diff)?;
            let base: Option<Revision> = base.map(str::parse::<Revision>).transpose()?;
            let _turn = self.repositories.turns.acquire().await.map_err(|error| Fault::internal(error.to_string()))?;
            let repository = self.repositories.opened(folder).await?;
            let git = self.repositories.git().await?;
            let new = self.repositories.new_folder("sides-").await?;
            let keep = Objects::create(git, new.path(), repository.format()).await?;
            let options = Options::default();
            let made = repository.apply(&proposal, base.as_ref(), Applied::AlreadyApplied, &keep, &options);
            let made = made.await.map_err(conflict)?;
            let mut sides = Vec::new();
            for file in &made.files {
                let (mut before, mut after) = (None, None);
                if let Some(entry) = &file.old {
                    before = keep.read(&entry.oid, SIDE_BYTES).await.ok();
                }
                if let Some(entry) = &file.new {
                    after = keep.read(&entry.oid, SIDE_BYTES).await.ok();
                }
                sides.push((text(&file.path), before, after));
            }
            Ok(sides)
        };
        in_time(read).await
    }

    /// Whether two diffs, each on a commit of the repository of a folder, are the same patch: paths, modes and every line of
    /// their hunks, wherever in a file it stands.
    ///
    /// # Errors
    /// As [`Requests::hold_against`].
    pub(crate) async fn is_same_patch(
        &self,
        folder: &Path,
        one: (&[u8], Option<&str>),
        other: (&[u8], Option<&str>),
    ) -> Result<bool, Fault> {
        let compared = async {
            let _turn = self.repositories.turns.acquire().await.map_err(|error| Fault::internal(error.to_string()))?;
            let repository = self.repositories.opened(folder).await?;
            let new = self.repositories.new_folder("same-").await?;
            let keep = Objects::create(self.repositories.git().await?, new.path(), repository.format()).await?;
            let mut patches = Vec::new();
            for (diff, base) in [one, other] {
                let (proposal, base) = (read(diff)?, base.map(str::parse::<Revision>).transpose()?);
                let options = Options::default();
                let made = repository.apply(&proposal, base.as_ref(), Applied::Proposed, &keep, &options).await;
                let made = made.map_err(conflict)?;
                patches.push((made.way == Way::Forward).then(|| Patch::of(&made.diff)).flatten());
            }
            Ok(patches[0].is_some() && patches[0] == patches[1])
        };
        in_time(compared).await
    }

    /// Whether a diff that was proposed before still applies in the repository of a folder, or is applied there.
    ///
    /// # Errors
    /// As [`Requests::hold_against`].
    pub(crate) async fn still_fits(&self, folder: &Path, diff: &[u8]) -> Result<Standing, Fault> {
        let fits = async {
            let proposal = read(diff)?;
            let _turn = self.repositories.turns.acquire().await.map_err(|error| Fault::internal(error.to_string()))?;
            let repository = self.repositories.opened(folder).await?;
            Ok(match repository.fits(&proposal, &Options::default()).await? {
                gate_git::Fits::Forward | gate_git::Fits::Reverse | gate_git::Fits::Worktree => Standing::Stands,
                gate_git::Fits::Neither(unfit) => Standing::Stale(unfit.to_string()),
            })
        };
        in_time(fits).await
    }
}

impl Repositories {
    /// A folder for objects that are needed for a moment.
    pub(super) async fn new_folder(&self, prefix: &'static str) -> Result<TempDir, Fault> {
        self.git().await?;
        let scratch = self.scratch();
        blocking(move || tempfile::Builder::new().prefix(prefix).tempdir_in(&scratch).map_err(unwritable)).await
    }

    /// The repository that a folder is in, which reads nothing of others'.
    async fn opened(&self, folder: &Path) -> Result<Repository, Fault> {
        let named = folder.to_owned();
        let folder = blocking(move || {
            std::fs::canonicalize(&named)
                .map_err(|error| Fault::of_file(error.kind(), format!("{}: {error}.", named.display())))
        });
        let folder = folder.await?;
        let repository = Repository::open(self.git().await?, &folder, Owners::Me).await?;
        of_its_own(&repository, &folder, &folder)?;
        Ok(repository)
    }
}

pub(super) async fn in_time<T>(work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let seconds = bounds::REPOSITORY_SECONDS;
    let done = tokio::time::timeout(Duration::from_secs(seconds), work).await;
    done.unwrap_or_else(|_| Err(Error::TooSlow { seconds }.into()))
}

/// Reads a diff.
pub(super) fn read(diff: &[u8]) -> Result<Proposal, Fault> {
    Proposal::read(diff, proposal_bounds::DIFF_FILES).map_err(|refused| {
        Fault::new(
            Code::InvalidDiff,
            format!("`diff` can't be taken: {refused}."),
            "Pass it as `git diff` writes it (`--binary` where it changes binary files), from the top of the repository.",
        )
    })
}

/// The fault of a diff that doesn't fit.
fn conflict(error: Error) -> Fault {
    let Error::Unfit(unfit) = &error else { return error.into() };
    let onto = unfit.head.as_ref().map_or_else(|| "what is there now".to_owned(), |head| head.to_string());
    Fault::new(
        Code::DiffConflict,
        format!("The diff doesn't apply: {unfit}."),
        format!("Make it anew on {onto} and submit it again: with review_id, where it is a review's next round."),
    )
}

/// The trees that a diff is between.
fn trees(made: &Application, top: &str) -> Result<Option<QuestionGit>, Fault> {
    let oid = |oid: &gate_git::Oid| Oid::try_from(oid.as_str().to_owned()).map_err(Fault::internal);
    let (Some(base_tree), Some(tree)) = (made.base_tree(), made.tree()) else { return Ok(None) };
    // What HEAD has already is on its parent, which isn't looked up here.
    let base = made.commit.as_ref().filter(|_| made.way == Way::Forward).map(oid).transpose()?;
    Ok(Some(QuestionGit {
        repository: top.to_owned(),
        what: "worktree".to_owned(),
        base,
        base_tree: oid(base_tree)?,
        commit: None,
        tree: oid(tree)?,
        manifest: Digest::of_bytes(b""),
    }))
}

fn found(made: &Application, repository: String) -> Checked {
    let files = made.files.iter().map(|file| {
        let from = file.from.as_ref().map(|(Origin::Renamed(path) | Origin::Copied(path))| text(path));
        ProposedFile {
            path: text(&file.path),
            old_path: from.filter(|from| *from != text(&file.path)),
            old_mode: file.old.as_ref().map(|entry| entry.mode.as_str().to_owned()),
            new_mode: file.new.as_ref().map(|entry| entry.mode.as_str().to_owned()),
            old: file.old.as_ref().map(|entry| entry.oid.as_str().to_owned()),
            new: file.new.as_ref().map(|entry| entry.oid.as_str().to_owned()),
            added: lines(&file.spans, |span| &span.new),
            removed: lines(&file.spans, |span| &span.old),
        }
    });
    Checked {
        fits: match made.way {
            Way::Forward => Fits::Commit,
            Way::Reverse => Fits::Applied,
            Way::Worktree | Way::WorktreeReverse => Fits::Worktree,
        },
        repository: Some(repository),
        base: match made.way {
            Way::Worktree | Way::WorktreeReverse => Some("worktree".to_owned()),
            Way::Forward | Way::Reverse => made.commit.as_ref().map(|commit| commit.as_str().to_owned()),
        },
        tree: made.tree().map(|tree| tree.as_str().to_owned()),
        files: files.collect(),
        warnings: made.warnings.iter().map(told).collect(),
    }
}

/// The files that a diff names, where there is nothing to hold it against: as git would read it.
///
/// # Errors
/// `invalid_diff` where it can't be read, or names what no diff may.
pub(crate) fn named_in(diff: &[u8]) -> Result<Vec<ProposedFile>, Fault> {
    let proposal = read(diff)?;
    let file = |file: &gate_git::ProposedFile| {
        let mode = |mode: Option<Mode>| mode.map(|mode| mode.as_str().to_owned());
        ProposedFile {
            path: text(&file.path),
            old_path: file.old_path().map(text).filter(|old| *old != text(&file.path)),
            old_mode: mode(file.old_mode),
            new_mode: mode(file.mode),
            old: None,
            new: None,
            added: lines(&file.spans, |span| &span.new),
            removed: lines(&file.spans, |span| &span.old),
        }
    };
    Ok(proposal.files().iter().map(file).collect())
}

/// How many lines change on one side.
fn lines(spans: &[Span], side: impl Fn(&Span) -> &Range<u32>) -> u32 {
    spans.iter().map(side).map(|lines| lines.end.saturating_sub(lines.start)).sum()
}

pub(super) fn text(path: &RepoPath) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}

/// What whoever decides is told besides what the diff shows at first sight.
fn told(warning: &Warning) -> String {
    match warning {
        Warning::Recounted => "its hunks counted their lines wrongly, and were counted anew".to_owned(),
        Warning::Link(path) => format!("{} is or was a symbolic link", text(path)),
        Warning::Submodule(path) => format!("{} is about a submodule", text(path)),
        Warning::Mode { path, old, new } => {
            let old = old.map_or("nothing", Mode::as_str);
            format!("the mode of {} changes from {old} to {}", text(path), new.as_str())
        }
        Warning::Attributes(path) => format!("{} says how files are stored and shown", text(path)),
    }
}
