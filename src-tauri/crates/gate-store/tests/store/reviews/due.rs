//! What the clock has to do, and when.

use gate_core::Timestamp;
use gate_core::proposal::act::Lost;
use gate_core::proposal::record::Due;
use gate_core::proposal::{Act, Actor, Brought, Claimed, MessagePlace, Need, NewReview, ReviewStore, Verdict};

use super::scene::*;
use crate::fixture::{NOW, Outcome};

impl Scene {
    /// What will be due next, and after how many milliseconds.
    async fn next(&self) -> Result<Option<(Due, i64)>, Error> {
        let all = self.store.due(Timestamp(i64::MAX), 9).await?;
        let next = self.store.next_due().await?;
        assert_eq!(next, all.first().map(|due| due.at), "the next one is the first of all");
        Ok(all.first().map(|due| (due.due, due.at.0 - NOW)))
    }
}

#[tokio::test]
async fn a_claim_a_round_that_nobody_has_a_decision_and_silence_are_due_in_their_time() -> Outcome {
    let mut scene = Scene::new().await?;
    let (proposer, reviewer) = (agent(&client("claude-code")), agent(&client("codex")));
    let review = scene.submit(&client("claude-code")).await?;
    assert_eq!(scene.next().await?, Some((Due::Unreviewed, 10 * MINUTE)));
    let early = scene.store.due(Timestamp(NOW + 10 * MINUTE - 1), 9).await?;
    assert_eq!(early, [], "not before");
    assert_eq!(scene.store.due(Timestamp(NOW + 10 * MINUTE), 9).await?.len(), 1);
    let at = |minutes: i64| NOW + minutes * MINUTE;
    scene.act_at(&reviewer, review, Act::Claim, Brought::Nothing, at(5)).await?;
    assert_eq!(scene.next().await?, Some((Due::Lease, 25 * MINUTE)));
    let message = || Brought::Message(said("?", MessagePlace::Review));
    scene.act_at(&proposer, review, Act::Message, message(), at(6)).await?;
    assert_eq!(scene.next().await?, Some((Due::Lease, 25 * MINUTE)), "the proposer's words don't make it longer");
    scene.act_at(&reviewer, review, Act::Message, message(), at(7)).await?;
    assert_eq!(scene.next().await?, Some((Due::Lease, 27 * MINUTE)), "its holder's do");
    scene.restart().await?;
    assert_eq!(scene.next().await?, Some((Due::Lease, 27 * MINUTE)), "a restart forgets nothing");
    scene.act_at(&Actor::Gate, review, Act::Lose(Lost::Lease, None), Brought::Nothing, at(27)).await?;
    assert_eq!(scene.next().await?, Some((Due::Unreviewed, 37 * MINUTE)), "ten minutes in which nobody has it");
    scene.act_at(&Actor::Gate, review, Act::Unreviewed, Brought::Nothing, at(37)).await?;
    assert_eq!(scene.next().await?, Some((Due::Quiet, 37 * MINUTE + 30 * DAY)), "the person is asked once");
    scene.act_at(&PERSON, review, Act::Reply, Brought::Nothing, at(38)).await?;
    assert_eq!(scene.next().await?, Some((Due::Quiet, 38 * MINUTE + 30 * DAY)), "and not again in this round");
    scene.act_at(&reviewer, review, Act::Claim, Brought::Nothing, at(40)).await?;
    let escalate = Act::Verdict(Verdict::Escalate, Claimed::default());
    scene.act_at(&reviewer, review, escalate, judged("You?", Vec::new()), at(41)).await?;
    assert_eq!(scene.next().await?, None, "while it is the person's turn nothing ends by itself");
    let decide = Act::Decide { approved: true, until: Timestamp(at(50)) };
    scene.act_at(&PERSON, review, decide, Brought::Nothing, at(49)).await?;
    assert_eq!(scene.next().await?, Some((Due::Decision, 50 * MINUTE)));
    scene.act_at(&Actor::Gate, review, Act::Settle, Brought::Nothing, at(50)).await?;
    assert_eq!(scene.next().await?, Some((Due::Quiet, 50 * MINUTE + 30 * DAY)), "until it is closed");
    scene.act_at(&proposer, review, Act::Close(None), Brought::Nothing, at(51)).await?;
    assert_eq!(scene.next().await?, None);
    Ok(())
}

#[tokio::test]
async fn a_round_that_waits_for_its_second_reviewer_counts_from_the_first_ones_verdict() -> Outcome {
    let scene = Scene::new().await?;
    let new = NewReview { need: Need { agents: 2, person: false }, ..scene.proposal(&["a"]) };
    let review = scene.submit_new(&client("claude-code"), new).await?;
    let reviewer = agent(&client("codex"));
    scene.act_at(&reviewer, review, Act::Claim, Brought::Nothing, NOW + 9 * MINUTE).await?;
    let approve = Act::Verdict(Verdict::Approved, Claimed::default());
    scene.act_at(&reviewer, review, approve, judged("", Vec::new()), NOW + 25 * MINUTE).await?;
    assert_eq!(scene.next().await?, Some((Due::Unreviewed, 35 * MINUTE)), "somebody did review it");
    Ok(())
}

#[tokio::test]
async fn after_a_time_in_which_the_gate_was_off_a_claim_has_two_minutes_whoever_speaks() -> Outcome {
    let mut scene = Scene::new().await?;
    let review = scene.submit(&client("claude-code")).await?;
    scene.claim(&agent(&client("codex")), review).await?;
    scene.restart().await?;
    let later = NOW + 300 * MINUTE;
    scene.store.give_claims_time(0, Timestamp(later)).await?;
    assert_eq!(scene.next().await?, Some((Due::Lease, 302 * MINUTE)));
    let message = Brought::Message(said("Still there?", MessagePlace::Review));
    scene.act_at(&agent(&client("claude-code")), review, Act::Message, message, later).await?;
    assert_eq!(scene.next().await?, Some((Due::Lease, 302 * MINUTE)), "another's words don't take them back");
    assert_eq!(scene.read(review).await?.summary.lease_until, Some(Timestamp(later + 2 * MINUTE)), "it says so");
    scene.store.give_claims_time(0, Timestamp(NOW)).await?;
    assert_eq!(scene.next().await?, Some((Due::Lease, 302 * MINUTE)), "nor does a clock that goes back");
    let night = 480 * MINUTE;
    scene.store.give_claims_time(night.unsigned_abs(), Timestamp(later + night)).await?;
    assert_eq!(scene.next().await?, Some((Due::Lease, 302 * MINUTE + night)), "a time that is known doesn't count");
    Ok(())
}
