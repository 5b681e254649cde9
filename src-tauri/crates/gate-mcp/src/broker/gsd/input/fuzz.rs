//! Fuzzing what the tools take: any object is a call or a fault that can be read, and what comes out is within its bounds.

use super::*;
use crate::answer::fuzz::{any_object, object};
use crate::fuzzing::Fuzz;

#[test]
fn fuzz_gsd_arguments() {
    let mut fuzz = Fuzz::new("gsd arguments");
    while fuzz.goes_on() {
        fuzz.batch(&object(Creating::NAMES), |object| {
            any_object::<Creating>(&object, |Created { proposal, .. }| {
                assert!(!proposal.intent.trim().is_empty() && proposal.intent.chars().count() <= bounds::INTENT_CHARS);
                assert!(proposal.labels.values().all(|label| label.chars().count() <= bounds::LABEL_CHARS));
            });
        });
        fuzz.batch(&object(Listing::NAMES), |object| {
            any_object::<Listing>(&object, |(wanted, wait)| {
                assert!(!wait || wanted.standing == Some(Standing::Pending), "what is waited for can be claimed");
                assert!(wanted.projects.len() <= PROJECTS);
            });
        });
        fuzz.batch(&object(Judging::NAMES), |object| {
            any_object::<Judging>(&object, |Judged { verdict, patch, .. }| {
                assert!(verdict.decision == Verdict::Approved || verdict.reason.is_some(), "why is said");
                assert!(verdict.decision != Verdict::Approved || patch.is_none(), "one thing is approved");
            });
        });
        fuzz.batch(&object(Saying::NAMES), |object| {
            any_object::<Saying>(&object, |message| assert!(!message.body.trim().is_empty()));
        });
        fuzz.batch(&object(Feeding::NAMES), |object| any_object::<Feeding>(&object, |_| ()));
        fuzz.batch(&object(Counting::NAMES), |object| any_object::<Counting>(&object, |_| ()));
        fuzz.batch(&object(Claiming::NAMES), |object| any_object::<Claiming>(&object, |_| ()));
        fuzz.batch(&object(Closing::NAMES), |object| any_object::<Closing>(&object, |_| ()));
        fuzz.batch(&object(OfOwn::NAMES), |object| any_object::<OfOwn>(&object, |_| ()));
        fuzz.batch(&object(Looking::NAMES), |object| any_object::<Looking>(&object, |_| ()));
        fuzz.batch(&object(Reading::NAMES), |object| any_object::<Reading>(&object, |_| ()));
        fuzz.batch(&object(Hearing::NAMES), |object| any_object::<Hearing>(&object, |_| ()));
        fuzz.batch(&object(Auditing::NAMES), |object| any_object::<Auditing>(&object, |_| ()));
    }
}
