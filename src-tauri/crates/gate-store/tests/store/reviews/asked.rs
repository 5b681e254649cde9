//! What the person is asked of a review, and what their replies lead to.

use gate_core::proposal::{
    Act, Acting, Actor, Brought, Claimed, MessagePlace, Need, NewMessage, NewReview, PatchId, Replied, ReviewId,
    ReviewStatus, ReviewStore, Verdict, bounds,
};
use gate_core::{AnsweredFrom, Fault, Given, RequestId, Timestamp};
use uuid::Uuid;

use super::scene::*;
use crate::fixture::{NOW, Outcome, ask_in};

fn decides(approved: bool) -> Act {
    Act::Decide { approved, until: Timestamp(NOW) }
}

fn code<T>(done: Result<T, Fault>) -> &'static str {
    done.err().map_or("done", |fault| fault.code.as_str())
}

impl Scene {
    /// A question to the person.
    async fn question(&self) -> Result<RequestId, Error> {
        Ok(ask_in(&self.store, self.session, "Is this round good?", NOW).await?.request_id)
    }

    /// Something that the person says as the answer to this question.
    async fn answers(&self, review: ReviewId, act: Act, request: RequestId) -> &'static str {
        let actor = if act == Act::Settle { Actor::Gate } else { PERSON };
        let with = Brought::Replied(replied(IN_WINDOW));
        let at = Timestamp(NOW);
        code(
            self.store
                .act(Acting { review_id: review, actor, act, with, answers: Some(request), call_key: None, at })
                .await,
        )
    }
}

#[tokio::test]
async fn a_decision_is_of_the_round_that_was_asked_about_and_of_no_other() -> Outcome {
    let scene = Scene::new().await?;
    let proposer = client("claude-code");
    let new = NewReview { need: Need { agents: 0, person: true }, ..scene.proposal(&["a"]) };
    let (first, second) = (scene.question().await?, scene.question().await?);
    let review = scene.submit_new(&proposer, new).await?;
    assert!(!scene.store.asked(review, 2, first).await?, "there is no such round");
    assert!(scene.store.asked(review, 1, first).await?);
    assert!(scene.store.asked(review, 1, first).await?, "told again, it is the same question");
    assert!(!scene.store.asked(review, 1, second).await?, "one question at a time");
    let round = Act::Round { replaces: Some(1), need: Need { agents: 0, person: true }, carries: None };
    let next = Brought::Round(Box::new(diff(&["a"], "something else")));
    scene.act_with(&agent(&proposer), review, round, next).await?;
    assert!(!scene.store.asked(review, 1, second).await?, "a question that was on its way is of no use any more");
    let of_first = [decides(true), decides(false), Act::Reply, Act::Undo, Act::Settle];
    for act in of_first.clone() {
        assert_eq!(scene.answers(review, act.clone(), first).await, "stale_round", "{act:?}");
    }
    assert!(scene.store.asked(review, 2, second).await?);
    for act in of_first {
        assert_eq!(scene.answers(review, act.clone(), first).await, "stale_round", "{act:?} with a newer question");
    }
    assert_eq!(scene.state(review).await?.status, ReviewStatus::AwaitingPerson, "nothing was decided");
    assert_eq!(scene.answers(review, decides(true), second).await, "done");
    assert_eq!(scene.answers(review, Act::Settle, second).await, "done");
    assert_eq!(scene.state(review).await?.status, ReviewStatus::Approved);
    Ok(())
}

#[tokio::test]
async fn what_a_reply_says_comes_with_what_it_decides_and_as_surely_as_it_was_given() -> Outcome {
    let at_a_terminal = Given::from(AnsweredFrom::Terminal);
    for (given, author) in [(IN_WINDOW, "the person"), (at_a_terminal, "given at a terminal, unconfirmed (L0)")] {
        let scene = Scene::new().await?;
        let review = scene.submit(&client("claude-code")).await?;
        let words = vec![said("Not so.", MessagePlace::Review), said("Here.", at_line("src/a.rs", 1).1)];
        scene.act(&PERSON, review, decides(false)).await?;
        assert_eq!(scene.store.review_messages(review, 0, 9).await?.len(), 0, "while it may be taken back");
        let reply = Replied { text: Some("Not so.".to_owned()), said: words, ..replied(given) };
        scene.act_with(&Actor::Gate, review, Act::Settle, Brought::Replied(reply)).await?;
        let messages = scene.store.review_messages(review, 0, 9).await?;
        let told: Vec<_> = messages.iter().map(|one| (one.body.as_str(), one.author.as_str())).collect();
        assert_eq!(told, [("Not so.", author), ("Here.", author)]);
        let verdict = scene.store.verdicts(review).await?.pop().ok_or("a verdict")?;
        assert_eq!((verdict.decision, verdict.author.as_str()), (Verdict::Rejected, author));
        assert_eq!(scene.store.threads(review).await?.len(), 1);
    }
    Ok(())
}

