//! What reviews stand by: which results of theirs a commit may be.

use std::collections::BTreeSet;

use gate_core::proposal::{
    Act, Actor, ApprovedBy, ApprovedResult, Brought, Claimed, Ending, Need, PatchId, PatchStatus, Replied, ReviewId,
    ReviewStore, Verdict,
};
use gate_core::{Digest, Fault};
use serde_json::json;
use uuid::Uuid;

use super::scene::*;
use crate::fixture::{NOW, Outcome, ask_in, sqlite3};

/// What was approved in the repository that changes this file.
async fn approved(scene: &Scene, path: &str) -> Result<Vec<ApprovedResult>, Fault> {
    scene.store.approved(PLACE, &[path.to_owned()], 100).await
}

/// Approved by another agent.
async fn by_an_agent(scene: &Scene, review: ReviewId) -> Outcome {
    let by = agent(&client("codex"));
    scene.claim(&by, review).await?;
    scene.judge(&by, review, Verdict::Approved).await?;
    Ok(())
}

#[tokio::test]
async fn the_newest_round_stands_while_its_review_is_approved_or_was_applied() -> Outcome {
    let scene = Scene::new().await?;
    let (proposer, file) = (client("claude-code"), "src/a.rs");
    let by_proposer = agent(&proposer);
    let review = scene.submit(&proposer).await?;
    assert_eq!(approved(&scene, file).await?, [], "nobody has approved it");
    by_an_agent(&scene, review).await?;
    let found = approved(&scene, file).await?;
    let of: Vec<_> = found.iter().map(|result| (result.review_id, result.round, result.approved_by)).collect();
    assert_eq!(of, [(review, 1, ApprovedBy::Agent)]);
    assert_eq!((found[0].diff_sha256, found[0].receipt), (Digest::of_bytes(&diff(&[file], "").diff), None));
    assert_eq!(approved(&scene, "src/b.rs").await?, [], "it doesn't change that");
    let elsewhere = scene.store.approved("/srv/other/.git", &[file.to_owned()], 100).await?;
    assert_eq!(elsewhere, [], "it is of another repository");

    let (act, with) = next_round(&[file], "again");
    scene.act_with(&by_proposer, review, act, with).await?;
    assert_eq!(approved(&scene, file).await?, [], "nobody has approved the new round, and the old one is replaced");
    by_an_agent(&scene, review).await?;
    assert_eq!(approved(&scene, file).await?.iter().map(|result| result.round).collect::<Vec<_>>(), [2]);
    scene.act(&by_proposer, review, Act::Close(None)).await?;
    assert_eq!(approved(&scene, file).await?.len(), 1, "what is applied stays approved");

    for outcome in [Ending::Abandoned, Ending::NotApplied] {
        let other = scene.submit_new(&proposer, scene.proposal(&["given_up.rs"])).await?;
        by_an_agent(&scene, other).await?;
        scene.act(&by_proposer, other, Act::Close(Some(outcome))).await?;
        assert_eq!(approved(&scene, "given_up.rs").await?, [], "{outcome:?}");
    }
    Ok(())
}

#[tokio::test]
async fn what_was_given_up_hides_nothing_that_stands() -> Outcome {
    let scene = Scene::new().await?;
    let proposer = client("claude-code");
    let stands = scene.submit(&proposer).await?;
    by_an_agent(&scene, stands).await?;
    for _ in 0..3 {
        let other = scene.submit(&proposer).await?;
        by_an_agent(&scene, other).await?;
        scene.act(&agent(&proposer), other, Act::Close(Some(Ending::Abandoned))).await?;
    }
    let found = scene.store.approved(PLACE, &["src/a.rs".to_owned()], 1).await?;
    assert_eq!(found.iter().map(|result| result.review_id).collect::<Vec<_>>(), [stands], "though it is the oldest");
    Ok(())
}

#[tokio::test]
async fn an_approving_agents_patch_stands_beside_the_round_where_enough_have_approved_it() -> Outcome {
    for (agents, stands) in [(1, true), (2, false)] {
        let scene = Scene::new().await?;
        let need = Need { agents, person: false };
        let new = gate_core::proposal::NewReview { need, ..scene.proposal(&["src/a.rs"]) };
        let review = scene.submit_new(&client("claude-code"), new).await?;
        let first = agent(&client("codex"));
        scene.claim(&first, review).await?;
        let (patch_id, with) = patch(&["src/a.rs"], "better", false);
        scene.act_with(&first, review, Act::OfferPatch(Claimed::default()), with).await?;
        let with = Brought::Judged { reason: None, comments: Vec::new(), results: vec![patch_id] };
        scene.act_with(&first, review, Act::Verdict(Verdict::Approved, Claimed::default()), with).await?;
        if agents == 2 {
            assert_eq!(approved(&scene, "src/a.rs").await?, [], "one of two has approved it");
            let second = agent(&client("gemini-cli"));
            scene.claim(&second, review).await?;
            scene.judge(&second, review, Verdict::Approved).await?;
        }
        let mut of: Vec<_> = approved(&scene, "src/a.rs").await?.iter().map(|result| result.patch_id).collect();
        of.sort();
        let expected = if stands { vec![None, Some(patch_id)] } else { vec![None] };
        assert_eq!(of, expected, "the round, and the patch where as many have approved it as are needed: {agents}");
    }
    Ok(())
}

