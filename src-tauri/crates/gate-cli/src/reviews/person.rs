//! What the broker refuses, with what a person at a terminal can do about it. Its own words are an agent's to read: they
//! name tools.

use gate_core::{Code, Fault};

/// The same refusal for the person who has named this review. `wants` says where what they wanted can be done.
pub(super) fn told(fault: Fault, id: &str, wants: &str) -> Fault {
    let mend = match fault.code {
        Code::UnknownReview => "List them with `review-gate reviews list`.".to_owned(),
        Code::UnknownThread | Code::UnknownPatch => {
            format!("`review-gate reviews show {id}` lists those that there are.")
        }
        Code::WrongState => format!("{wants} `review-gate reviews show {id}` says where it stands."),
        Code::PersonDeciding => {
            let message = "You have decided this, and may still take that back.";
            return Fault::new(
                fault.code,
                message,
                "Wait until you can't any more, or take it back in the window first.",
            );
        }
        Code::StaleRound => format!("Look at that with `review-gate reviews diff {id}`, and say it again."),
        Code::TooMany => {
            format!("End it with `review-gate reviews close {id}`, and have its proposer begin a new one.")
        }
        _ => return fault,
    };
    Fault { mend, ..fault }
}

#[cfg(test)]
mod tests {
    use gate_core::Timestamp;
    use gate_core::proposal::{ReviewStatus, act::Refusal, unknown_review};

    use super::*;

    #[test]
    fn a_person_is_told_of_no_tool() {
        for fault in [
            Refusal::WrongState(ReviewStatus::Closed).fault(),
            Refusal::WrongState(ReviewStatus::Claimed).fault(),
            Refusal::PersonDeciding(Timestamp(0)).fault(),
            Refusal::TooManyRounds.fault(),
            unknown_review(gate_core::proposal::ReviewId(uuid::Uuid::nil())),
        ] {
            let code = fault.code;
            let said = told(fault, "4c0d9f2a", "Only what waits for you is given back.").to_string();
            for tool in ["_proposal", "_review", "_verdict", "_message", "_patch", "with wait", "review_id"] {
                assert!(!said.replace(code.as_str(), "").contains(tool), "{tool} is an agent's: {said}");
            }
        }
        let said = told(Refusal::WrongState(ReviewStatus::Approved).fault(), "4c0d9f2a", "Only what waits for you.");
        assert_eq!(
            (said.message.as_str(), said.mend.as_str()),
            (
                "That can't be done with a review that is approved.",
                "Only what waits for you. `review-gate reviews show 4c0d9f2a` says where it stands."
            )
        );
    }
}
