//! The proposer's tools: submitting, reading what was submitted, ending it.

use gate_core::proposal::{Ending, Fits, ReviewId, ReviewRole, ReviewStatus, StoredRound, StoredVerdict, Turn, bounds};
use gate_core::{Fault, page::bad_cursor};
use serde_json::{Map, Value};

use super::advice;
use super::answer::{Call, News, Told};
use super::input::{Proposed, Read};
use super::pages;
use super::port::{Closing, ProposedChange, ReviewRead, Submission, SubmittedProposal};
use super::tasks;
use super::views::{
    ClosedView, FileView, ProposalView, REASONS, Reviewers, RoundPage, SubmittedView, Summary, VerdictView,
};
use crate::cursor;
use crate::port::ConnectionPort;

/// Bytes of a description on a page.
const DESCRIPTION: usize = 12 * 1024;
/// Bytes of the paths of a round's files on its first page.
const FILES: usize = 6 * 1024;
/// Verdicts on a page.
const VERDICTS: usize = 20;

/// `submit_proposal`.
pub(super) async fn submit(call: &Call<'_>, Proposed { mut proposal, wait }: Proposed) -> Result<Told, Fault> {
    if let ProposedChange::Repository(named) = &mut proposal.change {
        named.folder.clone_from(&call.caller.folder);
    }
    let mut submission = submitted(call, proposal).await?;
    let is_free = submission.review.status == ReviewStatus::Created;
    let nobody = submission.waiting == 0 && submission.pool.is_empty() && is_free;
    let (mut verdict, mut changed, mut next) = (None, None, None);
    if wait.is_on && nobody {
        next = Some(advice::NOBODY_WAITS.to_owned());
    } else if wait.is_on {
        let review = submission.review.review_id;
        changed = Some(false);
        loop {
            let look = call.port.look(&call.caller, review).await?;
            if call.takes_tasks() && tasks::waits(&look, call.port.is_away()) {
                return Ok(Told::task(tasks::task(&look)));
            }
            let (turn, event) = (look.review.turn, look.review.event);
            (submission.review, verdict) = (look.review, look.verdict);
            if matches!(turn, Turn::Proposer | Turn::Nobody) {
                changed = Some(true);
                break;
            }
            let says = format!("Waiting for the review (review {review}).");
            let happened = call.port.happened(&call.caller, review, event);
            match call.wait(wait, turn == Turn::Person, &says, happened).await? {
                News::Came(()) => {}
                News::Nothing => {
                    next = Some(advice::not_yet(&submission.review));
                    break;
                }
                News::Away => {
                    next = Some(advice::AWAY.to_owned());
                    break;
                }
            }
        }
    }
    let view = SubmittedView {
        unchanged: submission.unchanged,
        overlaps: &submission.overlaps,
        warnings: &submission.warnings,
        reviewers: Reviewers { waiting: submission.waiting, pool: &submission.pool },
        changed,
        verdict: verdict.as_ref().map(VerdictView::shown),
    };
    let next = next.unwrap_or_else(|| match nobody {
        true => advice::NOBODY_WAITS.to_owned(),
        false => advice::next(&submission.review, ReviewRole::Proposer, call.port.is_away()),
    });
    Ok(Told::of(&submission.review, &view)?.next(next))
}

/// Hands a proposal in. Nobody waits for what became of one that was taken back.
pub(super) async fn submitted(call: &Call<'_>, proposal: SubmittedProposal) -> Result<Submission, Fault> {
    tokio::select! {
        biased;
        submission = call.port.submit(&call.caller, proposal) => submission,
        _ = call.called.channel.stopped(call.called.context) => Err(crate::waiting::cancelled()),
    }
}

