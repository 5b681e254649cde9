//! What is sent again counts once, and what is refused leaves nothing but that it was.

use gate_core::Timestamp;
use gate_core::proposal::{
    Act, Acting, Actor, Brought, Claimed, Ending, MessagePlace, Need, NewReview, ReviewStatus, ReviewStore, Verdict,
    bounds,
};

use super::scene::*;
use crate::fixture::{NOW, Outcome};

#[tokio::test]
async fn a_call_that_is_sent_again_gives_its_first_result_until_that_has_arrived() -> Outcome {
    let mut scene = Scene::new().await?;
    let (proposer, reviewer) = (client("claude-code"), client("codex"));
    let new = scene.proposal(&["a"]);
    let again = NewReview { review_id: scene.proposal(&[]).review_id, ..new.clone() };
    let send = |new: NewReview| scene.store.submit(new, &proposer, nobody_ended, Some("relay:1"), Timestamp(NOW));
    let first = send(new.clone()).await?;
    let second = send(again).await?;
    assert_eq!((second.review, second.happened), (first.review, false), "one proposal, and not two");
    assert_eq!(scene.count("proposals")?, 1);
    let review = new.review_id;
    let claim = Acting {
        review_id: review,
        actor: agent(&reviewer),
        act: Act::Claim,
        with: Brought::Nothing,
        answers: None,
        call_key: Some("relay:2".to_owned()),
        at: Timestamp(NOW),
    };
    let claimed = scene.store.act(claim.clone()).await?;
    scene.act(&agent(&reviewer), review, Act::Release(Claimed::default())).await?;
    scene.restart().await?;
    let found = scene.store.done_before("relay:2").await?.ok_or("it was done before")?;
    assert_eq!(found.claim_token, Some(1), "what it led to is known after a restart");
    let again = scene.store.act(claim.clone()).await?;
    assert_eq!(again.review, claimed.review, "the first result, whatever has happened since");
    assert!(!again.happened);
    assert_eq!(scene.state(review).await?.status, ReviewStatus::Created, "and nothing is done");
    scene.store.delivered("relay:2").await?;
    assert_eq!(scene.store.done_before("relay:2").await?, None);
    let anew = scene.store.act(claim).await?;
    assert_eq!((anew.happened, anew.claim_token), (true, Some(3)), "after that it is another call");
    let next = claim_next(&scene.store, &agent(&client("gemini-cli"))).await?;
    assert!(next.is_none(), "somebody has it");
    Ok(())
}

#[tokio::test]
async fn a_call_that_does_two_things_is_forgotten_with_both() -> Outcome {
    let scene = Scene::new().await?;
    let (proposer, reviewer) = (client("claude-code"), agent(&client("codex")));
    let review = scene.submit(&proposer).await?;
    scene.claim(&reviewer, review).await?;
    let with_patch = format!("relay:1{}", bounds::WITH_PATCH);
    for key in [with_patch.as_str(), "relay:1"] {
        let acting = Acting {
            review_id: review,
            actor: reviewer.clone(),
            act: Act::Message,
            with: Brought::Message(said(key, MessagePlace::Review)),
            answers: None,
            call_key: Some(key.to_owned()),
            at: Timestamp(NOW),
        };
        assert!(scene.store.act(acting).await?.happened, "each of the two is an act of its own");
    }
    assert_eq!(scene.count("broker_calls")?, 2);
    scene.store.delivered("relay:1").await?;
    assert_eq!(scene.count("broker_calls")?, 0, "nothing is left of a call whose result has arrived");
    Ok(())
}

