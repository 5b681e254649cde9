//! `review-gate reviews`: what agents propose and other agents review, as the person sees it and outranks it.
//!
//! | file | owns |
//! |---|---|
//! | `finding.rs` | ids by their last characters |
//! | `words.rs` | where a review stands, in a person's words |
//! | `showing.rs` | lists, a review in full, a diff |
//! | `text.rs` | parsed Markdown and diffs as lines of a terminal |
//! | `place.rs` | the place that a comment is about |
//! | `person.rs` | what is refused, in a person's words |
//! | `check.rs` | whether what git holds is what was approved |
//! | `told.rs` | how one approved result beside that is said |
//! | `signed.rs` | what the person was shown of it, by what they signed |

mod check;
mod finding;
mod person;
mod place;
mod showing;
mod signed;
mod text;
mod told;
mod words;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use gate_api::subjects::reviews::{
    CommentReview, EndReview, GiveBackReview, OpenReview, SettleReviewPatch, TakeReview, TakenReview,
};
use gate_core::proposal::{Anchor, Ending, ReviewStatus};
use gate_core::{Fault, Side};
use gate_link::Home;
use serde_json::json;

use crate::client::Client;
use crate::{exit, input, output};

#[derive(Debug, Args)]
#[command(
    after_help = "Agents that have the toolset `broker` (`review-gate mcp --toolset broker`) propose changes, and others
review them. You see all of it, may say something in each, and decide over all of them. Ids may be given by their last
characters. A review that asks you, or that you take, is a request: it is decided as every other one is, by
`review-gate answer`.

Exit codes: 0 done, or approved (check); 1 not approved (check); 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate reviews list --status awaiting_person     those that wait for you
  review-gate reviews show 4c0d9f2a                     one of them, with all that was said
  review-gate reviews diff 4c0d9f2a                     what it changes
  review-gate reviews take 4c0d9f2a                     nobody but you decides it
  review-gate reviews check --staged && git commit      only what was approved"
)]
pub(crate) struct ReviewsArguments {
    #[command(subcommand)]
    command: ReviewsCommand,
}

