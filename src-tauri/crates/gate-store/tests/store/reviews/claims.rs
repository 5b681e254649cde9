//! Claims: one has it, and whoever lost it has nothing more to say.

use std::collections::BTreeSet;

use gate_core::Timestamp;
use gate_core::proposal::act::{Lost, SeenClaim};
use gate_core::proposal::{Act, Actor, Brought, Claimed, NewReview, NextReview, Party, Priority, ReviewId, Verdict};
use serde_json::json;

use super::scene::*;
use crate::fixture::{NOW, Outcome, campaign};

#[tokio::test]
async fn a_verdict_a_patch_and_a_release_after_the_claim_was_lost_are_refused_as_that() -> Outcome {
    let scene = Scene::new().await?;
    let codex = agent(&client("codex"));
    for lost in [Lost::Lease, Lost::Gone, Lost::Run] {
        let review = scene.submit(&client("claude-code")).await?;
        scene.claim(&codex, review).await?;
        scene.act(&Actor::Gate, review, Act::Lose(lost, None)).await?;
        let late = || async {
            let mut codes = BTreeSet::new();
            for verdict in Verdict::ALL {
                codes.insert(code(scene.judge(&codex, review, *verdict).await));
            }
            let (_, with) = patch(&["a"], "late", false);
            let unsaid = Claimed::default();
            codes.insert(code(scene.act_with(&codex, review, Act::OfferPatch(unsaid), with).await));
            codes.insert(code(scene.act(&codex, review, Act::Release(unsaid)).await));
            codes
        };
        assert_eq!(late().await, BTreeSet::from(["claim_lost"]), "{lost:?}");
        let (round, with) = next_round(&["a"], "next");
        scene.act_with(&agent(&client("claude-code")), review, round, with).await?;
        assert_eq!(late().await, BTreeSet::from(["claim_lost"]), "after a next round, too: {lost:?}");
        scene.claim(&agent(&client("gemini-cli")), review).await?;
        assert_eq!(late().await, BTreeSet::from(["claim_lost"]), "and when somebody else has it: {lost:?}");
        let events = scene.events(review).await?;
        let told = events.iter().find(|event| event.kind == "claim_lost").ok_or("it is told")?;
        assert!(told.data["how"].is_string(), "with how: {told:?}");
        scene.act(&agent(&client("claude-code")), review, Act::Close(None)).await?;
    }
    Ok(())
}

#[tokio::test]
async fn why_a_claim_was_lost_is_in_its_event_and_only_the_one_that_was_seen_is() -> Outcome {
    let scene = Scene::new().await?;
    let (codex, gemini) = (agent(&client("codex")), agent(&client("gemini-cli")));
    let review = scene.submit(&client("claude-code")).await?;
    let lose = |token| Act::Lose(Lost::Run, Some(SeenClaim { token, acted_at: None }));
    let why = || Brought::Reason("it took too long".to_owned());
    let first = scene.claim(&codex, review).await?;
    scene.act_with(&Actor::Gate, review, lose(first), why()).await?;
    let second = scene.claim(&gemini, review).await?;
    assert_eq!(code(scene.act_with(&Actor::Gate, review, lose(first), why()).await), "claim_lost");
    assert_eq!(scene.state(review).await?.token, second, "whose claim it is now keeps it");
    let events = scene.events(review).await?;
    let told: Vec<_> = events.iter().filter(|event| event.kind == "claim_lost").map(|event| &event.data).collect();
    let [told] = told[..] else { return Err(format!("it was lost once: {told:?}").into()) };
    assert_eq!((&told["how"], &told["reason"]), (&json!("run"), &json!("it took too long")));
    Ok(())
}

