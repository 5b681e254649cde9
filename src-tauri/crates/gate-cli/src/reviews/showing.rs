//! Reviews at a terminal: the list, one in full, what it changes.

use gate_api::subjects::reviews::{ListReviews, OpenReview, OpenReviewPatch, ReviewMessage, ReviewThread, ReviewView};
use gate_core::Fault;
use gate_core::markdown::Document;
use gate_core::proposal::{ReviewRole, ReviewStatus, ReviewSummary, WasApplied};

use super::{finding, person, text, words};
use crate::client::Client;
use crate::output::{self, age, one_line};

/// Longest line of a list, in characters.
const LINE_CHARS: usize = 400;

/// # Errors
/// The gate's.
pub(super) async fn list(
    client: &mut Client,
    status: Option<ReviewStatus>,
    limit: u32,
    json: bool,
) -> Result<(), Fault> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let page = client.ask(ListReviews { status, cursor }).await?;
        found.extend(page.reviews);
        cursor = page.next;
        if cursor.is_none() || found.len() >= limit {
            break;
        }
    }
    let more = cursor.is_some() || found.len() > limit;
    found.truncate(limit);
    if json {
        return output::json(&found);
    }
    for review in &found {
        headline(review, &review.intent);
        output::line("");
    }
    match (found.is_empty(), status) {
        (true, None) => output::line("No agent has proposed anything yet."),
        (true, Some(_)) => output::line("No review stands so."),
        (false, _) if more => output::line("There are more; --limit shows them."),
        (false, _) => {}
    }
    Ok(())
}

/// A review in a few lines.
fn headline(review: &ReviewSummary, intent: &str) {
    output::line(&one_line(intent, LINE_CHARS));
    let parts = [review.proposer.clone(), review.workspace.clone(), age(review.updated_at)];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    output::line(&format!("  {}", one_line(&parts.join(" · "), LINE_CHARS)));
    let stale = if review.stale { " · doesn't apply any more" } else { "" };
    let stands = format!("{} · round {} · {}{stale}", words::standing(review), review.round, words::need(review.need));
    output::line(&format!("  {}", one_line(&stands, LINE_CHARS)));
    output::line(&format!("  review {}", review.review_id));
}

/// Where what is said to be applied isn't what was approved: its files.
fn found(applied: &WasApplied) {
    let place = match &applied.commit {
        Some(commit) => format!("commit {}", commit.get(..12).unwrap_or(commit)),
        None => "the work tree".to_owned(),
    };
    let Some(nearest) = applied.results.iter().find(|result| result.found == applied.found) else { return };
    for (what, paths) in [("otherwise than approved", &nearest.paths), ("not approved", &nearest.extra)] {
        if !paths.is_empty() {
            output::line(&format!("  In {place}, {what}: {}", one_line(&paths.join(", "), LINE_CHARS)));
        }
    }
}

/// # Errors
/// The gate's; `unknown_review`.
pub(super) async fn show(client: &mut Client, id: &str, round: Option<u32>, json: bool) -> Result<(), Fault> {
    let review_id = finding::review(client, id).await?;
    let view = client.ask(OpenReview { review_id, round }).await.map_err(|fault| person::told(fault, id, ""))?;
    if json {
        return output::json(&view);
    }
    headline(&view.review, &view.intent);
    if let Some(request) = view.request_id {
        output::line(&format!("  Answer with `{}`.", words::answering(request)));
    }
    if let Some(applied) = &view.applied {
        found(applied);
    }
    for other in &view.overlaps {
        let line = format!("  Another review changes these files, too: {} ({})", other.intent, other.review_id);
        output::line(&one_line(&line, LINE_CHARS));
    }
    rounds(&view);
    for verdict in &view.verdicts {
        output::line("");
        let said = words::verdict(verdict.decision);
        said_by(&verdict.author, &format!("{said} (round {}, {})", verdict.round, age(verdict.created_at)));
        indented(verdict.reason.as_ref());
    }
    for patch in &view.patches {
        output::line("");
        let approves = if patch.approves { "; its author approves it so" } else { "" };
        let what = format!("offers a patch for round {}: {}{approves}", patch.round, words::patch(patch.status));
        said_by(&patch.author, &what);
        output::line(&format!("    patch {}", patch.patch_id));
        indented(patch.description.as_ref());
    }
    for thread in &view.threads {
        output::line("");
        let line = thread.place.line.map(|line| format!(":{line}")).unwrap_or_default();
        let resolved = if thread.resolved { ", resolved" } else { "" };
        let now = stands_now(thread, view.round);
        let place = format!("  {}{line} (round {}{resolved}{now})", thread.place.file, thread.round);
        output::line(&one_line(&place, LINE_CHARS));
        output::line(&format!("    thread {}", thread.thread_id));
        thread.messages.iter().for_each(message);
    }
    if !view.messages.is_empty() {
        output::line("");
        view.messages.iter().for_each(message);
    }
    if view.diff.is_some() {
        output::line("");
        output::line(&format!("What it changes: `review-gate reviews diff {}`.", view.review.review_id));
    }
    Ok(())
}