#[tokio::test]
async fn over_http_the_same_proposal_is_another_one_after_ten_minutes_or_once_its_review_is_over() -> Outcome {
    let scene = Scene::new().await?;
    let proposer = client("claude-code");
    let send = |key: &'static str, minute: i64| {
        let new = scene.proposal(&["a"]);
        scene.store.submit(new, &proposer, nobody_ended, Some(key), Timestamp(NOW + minute * MINUTE))
    };
    let first = send("http-one", 0).await?;
    let other = send("http-two", 1).await?;
    let again = send("http-one", 9).await?;
    assert_eq!((again.review.review_id, again.happened), (first.review.review_id, false), "its client called again");
    scene.act(&agent(&proposer), other.review.review_id, Act::Close(None)).await?;
    assert!(send("http-two", 9).await?.happened, "that one is over");
    let anew = send("http-one", 11).await?;
    assert!(anew.happened && anew.review.review_id != first.review.review_id, "nobody calls again after so long");
    assert_eq!(scene.count("broker_calls")?, 2, "what is over is forgotten");
    Ok(())
}

#[tokio::test]
async fn a_message_is_said_once_and_its_identifier_is_nobody_elses() -> Outcome {
    let scene = Scene::new().await?;
    let (proposer, reviewer) = (client("claude-code"), client("codex"));
    let (review, other) = (scene.submit(&proposer).await?, scene.submit(&proposer).await?);
    let (thread, place) = at_line("src/a.rs", 1);
    let message = said("Why?", place);
    let say = |by: &Actor, review, message: &gate_core::proposal::NewMessage| {
        let (by, with) = (by.clone(), Brought::Message(message.clone()));
        let scene = &scene;
        async move { scene.act_with(&by, review, Act::Message, with).await }
    };
    let first = say(&agent(&reviewer), review, &message).await?;
    let again = say(&agent(&reviewer), review, &message).await?;
    assert_eq!((first.thread_id, first.happened), (Some(thread), true));
    assert_eq!((again.thread_id, again.happened), (Some(thread), false), "in the thread that it began");
    assert_eq!(scene.store.review_messages(review, 0, 9).await?.len(), 1);
    let taken = say(&agent(&proposer), review, &message).await;
    assert_eq!(code(taken), "invalid_input", "another's words aren't taken for said");
    assert_eq!(code(say(&agent(&reviewer), other, &message).await), "invalid_input", "nor in another review");
    let elsewhere = said("Here?", MessagePlace::Thread(thread));
    assert_eq!(code(say(&agent(&reviewer), other, &elsewhere).await), "unknown_thread");
    scene.claim(&agent(&reviewer), other).await?;
    let comments = vec![elsewhere];
    let act = Act::Verdict(Verdict::Comment, Claimed::default());
    let judged = scene.act_with(&agent(&reviewer), other, act.clone(), judged("", comments)).await;
    assert_eq!(code(judged), "unknown_thread", "a verdict's comments don't reach it either");
    let twice = said("Twice.", MessagePlace::Review);
    let with = super::scene::judged("", vec![twice.clone(), twice]);
    assert_eq!(code(scene.act_with(&agent(&reviewer), other, act, with).await), "invalid_input");
    assert_eq!(scene.store.review_messages(other, 0, 9).await?, [], "nothing of them is there");
    let by_person = say(&PERSON, other, &said("Mine.", MessagePlace::Review)).await?;
    assert!(by_person.happened, "the person may speak anywhere");
    Ok(())
}

#[tokio::test]
async fn the_same_verdict_again_is_the_first_one_even_when_somebody_else_has_it_by_now() -> Outcome {
    let scene = Scene::new().await?;
    let new = NewReview { need: Need { agents: 2, person: false }, ..scene.proposal(&["a"]) };
    let review = scene.submit_new(&client("claude-code"), new).await?;
    let (codex, gemini) = (agent(&client("codex")), agent(&client("gemini-cli")));
    scene.claim(&codex, review).await?;
    assert!(scene.judge(&codex, review, Verdict::Approved).await?.happened);
    scene.claim(&gemini, review).await?;
    let again = scene.judge(&codex, review, Verdict::Approved).await?;
    assert_eq!((again.happened, again.review.approvals), (false, 1), "it counts once");
    assert_eq!(code(scene.judge(&codex, review, Verdict::Rejected).await), "not_holder", "another one doesn't");
    assert!(scene.judge(&gemini, review, Verdict::Approved).await?.happened);
    assert!(!scene.judge(&gemini, review, Verdict::Approved).await?.happened);
    assert_eq!(scene.store.verdicts(review).await?.len(), 2);
    Ok(())
}