/// `get_proposal`.
pub(super) async fn get(call: &Call<'_>, read: Read) -> Result<Told, Fault> {
    let gate: &dyn ConnectionPort = call.called.gate;
    let list = list(read.review, read.since_round, read.path.as_deref());
    let at = read.cursor.as_deref().map(|cursor| opened(gate, &list, cursor)).transpose()?;
    let round = at.map(|(round, _)| round).or(read.round);
    let found = call.port.read(&call.caller, read.review, round).await?;
    let (shown, from) = (found.round.round, at.map_or(0, |(_, from)| from));
    let mut no_longer = Vec::new();
    let whole = match &read.path {
        Some(path) => pages::of_path(&found.diff, path),
        None => found.diff.clone(),
    };
    let text = match read.since_round.filter(|since| *since != shown) {
        Some(since) => {
            let earlier = call.port.read(&call.caller, read.review, Some(since)).await?.diff;
            let (fresh, gone) = pages::fresh(&whole, &earlier);
            no_longer = if read.path.is_some() { Vec::new() } else { gone };
            fresh
        }
        None => whole,
    };
    let first = from == 0;
    let verdicts = if first { shown_verdicts(&found.verdicts, shown) } else { Vec::new() };
    let besides = verdicts.iter().map(VerdictView::size).sum();
    let page = RoundPage::of(gate, &found.round, &text, (&list, from), besides)?;
    let goes_on = page.next_cursor.is_some();
    let ReviewRead { review, role, .. } = &found;
    let view = ProposalView {
        shown_round: shown,
        role: *role,
        labels: review
            .labels
            .iter()
            .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
            .collect::<Map<_, _>>(),
        parent_id: review.parent_id,
        verdicts,
        no_longer: no_longer.into_iter().take(bounds::LIST_ITEMS).collect(),
    };
    let told = Told::alone(&Summary::of(&review.summary).meant(&review.intent))?.with(&view)?.with(&page)?;
    let advice = advice::next(&review.summary, *role, call.port.is_away());
    Ok(told.next(if goes_on { format!("There is more: call again with next_cursor. {advice}") } else { advice }))
}

/// The newest verdicts up to a round, within their bounds, in their order.
fn shown_verdicts(all: &[StoredVerdict], round: u32) -> Vec<VerdictView<'_>> {
    let mut left = REASONS;
    let mut shown: Vec<_> = all
        .iter()
        .rev()
        .filter(|verdict| verdict.round <= round)
        .take(VERDICTS)
        .map(|verdict| {
            let view = VerdictView::of(verdict).within(left);
            left = left.saturating_sub(view.size());
            view
        })
        .collect();
    shown.reverse();
    shown
}

/// The list that the pages of a round are, by what is read of it.
fn list(review: ReviewId, since: Option<u32>, path: Option<&str>) -> String {
    format!("proposal {review} {} {path:?}", since.unwrap_or(0))
}

/// The list that a whole round's pages are.
pub(super) fn whole(review: ReviewId) -> String {
    list(review, None, None)
}

/// The round, and where its page begins.
pub(super) fn opened(gate: &dyn ConnectionPort, list: &str, cursor: &str) -> Result<(u32, usize), Fault> {
    let text = cursor::open_text(gate, list, cursor)?;
    let (round, from) = text.split_once(' ').ok_or_else(bad_cursor)?;
    round.parse().ok().zip(from.parse().ok()).ok_or_else(bad_cursor)
}

impl<'a> RoundPage<'a> {
    /// The page of a round that begins there. So many bytes stand `besides` it.
    pub(super) fn of(
        gate: &dyn ConnectionPort,
        round: &'a StoredRound,
        text: &'a str,
        (list, from): (&str, usize),
        besides: usize,
    ) -> Result<Self, Fault> {
        let description = round.description.as_deref().filter(|_| from == 0);
        let cut = description.map(|text| &text[..text.floor_char_boundary(DESCRIPTION)]);
        let (mut left, mut files) = (FILES, Vec::new());
        for file in round.checked.files.iter().filter(|_| from == 0).map(FileView::of) {
            let Some(less) = left.checked_sub(file.size()) else { break };
            left = less;
            files.push(file);
        }
        let besides = besides + cut.map_or(0, str::len) + (FILES - left);
        let page = pages::page(text, from, bounds::DIFF_PAGE_BYTES.saturating_sub(besides));
        let next =
            page.next.map(|next| cursor::seal_text(gate, list, &format!("{} {next}", round.round))).transpose()?;
        Ok(Self {
            description: cut,
            description_cut: cut.map(str::len) != description.map(str::len),
            checked: round.checked.fits != Fits::Unchecked,
            carried_from: round.carried_from,
            warnings: if from == 0 { &round.checked.warnings } else { &[] },
            files,
            file_count: round.checked.files.len(),
            diff: page.text,
            continues: pages::continued(text, from),
            cut: page.cut,
            next_cursor: next,
        })
    }
}

/// `close_review`.
pub(super) async fn close(
    call: &Call<'_>,
    (review, outcome, commit): (ReviewId, Option<Ending>, Option<String>),
) -> Result<Told, Fault> {
    let Closing { review, applied } = call.port.close(&call.caller, review, outcome, commit).await?;
    let told = Told::of(&review, &ClosedView { applied: applied.as_ref() })?;
    Ok(told.next(advice::next(&review, ReviewRole::Proposer, call.port.is_away())))
}