/// Where a thread of an earlier round is in the one that is shown.
fn stands_now(thread: &ReviewThread, round: u32) -> String {
    let Some(follows) = &thread.follows else { return String::new() };
    match (follows.place.line, thread.place.line) {
        (Some(line), _) => format!("; in round {round} {}:{line}", follows.place.file),
        (None, Some(_)) => format!("; not in round {round}"),
        (None, None) => String::new(),
    }
}

/// The rounds, and what its proposer says of the one that is shown.
fn rounds(view: &ReviewView) {
    output::line("");
    for round in &view.rounds {
        let mark = if round.round == view.round { "▸" } else { " " };
        let fits = words::fits(round.fits, round.base.as_deref());
        let patch = if round.patch_id.is_some() { ", a reviewer's patch" } else { "" };
        let line =
            format!("{mark} round {}: by {}, {}, {fits}{patch}", round.round, round.author, age(round.created_at));
        output::line(&one_line(&line, LINE_CHARS));
        if let Some(from) = round.carried_from {
            output::line(&format!(
                "    the same patch as round {from} on another base: agents' approvals of that hold"
            ));
        }
        for warning in &round.warnings {
            output::line(&format!("    note: {}", one_line(warning, LINE_CHARS)));
        }
    }
    indented(view.description.as_ref());
}

fn said_by(author: &str, what: &str) {
    output::line(&one_line(&format!("  {author} {what}"), LINE_CHARS));
}

fn indented(said: Option<&Document>) {
    for line in said.iter().flat_map(|said| text::document(said)) {
        output::line(&format!("    | {line}"));
    }
}

fn message(message: &ReviewMessage) {
    let role = match message.role {
        ReviewRole::Proposer => " (the proposer)",
        ReviewRole::Reviewer => "",
        ReviewRole::Person => " (you)",
    };
    said_by(&message.author, &format!("said{role}, {}", age(message.created_at)));
    indented(Some(&message.body));
}

/// # Errors
/// The gate's; `unknown_review`, `unknown_patch`.
pub(super) async fn diff(
    client: &mut Client,
    id: &str,
    round: Option<u32>,
    patch: Option<&str>,
    json: bool,
) -> Result<(), Fault> {
    let review_id = finding::review(client, id).await?;
    let view = client.ask(OpenReview { review_id, round }).await.map_err(|fault| person::told(fault, id, ""))?;
    let diff = match patch {
        Some(patch) => {
            let patch_id = finding::patch(&view, patch)?;
            Some(client.ask(OpenReviewPatch { review_id, patch_id }).await?.diff)
        }
        None => view.diff,
    };
    if json {
        return output::json(&diff);
    }
    match diff {
        Some(diff) => text::diff(&diff).iter().for_each(|line| output::line(line)),
        None => output::aside("This round has no diff: it is its proposer's words alone."),
    }
    Ok(())
}
