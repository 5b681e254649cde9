//! One change on its way, and everything read back.

use gate_core::proposal::{
    Act, Actor, AppliedAs, ApprovedBy, Brought, Claimed, Ending, MessagePlace, Need, PatchStatus, ResultApplied,
    ReviewRole, ReviewStatus, ReviewStore, Turn, Verdict, WasApplied,
};
use gate_core::{AttachmentId, Digest, Timestamp};

use super::scene::*;
use crate::fixture::{NOW, Outcome, ask_in};

#[tokio::test]
async fn a_proposal_is_claimed_discussed_patched_approved_and_closed_and_all_of_it_is_there() -> Outcome {
    let mut scene = Scene::new().await?;
    let (proposer, reviewer) = (client("claude-code"), client("codex"));
    let (by_proposer, by_reviewer) = (agent(&proposer), agent(&reviewer));
    let new = scene.proposal(&["src/a.rs", "src/b.rs"]);
    let bytes = new.first.diff.clone();
    let submitted = submit(&scene.store, &proposer, new.clone(), NOW).await?;
    let review = new.review_id;
    assert!(submitted.happened && !submitted.asks, "it waits for a reviewer");
    let read = scene.read(review).await?;
    assert_eq!(read.summary, submitted.review, "what its proposer is told is what is kept");
    assert_eq!((read.intent, read.labels, read.place.as_str()), (new.intent, new.labels, PLACE));
    assert_eq!((read.summary.status, read.summary.turn), (ReviewStatus::Created, Turn::Reviewer));
    assert_eq!(read.summary.diff_sha256, Some(Digest::of_bytes(&bytes)));

    let claimed = scene.act(&by_reviewer, review, Act::Claim).await?;
    assert_eq!(claimed.claim_token, Some(1), "the first claim has the first token");
    assert_eq!(claimed.review.holder.as_deref(), Some("codex"));
    assert_eq!(claimed.review.lease_until, Some(Timestamp(NOW + 20 * MINUTE)), "for twenty minutes");

    let (thread, place) = at_line("src/a.rs", 1);
    let asked = said("Why *new*?", place);
    let acted = scene.act_with(&by_reviewer, review, Act::Message, Brought::Message(asked.clone())).await?;
    assert_eq!((acted.thread_id, acted.review.turn), (Some(thread), Turn::Proposer), "the proposer is to answer");
    let answered = said("Because.", MessagePlace::Thread(thread));
    let acted = scene.act_with(&by_proposer, review, Act::Message, Brought::Message(answered)).await?;
    assert_eq!(acted.review.turn, Turn::Reviewer);
    let settles = gate_core::proposal::NewMessage { resolve: Some(true), ..said("", MessagePlace::Thread(thread)) };
    scene.act_with(&by_reviewer, review, Act::Message, Brought::Message(settles)).await?;

    let (patch_id, offered) = patch(&["src/a.rs"], "better", false);
    let offer = Act::OfferPatch(Claimed { token: Some(1), round: None });
    let acted = scene.act_with(&by_reviewer, review, offer, offered).await?;
    assert_eq!(acted.patch_id, Some(patch_id));
    let accepted = scene.act_with(&by_proposer, review, ACCEPT, Brought::OfPatch(None, None)).await?;
    assert_eq!((accepted.patch_id, accepted.review.round), (Some(patch_id), 2), "the only open one becomes a round");
    assert_eq!(accepted.review.status, ReviewStatus::Claimed, "and its reviewer has it yet");
    let stale = scene.judge(&by_reviewer, review, Verdict::Approved).await;
    assert_eq!(code(stale), "stale_round", "nobody approves a round that they weren't given");
    scene.restart().await?;
    scene.claim(&by_reviewer, review).await?;
    let comment = said("Well done.", at_line("src/a.rs", 2).1);
    let act = Act::Verdict(Verdict::Approved, Claimed { token: Some(1), round: Some(2) });
    let approved = scene.act_with(&by_reviewer, review, act, judged("as it is", vec![comment])).await?;
    assert_eq!((approved.review.status, approved.review.approvals), (ReviewStatus::Approved, 1));
    assert_eq!(approved.review.approved_by, Some(ApprovedBy::Agent), "an agent's approval is never the person's");
    let exact = ResultApplied { patch_id: None, found: AppliedAs::Exact, paths: Vec::new(), extra: Vec::new() };
    let applied = WasApplied { found: AppliedAs::Exact, round: 2, commit: None, results: vec![exact] };
    let closing = Brought::Closed { commit: Some("d154a32".into()), found: Some(Box::new(applied)) };
    let closed = scene.act_with(&by_proposer, review, Act::Close(None), closing).await?;
    assert_eq!((closed.review.outcome, closed.review.turn), (Some(Ending::Applied), Turn::Nobody));
    assert_eq!(closed.review.found, Some(AppliedAs::Exact));

    scene.restart().await?;
    let read = scene.read(review).await?;
    assert_eq!(read.summary, closed.review);
    let rounds = scene.store.rounds(review, 1).await?;
    assert_eq!(rounds.iter().map(|round| round.round).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((rounds[1].patch_id, rounds[1].author.as_str()), (Some(patch_id), "codex"), "whose bytes it has");
    assert_eq!(rounds[1].checked.files.len(), 1, "with what was found out about it");
    assert_eq!(scene.store.rounds(review, 2).await?.len(), 1, "only the later ones where that is asked");
    assert_eq!(scene.store.diff(Digest::of_bytes(&bytes)).await?, Some(bytes), "byte for byte");
    let of_patch = diff(&["src/a.rs"], "better").diff;
    assert_eq!(rounds[1].diff_sha256, Some(Digest::of_bytes(&of_patch)));
    assert_eq!(scene.store.diff(Digest::of_bytes(b"nobody's")).await?, None);
    let question = ask_in(&scene.store, scene.session, "Is this round good?", NOW).await?.request_id;
    let file = AttachmentId(uuid::Uuid::now_v7());
    scene.store.attach(question, file, "a.diff", b"the person's", Timestamp(NOW)).await?;
    assert_eq!(scene.store.diff(Digest::of_bytes(b"the person's")).await?, None, "what else is kept is no diff");
    let patches = scene.store.patches(review).await?;
    assert_eq!((patches[0].status, patches[0].round), (PatchStatus::Accepted, 1));
    let verdicts = scene.store.verdicts(review).await?;
    assert_eq!(verdicts.len(), 1, "a verdict that was refused is none");
    assert_eq!((verdicts[0].decision, verdicts[0].round, verdicts[0].by), (Verdict::Approved, 2, ApprovedBy::Agent));
    assert_eq!(verdicts[0].reason.as_deref(), Some("as it is"));
    let threads = scene.store.threads(review).await?;
    assert_eq!(threads.iter().map(|thread| thread.resolved).collect::<Vec<_>>(), [true, false]);
    assert_eq!((threads[0].round, threads[1].round), (1, 2), "each on the round that was shown");
    let messages = scene.store.review_messages(review, 0, 100).await?;
    let told: Vec<_> = messages.iter().map(|message| (message.role, message.body.as_str())).collect();
    let expected = [
        (ReviewRole::Reviewer, "Why *new*?"),
        (ReviewRole::Proposer, "Because."),
        (ReviewRole::Reviewer, ""),
        (ReviewRole::Reviewer, "Well done."),
    ];
    assert_eq!(told, expected, "who spoke is what they are, in the order in which they did");
    assert_eq!(messages[0].message_id, asked.message_id);
    let kinds = scene.kinds(review).await?;
    let expected = [
        "submitted",
        "claimed",
        "message",
        "message",
        "resolved",
        "patch",
        "round",
        "verdict_refused",
        "verdict",
        "closed",
    ];
    assert_eq!(kinds, expected, "claiming again is no event");
    let closed = scene.events(review).await?.pop().ok_or("the last event")?;
    assert_eq!(closed.data["commit"], "d154a32");
    assert_eq!(closed.data["status"], "closed", "each event says where the review stands since");
    Ok(())
}

#[tokio::test]
async fn two_approvals_and_the_persons_are_asked_for_in_their_order() -> Outcome {
    let scene = Scene::new().await?;
    let need = Need { agents: 2, person: true };
    let new = gate_core::proposal::NewReview { need, ..scene.proposal(&["a"]) };
    let review = scene.submit_new(&client("claude-code"), new).await?;
    for (name, status) in [("codex", ReviewStatus::Created), ("gemini-cli", ReviewStatus::AwaitingPerson)] {
        let by = agent(&client(name));
        scene.claim(&by, review).await?;
        let acted = scene.judge(&by, review, Verdict::Approved).await?;
        assert_eq!(acted.review.status, status, "after {name}");
        assert_eq!(acted.asks, status == ReviewStatus::AwaitingPerson, "the person is asked when agents are done");
    }
    let decided = scene.act(&PERSON, review, decide(true)).await?;
    assert_eq!(decided.review.approved_by, None, "the person may yet take it back");
    let message = Brought::Message(said("And?", MessagePlace::Review));
    scene.act_with(&agent(&client("codex")), review, Act::Message, message).await?;
    let again = scene.act(&agent(&client("claude-code")), review, Act::Close(None)).await;
    assert_eq!(code(again), "person_deciding");
    let good = scene.act(&Actor::Gate, review, Act::Settle).await?;
    assert_eq!(good.review.approved_by, Some(ApprovedBy::Person));
    let verdicts = scene.store.verdicts(review).await?;
    let by: Vec<_> = verdicts.iter().map(|verdict| verdict.by).collect();
    assert_eq!(by, [ApprovedBy::Agent, ApprovedBy::Agent, ApprovedBy::Person]);
    assert_eq!(scene.count("approved_results")?, 3, "each approval is of a result");
    scene.kinds(review).await?;
    Ok(())
}

#[tokio::test]
async fn what_only_the_person_may_decide_waits_for_nobody_else() -> Outcome {
    let scene = Scene::new().await?;
    let need = Need { agents: 0, person: true };
    let new = gate_core::proposal::NewReview { need, ..scene.proposal(&["migrations/1.sql"]) };
    let submitted = submit(&scene.store, &client("claude-code"), new, NOW).await?;
    assert_eq!((submitted.review.status, submitted.asks), (ReviewStatus::AwaitingPerson, true));
    let reviewer = agent(&client("codex"));
    assert!(claim_next(&scene.store, &reviewer).await?.is_none(), "it isn't in the queue");
    let review = submitted.review.review_id;
    assert_eq!(code(scene.act(&reviewer, review, Act::Claim).await), "wrong_state");
    assert_eq!(scene.store.due(Timestamp(NOW + 100 * DAY), 9).await?, [], "and it ends only by them");
    Ok(())
}
