//! Whoever comes back goes on, and nobody reviews their own by starting anew.

use gate_core::Process;
use gate_core::proposal::act::Lost;
use gate_core::proposal::{
    Act, Brought, Claimed, MessagePlace, ReviewQuery, ReviewRole, ReviewStatus, ReviewStore, Verdict,
};

use super::scene::*;
use crate::fixture::Outcome;

/// The first ones have ended.
fn first_ended(process: &Process) -> bool {
    process.pid == 10 || process.pid == 20
}

#[tokio::test]
async fn an_heir_of_the_proposer_goes_on_and_finds_it_as_its_own() -> Outcome {
    let mut scene = Scene::new().await?;
    let (first, heir) = (process(10, "claude-code", &[5]), process(11, "claude-code", &[6]));
    let review = scene.submit(&first).await?;
    let (round, with) = next_round(&["a"], "two");
    let early = scene.act_with(&agent(&heir), review, round.clone(), with.clone()).await;
    assert_eq!(code(early), "not_proposer", "not while that one is there");
    scene.restart().await?;
    let by_heir = agent_after(&heir, first_ended);
    assert_eq!(code(scene.act(&by_heir, review, Act::Claim).await), "own_proposal", "it doesn't review its own");
    let went_on = scene.act_with(&by_heir, review, round, with).await?;
    assert_eq!((went_on.review.round, went_on.review.party.as_str()), (2, heir.key.as_str()));
    let mine = ReviewQuery { party: Some(heir.key.clone()), ..ReviewQuery::default() };
    let listed = scene.store.reviews(&mine, None, 9).await?;
    assert_eq!(listed.len(), 1, "`mine` finds it");
    let events = scene.events(review).await?;
    assert_eq!(events.last().and_then(|event| event.role), Some(ReviewRole::Proposer));
    Ok(())
}

#[tokio::test]
async fn what_a_proposer_started_stays_one_with_it_after_an_heir_goes_on() -> Outcome {
    let scene = Scene::new().await?;
    let (first, heir) = (process(10, "claude-code", &[5]), process(11, "claude-code", &[6]));
    let child = process(30, "codex", &[10, 5]);
    let review = scene.submit(&first).await?;
    let message = || Brought::Message(said("Done.", MessagePlace::Review));
    scene.act_with(&agent(&child), review, Act::Message, message()).await?;
    assert_eq!(scene.read(review).await?.summary.party, first.key, "a child that speaks doesn't take it over");
    let next_of_child = process(31, "codex", &[7]);
    let child_ended = |process: &Process| process.pid == 30;
    let by = agent_after(&next_of_child, child_ended);
    assert_eq!(code(scene.act(&by, review, Act::Claim).await), "done", "the child's heir was never the proposer's");
    scene.act(&by, review, Act::Release(Claimed::default())).await?;
    scene.act_with(&agent_after(&heir, first_ended), review, Act::Message, message()).await?;
    assert_eq!(scene.read(review).await?.summary.party, heir.key);
    let claim = scene.act(&agent_after(&child, first_ended), review, Act::Claim).await;
    assert_eq!(code(claim), "own_proposal", "what the first one started doesn't review it");
    assert_eq!(code(scene.act(&agent(&first), review, Act::Claim).await), "own_proposal", "nor would the first one");
    Ok(())
}

#[tokio::test]
async fn an_heir_of_the_holder_goes_on_with_the_claim() -> Outcome {
    let scene = Scene::new().await?;
    let (first, heir) = (process(20, "codex", &[5]), process(21, "codex", &[6]));
    let review = scene.submit(&client("claude-code")).await?;
    let token = scene.claim(&agent(&first), review).await?;
    assert_eq!(code(scene.act(&agent(&heir), review, Act::Claim).await), "already_claimed");
    let by_heir = agent_after(&heir, first_ended);
    let again = scene.act(&by_heir, review, Act::Claim).await?;
    assert_eq!(again.claim_token, Some(token), "it is the same claim");
    assert_eq!(scene.state(review).await?.claim.map(|claim| claim.holder), Some(heir.key.clone()));
    assert!(scene.judge(&by_heir, review, Verdict::Approved).await?.happened);
    let repeated = scene.judge(&agent_after(&process(22, "codex", &[6]), |_| true), review, Verdict::Approved).await?;
    assert!(!repeated.happened, "a verdict that an heir sends again is the first one");
    assert_eq!(scene.store.verdicts(review).await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_reviewer_that_becomes_the_proposers_heir_decides_nothing_any_more() -> Outcome {
    let scene = Scene::new().await?;
    let (first, second) = (process(10, "claude-code", &[5]), process(11, "claude-code", &[6]));
    let review = scene.submit(&first).await?;
    scene.claim(&agent(&second), review).await?;
    let (_, with) = patch(&["a"], "mine", true);
    scene.act_with(&agent(&second), review, Act::OfferPatch(Claimed::default()), with).await?;
    let by_heir = agent_after(&second, first_ended);
    assert_eq!(code(scene.judge(&by_heir, review, Verdict::Approved).await), "own_proposal");
    assert_eq!(code(scene.act(&by_heir, review, Act::Claim).await), "own_proposal");
    let accepted = scene.act_with(&by_heir, review, ACCEPT, Brought::OfPatch(None, None)).await?;
    assert_eq!(accepted.review.approvals, 0, "a patch of its own that it accepts is nobody's approval");
    assert_eq!(accepted.review.approved_by, None);
    assert_eq!(scene.store.verdicts(review).await?, []);
    scene.act(&gate_core::proposal::Actor::Gate, review, Act::Lose(Lost::Gone, None)).await?;
    assert_eq!(scene.state(review).await?.status, ReviewStatus::Created, "another reviewer may have it");
    Ok(())
}

#[tokio::test]
async fn a_patch_of_a_reviewer_that_approves_is_its_approval_of_the_round_that_it_becomes() -> Outcome {
    let scene = Scene::new().await?;
    let review = scene.submit(&client("claude-code")).await?;
    let reviewer = agent(&client("codex"));
    scene.claim(&reviewer, review).await?;
    let (_, with) = patch(&["a"], "better", true);
    scene.act_with(&reviewer, review, Act::OfferPatch(Claimed::default()), with).await?;
    let accepted = scene.act_with(&agent(&client("claude-code")), review, ACCEPT, Brought::OfPatch(None, None)).await?;
    assert_eq!((accepted.review.status, accepted.review.approvals), (ReviewStatus::Approved, 1));
    let verdicts = scene.store.verdicts(review).await?;
    assert_eq!((verdicts[0].round, verdicts[0].author.as_str()), (2, "codex"), "its author's, on the new round");
    assert_eq!(scene.count("approved_results")?, 1);
    Ok(())
}