#[tokio::test]
async fn what_nobody_is_to_be_asked_about_has_no_question() -> Outcome {
    let scene = Scene::new().await?;
    let reviewer = agent(&client("codex"));
    let review = scene.submit(&client("claude-code")).await?;
    let question = scene.question().await?;
    assert!(!scene.store.asked(review, 1, question).await?, "nobody asks about it");
    scene.act(&Actor::Gate, review, Act::Unreviewed).await?;
    assert_eq!(scene.store.questions().await?, [(review, None)], "it is to be asked about, after a restart too");
    scene.act(&reviewer, review, Act::Claim).await?;
    assert!(!scene.store.asked(review, 1, question).await?, "a reviewer came while it was written down");
    assert_eq!(scene.store.questions().await?, []);
    scene
        .act_with(&reviewer, review, Act::Verdict(Verdict::Escalate, Claimed::default()), judged("You?", vec![]))
        .await?;
    assert_eq!(scene.store.questions().await?, [(review, None)]);
    scene.act(&PERSON, review, Act::Reply).await?;
    assert_eq!(scene.store.questions().await?, [], "the next word is the proposer's");
    Ok(())
}

#[tokio::test]
async fn an_acceptance_that_anybody_could_give_approves_nothing() -> Outcome {
    for (given, status) in
        [(IN_WINDOW, ReviewStatus::Approved), (Given::from(AnsweredFrom::Terminal), ReviewStatus::Created)]
    {
        let scene = Scene::new().await?;
        let reviewer = agent(&client("codex"));
        let review = scene.submit(&client("claude-code")).await?;
        scene.claim(&reviewer, review).await?;
        let patch_id = PatchId(Uuid::now_v7());
        let with = Brought::Patch { patch_id, new: Box::new(diff(&["src/a.rs"], "mine")), approves: true };
        scene.act_with(&reviewer, review, Act::OfferPatch(Claimed::default()), with).await?;
        scene.act(&reviewer, review, Act::Release(Claimed::default())).await?;
        let accept = Act::AcceptPatch { need: Need::AGENT, approves: false };
        scene.act_with(&Actor::Person(given), review, accept, Brought::OfPatch(Some(patch_id), None)).await?;
        assert_eq!(scene.state(review).await?.status, status, "{given:?}");
    }
    Ok(())
}

#[tokio::test]
async fn the_bounds_of_agents_keep_the_person_from_nothing() -> Outcome {
    let scene = Scene::new().await?;
    let (proposer, reviewer) = (client("claude-code"), agent(&client("codex")));
    let review = scene.submit(&proposer).await?;
    scene.claim(&reviewer, review).await?;
    let most = usize::try_from(bounds::THREADS)?;
    let comments: Vec<_> = (1..=bounds::THREADS).map(|line| said("?", at_line("src/a.rs", line).1)).collect();
    let verdict = Act::Verdict(Verdict::Comment, Claimed::default());
    scene.act_with(&reviewer, review, verdict, judged("See there.", comments)).await?;
    let one_more = || Brought::Message(said("!", at_line("src/a.rs", 1).1));
    assert_eq!(code(scene.act_with(&reviewer, review, Act::Message, one_more()).await), "too_many");
    assert_eq!(code(scene.act_with(&PERSON, review, Act::Message, one_more()).await), "done");
    scene.act(&PERSON, review, decides(true)).await?;
    let reply = Replied { said: vec![said("Good.", at_line("src/a.rs", 2).1)], ..replied(IN_WINDOW) };
    scene.act_with(&Actor::Gate, review, Act::Settle, Brought::Replied(reply)).await?;
    assert_eq!(scene.store.threads(review).await?.len(), most + 2);
    Ok(())
}

#[tokio::test]
async fn a_comment_of_the_persons_stays_with_the_round_that_they_read() -> Outcome {
    let scene = Scene::new().await?;
    let proposer = client("claude-code");
    let review = scene.submit(&proposer).await?;
    let round = Act::Round { replaces: Some(1), need: Need::AGENT, carries: None };
    let next = Brought::Round(Box::new(diff(&["src/a.rs"], "something else")));
    scene.act_with(&agent(&proposer), review, round, next).await?;
    let late = NewMessage { round: Some(1), ..said("Why?", at_line("src/a.rs", 1).1) };
    scene.act_with(&PERSON, review, Act::Message, Brought::Message(late)).await?;
    scene.act_with(&PERSON, review, Act::Message, Brought::Message(said("And?", at_line("src/a.rs", 1).1))).await?;
    let of: Vec<_> = scene.store.threads(review).await?.iter().map(|thread| thread.round).collect();
    assert_eq!(of, [1, 2]);
    Ok(())
}

#[tokio::test]
async fn the_questions_of_a_party_are_counted() -> Outcome {
    let scene = Scene::new().await?;
    let (proposer, other) = (client("claude-code"), client("codex"));
    for (by, count) in [(&proposer, 1), (&proposer, 2), (&other, 1)] {
        let new = NewReview { need: Need { agents: 0, person: true }, ..scene.proposal(&["a"]) };
        let review = scene.submit_new(by, new).await?;
        assert!(scene.store.asked(review, 1, scene.question().await?).await?);
        assert_eq!(scene.store.questions_of(&by.key).await?, count);
    }
    Ok(())
}