#[tokio::test]
async fn the_same_acceptance_and_the_same_end_again_are_the_first_ones() -> Outcome {
    let scene = Scene::new().await?;
    let (proposer, reviewer) = (agent(&client("claude-code")), agent(&client("codex")));
    let review = scene.submit(&client("claude-code")).await?;
    scene.claim(&reviewer, review).await?;
    let (turned_down, with) = patch(&["a"], "one", false);
    scene.act_with(&reviewer, review, Act::OfferPatch(Claimed::default()), with).await?;
    let why = || Brought::OfPatch(None, Some("No.".to_owned()));
    for happened in [true, false] {
        let acted = scene.act_with(&proposer, review, Act::RejectPatch, why()).await?;
        assert_eq!((acted.happened, acted.patch_id), (happened, Some(turned_down)), "turned down once");
    }
    let (one, with) = patch(&["a"], "two", false);
    scene.act_with(&reviewer, review, Act::OfferPatch(Claimed::default()), with).await?;
    let (_, with) = patch(&["a"], "three", false);
    scene.act_with(&reviewer, review, Act::OfferPatch(Claimed::default()), with).await?;
    let unnamed = scene.act_with(&proposer, review, ACCEPT, Brought::OfPatch(None, None)).await;
    assert_eq!(code(unnamed), "unknown_patch", "there are two: nobody guesses which");
    for (named, happened) in [(Some(one), true), (Some(one), false), (None, false)] {
        let acted = scene.act_with(&proposer, review, ACCEPT, Brought::OfPatch(named, None)).await?;
        assert_eq!((acted.happened, acted.patch_id), (happened, Some(one)), "accepted once: {named:?}");
        assert_eq!(acted.review.round, 2);
    }
    let close = |ending: Option<Ending>| scene.act(&proposer, review, Act::Close(ending));
    assert!(close(Some(Ending::Applied)).await?.happened);
    for ending in [Some(Ending::Applied), None] {
        let again = close(ending).await?;
        assert_eq!((again.happened, again.review.outcome), (false, Some(Ending::Withdrawn)), "closed once");
    }
    assert_eq!(code(scene.act(&reviewer, review, Act::Close(None)).await), "not_proposer");
    scene.kinds(review).await?;
    Ok(())
}

#[tokio::test]
async fn an_act_that_is_refused_leaves_nothing_and_a_verdict_that_is_leaves_an_event() -> Outcome {
    let scene = Scene::new().await?;
    let (proposer, reviewer) = (client("claude-code"), client("codex"));
    let review = scene.submit(&proposer).await?;
    let before = scene.read(review).await?;
    for (by, act) in [
        (&proposer, Act::Claim),
        (&reviewer, Act::Close(None)),
        (&reviewer, Act::Release(Claimed::default())),
        (&reviewer, ACCEPT),
    ] {
        let refused = scene.act(&agent(by), review, act.clone()).await;
        assert_ne!(code(refused), "done", "{act:?}");
        assert_eq!(scene.read(review).await?, before, "nothing of it is there: {act:?}");
    }
    assert_eq!(code(scene.judge(&agent(&proposer), review, Verdict::Approved).await), "wrong_state");
    scene.claim(&agent(&reviewer), review).await?;
    assert_eq!(code(scene.judge(&agent(&proposer), review, Verdict::Approved).await), "own_proposal");
    assert_eq!(scene.kinds(review).await?, ["submitted", "verdict_refused", "claimed", "verdict_refused"]);
    let told = scene.events(review).await?;
    assert_eq!((&told[3].data["code"], &told[3].data["decision"]), (&"own_proposal".into(), &"approved".into()));
    assert_eq!(told[3].party.as_deref(), Some(proposer.key.as_str()), "and whose it was");
    assert_eq!(scene.store.verdicts(review).await?, []);
    let unknown = scene.act(&agent(&reviewer), scene.proposal(&[]).review_id, Act::Claim).await;
    assert_eq!(code(unknown), "unknown_review");
    Ok(())
}
