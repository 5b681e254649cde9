//! Reviews as the person is shown them: where threads of earlier rounds stand, what else touches the same files, and how
//! many parties there are.

use gate_api::Origin;
use gate_api::subjects::reviews::{
    CommentReview, CountReviewParties, EndReview, Handler as _, OpenReview, ReviewThread, ReviewView,
};
use gate_core::Fault;
use gate_core::proposal::{Anchor, ReviewId};
use gate_core::reply::Side;
use gate_mcp::{BrokerPort as _, ProposedChange, Said, SaidAt, SubmittedProposal};
use gate_settings::Values;
use serde_json::json;

use crate::slices::Gate;
use crate::tests::reviews::{proposal, propose, relay};
use crate::tests::{Outcome, gate, open_with};

/// A change of one line of a file to these.
fn becomes(file: &str, lines: &[&str]) -> SubmittedProposal {
    let added: String = lines.iter().map(|line| format!("+{line}\n")).collect();
    let diff = format!("--- a/{file}\n+++ b/{file}\n@@ -1 +1,{} @@\n-old();\n{added}", lines.len());
    SubmittedProposal { change: ProposedChange::Diff(diff), ..proposal("better") }
}

async fn submitted(gate: &Gate, review_id: Option<ReviewId>, change: SubmittedProposal) -> Result<ReviewId, Fault> {
    let change = SubmittedProposal { review_id, ..change };
    gate.submit(&relay("proposer"), change).await.map(|submission| submission.review.review_id)
}

async fn looked_at(gate: &Gate, review_id: ReviewId, round: Option<u32>) -> Result<ReviewView, Fault> {
    gate.review(OpenReview { review_id, round }, Origin::Desktop).await
}

async fn only_thread(gate: &Gate, review: ReviewId, round: Option<u32>) -> Result<ReviewThread, Fault> {
    let mut threads = looked_at(gate, review, round).await?.threads;
    match threads.pop() {
        Some(thread) if threads.is_empty() => Ok(thread),
        _ => Err(Fault::internal("there is one thread")),
    }
}

#[tokio::test]
async fn an_open_thread_stands_where_its_line_is_in_a_later_round() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let review = submitted(&gate, None, becomes("x", &["one();", "two();"])).await?;
    let place = Anchor { file: "x".to_owned(), line: Some(1), start_line: None, side: Side::New };
    let said = Said { at: SaidAt::Lines(place), body: "Why one?".to_owned(), resolve: None, message_id: None };
    gate.say(&relay("reviewer"), review, said).await?;
    assert_eq!(only_thread(&gate, review, None).await?.follows, None, "on its own round it stands where it began");

    submitted(&gate, Some(review), becomes("x", &["zero();", "one();", "two();"])).await?;
    let thread = only_thread(&gate, review, None).await?;
    assert_eq!((thread.round, thread.place.line), (1, Some(1)), "it is of the round that it began on");
    let follows = thread.follows.ok_or("it follows its line")?;
    assert_eq!((follows.place.line, follows.quoted), (Some(2), Vec::new()));
    assert_eq!(only_thread(&gate, review, Some(1)).await?.follows, None);

    let (threads, _) = gate.messages(&relay("reviewer"), review, 0, 10).await?;
    let told = threads.first().and_then(|thread| thread.follows.as_ref()).map(|follows| follows.place.line);
    assert_eq!(told, Some(Some(2)), "agents are told the same");

    submitted(&gate, Some(review), becomes("x", &["zero();", "two();"])).await?;
    let gone = only_thread(&gate, review, None).await?.follows.ok_or("it stands at the file")?;
    assert_eq!((gone.place.line, gone.quoted), (None, vec!["one();".to_owned()]), "the line is gone");

    let resolve = CommentReview {
        review_id: review,
        thread_id: Some(thread.thread_id),
        place: None,
        round: None,
        text: String::new(),
        resolve: Some(true),
    };
    gate.comment_review(resolve, Origin::Desktop).await?;
    assert_eq!(only_thread(&gate, review, None).await?.follows, None, "what is settled follows nobody");
    Ok(())
}

#[tokio::test]
async fn reviews_that_change_the_same_file_name_each_other_until_one_is_over() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let one = submitted(&gate, None, becomes("x", &["one();"])).await?;
    let two = submitted(&gate, None, becomes("x", &["two();"])).await?;
    let apart = submitted(&gate, None, becomes("y", &["one();"])).await?;
    let overlap = async |review| -> Result<Vec<ReviewId>, Fault> {
        let overlaps = looked_at(&gate, review, None).await?.overlaps;
        Ok(overlaps.into_iter().map(|review| review.review_id).collect())
    };
    assert_eq!((overlap(one).await?, overlap(two).await?), (vec![two], vec![one]), "told to both sides");
    assert_eq!(overlap(apart).await?, [], "another file");
    gate.end_review(EndReview { review_id: two, outcome: None }, Origin::Desktop).await?;
    assert_eq!((overlap(one).await?, overlap(two).await?), (vec![], vec![]), "what is over is in nobody's way");
    Ok(())
}

#[tokio::test]
async fn parties_are_those_that_had_a_part_in_a_review_and_those_of_the_pool() -> Outcome {
    let folder = tempfile::tempdir()?;
    let known = async |gate: &Gate| -> Result<u32, Fault> {
        Ok(gate.review_parties(CountReviewParties {}, Origin::Desktop).await?.known)
    };
    let gate = open_with(&folder, true, Values::new()).await?;
    assert_eq!(known(&gate).await?, 0, "nobody has proposed anything");
    let review = propose(&gate, "b").await?;
    propose(&gate, "c").await?;
    let said = Said { at: SaidAt::Review, body: "Why?".to_owned(), resolve: None, message_id: None };
    gate.say(&relay("reviewer"), review, said).await?;
    assert_eq!(known(&gate).await?, 2, "who proposes twice is one");
    drop(gate);
    let folder = tempfile::tempdir()?;
    let pool = Values::from([("security.pool", json!(["claude-code", "codex"]))]);
    assert_eq!(known(&open_with(&folder, true, pool).await?).await?, 2, "programs of the pool may review");
    Ok(())
}
