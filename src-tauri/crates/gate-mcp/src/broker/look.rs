//! Looking: lists of reviews, and where one stands.

use gate_core::proposal::{ReviewPlace, ReviewQuery, ReviewStatus, ReviewSummary, Turn};
use gate_core::{Fault, Timestamp, page::bad_cursor};

use super::advice;
use super::answer::{Call, News, Told};
use super::input::{Listed, Looked};
use super::tasks;
use super::views::{EventView, ListView, StatusView, Summary, VerdictView};
use super::{LIST_PENDING, PAGE_BYTES};
use crate::cursor;
use crate::port::ConnectionPort;

/// Events of one result.
const EVENTS: usize = 50;

/// `list_reviews`; by the name `list_pending`, of those that wait for a reviewer.
pub(super) async fn list(call: &Call<'_>, listed: Listed) -> Result<Told, Fault> {
    let Listed { mut query, workspace, mine, cursor, limit, wait } = listed;
    if call.name == LIST_PENDING {
        query.status = query.status.or(Some(ReviewStatus::Created));
    }
    let gate: &dyn ConnectionPort = call.called.gate;
    let list = list_of(&query, workspace.as_deref(), mine);
    let after = cursor.as_deref().map(|cursor| opened(gate, &list, cursor)).transpose()?;
    let first = |query: &ReviewQuery| {
        let query = query.clone();
        call.port.list(&call.caller, query, workspace.as_deref(), mine, after, limit.saturating_add(1))
    };
    let mut found = first(&query).await?;
    let (mut changed, mut next) = (None, None);
    if wait.is_on && found.is_empty() && after.is_none() {
        let is_listed = call.port.is_listed(&call.caller, &query, workspace.as_deref(), mine);
        match call.wait(wait, false, "Waiting for a review.", is_listed).await? {
            News::Came(()) => (found, changed) = (first(&query).await?, Some(true)),
            News::Nothing | News::Away => {
                changed = Some(false);
                next = Some("Nothing new yet. Call again with the same arguments to go on waiting, or end your turn.");
            }
        }
    }
    let reviews = fitting(&found, limit);
    let next_cursor = following(gate, &list, &found, reviews.len())?;
    let next = next.unwrap_or(match (next_cursor.is_some(), reviews.is_empty()) {
        (true, _) => "There are more: call again with next_cursor.",
        (false, true) => "There are none. With wait, the call waits for the first one.",
        (false, false) => "get_proposal reads one; claim_review takes one that waits for a reviewer.",
    });
    Ok(Told::alone(&ListView { reviews, next_cursor, changed })?.next(next))
}

/// As many reviews as one page has.
pub(super) fn fitting(found: &[ReviewSummary], limit: usize) -> Vec<Summary<'_>> {
    let mut left = PAGE_BYTES;
    let fits = |review: &&ReviewSummary| {
        const FIELDS: usize = 700;
        let texts = [&review.intent, &review.workspace, &review.proposer].map(String::len).iter().sum::<usize>();
        match left.checked_sub(FIELDS + texts) {
            Some(less) => {
                left = less;
                true
            }
            // One is on every page, or the next would never come.
            None => std::mem::take(&mut left) == PAGE_BYTES,
        }
    };
    found.iter().take(limit).take_while(fits).map(Summary::of).collect()
}

/// The cursor of the page after so many of those that were found; absent where there are no more.
pub(super) fn following(
    gate: &dyn ConnectionPort,
    list: &str,
    found: &[ReviewSummary],
    shown: usize,
) -> Result<Option<String>, Fault> {
    let last = shown.checked_sub(1).and_then(|last| found.get(last)).filter(|_| found.len() > shown);
    last.map(|last| cursor::seal_text(gate, list, &format!("{} {}", last.updated_at.0, last.review_id))).transpose()
}

/// Where a page begins.
pub(super) fn opened(gate: &dyn ConnectionPort, list: &str, cursor: &str) -> Result<ReviewPlace, Fault> {
    let text = cursor::open_text(gate, list, cursor)?;
    let (updated, review) = text.split_once(' ').ok_or_else(bad_cursor)?;
    let updated_at = Timestamp(updated.parse().map_err(|_| bad_cursor())?);
    Ok(ReviewPlace { updated_at, review_id: review.parse().map_err(|_| bad_cursor())? })
}

/// What is looked for, as the name of its list.
fn list_of(query: &ReviewQuery, workspace: Option<&str>, mine: bool) -> String {
    let status = query.status.map_or("", ReviewStatus::as_str);
    let ReviewQuery { category, priority, path, since, .. } = query;
    format!("reviews {status} {category:?} {priority:?} {path:?} {workspace:?} {mine} {:?}", since.map(|since| since.0))
}

/// `get_review_status`.
pub(super) async fn status(call: &Call<'_>, Looked { review, since, wait }: Looked) -> Result<Told, Fault> {
    let mut look = call.port.look(&call.caller, review).await?;
    let since = since.unwrap_or(if wait.is_on { look.review.event } else { u64::MAX });
    let (mut changed, mut next) = (since < look.review.event, None);
    if wait.is_on {
        if !changed && call.takes_tasks() && tasks::waits(&look, call.port.is_away()) {
            return Ok(Told::task(tasks::task(&look)));
        }
        let says = format!("Waiting for the review (review {review}).");
        let happened = call.port.happened(&call.caller, review, since);
        let news = call.wait(wait, look.review.turn == Turn::Person, &says, happened).await?;
        changed = matches!(news, News::Came(()));
        next = match news {
            News::Came(()) => {
                look = call.port.look(&call.caller, review).await?;
                None
            }
            News::Nothing => Some(advice::again(&look.review)),
            News::Away => Some(advice::AWAY.to_owned()),
        };
    }
    let events = match since < look.review.event {
        true => call.port.events(&call.caller, review, since, EVENTS).await?,
        false => Vec::new(),
    };
    let view = StatusView {
        changed,
        more: events.last().is_some_and(|last| last.n < look.review.event),
        events: events.iter().map(EventView::of).collect(),
        verdict: look.verdict.as_ref().map(VerdictView::shown),
    };
    let next = next.unwrap_or_else(|| advice::next(&look.review, look.role, call.port.is_away()));
    Ok(Told::of(&look.review, &view)?.next(next))
}
