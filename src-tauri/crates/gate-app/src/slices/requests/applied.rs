//! Results that reviews approved, looked for in a repository once they are said to be applied. Nothing there is run or
//! changed.

use gate_core::Fault;
use gate_core::proposal::{AppliedAs, ApprovedResult, Fits, ResultApplied, WasApplied, bounds};
use gate_git::{
    Applied, Error, Objects, Options, Outcome, Proposal, RepoPath, Repository, Revision, Snapshot, Way, What,
};

use super::Requests;
use super::proposed::{in_time, read, text};
use crate::approved_change::{self, ApprovedChange, Beside};

/// How results lie in one place.
type Found = (Option<String>, Vec<ResultApplied>);

/// A repository that is looked at, and where what differs is kept.
#[derive(Clone, Copy)]
struct Looking<'a> {
    repository: &'a Repository,
    keep: &'a Objects,
}

impl Requests {
    /// How a round's approved results, each with its diff, lie in a commit; where none is named, in the last one or in the
    /// work tree, wherever they come nearest. What can't be looked at is `unchecked`.
    ///
    /// # Errors
    /// Where no commit has that name, or several things do.
    pub(crate) async fn look_for_applied(
        &self,
        repository: Option<&Repository>,
        results: &[(ApprovedResult, String)],
        commit: Option<&str>,
    ) -> Result<Option<WasApplied>, Fault> {
        let Some(round) = results.first().map(|(result, _)| result.round) else { return Ok(None) };
        let unchecked = || (None, results.iter().map(|(result, _)| just(result, AppliedAs::Unchecked)).collect());
        let (commit, results) = match repository {
            Some(repository) => {
                let commit = match commit {
                    Some(commit) => Some(repository.resolve(&commit.parse()?).await?.as_str().parse()?),
                    None => None,
                };
                in_time(self.looked_for(repository, results, commit.as_ref())).await.unwrap_or_else(|fault| {
                    tracing::warn!(%fault, "what was approved can't be looked for where it is said to be applied");
                    unchecked()
                })
            }
            None => unchecked(),
        };
        let found = results.iter().map(|result| result.found).min().unwrap_or(AppliedAs::Unchecked);
        Ok(Some(WasApplied { found, round, commit, results }))
    }

    async fn looked_for(
        &self,
        repository: &Repository,
        results: &[(ApprovedResult, String)],
        commit: Option<&Revision>,
    ) -> Result<Found, Fault> {
        let _turn = self.repositories.turns.acquire().await.map_err(|error| Fault::internal(error.to_string()))?;
        let new = self.repositories.new_folder("applied-").await?;
        let keep = Objects::create(self.repositories.git().await?, new.path(), repository.format()).await?;
        let looking = Looking { repository, keep: &keep };
        if let Some(commit) = commit {
            return looking.in_commit(results, commit).await;
        }
        let head = repository.resolve(&Revision::head()).await.ok();
        let last = head.filter(|head| !results.iter().any(|(result, _)| is_still(result, head.as_str())));
        let committed = match last {
            Some(head) => Some(looking.in_commit(results, &head.as_str().parse()?).await?),
            None => None,
        };
        let is_good = |found: &Found| nearest(found) <= AppliedAs::Equivalent;
        match committed {
            Some(found) if is_good(&found) || repository.worktree().is_none() => Ok(found),
            None if repository.worktree().is_none() => {
                Ok((None, results.iter().map(|(result, _)| just(result, AppliedAs::Missing)).collect()))
            }
            committed => {
                let lying = looking.in_files(results).await;
                match (committed, lying) {
                    (Some(committed), Ok(lying)) if nearest(&lying) < nearest(&committed) => Ok(lying),
                    // Files that can't be looked at say nothing against the commit.
                    (Some(committed), _) => Ok(committed),
                    (None, lying) => lying,
                }
            }
        }
    }
}

