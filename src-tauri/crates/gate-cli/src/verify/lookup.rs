//! What is asked for, found in the repository of the current folder or among the receipts alone.
//!
//! Opens git and the repository; whether it was approved is the judge's to say.

use std::path::{Path, PathBuf};

use gate_core::{Code, Digest, Fault};
use gate_git::{Git, Owners, Person, Repository};
use gate_receipts::{Approval, Joined, Oid, Receipts as _};
use tempfile::TempDir;

use super::asking::Asking;
use super::judge::{How, Judge, Looked, RangeVerdict, Refusal, Verdict, resolved};
use super::no_tree;
use super::pushed::Pushed;
use super::source::Approvals;
use super::words::Said;

/// The index that git names while a hook runs.
const INDEX: &str = "GIT_INDEX_FILE";

/// What is asked for, in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    Staged,
    Commit(String),
    Range(String, String),
}

impl What {
    /// A commit, `HEAD` where none is named, or a range.
    ///
    /// # Errors
    /// `invalid_input` for what is neither.
    pub(super) fn of(text: Option<&str>) -> Result<Self, Fault> {
        match text.unwrap_or("HEAD") {
            text if !text.contains("..") => Ok(Self::Commit(text.to_owned())),
            text => match text.parse::<gate_git::What>()? {
                gate_git::What::Range(from, to) => Ok(Self::Range(from.to_string(), to.to_string())),
                _ => Ok(Self::Commit(text.to_owned())),
            },
        }
    }
}

/// The repository of the current folder, and the receipts.
pub(super) struct Lookup<'a> {
    approvals: &'a Approvals,
    /// The gate that is asked instead, from within a sandbox.
    gate: Option<&'a Asking>,
    repository: Repository,
    rebased: bool,
    protected: Option<gate_git::Oid>,
    /// Held for as long as git may write into it.
    _scratch: TempDir,
}

/// The repository that a folder is in, as `verify` and hooks see it, and a folder that is to be kept as long as it.
///
/// # Errors
/// Where there is no git, or the folder isn't in a repository of this user's.
pub(crate) async fn open(folder: &Path) -> Result<(Repository, TempDir), Fault> {
    let (_, repository, scratch) = open_with_git(folder).await?;
    Ok((repository, scratch))
}

/// The same with the program git, for whoever keeps objects.
///
/// # Errors
/// As [`open`].
pub(crate) async fn open_with_git(folder: &Path) -> Result<(Git, Repository, TempDir), Fault> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = Git::find(&path).unwrap_or_else(|| PathBuf::from("/usr/bin/git"));
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let person = Person { home: variable("HOME"), config_home: variable("XDG_CONFIG_HOME") };
    let scratch = tempfile::Builder::new().prefix("review-gate-").tempdir().map_err(|error| {
        Fault::new(
            Code::ReadOnly,
            format!("No temporary folder can be made: {error}."),
            "Make room in the system's folder for temporary files, or name another in TMPDIR.",
        )
    })?;
    let git = Git::new(&program, person, scratch.path()).await?;
    let repository = Repository::open(&git, folder, Owners::Me).await?;
    Ok((git, repository, scratch))
}

/// A repository with the index of what is being committed, where a hook runs in this folder.
///
/// # Errors
/// `repository` where another index than one of this repository's is named: it says nothing of a commit here.
pub(crate) fn being_committed(repository: Repository, folder: &Path) -> Result<Repository, Fault> {
    match std::env::var_os(INDEX).filter(|index| !index.is_empty()) {
        Some(index) => {
            let index = own_index(repository.git_dir(), &folder.join(index))?;
            Ok(repository.with_index(&index))
        }
        None => Ok(repository),
    }
}

/// An index as git names it while it commits: it lies beside the work tree's own, which may not be there yet.
fn own_index(git_dir: &Path, named: &Path) -> Result<PathBuf, Fault> {
    let real = |path: &Path| gate_os::files::real_path(path).ok();
    let whole = || real(named).or_else(|| Some(real(named.parent()?)?.join(named.file_name()?)));
    let is_own = |index: &PathBuf| index.parent().is_some_and(|folder| Some(folder) == real(git_dir).as_deref());
    whole().filter(is_own).ok_or_else(|| {
        Fault::new(
            Code::Repository,
            format!(
                "{INDEX} names {}, which is no index of this repository's, in {}.",
                named.display(),
                git_dir.display()
            ),
            format!("Commit without setting {INDEX}: whatever is in another index isn't what stands here."),
        )
    })
}

/// The folder that this process is in.
///
/// # Errors
/// Where it is gone.
pub(crate) fn here() -> Result<PathBuf, Fault> {
    std::env::current_dir().map_err(|error| {
        Fault::new(
            Code::UnreadableFile,
            format!("The current folder can't be read: {error}."),
            "Run it in a folder of the repository.",
        )
    })
}

