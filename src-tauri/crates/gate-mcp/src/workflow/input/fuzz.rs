//! Fuzzing what the tools take: any object is a call or a fault that can be read, and what comes out is within its bounds.

use super::*;
use crate::answer::fuzz::{any_object, object};
use crate::fuzzing::Fuzz;
use crate::input::Fields as _;

#[test]
fn fuzz_workflow_arguments() {
    let mut fuzz = Fuzz::new("workflow arguments");
    while fuzz.goes_on() {
        fuzz.batch(&object(Reading::NAMES), |object| any_object::<Reading>(&object, |_| ()));
        fuzz.batch(&object(Phasing::NAMES), |object| any_object::<Phasing>(&object, |_| ()));
        fuzz.batch(&object(Starting::NAMES), |object| {
            any_object::<Starting>(&object, |(_, name)| assert!(!name.trim().is_empty()));
        });
        fuzz.batch(&object(Ending::NAMES), |object| {
            any_object::<Ending>(&object, |(_, act)| {
                let Act::CompleteAgent { end, error, .. } = act else { panic!("another act: {act:?}") };
                assert!(error.is_none() || *end == AgentEnd::Failed, "what went well has no error");
                assert!(error.as_ref().is_none_or(|error| error.len() <= bounds::ERROR_BYTES));
            });
        });
        fuzz.batch(&object(Acting::NAMES), |object| {
            any_object::<Acting>(&object, |(_, action)| {
                assert!(action.thread_id().is_none_or(|id| id.chars().count() <= bounds::THREAD_ID_CHARS));
            });
        });
        fuzz.batch(&object(Threads::NAMES), |object| any_object::<Threads>(&object, |_| ()));
        fuzz.batch(&object(Creating::NAMES), |object| {
            any_object::<Creating>(&object, |wish| assert!(wish.url.chars().count() <= bounds::URL_CHARS));
        });
        fuzz.batch(&object(Diffing::NAMES), |object| any_object::<Diffing>(&object, |_| ()));
        fuzz.batch(&object(Finds::NAMES), |object| {
            any_object::<Finds>(&object, |HandedIn { findings, .. }| {
                assert!((1..=bounds::FINDINGS_AT_ONCE).contains(&findings.len()));
                for finding in findings {
                    assert!(!finding.title.trim().is_empty() && !finding.body.trim().is_empty());
                    assert!(finding.end_line.is_none_or(|end| finding.line.is_some_and(|line| line <= end)));
                }
            });
        });
        fuzz.batch(&object(Publishing::NAMES), |object| {
            any_object::<Publishing>(&object, |(_, published)| {
                let Published::New(summary) = published else { return };
                assert!(!summary.summary.trim().is_empty() && summary.summary.len() <= bounds::SUMMARY_BYTES);
                assert!(summary.score.is_none_or(|score| (0.0..=10.0).contains(&score.points())));
            });
        });
    }
}