impl Looking<'_> {
    async fn in_commit(self, results: &[(ApprovedResult, String)], commit: &Revision) -> Result<Found, Fault> {
        let (what, options) = (What::Commit(commit.clone()), Options::default());
        let snapshot = self.repository.snapshot(&what, None, self.keep, &options).await?;
        let mut found = Vec::with_capacity(results.len());
        for (result, diff) in results {
            found.push(self.found(result, diff, &snapshot).await?);
        }
        Ok((snapshot.commit.map(|commit| commit.as_str().to_owned()), found))
    }

    /// In the files of the work tree. What else is changed there came with nothing.
    async fn in_files(self, results: &[(ApprovedResult, String)]) -> Result<Found, Fault> {
        let whole = self.repository.snapshot(&What::Worktree, None, self.keep, &Options::default()).await?;
        let mut found = Vec::with_capacity(results.len());
        for (result, diff) in results {
            let mut snapshot = whole.clone();
            snapshot.files.retain(|change| {
                let mut both = change.old_path.iter().chain([&change.path]);
                both.any(|path| names(result).any(|named| named.as_bytes() == path.as_bytes()))
            });
            found.push(self.found(result, diff, &snapshot).await?);
        }
        Ok((None, found))
    }

    async fn found(self, result: &ApprovedResult, diff: &str, snapshot: &Snapshot) -> Result<ResultApplied, Fault> {
        let checked = &result.checked;
        match checked.fits {
            Fits::Unchecked => return Ok(just(result, AppliedAs::Unchecked)),
            // Of what was there when it was proposed no commit tells the beginning: its contents are looked for.
            Fits::Applied | Fits::Worktree => return self.contents(result, diff, snapshot).await,
            Fits::Commit => {}
        }
        let (files, base) = (&*checked.files, checked.base.as_deref());
        let change = ApprovedChange { files, fits: checked.fits, base, diff: Some(diff) };
        let beside = Beside { repository: self.repository, snapshot, keep: self.keep };
        Ok(as_told(result, approved_change::outcome(change, beside).await?))
    }

    /// Whether the last commit or the files have what a diff that was applied already leads to.
    async fn contents(self, result: &ApprovedResult, diff: &str, snapshot: &Snapshot) -> Result<ResultApplied, Fault> {
        let head = self.repository.resolve(&Revision::head()).await.ok();
        if snapshot.commit.is_some() && snapshot.commit != head {
            return Ok(just(result, AppliedAs::Unchecked));
        }
        let proposal: Proposal = read(diff.as_bytes())?;
        let options = Options::default();
        let made = match self.repository.apply(&proposal, None, Applied::AlreadyApplied, self.keep, &options).await {
            Ok(made) => made,
            Err(Error::Unfit(_)) => {
                let paths = result.checked.files.iter().map(|file| RepoPath::new(file.path.as_str())).collect();
                return Ok(as_told(result, Outcome::Differs { paths, extra: Vec::new() }));
            }
            Err(error) => return Err(error.into()),
        };
        let same = |file: &gate_git::Touched| {
            let new = file.new.as_ref().map(|entry| entry.oid.as_str());
            result.checked.files.iter().any(|known| known.path == text(&file.path) && known.new.as_deref() == new)
        };
        Ok(match made.way {
            Way::Forward | Way::Worktree => just(result, AppliedAs::Missing),
            Way::WorktreeReverse if snapshot.commit.is_some() => just(result, AppliedAs::Missing),
            Way::Reverse | Way::WorktreeReverse if made.files.iter().all(same) => just(result, AppliedAs::Exact),
            Way::Reverse | Way::WorktreeReverse => just(result, AppliedAs::Equivalent),
        })
    }
}

/// Whether the last commit is the one that a result was proposed on: it isn't in that.
fn is_still(result: &ApprovedResult, head: &str) -> bool {
    result.checked.fits == Fits::Commit && result.checked.base.as_deref() == Some(head)
}

/// The files of a result, of a renamed one both names.
fn names(result: &ApprovedResult) -> impl Iterator<Item = &str> {
    result.checked.files.iter().flat_map(|file| file.old_path.as_deref().into_iter().chain([&*file.path]))
}

fn nearest((_, results): &Found) -> AppliedAs {
    results.iter().map(|result| result.found).min().unwrap_or(AppliedAs::Missing)
}

fn just(result: &ApprovedResult, found: AppliedAs) -> ResultApplied {
    ResultApplied { patch_id: result.patch_id, found, paths: Vec::new(), extra: Vec::new() }
}

fn as_told(result: &ApprovedResult, outcome: Outcome) -> ResultApplied {
    let shown = |paths: Vec<RepoPath>| paths.iter().take(bounds::APPLIED_PATHS).map(ToString::to_string).collect();
    let named = |found, paths, extra| ResultApplied { paths: shown(paths), extra: shown(extra), ..just(result, found) };
    match outcome {
        Outcome::Exact => just(result, AppliedAs::Exact),
        Outcome::Equivalent => just(result, AppliedAs::Equivalent),
        Outcome::Differs { paths, extra } => named(AppliedAs::Differs, paths, extra),
        Outcome::Missing => just(result, AppliedAs::Missing),
        Outcome::Unchecked { paths } => named(AppliedAs::Unchecked, paths, Vec::new()),
    }
}
