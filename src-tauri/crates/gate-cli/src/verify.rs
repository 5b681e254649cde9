//! `review-gate verify`: whether what git holds was approved by the person.
//!
//! Reads the log of receipts and the repository itself: it needs no gate, believes none, and uses nothing up.

mod approvals;
mod judge;
mod lookup;
mod pushed;
mod words;

use std::process::ExitCode;

use clap::Args;
use gate_core::{Code, Fault};
use gate_link::Home;
use gate_receipts::{Chain, Level, Problem, Report};

use crate::{agents, exit, output};
use approvals::Approvals;
use lookup::{Lookup, What};
pub(crate) use lookup::{here, open};
use words::Said;
pub(crate) use words::given;

/// Most problems of a log that are told.
const PROBLEMS: usize = 3;

#[derive(Debug, Args)]
#[command(after_help = "An approval is good for exactly the tree that was shown, on exactly the one that it was shown
on: the same tree on a newer base would undo what others did there. It is good from the end of the time in which it can be
taken back, and for 30 days; what the branch of --protected has doesn't expire. Commits of a range need
approvals that join. A merge is good where git makes it again by itself, of parents that were approved or that
the branch of --protected has.

It reads the log of receipts in the gate's home, and runs no program of the repository's. What a process of your
own user has written there can't be told from what the gate has (L1): see docs/ci.md for what counts elsewhere.

Exit codes: 0 approved; 1 not approved; 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate verify                        the commit that is checked out
  review-gate verify --staged               what `git commit` would commit
  review-gate verify origin/main..HEAD      all that isn't there yet
  review-gate verify HEAD --rebased         the same patch, on another base
  review-gate verify 4f1c…                  a receipt, by its whole name
  review-gate verify --json | jq -r '.problem.message'")]
pub(crate) struct VerifyArguments {
    /// A commit, a range A..B, or a receipt; HEAD where there is none
    #[arg(value_name = "COMMIT | A..B | RECEIPT")]
    what: Option<String>,
    /// What `git commit` would commit now
    #[arg(long, conflicts_with = "what")]
    staged: bool,
    /// A tree by its whole name, in whatever commit it is
    #[arg(long, value_name = "TREE", conflicts_with_all = ["what", "staged"])]
    tree: Option<String>,
    /// With --tree: the tree that it has to have been shown on
    #[arg(long, value_name = "TREE", requires = "tree")]
    base: Option<String>,
    /// What git tells a pre-push hook on standard input, of this remote
    #[arg(long, value_name = "REMOTE", conflicts_with_all = ["what", "staged", "tree"])]
    pushed: Option<String>,
    /// How sure the approval has to be
    #[arg(long, value_name = "LEVEL", default_value = "L1")]
    require: Required,
    /// Take the same patch on another base, too
    #[arg(long)]
    rebased: bool,
    /// The branch whose commits count as they are, e.g. origin/main
    #[arg(long, value_name = "BRANCH")]
    protected: Option<String>,
    /// Look only where an agent is above this process; else all is good
    #[arg(long)]
    only_agents: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How sure an approval has to be.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Required {
    /// Anybody's, a script's among them
    #[value(name = "L0")]
    L0,
    /// A person's who was shown it
    #[value(name = "L1")]
    L1,
    /// Confirmed to the system
    #[value(name = "L2")]
    L2,
    /// By a touch of a security key
    #[value(name = "L3")]
    L3,
}

impl From<Required> for Level {
    fn from(required: Required) -> Self {
        match required {
            Required::L0 => Self::L0,
            Required::L1 => Self::L1,
            Required::L2 => Self::L2,
            Required::L3 => Self::L3,
        }
    }
}

pub(crate) async fn run(home: &Home, arguments: VerifyArguments) -> Result<ExitCode, Fault> {
    if arguments.only_agents && !agents::is_above(home).await {
        return Ok(ExitCode::from(exit::DONE));
    }
    let chain = Chain::read(home.data_folder(), None, &[])?;
    let report = chain.report().clone();
    let approvals = Approvals::new(chain, output::now(), arguments.require.into());
    let is_list = arguments.pushed.is_some();
    let all = looked(&approvals, &arguments).await?;
    let good = all.iter().all(Said::is_good);
    if arguments.json {
        let mut values: Vec<_> = all.iter().map(Said::json).collect();
        match (is_list, values.pop()) {
            (false, Some(one)) => output::json(&one)?,
            (_, last) => {
                values.extend(last);
                output::json(&values)?;
            }
        }
    } else {
        for said in &all {
            let print: fn(&str) = if said.is_good() { output::line } else { output::aside };
            said.lines(output::clock).iter().for_each(|line| print(line));
        }
        if is_list && all.is_empty() {
            output::line("Nothing is pushed that has to be approved.");
        }
        remarks(&report, good).iter().for_each(|line| output::aside(line));
    }
    Ok(ExitCode::from(if good { exit::DONE } else { exit::NOT_APPROVED }))
}

async fn looked(approvals: &Approvals, arguments: &VerifyArguments) -> Result<Vec<Said>, Fault> {
    if let Some(tree) = &arguments.tree {
        return Ok(vec![lookup::tree(approvals, tree, arguments.base.as_deref())?]);
    }
    let what = match (&arguments.what, arguments.staged) {
        (_, true) => What::Staged,
        (None, false) => What::Commit("HEAD".to_owned()),
        (Some(text), false) => match range(text)? {
            Some(range) => range,
            None => match lookup::receipt(approvals, text)? {
                Some(said) => return Ok(vec![said]),
                None => What::Commit(text.clone()),
            },
        },
    };
    let lookup = Lookup::here(approvals, arguments.rebased, arguments.protected.as_deref(), arguments.staged).await?;
    match &arguments.pushed {
        Some(remote) => {
            let mut all = Vec::new();
            for pushed in pushed::read(std::io::stdin().lock())? {
                all.push(lookup.pushed(&pushed, remote).await?);
            }
            Ok(all)
        }
        None => Ok(vec![lookup.look(&what).await?]),
    }
}

/// A range, where the text is one.
fn range(text: &str) -> Result<Option<What>, Fault> {
    if !text.contains("..") {
        return Ok(None);
    }
    match text.parse::<gate_git::What>()? {
        gate_git::What::Range(from, to) => Ok(Some(What::Range(from.to_string(), to.to_string()))),
        _ => Ok(None),
    }
}

/// What else has to be said of the log.
fn remarks(report: &Report, good: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    if report.lines == 0 && !good {
        remarks.push(
            "This home has no receipts yet. Of another one they count where REVIEW_GATE_HOME names it.".to_owned(),
        );
    }
    for problem in report.problems.iter().take(PROBLEMS) {
        let Problem { line, wrong } = problem;
        remarks.push(format!(
            "The log of receipts is damaged, line {line}: {wrong}. The gate sets it aside when it next looks at it."
        ));
    }
    for name in report.lost.iter().take(PROBLEMS) {
        remarks.push(format!("{name}, which was set aside, isn't there any more as it was: its receipts don't count."));
    }
    remarks
}

/// The text isn't the whole name of an object of git's.
fn no_tree(text: &str) -> Fault {
    Fault::new(
        Code::InvalidInput,
        format!("{text:?} is no tree: a name of git's has 40 or 64 digits."),
        "Give the whole name, as `git rev-parse HEAD^{tree}` prints it.",
    )
}
