//! Where a review stands, in words for a person at a terminal.

use gate_core::RequestId;
use gate_core::proposal::{
    AppliedAs, ApprovedBy, Ending, Fits, Need, PatchStatus, ReviewStatus, ReviewSummary, Verdict,
};

use crate::output::{clock, counted};

/// The outcomes that a person may give an end.
const OUTCOMES: [Ending; 3] = [Ending::Applied, Ending::NotApplied, Ending::Abandoned];

/// A status by its word; `-` may stand for `_`.
pub(super) fn status(text: &str) -> Result<ReviewStatus, String> {
    ReviewStatus::parse(&text.replace('-', "_"))
        .ok_or_else(|| may_be(ReviewStatus::ALL.iter().map(|status| status.as_str())))
}

/// An outcome by its word; `-` may stand for `_`.
pub(super) fn outcome(text: &str) -> Result<Ending, String> {
    let named = Ending::parse(&text.replace('-', "_")).filter(|ending| OUTCOMES.contains(ending));
    named.ok_or_else(|| may_be(OUTCOMES.iter().map(|ending| ending.as_str())))
}

fn may_be<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<_> = words.map(|word| format!("'{word}'")).collect();
    format!("it may be {}", words.join(", "))
}

/// Where a review stands.
pub(super) fn standing(review: &ReviewSummary) -> String {
    let missing = review.need.agents.saturating_sub(review.approvals);
    match review.status {
        ReviewStatus::Created if review.approvals > 0 => {
            format!("approved by {}, waits for {} more", counted(review.approvals, "agent"), missing)
        }
        ReviewStatus::Created => "waits for a reviewer".to_owned(),
        ReviewStatus::Claimed | ReviewStatus::InDiscussion => {
            let what = if review.status == ReviewStatus::Claimed { "is reviewing it" } else { "is discussing it" };
            let who = review.holder.as_deref().unwrap_or("an agent");
            let until = review.lease_until.map(|until| format!(", has it until {}", clock(until)));
            format!("{who} {what}{}", until.unwrap_or_default())
        }
        ReviewStatus::AwaitingPerson => "waits for you".to_owned(),
        ReviewStatus::Approved => approved_by(review.approved_by),
        ReviewStatus::Rejected => "rejected; its proposer may make a next round".to_owned(),
        ReviewStatus::Closed => match (review.outcome, review.found) {
            (_, Some(AppliedAs::Exact | AppliedAs::Equivalent)) => "closed: applied as approved".to_owned(),
            (_, Some(AppliedAs::Differs)) => "closed: applied, but not as approved".to_owned(),
            (_, Some(AppliedAs::Missing)) => "closed: said to be applied, but not found".to_owned(),
            (Some(outcome), _) => format!("closed: {}", ending(outcome)),
            (None, _) => "closed".to_owned(),
        },
    }
}

/// Who approved it.
pub(super) fn approved_by(by: Option<ApprovedBy>) -> String {
    match by {
        Some(ApprovedBy::Person) => "approved by you",
        Some(ApprovedBy::Agent) => "approved by agents",
        None => "approved",
    }
    .to_owned()
}

fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Applied => "approved, and applied by its proposer's word",
        Ending::NotApplied => "decided, and not applied",
        Ending::Abandoned => "given up",
        Ending::Withdrawn => "taken back before it was decided",
        Ending::Superseded => "another review took its place",
        Ending::Expired => "nothing happened in it for a month",
    }
}

/// What a round needs.
pub(super) fn need(need: Need) -> String {
    let agents = counted(need.agents, "agent");
    match (need.agents, need.person) {
        (0, _) => "needs you".to_owned(),
        (_, true) => format!("needs {agents} and you"),
        (_, false) => format!("needs {agents}"),
    }
}

/// How a round fits what was there when it was submitted.
pub(super) fn fits(fits: Fits, base: Option<&str>) -> String {
    let short = base.map(|base| base.get(..12).unwrap_or(base));
    match (fits, short) {
        (Fits::Unchecked, _) => "not held against a repository: only the text of its diff is reviewed".to_owned(),
        (Fits::Worktree, _) => "on the files as they lay there".to_owned(),
        (Fits::Applied, Some(base)) => format!("which {base} had already"),
        (Fits::Applied, None) => "which was applied already".to_owned(),
        (Fits::Commit, Some(base)) => format!("on {base}"),
        (Fits::Commit, None) => "on a commit".to_owned(),
    }
}

/// What somebody said of a round.
pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Approved => "approved it",
        Verdict::Rejected => "rejected it",
        Verdict::Comment => "said",
        Verdict::Escalate => "asked you to decide",
    }
}

/// What became of a patch.
pub(super) fn patch(status: PatchStatus) -> &'static str {
    match status {
        PatchStatus::Open => "open",
        PatchStatus::Accepted => "a round by now",
        PatchStatus::Rejected => "turned down",
        PatchStatus::Superseded => "for an older round",
    }
}

/// How a request about a review is answered.
pub(super) fn answering(request: RequestId) -> String {
    format!("review-gate answer {request} --approve` or `--request-changes --text …")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_asked_for_by_the_word_that_scripts_read() {
        for wanted in ReviewStatus::ALL {
            assert_eq!(status(wanted.as_str()), Ok(*wanted));
        }
        assert_eq!(status("awaiting-person"), Ok(ReviewStatus::AwaitingPerson));
        assert!(status("open").is_err_and(|words| words.contains("'in_discussion', 'awaiting_person'")));
        assert_eq!(outcome("not-applied"), Ok(Ending::NotApplied));
        let refused = outcome("superseded").expect_err("that follows from another review");
        assert_eq!(refused, "it may be 'applied', 'not_applied', 'abandoned'");
    }

    #[test]
    fn a_need_is_said_as_who_has_to_approve() {
        for (agents, person, said) in [
            (1, false, "needs 1 agent"),
            (2, false, "needs 2 agents"),
            (0, true, "needs you"),
            (1, true, "needs 1 agent and you"),
        ] {
            assert_eq!(need(Need { agents, person }), said);
        }
    }
}