#[tokio::test]
async fn a_patch_that_is_turned_down_or_whose_round_is_replaced_stands_no_more() -> Outcome {
    for replaced in [false, true] {
        let scene = Scene::new().await?;
        let (proposer, reviewer) = (agent(&client("claude-code")), agent(&client("codex")));
        let review = scene.submit(&client("claude-code")).await?;
        scene.claim(&reviewer, review).await?;
        let (patch_id, with) = patch(&["src/a.rs"], "better", false);
        scene.act_with(&reviewer, review, Act::OfferPatch(Claimed::default()), with).await?;
        let with = Brought::Judged { reason: None, comments: Vec::new(), results: vec![patch_id] };
        scene.act_with(&reviewer, review, Act::Verdict(Verdict::Approved, Claimed::default()), with).await?;
        let of = || async {
            let found = approved(&scene, "src/a.rs").await?;
            Ok::<_, Fault>(found.iter().map(|result| (result.round, result.patch_id)).collect::<BTreeSet<_>>())
        };
        assert_eq!(of().await?, BTreeSet::from([(1, None), (1, Some(patch_id))]), "its author has approved both");
        if replaced {
            let (act, with) = next_round(&["src/a.rs"], "again");
            scene.act_with(&proposer, review, act, with).await?;
            let patches = scene.store.patches(review).await?;
            assert_eq!(patches[0].status, PatchStatus::Superseded, "nobody is asked to take it any more");
            by_an_agent(&scene, review).await?;
            assert_eq!(of().await?, BTreeSet::from([(2, None)]), "it was a patch of the round before");
        } else {
            scene.act_with(&proposer, review, Act::RejectPatch, Brought::OfPatch(Some(patch_id), None)).await?;
            assert_eq!(of().await?, BTreeSet::from([(1, None)]), "its proposer doesn't want it");
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_the_person_approved_names_their_receipt_and_no_patch() -> Outcome {
    let scene = Scene::new().await?;
    let review = scene.submit(&client("claude-code")).await?;
    let first = agent(&client("codex"));
    scene.claim(&first, review).await?;
    let (patch_id, with) = patch(&["src/a.rs"], "better", false);
    scene.act_with(&first, review, Act::OfferPatch(Claimed::default()), with).await?;
    let with = Brought::Judged { reason: None, comments: Vec::new(), results: vec![patch_id] };
    scene.act_with(&first, review, Act::Verdict(Verdict::Approved, Claimed::default()), with).await?;
    scene.act(&PERSON, review, decide(true)).await?;
    assert_eq!(approved(&scene, "src/a.rs").await?, [], "they may yet take it back");
    let receipt = Digest::of_bytes(b"a receipt");
    let asked = ask_in(&scene.store, scene.session, "Is this round good?", NOW).await?.request_id;
    let shown = format!("json_object('review_id', '{review}', 'round', 1, 'manifest', 'what it lets out')");
    let asked_so = format!("UPDATE review_requests SET round = {shown} WHERE request_id = '{asked}'");
    sqlite3(&scene.world.database(), &asked_so)?;
    let reply = [("receipt", json!(receipt)), ("request_id", json!(asked))];
    let reply = reply.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
    scene
        .act_with(&Actor::Gate, review, Act::Settle, Brought::Replied(Replied { reply, ..replied(IN_WINDOW) }))
        .await?;
    let found = approved(&scene, "src/a.rs").await?;
    let of: Vec<_> = found.iter().map(|result| (result.patch_id, result.approved_by, result.receipt)).collect();
    assert_eq!(of, [(None, ApprovedBy::Person, Some(receipt))], "theirs is of the round alone");
    assert_eq!(found[0].manifest.as_deref(), Some("what it lets out"), "and of what they were shown");

    scene.act(&PERSON, review, decide(false)).await?;
    scene.act(&Actor::Gate, review, Act::Settle).await?;
    assert_eq!(approved(&scene, "src/a.rs").await?, [], "what they reject stands no more");
    Ok(())
}

#[tokio::test]
async fn an_approval_is_of_nobodys_patches_but_the_approvers_own() -> Outcome {
    let scene = Scene::new().await?;
    let (proposer, other, approver) = (client("claude-code"), agent(&client("codex")), agent(&client("gemini-cli")));
    let review = scene.submit(&proposer).await?;
    scene.claim(&other, review).await?;
    let patch_id = PatchId(Uuid::now_v7());
    let offered = Brought::Patch { patch_id, new: Box::new(diff(&["src/a.rs"], "theirs")), approves: false };
    scene.act_with(&other, review, Act::OfferPatch(Claimed::default()), offered).await?;
    scene.act(&other, review, Act::Release(Claimed::default())).await?;
    scene.claim(&approver, review).await?;
    let with = Brought::Judged { reason: None, comments: Vec::new(), results: vec![patch_id] };
    let verdict = Act::Verdict(Verdict::Approved, Claimed::default());
    scene.act_with(&approver, review, verdict, with).await?;
    let found = approved(&scene, "src/a.rs").await?;
    assert_eq!(found.iter().map(|result| result.patch_id).collect::<Vec<_>>(), [None], "the round alone: {found:?}");
    Ok(())
}
