//! Answers and the questions that they were given to, on a real store.

use crate::tests::{Outcome, call, gate};

#[tokio::test]
async fn a_question_that_is_asked_again_more_urgently_is_the_same() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let first = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    drop(first.attendance);
    let mut again = call("relay:2", "May I?");
    again.ask.urgent = true;
    assert_eq!(gate.inner.requests.ask(again).await?.request_id, first.request_id, "the person is not asked twice");
    Ok(())
}
