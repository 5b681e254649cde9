//! Fuzzing what the tools take: any object is a call or a fault that can be read, and what comes out is within its bounds.

use super::*;
use crate::answer::fuzz::{any_object, object};
use crate::fuzzing::Fuzz;
use crate::input::Fields as _;

#[test]
fn fuzz_broker_arguments() {
    let mut fuzz = Fuzz::new("broker arguments");
    while fuzz.goes_on() {
        fuzz.batch(&object(Proposing::NAMES), |object| any_object::<Proposing>(&object, is_bounded));
        fuzz.batch(&object(Reading::NAMES), |object| any_object::<Reading>(&object, |_| ()));
        fuzz.batch(&object(Listing::NAMES), |object| {
            any_object::<Listing>(&object, |listed| assert!((1..=bounds::LIST_ITEMS).contains(&listed.limit)))
        });
        fuzz.batch(&object(Looking::NAMES), |object| any_object::<Looking>(&object, |_| ()));
        fuzz.batch(&object(Claiming::NAMES), |object| {
            any_object::<Claiming>(&object, |(_, wish, _)| assert!(wish.categories.len() <= bounds::CATEGORIES))
        });
        fuzz.batch(&object(Releasing::NAMES), |object| any_object::<Releasing>(&object, |_| ()));
        fuzz.batch(&object(Judging::NAMES), |object| {
            any_object::<Judging>(&object, |(_, verdict)| {
                assert!(verdict.decision == Verdict::Approved || verdict.reason.is_some(), "why is said");
                assert!(verdict.comments.len() <= bounds::VERDICT_COMMENTS);
                for (anchor, body) in &verdict.comments {
                    assert!(!body.trim().is_empty() && !anchor.file.trim().is_empty());
                    assert!(anchor.start_line.is_none_or(|start| anchor.line.is_some_and(|line| start < line)));
                }
            });
        });
        fuzz.batch(&object(Posting::NAMES), |object| {
            any_object::<Posting>(&object, |(_, said)| assert!(!said.body.is_empty() || said.resolve.is_some()));
        });
        fuzz.batch(&object(Messages::NAMES), |object| any_object::<Messages>(&object, |_| ()));
        fuzz.batch(&object(Offering::NAMES), |object| {
            any_object::<Offering>(&object, |(_, patch)| assert!(!patch.diff.trim().is_empty()));
        });
        fuzz.batch(&object(Patching::NAMES), |object| any_object::<Patching>(&object, |_| ()));
        fuzz.batch(&object(Answering::NAMES), |object| any_object::<Answering>(&object, |_| ()));
        fuzz.batch(&object(Closing::NAMES), |object| any_object::<Closing>(&object, |_| ()));
    }
}

fn is_bounded(Proposed { proposal, .. }: &Proposed) {
    assert!(!proposal.intent.trim().is_empty() && proposal.intent.chars().count() <= bounds::INTENT_CHARS);
    assert!(proposal.labels.values().all(|label| label.chars().count() <= bounds::LABEL_CHARS));
    assert!(proposal.round.is_none_or(|round| (1..=bounds::ROUNDS).contains(&round)));
    assert!(proposal.review_id.is_none() || proposal.parent_id.is_none());
}
