//! `review-gate verify`: whether what git holds was approved by the person.
//!
//! Reads the log of receipts, how far the record says that it went, and the repository itself: it needs no gate, believes
//! none, and uses nothing up.

mod asking;
mod judge;
mod lookup;
mod noted;
mod pushed;
mod rules;
mod source;
mod words;

use std::process::ExitCode;

use clap::Args;
use gate_app::offline::known_receipts;
use gate_core::{Code, Digest, Fault};
use gate_link::Home;
use gate_receipts::{Chain, Level, Problem, Report};

use crate::{agents, exit, output};
use asking::Asking;
use lookup::{Lookup, What};
pub(crate) use lookup::{being_committed, here, open, open_with_git};
pub(crate) use noted::{print_keys, write as write_notes};
use source::{Approvals, Source};
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
own user has written there can't be told from what the gate has (L1). What the system confirmed (L2) counts on its own
machine, where its service, review-gated, is asked which key is its own. Where no home is, on a build server, --notes
reads signed receipts (L2, L3) beside the commits, which `review-gate receipts --notes` writes, and believes the keys
that the file .review-gate.json of the protected branch names: docs/ci.md. In a sandbox of `review-gate run` it asks the
gate, which says yes or no of what was asked about in this folder.

Exit codes: 0 approved; 1 not approved; 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate verify                        the commit that is checked out
  review-gate verify --staged               what `git commit` would commit
  review-gate verify origin/main..HEAD      all that isn't there yet
  review-gate verify HEAD --rebased         the same patch, on another base
  review-gate verify 4f1c…                  a receipt, by its whole name
  review-gate verify --notes --protected origin/main origin/main..HEAD   on a build server
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
    /// Take signed receipts from git's notes, and keys and rules from the protected branch, instead of a home's
    #[arg(long, requires = "protected", conflicts_with_all = ["staged", "tree", "pushed"])]
    notes: bool,
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
    // Whoever is in a sandbox is an agent, or below one.
    if arguments.only_agents && !Home::is_in_a_sandbox() && !agents::is_above(home).await {
        return Ok(ExitCode::from(exit::DONE));
    }
    let Believed { approvals, report, gate } = believed(home, &arguments).await?;
    let is_list = arguments.pushed.is_some();
    let all = looked(&approvals, gate.as_ref(), &arguments).await?;
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
        remarks(&approvals, gate.is_some(), report.as_ref(), good).iter().for_each(|line| output::aside(line));
    }
    Ok(ExitCode::from(if good { exit::DONE } else { exit::NOT_APPROVED }))
}

/// What is believed.
struct Believed {
    approvals: Approvals,
    /// Of a log, how it is.
    report: Option<Report>,
    /// The gate that is asked instead.
    gate: Option<Asking>,
}

async fn believed(home: &Home, arguments: &VerifyArguments) -> Result<Believed, Fault> {
    let require = arguments.require.into();
    if let (true, Some(branch)) = (arguments.notes, &arguments.protected) {
        let what = What::of(arguments.what.as_deref())?;
        let approvals = noted::approvals(&what, branch, require).await?;
        return Ok(Believed { approvals, report: None, gate: None });
    }
    if Home::is_in_a_sandbox() {
        if arguments.rebased {
            let message = "In a sandbox it isn't said whether the same patch was approved on another base.";
            return Err(Fault::new(Code::Sandbox, message, "Leave out --rebased, or run it outside."));
        }
        let gate = Some(Asking::of(home, require).await?);
        return Ok(Believed {
            approvals: Approvals::new(Source::nothing(), output::now(), require),
            report: None,
            gate,
        });
    }
    // First what the record knows: it never knows more than the log has.
    let heads = known_receipts(home).await;
    let chain = Chain::read(home.data_folder(), None, &heads)?;
    let report = Some(chain.report().clone());
    let approvals = Approvals::new(Source::log(chain).await, output::now(), require);
    Ok(Believed { approvals, report, gate: None })
}

/// Why the person's approval that this receipt is of doesn't count for what this manifest lets out, in the words of
/// `verify`; absent where it does.
///
/// # Errors
/// When the log can't be read.
pub(crate) async fn flaw_of(home: &Home, receipt: Digest, manifest: Digest) -> Result<Option<String>, Fault> {
    let heads = known_receipts(home).await;
    let chain = Chain::read(home.data_folder(), None, &heads)?;
    let approvals = Approvals::new(Source::log(chain).await, output::now(), Level::L1);
    Ok(match lookup::receipt(&approvals, &receipt.to_string())? {
        None => Some("Its receipt isn't in the log.".to_owned()),
        Some(said) if !said.is_good() => said.lines(output::clock).into_iter().nth(1).map(|why| why.trim().to_owned()),
        Some(said) if said.manifest() != Some(manifest) => {
            Some("The receipt that is named for it is your approval of something else.".to_owned())
        }
        Some(_) => None,
    })
}

async fn looked(approvals: &Approvals, gate: Option<&Asking>, arguments: &VerifyArguments) -> Result<Vec<Said>, Fault> {
    if let Some(tree) = &arguments.tree {
        return Ok(vec![lookup::tree(approvals, gate, tree, arguments.base.as_deref()).await?]);
    }
    let what = match (&arguments.what, arguments.staged) {
        (_, true) => What::Staged,
        (None, false) => What::of(None)?,
        (Some(text), false) => match lookup::receipt(approvals, text)? {
            Some(said) => return Ok(vec![said]),
            None => What::of(Some(text))?,
        },
    };
    let lookup =
        Lookup::here(approvals, gate, arguments.rebased, arguments.protected.as_deref(), arguments.staged).await?;
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

/// What else has to be said of where the receipts come from.
fn remarks(approvals: &Approvals, told: bool, report: Option<&Report>, good: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    if !told && matches!(approvals.source(), Source::Notes { receipts, .. } if receipts.is_empty()) && !good {
        let notes = gate_git::NOTES;
        remarks.push(format!(
            "No receipt is noted on these commits. `review-gate receipts --notes` writes them where they were given, and \
             `git fetch origin {notes}:{notes}` brings them here."
        ));
    }
    if !good && approvals.require() > Level::L1 {
        remarks.extend(approvals.source().unvouched());
    }
    let Some(report) = report else { return remarks };
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
