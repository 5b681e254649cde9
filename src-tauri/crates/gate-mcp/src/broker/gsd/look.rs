//! Looking: lists of reviews, where one stands, what one proposes.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gate_core::Fault;
use gate_core::proposal::{
    ListedReview, PatchStatus, ReviewId, ReviewQuery, ReviewRole, ReviewStatus, StoredPatch, bounds,
};
use serde_json::json;

use super::input::Wanted;
use super::views::{Fed, Listed, ProposalView, StatusView, project};
use super::words::{self, Standing};
use crate::answer::Wait;
use crate::broker::answer::{Call, News, Told};
use crate::broker::port::ReviewLook;

/// As long as that broker waits.
const WAIT: Wait = Wait { is_on: true, seconds: Some(25) };

/// `list_reviews`: what is urgent first, and what is older among that.
pub(super) async fn list(call: &Call<'_>, (wanted, wait): (Wanted, bool)) -> Result<Told, Fault> {
    let mut found = match wait {
        false => found(call, &wanted).await?,
        true => match call.wait(WAIT, false, "Waiting for a review.", awaited(call, &wanted)).await? {
            News::Came(found) => found,
            News::Nothing | News::Away => found(call, &wanted).await?,
        },
    };
    found.sort_by_key(|listed| {
        let summary = &listed.review.summary;
        (Reverse(summary.priority), summary.created_at, summary.review_id)
    });
    let reviews: Vec<_> = found.iter().map(|listed| Listed::of(&listed.review)).collect();
    Told::alone(&json!({ "reviews": reviews }))
}

/// At most as many reviews as a list has, the latest changed first.
async fn found(call: &Call<'_>, wanted: &Wanted) -> Result<Vec<ListedReview>, Fault> {
    let mut all = Vec::new();
    for query in wanted.queries() {
        all.extend(call.port.list_whole(&call.caller, query, bounds::WHOLE_LIST).await?);
    }
    all.sort_by_key(|listed| Reverse((listed.review.summary.updated_at, listed.review.summary.review_id)));
    all.truncate(bounds::WHOLE_LIST);
    all.retain(|listed| is_of(wanted, listed));
    Ok(all)
}

fn is_of(wanted: &Wanted, listed: &ListedReview) -> bool {
    let named = project(&listed.review.labels);
    wanted.projects.is_empty() || wanted.projects.iter().any(|wanted| named == Some(wanted))
}

/// The reviews that wait for a reviewer, once there is one of a project that is looked for.
async fn awaited(call: &Call<'_>, wanted: &Wanted) -> Result<Vec<ListedReview>, Fault> {
    loop {
        let all = call.port.list_whole(&call.caller, wanted.waiting(), bounds::WHOLE_LIST).await?;
        let since = all.iter().map(|listed| listed.review.summary.updated_at).max();
        let found: Vec<_> = all.into_iter().filter(|listed| is_of(wanted, listed)).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let newer = ReviewQuery { since, ..wanted.waiting() };
        call.port.is_listed(&call.caller, &newer, None, false).await?;
    }
}

/// `get_activity_feed`.
pub(super) async fn feed(call: &Call<'_>, wanted: Wanted) -> Result<Told, Fault> {
    let found = found(call, &wanted).await?;
    let reviews: Vec<_> = found.iter().map(Fed::of).collect();
    Told::alone(&json!({ "reviews": reviews, "count": reviews.len() }))
}

/// `get_review_stats`: what can be counted. Nobody keeps how long things took.
pub(super) async fn stats(call: &Call<'_>, wanted: Wanted) -> Result<Told, Fault> {
    let found = found(call, &wanted).await?;
    let mut by_status: BTreeMap<_, usize> = Standing::ALL.iter().map(|standing| (standing.as_str(), 0)).collect();
    let mut by_category: BTreeMap<_, usize> = BTreeMap::new();
    for summary in found.iter().map(|listed| &listed.review.summary) {
        *by_status.entry(words::standing(summary.status)).or_default() += 1;
        *by_category.entry(summary.category.as_deref().unwrap_or("uncategorized")).or_default() += 1;
    }
    let unknown: BTreeMap<_, ()> =
        ["pending", "claimed", "approved", "changes_requested"].into_iter().map(|state| (state, ())).collect();
    Told::alone(&json!({
        "total_reviews": found.len(),
        "by_status": by_status,
        "by_category": by_category,
        "approval_rate_pct": null,
        "avg_time_to_verdict_seconds": null,
        "avg_review_duration_seconds": null,
        "avg_time_in_state_seconds": unknown,
        "counted": format!(
            "The {} reviews that you see and that changed last, at most. Rates and times are not kept: get_review_timeline has \
             the moments of each review.",
            bounds::WHOLE_LIST
        ),
    }))
}

/// `get_review_status`. Who is told to call again at once does so: it waits for a person who is away, too.
pub(super) async fn status(call: &Call<'_>, (review, wait): (ReviewId, bool)) -> Result<Told, Fault> {
    let mut look = call.port.look(&call.caller, review).await?;
    if wait && !is_settled(&look) {
        let says = format!("Waiting for the review (review {review}).");
        let happened = call.port.happened(&call.caller, review, look.review.event);
        match call.wait(WAIT, false, &says, happened).await? {
            News::Came(()) => look = call.port.look(&call.caller, review).await?,
            News::Nothing | News::Away => {}
        }
    }
    Told::alone(&StatusView::of(&look))
}

/// Whether nobody but the caller does anything any more.
fn is_settled(look: &ReviewLook) -> bool {
    match look.review.status {
        ReviewStatus::Approved => look.role == ReviewRole::Proposer,
        status => status == ReviewStatus::Closed,
    }
}

/// `get_proposal`.
pub(super) async fn proposal(call: &Call<'_>, review: ReviewId) -> Result<Told, Fault> {
    let read = call.port.read(&call.caller, review, None).await?;
    let (_, patches) = call.port.patches(&call.caller, review).await?;
    let shown = shown(&patches, read.round.round);
    let offered = match shown.filter(|patch| patch.status == PatchStatus::Open) {
        Some(patch) => Some((patch, call.port.diff(&call.caller, review, patch.diff_sha256).await?)),
        None => None,
    };
    let has_diff = read.round.diff_sha256.is_some();
    Told::alone(&ProposalView {
        id: review,
        status: words::standing(read.review.summary.status),
        intent: &read.review.intent,
        description: read.round.description.as_deref(),
        diff: has_diff.then_some(read.diff.as_str()),
        affected_files: has_diff.then(|| words::affected(&read.round.checked)),
        project: project(&read.review.labels),
        category: read.review.summary.category.as_deref(),
        counter_patch: offered.as_ref().map(|(_, diff)| diff.as_str()),
        counter_patch_affected_files: offered.as_ref().map(|(patch, _)| words::affected(&patch.checked)),
        counter_patch_status: shown.and_then(|patch| words::patch_word(patch.status)),
    })
}

/// The patch that there is in that broker's one place for them: the newest one of this round, or the one that became it.
pub(super) fn shown(patches: &[StoredPatch], round: u32) -> Option<&StoredPatch> {
    let is_of = |patch: &&StoredPatch| match patch.status {
        PatchStatus::Accepted => patch.round.saturating_add(1) == round,
        PatchStatus::Open | PatchStatus::Rejected | PatchStatus::Superseded => patch.round == round,
    };
    patches.iter().rev().find(is_of)
}