#[derive(Debug, Subcommand)]
enum ReviewsCommand {
    /// List the reviews, the latest changed first
    #[command(after_help = "Examples:
  review-gate reviews list
  review-gate reviews list --status awaiting_person
  review-gate reviews list --json | jq -r '.[] | select(.turn == \"person\") | .review_id'")]
    List {
        /// Only those that stand so: created, claimed, in_discussion, awaiting_person, approved, rejected or closed
        #[arg(long, value_name = "STATUS", value_parser = words::status)]
        status: Option<ReviewStatus>,
        /// Most reviews that are listed
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        limit: u32,
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Show a review: what it is to do, what was said of it, its patches and threads
    #[command(after_help = "Examples:
  review-gate reviews show 4c0d9f2a
  review-gate reviews show 4c0d9f2a --round 1      as it was proposed first
  review-gate reviews show 4c0d9f2a --json | jq '.verdicts'")]
    Show {
        /// The review's id, or its last characters
        id: String,
        /// Which round; the newest where it isn't said
        #[arg(long, value_name = "N")]
        round: Option<u32>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what a round changes, or what a reviewer's patch would change in its place
    #[command(after_help = "Examples:
  review-gate reviews diff 4c0d9f2a
  review-gate reviews diff 4c0d9f2a --round 1
  review-gate reviews diff 4c0d9f2a --patch 91ab30c2   a patch that `reviews show` lists")]
    Diff {
        /// The review's id, or its last characters
        id: String,
        /// Which round; the newest where it isn't said
        #[arg(long, value_name = "N")]
        round: Option<u32>,
        /// A patch's id, or its last characters
        #[arg(long, value_name = "P", conflicts_with = "round")]
        patch: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say something to all who are in a review: in a thread, or on a line of its newest round
    #[command(after_help = "Examples:
  review-gate reviews comment 4c0d9f2a 'Is that still so without a network?'
  review-gate reviews comment 4c0d9f2a 'Yes.' --thread 91ab30c2
  review-gate reviews comment 4c0d9f2a 'Why?' --file src/lib.rs --line 12
  review-gate reviews comment 4c0d9f2a 'Keep it.' --file src/lib.rs --line 10 --old   the line as it was")]
    Comment {
        /// The review's id, or its last characters
        id: String,
        /// What is said, in Markdown; `-` reads it from stdin
        text: String,
        /// The thread in which it is said, by its id or its last characters
        #[arg(long, value_name = "T", conflicts_with_all = ["file", "line", "old"])]
        thread: Option<String>,
        /// The file that it is about
        #[arg(long, value_name = "F")]
        file: Option<String>,
        /// The line of that file
        #[arg(long, value_name = "N", requires = "file", value_parser = clap::value_parser!(u32).range(1..))]
        line: Option<u32>,
        /// Of the file as it is before the change
        #[arg(long, requires = "line")]
        old: bool,
    },
    /// Take a review over: no agent decides it, and the request that asks you is named
    #[command(after_help = "Examples:
  review-gate reviews take 4c0d9f2a
  review-gate answer \"$(review-gate reviews take 4c0d9f2a --json | jq -r .request_id)\" --approve")]
    Take {
        /// The review's id, or its last characters
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Give a review that you have taken back to the agents
    #[command(after_help = "Example:
  review-gate reviews give-back 4c0d9f2a")]
    GiveBack {
        /// The review's id, or its last characters
        id: String,
    },
    /// Make a reviewer's patch the next round
    #[command(after_help = "Example:
  review-gate reviews accept-patch 4c0d9f2a 91ab30c2")]
    AcceptPatch {
        /// The review's id, or its last characters
        id: String,
        /// The patch's id, or its last characters
        patch: String,
    },
    /// Turn a reviewer's patch down
    #[command(after_help = "Example:
  review-gate reviews reject-patch 4c0d9f2a 91ab30c2")]
    RejectPatch {
        /// The review's id, or its last characters
        id: String,
        /// The patch's id, or its last characters
        patch: String,
    },
    /// End a review
    #[command(after_help = "Examples:
  review-gate reviews close 4c0d9f2a                        as it follows from where it stands
  review-gate reviews close 4c0d9f2a --outcome abandoned    what it approved doesn't count any more")]
    Close {
        /// The review's id, or its last characters
        id: String,
        /// How it ended, where it was decided: applied, not_applied or abandoned
        #[arg(long, value_name = "O", value_parser = words::outcome)]
        outcome: Option<Ending>,
    },
    /// Say whether what is staged, or a commit, is exactly what a review has approved
    Check(check::CheckArguments),
}

pub(crate) async fn run(home: &Home, arguments: ReviewsArguments) -> Result<ExitCode, Fault> {
    if let ReviewsCommand::Check(arguments) = arguments.command {
        return check::run(home, &arguments).await;
    }
    let client = &mut Client::started(home).await?;
    match arguments.command {
        ReviewsCommand::List { status, limit, json } => showing::list(client, status, limit, json).await?,
        ReviewsCommand::Show { id, round, json } => showing::show(client, &id, round, json).await?,
        ReviewsCommand::Diff { id, round, patch, json } => {
            showing::diff(client, &id, round, patch.as_deref(), json).await?;
        }
        ReviewsCommand::Comment { id, text, thread, file, line, old } => {
            comment(client, &id, text, thread.as_deref(), anchor(file, line, old)).await?;
        }
        ReviewsCommand::Take { id, json } => take(client, &id, json).await?,
        ReviewsCommand::GiveBack { id } => {
            let review_id = finding::review(client, &id).await?;
            let wants = "Only what waits for you is given back, and only where an agent may decide it, too.";
            let given = client.ask(GiveBackReview { review_id }).await;
            given.map_err(|fault| person::told(fault, &id, wants))?;
            output::line("Given back.");
        }
        ReviewsCommand::AcceptPatch { id, patch } => settle(client, &id, &patch, true).await?,
        ReviewsCommand::RejectPatch { id, patch } => settle(client, &id, &patch, false).await?,
        ReviewsCommand::Close { id, outcome } => {
            let review_id = finding::review(client, &id).await?;
            let ended = client.ask(EndReview { review_id, outcome }).await;
            ended.map_err(|fault| person::told(fault, &id, "What is over is ended already."))?;
            output::line("Closed.");
        }
        ReviewsCommand::Check(_) => {}
    }
    Ok(ExitCode::from(exit::DONE))
}

/// The place that a comment is about; absent where it is about the whole.
fn anchor(file: Option<String>, line: Option<u32>, old: bool) -> Option<Anchor> {
    let side = if old { Side::Old } else { Side::New };
    file.map(|file| Anchor { file, line, start_line: None, side })
}

async fn comment(
    client: &mut Client,
    id: &str,
    text: String,
    thread: Option<&str>,
    place: Option<Anchor>,
) -> Result<(), Fault> {
    let text = if text == "-" { input::stdin()? } else { text };
    let review_id = finding::review(client, id).await?;
    let refused = |fault| person::told(fault, id, "Only while it isn't over something is said in it.");
    let (mut thread_id, mut round) = (None, None);
    if thread.is_some() || place.is_some() {
        let view = client.ask(OpenReview { review_id, round: None }).await.map_err(refused)?;
        thread_id = thread.map(|thread| finding::thread(&view, thread)).transpose()?;
        if let Some(place) = &place {
            place::is_there(&view, place)?;
            round = Some(view.round);
        }
    }
    client.ask(CommentReview { review_id, thread_id, place, round, text, resolve: None }).await.map_err(refused)?;
    output::line("Said.");
    Ok(())
}

async fn take(client: &mut Client, id: &str, json: bool) -> Result<(), Fault> {
    let review_id = finding::review(client, id).await?;
    let taken = client.ask(TakeReview { review_id }).await;
    let TakenReview { request_id } =
        taken.map_err(|fault| person::told(fault, id, "What is over isn't decided anew."))?;
    if json {
        return output::json(&json!({ "review_id": review_id, "request_id": request_id }));
    }
    output::line("It is yours to decide.");
    output::line(&format!("  request {request_id}"));
    output::line(&format!("  Answer with `{}`.", words::answering(request_id)));
    Ok(())
}

async fn settle(client: &mut Client, id: &str, patch: &str, accept: bool) -> Result<(), Fault> {
    let review_id = finding::review(client, id).await?;
    let refused = |fault| person::told(fault, id, "Patches are settled until their review is over.");
    let view = client.ask(OpenReview { review_id, round: None }).await.map_err(refused)?;
    let patch_id = finding::patch(&view, patch)?;
    client.ask(SettleReviewPatch { review_id, patch_id, accept }).await.map_err(refused)?;
    output::line(if accept { "It is the next round." } else { "Turned down." });
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        arguments: ReviewsArguments,
    }

    fn read(words: &[&str]) -> Result<ReviewsCommand, clap::Error> {
        Line::try_parse_from([&["reviews"][..], words].concat()).map(|line| line.arguments.command)
    }

    #[test]
    fn a_comment_is_about_a_thread_a_line_of_either_side_or_the_whole() {
        let about = |words: &[&str]| match read(&[&["comment", "4c0d9f2a", "Why?"][..], words].concat()) {
            Ok(ReviewsCommand::Comment { thread, file, line, old, .. }) => (thread, anchor(file, line, old)),
            other => panic!("{words:?} is a comment: {other:?}"),
        };
        let of = |line, side| Some(Anchor { file: "a.rs".to_owned(), line, start_line: None, side });
        assert_eq!(about(&[]), (None, None));
        assert_eq!(about(&["--thread", "91ab30c2"]), (Some("91ab30c2".to_owned()), None));
        assert_eq!(about(&["--file", "a.rs"]), (None, of(None, Side::New)));
        assert_eq!(about(&["--file", "a.rs", "--line", "3"]), (None, of(Some(3), Side::New)));
        assert_eq!(about(&["--file", "a.rs", "--line", "3", "--old"]), (None, of(Some(3), Side::Old)));
    }

    #[test]
    fn what_contradicts_itself_is_wrong_usage() {
        for words in [
            &["comment", "4c0d9f2a"][..],
            &["comment", "4c0d9f2a", "x", "--line", "3"],
            &["comment", "4c0d9f2a", "x", "--file", "a", "--line", "0"],
            &["comment", "4c0d9f2a", "x", "--file", "a", "--old"],
            &["comment", "4c0d9f2a", "x", "--thread", "91ab30c2", "--file", "a"],
            &["diff", "4c0d9f2a", "--round", "1", "--patch", "91ab30c2"],
            &["list", "--status", "open"],
            &["close", "4c0d9f2a", "--outcome", "expired"],
            &["check", "--staged", "HEAD"],
        ] {
            assert!(read(words).is_err(), "{words:?}");
        }
        for words in [&["check"][..], &["check", "HEAD~1"], &["check", "--staged", "--json", "--only-agents"]] {
            assert!(read(words).is_ok(), "{words:?}");
        }
    }
}
