//! What a caller is told whose act is refused.

use super::act::Refusal;
use super::bounds;
use super::words::ReviewStatus;
use crate::fault::{Code, Fault};

/// What agents may do where a review stands so, by the names of their tools.
const fn allowed(status: ReviewStatus) -> &'static str {
    match status {
        ReviewStatus::Created => "claim_review, post_message; its proposer submit_proposal and close_review, too",
        ReviewStatus::Claimed | ReviewStatus::InDiscussion => {
            "post_message; its holder submit_verdict, submit_patch and release_review; its proposer submit_proposal, \
             accept_counter_patch, reject_counter_patch and close_review"
        }
        ReviewStatus::AwaitingPerson => "post_message; its proposer submit_proposal and close_review, too",
        ReviewStatus::Approved | ReviewStatus::Rejected => {
            "post_message; its proposer submit_proposal (a next round) and close_review, too"
        }
        ReviewStatus::Closed => "reading it; its proposer submits a new one",
    }
}

impl Refusal {
    /// The same as a fault.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            Self::OwnProposal => Fault::new(
                Code::OwnProposal,
                "This is your own proposal: nobody reviews their own.",
                "Let another agent or the person review it; get_review_status with wait tells you when they have.",
            ),
            Self::NotProposer => Fault::new(
                Code::NotProposer,
                "Only whoever proposed this may do that.",
                "Say what you would change with post_message, or claim it and offer it with submit_patch.",
            ),
            Self::AlreadyClaimed => Fault::new(
                Code::AlreadyClaimed,
                "Another reviewer has this.",
                "Call claim_review without review_id for the next one, with wait where there may be none.",
            ),
            Self::Reserved(until) => Fault::new(
                Code::Reserved,
                format!("This round is kept until {until} for whoever rejected the one before."),
                "Call claim_review without review_id for another one, or come back after that.",
            ),
            Self::AlreadyApproved => Fault::new(
                Code::AlreadyApproved,
                "You have approved this round; it needs others' approval, too.",
                "Call claim_review without review_id for another one.",
            ),
            Self::LostTooOften => Fault::new(
                Code::ClaimLost,
                format!("You have had the claim on this round {} times and lost it.", bounds::LOST_CLAIMS),
                "Leave it to others; a next round can be claimed again.",
            ),
            Self::TooManyClaims => Fault::new(
                Code::TooMany,
                format!("You hold {} claims, which is the most.", bounds::CLAIMS),
                "Decide one of them with submit_verdict, or give it back with release_review.",
            ),
            Self::NotHolder => {
                Fault::new(Code::NotHolder, "You haven't claimed this.", "Call claim_review with its review_id first.")
            }
            Self::ClaimLost => Fault::new(
                Code::ClaimLost,
                "You don't have the claim any more: its time was over, or it was taken. Nothing was recorded.",
                "Call claim_review again; if you get it, look at the newest round before you decide.",
            ),
            Self::StaleRound(newest) => Fault::new(
                Code::StaleRound,
                format!("There is a newer round: {newest}. Nothing was recorded."),
                "Read it with get_proposal (since_round shows what changed), claim_review again, and decide on that one.",
            ),
            // How long they may take it back for is theirs to end.
            Self::PersonDeciding(_) => Fault::new(
                Code::PersonDeciding,
                "The person is deciding this right now.",
                "get_review_status with wait tells you what they decided; try again after that.",
            ),
            Self::WrongState(status) => Fault::new(
                Code::WrongState,
                format!("That can't be done with a review that is {}.", status.as_str()),
                format!("Allowed now: {}.", allowed(*status)),
            ),
            Self::CommentsOnly => Fault::new(
                Code::RoleForbidden,
                "You may comment on this, and nothing else.",
                "The person can let you: they give your client a token that may (`review-gate token create NAME`), or start it \
                 so that the system says who started it.",
            ),
            Self::TooManyRounds => Fault::new(
                Code::TooMany,
                format!("A review has {} rounds at most.", bounds::ROUNDS),
                "Submit a new proposal with parent_id, in smaller steps.",
            ),
            Self::TakenSurer(taken) => Fault::new(
                Code::RoleForbidden,
                format!(
                    "The person took this over, as sure as {}: from here nobody gives it back, ends it or settles its patches.",
                    taken.as_str()
                ),
                "Do that in Review Gate's window, or on its page.",
            ),
            Self::NotYours => Fault::new(
                Code::RoleForbidden,
                "Only the person may do that.",
                "Ask them with submit_verdict `escalate`.",
            ),
        }
    }
}