/// A receipt by its whole name; absent where there is none of it.
///
/// # Errors
/// When the log can't be read.
pub(super) fn receipt(approvals: &Approvals, text: &str) -> Result<Option<Said>, Fault> {
    let Ok(id) = text.parse::<Digest>() else { return Ok(None) };
    let Some(found) = approvals.source().receipt(id)? else { return Ok(None) };
    let looked = found.decided.content.git.clone();
    let looked = looked.map(|git| Looked { commit: None, tree: git.tree, base: Some(git.base) });
    let verdict = match approvals.judged(&found, false) {
        Ok(level) => Verdict::Good(How::AsShown, vec![Approval { found, level }]),
        Err(flaw) => Verdict::Not(Refusal::Receipts(Joined::Flawed(Box::new(found), flaw))),
    };
    let what = format!("receipt {}", id.beginning());
    Ok(Some(Said { what, looked, verdict, commits: None, require: approvals.require() }))
}

/// A tree by its name, without a repository.
///
/// # Errors
/// `invalid_input` for what is no name of one, and when the log can't be read or the gate not be asked.
pub(super) async fn tree(
    approvals: &Approvals,
    gate: Option<&Asking>,
    text: &str,
    base: Option<&str>,
) -> Result<Said, Fault> {
    let named = |text: &str| Oid::try_from(text.to_owned()).map_err(|_| no_tree(text));
    let tree = named(text)?;
    let base = base.map(named).transpose()?;
    if let Some(gate) = gate {
        let Some(base) = base else {
            return Err(Fault::new(
                Code::InvalidInput,
                "In a sandbox a tree is asked for together with the one that it was shown on.",
                "Name that with --base, or name a commit.",
            ));
        };
        let verdict = gate.answer(std::slice::from_ref(&base), &tree, false).await?.into();
        let looked = Some(Looked { commit: None, tree, base: Some(base) });
        return Ok(Said { what: "the tree".to_owned(), looked, verdict, commits: None, require: approvals.require() });
    }
    let joined = match &base {
        Some(base) => approvals.joined(std::slice::from_ref(base), &tree, false)?,
        None => {
            let (mut joined, all) = (Joined::Nothing, approvals.source().of_tree(&tree)?);
            // The latest comes first, and is what is told where none counts.
            for found in all.into_iter().rev() {
                joined = match (approvals.judged(&found, false), joined) {
                    (Ok(level), _) => Joined::By(vec![Approval { found, level }]),
                    (Err(_), good @ Joined::By(_)) => good,
                    (Err(flaw), _) => Joined::Flawed(Box::new(found), flaw),
                };
            }
            joined
        }
    };
    let verdict = match joined {
        Joined::By(receipts) => Verdict::Good(if receipts.len() == 1 { How::AsShown } else { How::Joined }, receipts),
        joined => Verdict::Not(Refusal::Receipts(joined)),
    };
    let looked = Some(Looked { commit: None, tree, base });
    Ok(Said { what: "the tree".to_owned(), looked, verdict, commits: None, require: approvals.require() })
}

impl<'a> Lookup<'a> {
    /// Of the repository that the current folder is in; `staged` says whether what is being committed is looked at.
    ///
    /// # Errors
    /// Where there is no repository, or no such branch.
    pub(super) async fn here(
        approvals: &'a Approvals,
        gate: Option<&'a Asking>,
        rebased: bool,
        protected: Option<&str>,
        staged: bool,
    ) -> Result<Self, Fault> {
        let folder = here()?;
        let (mut repository, scratch) = open(&folder).await?;
        if staged {
            repository = being_committed(repository, &folder)?;
        }
        let protected = match protected {
            Some(branch) => Some(resolved(&repository, branch).await?),
            None => None,
        };
        Ok(Self { approvals, gate, repository, rebased, protected, _scratch: scratch })
    }

    pub(super) fn repository(&self) -> &Repository {
        &self.repository
    }

    /// The protected branch's last commit, where one is named.
    pub(super) fn protected(&self) -> Option<&gate_git::Oid> {
        self.protected.as_ref()
    }

    /// The approvals by which a commit counts. Where it doesn't by itself, those of its tree: it may be the last of
    /// several that were shown at once.
    ///
    /// # Errors
    /// Where the repository or the log can't be read.
    pub(super) async fn leading_to(&self, commit: &gate_git::Oid) -> Result<Vec<Approval>, Fault> {
        let (looked, verdict) = self.judge().commit(commit).await?;
        match verdict {
            Verdict::Good(_, receipts) if !receipts.is_empty() => Ok(receipts),
            _ => {
                let all = self.approvals.source().of_tree(&looked.tree)?.into_iter();
                let counts = |found| self.approvals.judged(&found, false).ok().map(|level| Approval { found, level });
                Ok(all.filter_map(counts).collect())
            }
        }
    }

