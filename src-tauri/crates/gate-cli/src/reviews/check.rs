//! `review-gate reviews check`: whether what is staged, or a commit, is exactly what a review has approved. The gate says
//! what was approved; whether this is that, is found out here, in the repository as it is for whoever asks.

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::Args;
use gate_api::subjects::reviews::{ApprovedReview, ListApprovedReviews};
use gate_app::approved_change::{self, ApprovedChange, Beside};
use gate_core::Fault;
use gate_core::proposal::ApprovedBy;
use gate_git::{Objects, Options, Outcome, RepoPath, Revision, Snapshot, What};
use gate_link::Home;

use super::signed;
use super::told::{How, Refusal, Told};
use crate::client::Client;
use crate::{agents, exit, output, verify};

#[derive(Debug, Args)]
#[command(
    after_help = "It is approved where one review has approved it: the same files with the same contents before and
after, or the same patch on another base, and nothing beside. The review has to be approved still, or closed as applied;
where it took you, your approval has to count by its receipt, as for `review-gate verify`, and to be of this very round. A review whose round was
replaced, that was rejected, given up or superseded, approves nothing. What several reviews have approved is committed
in as many commits.

It asks the running gate, and starts one where none runs. In a sandbox of `review-gate run` no gate is reached, so nothing
is approved there. `review-gate install git --reviews` has it run before each commit of an agent's.

Exit codes: 0 approved, or nothing is changed; 1 not approved; 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate reviews check                 the commit that is checked out, against its first parent
  review-gate reviews check --staged        what `git commit` would commit
  review-gate reviews check HEAD~1 --json | jq -r '.problem.message'"
)]
pub(super) struct CheckArguments {
    /// A commit, against its first parent; HEAD where there is none
    #[arg(value_name = "COMMIT")]
    commit: Option<String>,
    /// What `git commit` would commit now
    #[arg(long, conflicts_with = "commit")]
    staged: bool,
    /// Look only where an agent is above this process; else all is good
    #[arg(long)]
    only_agents: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(home: &Home, arguments: &CheckArguments) -> Result<ExitCode, Fault> {
    // Whoever is in a sandbox is an agent, or below one.
    if arguments.only_agents && !Home::is_in_a_sandbox() && !agents::is_above(home).await {
        return Ok(ExitCode::from(exit::DONE));
    }
    let told = check(home, arguments).await?;
    let good = told.is_good();
    if arguments.json {
        output::json(&told.json())?;
    } else {
        let print: fn(&str) = if good { output::line } else { output::aside };
        told.lines().iter().for_each(|line| print(line));
    }
    Ok(ExitCode::from(if good { exit::DONE } else { exit::NOT_APPROVED }))
}

async fn check(home: &Home, arguments: &CheckArguments) -> Result<Told, Fault> {
    let folder = verify::here()?;
    let (git, mut repository, scratch) = verify::open_with_git(&folder).await?;
    let (what, named) = match (&arguments.commit, arguments.staged) {
        (_, true) => {
            repository = verify::being_committed(repository, &folder)?;
            (What::Staged, "what is staged".to_owned())
        }
        (commit, false) => {
            let revision: Revision = commit.as_deref().unwrap_or("HEAD").parse()?;
            (What::Commit(revision.clone()), format!("commit {}", revision.as_str()))
        }
    };
    let keep = Objects::create(&git, &scratch.path().join("kept"), repository.format()).await?;
    let snapshot = repository.snapshot(&what, None, &keep, &Options::default()).await?;
    let told = |verdict| Told::new(named, &snapshot, verdict);
    if snapshot.files.is_empty() {
        return Ok(told(Ok((How::Unchanged, None))));
    }
    let asked = ListApprovedReviews {
        folder: repository.worktree().unwrap_or(&folder).to_string_lossy().into_owned(),
        paths: paths(&snapshot).into_iter().collect(),
    };
    let results = Client::started(home).await?.ask(asked).await?.results;
    let mut refused: Option<(Refusal, ApprovedReview)> = None;
    let beside = Beside { repository: &repository, snapshot: &snapshot, keep: &keep };
    for result in results {
        let change = ApprovedChange {
            files: &result.files,
            fits: result.fits,
            base: result.base.as_deref(),
            diff: result.diff.as_deref(),
        };
        let refusal = match approved_change::outcome(change, beside).await? {
            Outcome::Exact => match flaw(home, &result).await? {
                None => return Ok(told(Ok((How::Exact, Some(result))))),
                Some(why) => Refusal::Person(why),
            },
            Outcome::Equivalent => match flaw(home, &result).await? {
                None => return Ok(told(Ok((How::Equivalent, Some(result))))),
                Some(why) => Refusal::Person(why),
            },
            Outcome::Unchecked { paths } => Refusal::Filtered(shown(&paths)),
            Outcome::Differs { paths, extra } => Refusal::Differs { paths: shown(&paths), extra: shown(&extra) },
            Outcome::Missing => continue,
        };
        // What comes nearest is told: it is the first of the best kind.
        if refused.as_ref().is_none_or(|(known, _)| refusal.nearness() > known.nearness()) {
            refused = Some((refusal, result));
        }
    }
    Ok(told(Err(refused.map(|(refusal, result)| (refusal, Box::new(result))))))
}

/// Why the person's part of an approval doesn't count, where it rests on theirs: their receipt has to count, and to be of
/// just this.
async fn flaw(home: &Home, result: &ApprovedReview) -> Result<Option<String>, Fault> {
    match (result.approved_by, result.need.person, result.receipt) {
        (ApprovedBy::Person, _, Some(receipt)) => match signed::digest(result) {
            Ok(manifest) => verify::flaw_of(home, receipt, manifest).await,
            Err(why) => Ok(Some(why)),
        },
        (ApprovedBy::Person, _, None) => Ok(Some("Your approval has no receipt.".to_owned())),
        (ApprovedBy::Agent, true, _) => Ok(Some("It needs you, and only agents have approved it.".to_owned())),
        (ApprovedBy::Agent, false, _) => Ok(None),
    }
}

/// The files that change, of a renamed one both paths.
fn paths(snapshot: &Snapshot) -> BTreeSet<String> {
    let both = snapshot.files.iter().flat_map(|change| change.old_path.iter().chain([&change.path]));
    both.map(|path| String::from_utf8_lossy(path.as_bytes()).into_owned()).collect()
}

fn shown(paths: &[RepoPath]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}
