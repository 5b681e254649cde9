//! What stays while a review is open, and what goes with its conversation.

use gate_core::proposal::{Act, Brought, Claimed, MessagePlace, Need, NewReview, ReviewStore, Verdict};
use gate_core::{Digest, SessionStatus, Timestamp};
use gate_store::Retained;

use super::scene::*;
use crate::fixture::{NOW, Outcome, ask_in, code as store_code};

#[tokio::test]
async fn an_open_review_keeps_its_conversation_and_a_closed_one_goes_with_all_that_it_had() -> Outcome {
    let scene = Scene::new().await?;
    let (proposer, reviewer) = (agent(&client("claude-code")), agent(&client("codex")));
    let review = scene.submit_new(&client("claude-code"), scene.proposal(&["a"])).await?;
    scene.claim(&reviewer, review).await?;
    let message = Brought::Message(said("Why?", at_line("a", 1).1));
    scene.act_with(&reviewer, review, Act::Message, message).await?;
    let (_, with) = patch(&["a"], "patched", false);
    scene.act_with(&reviewer, review, Act::OfferPatch(Claimed::default()), with).await?;
    scene.act_with(&reviewer, review, Act::Message, Brought::Message(said("!", MessagePlace::Review))).await?;
    let approve = gate_core::proposal::Acting {
        review_id: review,
        actor: reviewer.clone(),
        act: Act::Verdict(Verdict::Approved, Claimed::default()),
        with: judged("good", Vec::new()),
        answers: None,
        call_key: Some("relay:1".to_owned()),
        at: Timestamp(NOW),
    };
    scene.store.act(approve).await?;
    for table in TABLES {
        assert_ne!(scene.count(table)?, 0, "{table}: there is something to delete");
    }
    scene.store.set_session_status(scene.session, SessionStatus::Timeout, None).await?;
    let deleted = scene.store.delete_conversation(scene.session).await;
    assert_eq!(store_code(deleted), Some(gate_core::Code::StillPending), "approved, but not closed");
    let late = Timestamp(NOW + 400 * DAY);
    let retained = scene.store.retain(Some(30), Some(1), late).await?;
    assert_eq!(retained, Retained::default(), "neither its age nor its size matters");
    let digests = [Digest::of_bytes(&diff(&["a"], "").diff), Digest::of_bytes(&diff(&["a"], "patched").diff)];
    for digest in digests {
        assert!(scene.store.diff(digest).await?.is_some(), "the hourly look leaves its diffs");
    }
    scene.act(&proposer, review, Act::Close(None)).await?;
    scene.store.delete_conversation(scene.session).await?;
    for table in TABLES {
        assert_eq!(scene.count(table)?, 0, "{table}: nothing is left behind");
    }
    assert_eq!(scene.count("blobs")?, 0, "nor its bytes");
    assert_eq!(scene.store.review(review).await?, None);
    Ok(())
}

#[tokio::test]
async fn the_bytes_that_two_reviews_have_stay_until_the_second_goes() -> Outcome {
    let mut scene = Scene::new().await?;
    let one = scene.submit_new(&client("claude-code"), scene.proposal(&["a"])).await?;
    let first = scene.session;
    scene.session = begin(&scene.store).await?;
    let two = scene.submit_new(&client("codex"), scene.proposal(&["a"])).await?;
    let digest = Digest::of_bytes(&diff(&["a"], "").diff);
    scene.act(&agent(&client("claude-code")), one, Act::Close(None)).await?;
    scene.store.delete_conversation(first).await?;
    assert!(scene.store.diff(digest).await?.is_some(), "the other one has it");
    scene.act(&agent(&client("codex")), two, Act::Close(None)).await?;
    scene.store.set_session_status(scene.session, SessionStatus::Timeout, None).await?;
    let retained = scene.store.retain(Some(30), None, Timestamp(NOW + 31 * DAY)).await?;
    assert_eq!(retained.conversations, [scene.session], "by its age");
    assert_eq!((scene.store.diff(digest).await?, scene.count("blobs")?), (None, 0));
    Ok(())
}

#[tokio::test]
async fn a_question_about_a_review_doesnt_expire() -> Outcome {
    let scene = Scene::new().await?;
    let needs = Need { agents: 0, person: true };
    let new = NewReview { need: needs, ..scene.proposal(&["a"]) };
    let review = scene.submit_new(&client("claude-code"), new).await?;
    let asked = ask_in(&scene.store, scene.session, "Is this round good?", NOW).await?;
    let other = ask_in(&scene.store, scene.session, "And what else?", NOW).await?;
    assert!(scene.store.asked(review, 1, asked.request_id).await?);
    scene.store.set_session_status(scene.session, SessionStatus::Timeout, None).await?;
    let retained = scene.store.retain(Some(30), None, Timestamp(NOW + 31 * DAY)).await?;
    assert_eq!(retained.expired, [other.request_id], "only the question beside it");
    assert_eq!(scene.store.status(asked.request_id).await?, Some(gate_core::RequestStatus::Pending));
    Ok(())
}