    fn judge(&self) -> Judge<'_> {
        Judge::new(&self.repository, self.approvals, self.gate, self.rebased, self.protected.clone())
    }

    fn said(&self, what: String, looked: Looked, verdict: Verdict, commits: Option<(usize, usize)>) -> Said {
        Said { what, looked: Some(looked), verdict, commits, require: self.approvals.require() }
    }

    /// # Errors
    /// Where the repository or the log can't be read.
    pub(super) async fn look(&self, what: &What) -> Result<Said, Fault> {
        match what {
            What::Staged => {
                let (looked, verdict) = self.judge().staged().await?;
                Ok(self.said("what is staged".to_owned(), looked, verdict, None))
            }
            What::Commit(text) => {
                let commit = resolved(&self.repository, text).await?;
                let (looked, verdict) = self.judge().commit(&commit).await?;
                Ok(self.said(format!("commit {}", short(&commit)), looked, verdict, None))
            }
            What::Range(from, to) => {
                let (from, to) = (resolved(&self.repository, from).await?, resolved(&self.repository, to).await?);
                self.range(Some(&from), &to).await
            }
        }
    }

    async fn range(&self, from: Option<&gate_git::Oid>, to: &gate_git::Oid) -> Result<Said, Fault> {
        let RangeVerdict { looked, verdict, commits, within } = self.judge().range(from, to).await?;
        let range = match from {
            Some(from) => format!("{}..{}", short(from), short(to)),
            None => format!("all up to {}", short(to)),
        };
        let what = match (&verdict, &looked.commit) {
            (Verdict::Not(_), Some(commit)) => format!("commit {} of {range}", short(commit)),
            _ => range,
        };
        Ok(self.said(what, looked, verdict, Some((commits, within))))
    }

    /// What a reference on a remote gets that it hasn't got. A new one is looked at beside what the remote is known to
    /// have.
    ///
    /// # Errors
    /// As [`Self::look`], and where what the remote has isn't here.
    pub(super) async fn pushed(&self, pushed: &Pushed, remote: &str) -> Result<Said, Fault> {
        let to = resolved(&self.repository, &pushed.local).await?;
        let from = match &pushed.remote {
            Some(there) => Some(resolved(&self.repository, there).await.map_err(|_| not_here(there))?),
            None => self.known_of(remote).await,
        };
        self.range(from.as_ref(), &to).await
    }

    /// The last commit that a remote is known to have in its main branch.
    async fn known_of(&self, remote: &str) -> Option<gate_git::Oid> {
        if let Some(protected) = &self.protected {
            return Some(protected.clone());
        }
        for branch in ["HEAD", "main", "master"] {
            if let Ok(oid) = resolved(&self.repository, &format!("refs/remotes/{remote}/{branch}")).await {
                return Some(oid);
            }
        }
        None
    }
}

fn not_here(oid: &str) -> Fault {
    Fault::new(
        Code::Repository,
        format!("The remote's {oid} isn't in this repository: somebody else has pushed."),
        "Run `git fetch` first.",
    )
}

/// As much of a name as a person compares.
fn short(oid: &gate_git::Oid) -> &str {
    oid.as_str().get(..12).unwrap_or(oid.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_one_beside_the_repositorys_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let git_dir = folder.path().join(".git");
        std::fs::create_dir_all(git_dir.join("worktrees/w")).expect("a folder");
        for path in ["index", "index.lock", "worktrees/w/index"] {
            std::fs::write(git_dir.join(path), "").expect("a file");
        }
        std::fs::write(folder.path().join("index"), "").expect("a file");
        for own in ["index", "index.lock", "next-index-7.lock", "../.git/index"] {
            assert!(own_index(&git_dir, &git_dir.join(own)).is_ok(), "git commits from {own}");
        }
        for other in ["worktrees/w/index", "../index", "../none", "none/index", "/"] {
            let refused = own_index(&git_dir, &git_dir.join(other)).expect_err(other);
            assert!(refused.code == Code::Repository && refused.message.contains("GIT_INDEX_FILE"), "{refused}");
        }
        let worktree = git_dir.join("worktrees/w");
        assert!(own_index(&worktree, &worktree.join("index")).is_ok(), "of a linked work tree, its own");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("index"), git_dir.join("link")).expect("a link");
            assert!(own_index(&git_dir, &git_dir.join("link")).is_err(), "a link leads elsewhere");
        }
    }
}