#[tokio::test]
async fn whoever_has_it_again_cannot_use_the_token_of_the_first_time() -> Outcome {
    let scene = Scene::new().await?;
    let (codex, gemini) = (agent(&client("codex")), agent(&client("gemini-cli")));
    let review = scene.submit(&client("claude-code")).await?;
    let first = scene.claim(&codex, review).await?;
    scene.act(&Actor::Gate, review, Act::Lose(Lost::Lease, None)).await?;
    let second = scene.claim(&gemini, review).await?;
    scene.act(&gemini, review, Act::Release(Claimed { token: Some(second), round: None })).await?;
    let third = scene.claim(&codex, review).await?;
    assert!(first < second && second < third, "the token grows: {first} {second} {third}");
    let with_token = |token| Act::Verdict(Verdict::Approved, Claimed { token: Some(token), round: None });
    assert_eq!(code(scene.act(&codex, review, with_token(first)).await), "claim_lost");
    assert_eq!(code(scene.act(&gemini, review, with_token(second)).await), "claim_lost");
    assert_eq!(code(scene.act(&codex, review, with_token(third)).await), "done");
    Ok(())
}

#[tokio::test]
async fn who_lost_it_twice_leaves_the_round_to_others() -> Outcome {
    let scene = Scene::new().await?;
    let (codex, gemini) = (agent(&client("codex")), agent(&client("gemini-cli")));
    let review = scene.submit(&client("claude-code")).await?;
    for _ in 0..2 {
        scene.claim(&codex, review).await?;
        scene.act(&Actor::Gate, review, Act::Lose(Lost::Gone, None)).await?;
    }
    assert_eq!(code(scene.act(&codex, review, Act::Claim).await), "claim_lost");
    assert!(claim_next(&scene.store, &codex).await?.is_none(), "the queue doesn't give it to them");
    assert!(claim_next(&scene.store, &gemini).await?.is_some(), "but to others");
    let (round, with) = next_round(&["a"], "next");
    scene.act(&gemini, review, Act::Release(Claimed::default())).await?;
    scene.act_with(&agent(&client("claude-code")), review, round, with).await?;
    assert!(claim_next(&scene.store, &codex).await?.is_some(), "the next round is another one");
    Ok(())
}

#[tokio::test]
async fn one_party_holds_three_claims_whichever_of_its_clients_makes_them() -> Outcome {
    let scene = Scene::new().await?;
    let mut reviews = Vec::new();
    for _ in 0..4 {
        reviews.push(scene.submit(&client("claude-code")).await?);
    }
    let of_group = |name: &str| Party { group: Some("me".to_owned()), ..client(name) };
    let (laptop, desktop) = (agent(&of_group("laptop")), agent(&of_group("desktop")));
    scene.claim(&laptop, reviews[0]).await?;
    scene.claim(&laptop, reviews[1]).await?;
    scene.claim(&desktop, reviews[2]).await?;
    for by in [&laptop, &desktop] {
        assert_eq!(code(scene.act(by, reviews[3], Act::Claim).await), "too_many");
        assert_eq!(code(claim_next(&scene.store, by).await), "too_many", "and the queue says so, too");
    }
    scene.claim(&laptop, reviews[0]).await?;
    scene.judge(&laptop, reviews[0], Verdict::Approved).await?;
    scene.claim(&desktop, reviews[3]).await?;
    Ok(())
}

/// Lets `count` clients claim at once what comes next, or this one. Gives what each has.
async fn at_once(scene: &Scene, count: usize, review: Option<ReviewId>) -> Result<Vec<Option<ReviewId>>, Error> {
    let barrier = std::sync::Arc::new(tokio::sync::Barrier::new(count));
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..count {
        let (store, barrier) = (scene.store.clone(), barrier.clone());
        tasks.spawn(async move {
            let by = agent(&client(&format!("reviewer {number}")));
            barrier.wait().await;
            match review {
                None => claim_next(&store, &by).await.map(|acted| acted.map(|acted| acted.review.review_id)),
                Some(review) => {
                    let acting = gate_core::proposal::Acting {
                        review_id: review,
                        actor: by,
                        act: Act::Claim,
                        with: Brought::Nothing,
                        answers: None,
                        call_key: None,
                        at: Timestamp(NOW),
                    };
                    match gate_core::proposal::ReviewStore::act(&store, acting).await {
                        Ok(acted) => Ok(Some(acted.review.review_id)),
                        Err(fault) if fault.code == gate_core::Code::AlreadyClaimed => Ok(None),
                        Err(fault) => Err(fault),
                    }
                }
            }
        });
    }
    let mut given = Vec::new();
    while let Some(done) = tasks.join_next().await {
        given.push(done??);
    }
    Ok(given)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_that_claim_at_once_are_given_different_reviews_and_the_rest_none() -> Outcome {
    for _ in 0..campaign(50, 2) {
        let scene = Scene::new().await?;
        let mut submitted = BTreeSet::new();
        for _ in 0..40 {
            submitted.insert(scene.submit(&client("claude-code")).await?);
        }
        let given: Vec<_> = at_once(&scene, 64, None).await?.into_iter().flatten().collect();
        assert_eq!(given.len(), 40, "as many as there are");
        assert_eq!(given.into_iter().collect::<BTreeSet<_>>(), submitted, "each of them once");
        let second = scene.count("claims")?;
        assert_eq!(second, 40, "nobody has a claim beside another's");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_that_claim_the_same_review_at_once_has_it() -> Outcome {
    let scene = Scene::new().await?;
    for count in [2, 3, 5, 8, 16, 33, 64] {
        for _ in 0..campaign(100, 3) {
            let review = scene.submit(&client("claude-code")).await?;
            let given: Vec<_> = at_once(&scene, count, Some(review)).await?.into_iter().flatten().collect();
            assert_eq!(given, [review], "one of {count}");
            let kinds = scene.kinds(review).await?;
            assert_eq!(kinds, ["submitted", "claimed"], "and the others left nothing");
            scene.act(&agent(&client("claude-code")), review, Act::Close(None)).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_queue_gives_the_oldest_first_and_a_higher_priority_a_quarter_of_an_hour_earlier() -> Outcome {
    let scene = Scene::new().await?;
    let mut expected = Vec::new();
    for (priority, minutes, place) in [
        (Priority::Low, 0, 3),
        (Priority::Normal, 5, 2),
        (Priority::Critical, 20, 0),
        (Priority::High, 16, 1),
        (Priority::Normal, 30, 4),
    ] {
        let new = NewReview { priority, ..scene.proposal(&["a"]) };
        expected.push((place, new.review_id));
        submit(&scene.store, &client("claude-code"), new, NOW + minutes * MINUTE).await?;
    }
    expected.sort();
    for (place, review) in expected {
        let by = agent(&client(&format!("reviewer {place}")));
        let given = claim_next(&scene.store, &by).await?.ok_or("there is one")?;
        assert_eq!(given.review.review_id, review, "number {place}");
    }
    Ok(())
}

#[tokio::test]
async fn the_queue_gives_what_is_of_the_callers_place_and_kind_and_not_their_own() -> Outcome {
    let scene = Scene::new().await?;
    let mut elsewhere = scene.proposal(&["a"]);
    elsewhere.first.checked.repository = Some("/srv/other/.git".to_owned());
    scene.submit_new(&client("claude-code"), elsewhere).await?;
    let own = NewReview { category: Some("docs".to_owned()), ..scene.proposal(&["a"]) };
    scene.submit_new(&client("codex"), own).await?;
    let by = agent(&client("codex"));
    assert!(claim_next(&scene.store, &by).await?.is_none(), "one is another repository's, one is their own");
    let review = scene.submit(&client("claude-code")).await?;
    let of = |categories: &[&str]| NextReview {
        places: vec![PLACE.to_owned()],
        categories: categories.iter().map(|category| (*category).to_owned()).collect(),
    };
    assert!(claim_next_of(&scene.store, &by, &of(&["docs", "ui"])).await?.is_none(), "it is of no kind");
    let given = claim_next_of(&scene.store, &by, &of(&[])).await?.ok_or("there is one")?;
    assert_eq!(given.review.review_id, review);
    let other = agent(&client("gemini-cli"));
    let given = claim_next_of(&scene.store, &other, &of(&["docs"])).await?.ok_or("codex's own")?;
    assert_eq!(given.review.category.as_deref(), Some("docs"));
    Ok(())
}
