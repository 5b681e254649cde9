//! Reviews on a real store, with the clock passed in: leases and how they end, whoever waits, what nobody reviews.

use std::cell::Cell;
use std::collections::HashSet;

use gate_core::proposal::{
    Anchor, Claimed, Ending, ReviewId, ReviewStatus, ReviewStore as _, ReviewSummary, Verdict, bounds, lease,
};
use gate_core::reply::Side;
use gate_core::{Caller, Code, Declared, Fault, Owner, OwnerId, Process, RequestStatus, Timestamp};
use gate_mcp::{
    Agent, BrokerPort, ClaimWish, GivenVerdict, OfferedPatch, ProposedChange, ReviewCaller, Said, SaidAt,
    SubmittedProposal, Whose,
};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::slices::Gate;
use crate::tests::wait::{LIMIT, eventually};
use crate::tests::{Outcome, gate, now, open};

/// How a caller is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Relay,
    Http,
}

/// A party of this name in a folder without a repository, in a new call.
fn caller(name: &str, by: By) -> ReviewCaller {
    placed((name, name), by, "/w")
}

/// A program that began so and calls itself so, in this folder.
pub(super) fn started(began: &str, name: &str, folder: &str) -> ReviewCaller {
    placed((began, name), By::Relay, folder)
}

fn placed((began, name): (&str, &str), by: By, folder: &str) -> ReviewCaller {
    let process = Process { pid: std::process::id(), began: began.to_owned() };
    let owner = Owner::of_process(process, name, folder);
    let agent = match by {
        By::Relay => Agent::Relay(began.to_owned()),
        By::Http => Agent::Http(began.to_owned()),
    };
    ReviewCaller {
        party: gate_core::proposal::Party::of(&owner, name, folder),
        whose: Whose {
            session_uuid: None,
            caller: Caller { client: name.to_owned(), client_version: "1".to_owned(), workspace: folder.to_owned() },
            declared: Declared::default(),
            agent: Some(agent),
            owner,
            call_key: format!("{began}:{}", Uuid::now_v7()),
        },
        folder: Some(folder.to_owned()),
        digest: None,
    }
}

pub(super) fn relay(name: &str) -> ReviewCaller {
    caller(name, By::Relay)
}

pub(super) fn diff(word: &str) -> String {
    format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+{word}\n")
}

pub(super) fn proposal(word: &str) -> SubmittedProposal {
    SubmittedProposal {
        intent: format!("Make it {word}."),
        change: ProposedChange::Diff(diff(word)),
        description: None,
        base: None,
        category: None,
        priority: None,
        labels: std::collections::BTreeMap::new(),
        review_id: None,
        round: None,
        parent_id: None,
        applied: false,
    }
}

pub(super) async fn propose(gate: &Gate, word: &str) -> Result<ReviewId, Fault> {
    gate.submit(&relay("proposer"), proposal(word)).await.map(|submission| submission.review.review_id)
}

pub(super) fn verdict(decision: Verdict, token: Option<u64>) -> GivenVerdict {
    let claimed = Claimed { token, round: None };
    GivenVerdict { decision, reason: Some("So.".to_owned()), comments: Vec::new(), claimed }
}

pub(super) async fn stands(gate: &Gate, review: ReviewId) -> Result<ReviewSummary, Fault> {
    let look = gate.look(&relay("proposer"), review).await?;
    Ok(look.review)
}

pub(super) fn after(millis: u64) -> Timestamp {
    now().plus_millis(millis)
}

pub(super) const MINUTE: u64 = 60 * 1000;

/// Resolves once so many wait for a review to claim.
async fn wait_to_claim(gate: &Gate, count: usize) -> Outcome {
    let look = || std::future::ready(Ok((gate.inner.reviews.claimers_waiting() == count).then_some(())));
    Ok(eventually("they wait to claim", LIMIT, look).await?)
}

#[tokio::test]
async fn a_claim_ends_with_its_time_or_its_holder_and_then_decides_nothing() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let connected = gate.inner.queue.relays.connect("stays");
    for (holder, by, keeps, loses) in [
        // Over HTTP nothing is seen of the holder.
        ("over-http", By::Http, lease::LEASE_MILLIS - MINUTE, lease::LEASE_MILLIS + MINUTE),
        // A relay that is there extends it, to an hour at most.
        ("stays", By::Relay, lease::LEASE_MILLIS + MINUTE, lease::ALIVE_MILLIS + MINUTE),
        // One that is gone has a minute.
        ("gone", By::Relay, lease::GONE_MILLIS - MINUTE / 2, lease::GONE_MILLIS + MINUTE / 2),
    ] {
        let review = propose(&gate, holder).await?;
        let first = gate.claim(&caller(holder, by), review).await?;
        gate.inner.reviews.pass_time(after(keeps)).await;
        assert_eq!(stands(&gate, review).await?.status, ReviewStatus::Claimed, "{holder}: it has time left");
        gate.inner.reviews.pass_time(after(loses)).await;
        assert_eq!(stands(&gate, review).await?.status, ReviewStatus::Created, "{holder}: it is free again");

        let token = Some(first.claim_token);
        let lost =
            |done: Result<(), Fault>| assert_eq!(done.err().map(|fault| fault.code), Some(Code::ClaimLost), "{holder}");
        lost(gate.judge(&caller(holder, by), review, verdict(Verdict::Approved, token)).await.map(drop));
        lost(gate.judge(&caller(holder, by), review, verdict(Verdict::Approved, None)).await.map(drop));
        let patch = || OfferedPatch {
            diff: diff("b"),
            description: None,
            approves: true,
            claimed: Claimed { token, round: None },
        };
        lost(gate.offer_patch(&caller(holder, by), review, patch()).await.map(drop));
        lost(gate.release(&caller(holder, by), review, None, Claimed { token, round: None }).await.map(drop));

        let second = gate.claim(&relay("second"), review).await?;
        assert!(second.claim_token > first.claim_token, "{holder}: each claim has a token of its own");
        lost(gate.judge(&caller(holder, by), review, verdict(Verdict::Rejected, token)).await.map(drop));
        gate.release(&relay("second"), review, None, Claimed::default()).await?;
        let third = gate.claim(&caller(holder, by), review).await?;
        lost(gate.judge(&caller(holder, by), review, verdict(Verdict::Approved, token)).await.map(drop));
        let approved =
            gate.judge(&caller(holder, by), review, verdict(Verdict::Approved, Some(third.claim_token))).await?;
        assert_eq!(approved.status, ReviewStatus::Approved, "{holder}: with its new one it decides");
    }
    drop(connected);
    Ok(())
}

#[tokio::test]
async fn a_call_over_http_that_waits_shows_that_its_holder_is_there() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let review = propose(&gate, "b").await?;
    gate.claim(&caller("waits", By::Http), review).await?;
    let (event, waits) = (stands(&gate, review).await?.event, gate.clone());
    let waiting = tokio::spawn(async move { waits.happened(&caller("waits", By::Http), review, event).await });
    let party = caller("waits", By::Http).party.key;
    let look = || std::future::ready(Ok(gate.inner.reviews.has_waiting(review, &party).then_some(())));
    eventually("it waits", LIMIT, look).await?;
    gate.inner.reviews.pass_time(after(lease::LEASE_MILLIS + MINUTE)).await;
    assert_eq!(stands(&gate, review).await?.status, ReviewStatus::Claimed, "it is there");
    waiting.abort();
    assert!(waiting.await.is_err_and(|error| error.is_cancelled()));
    gate.inner.reviews.pass_time(after(lease::LEASE_MILLIS + 2 * MINUTE)).await;
    assert_eq!(stands(&gate, review).await?.status, ReviewStatus::Created, "it went away");
    Ok(())
}

#[tokio::test]
async fn a_relay_that_is_killed_leaves_its_claim_a_minute_after_it_was_seen_last() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let connected = gate.inner.queue.relays.connect("killed");
    let review = propose(&gate, "b").await?;
    let claim = gate.claim(&relay("killed"), review).await?;
    let seen = 5 * MINUTE;
    gate.inner.reviews.pass_time(after(seen)).await;
    drop(connected);
    gate.inner.reviews.pass_time(after(seen + lease::GONE_MILLIS - MINUTE / 2)).await;
    assert_eq!(stands(&gate, review).await?.status, ReviewStatus::Claimed, "it may come back");
    let back = gate.inner.queue.relays.connect("killed");
    gate.inner.reviews.pass_time(after(seen + lease::GONE_MILLIS)).await;
    drop(back);
    gate.inner.reviews.pass_time(after(seen + 2 * lease::GONE_MILLIS - MINUTE / 2)).await;
    assert_eq!(stands(&gate, review).await?.status, ReviewStatus::Claimed, "it did, and has its minute anew");
    gate.inner.reviews.pass_time(after(seen + 2 * lease::GONE_MILLIS + MINUTE / 2)).await;
    assert_eq!(stands(&gate, review).await?.status, ReviewStatus::Created, "then it is free");
    let late =
        gate.release(&relay("killed"), review, None, Claimed { token: Some(claim.claim_token), round: None }).await;
    assert_eq!(late.err().map(|fault| fault.code), Some(Code::ClaimLost));
    Ok(())
}

#[tokio::test]
async fn a_night_in_which_the_machine_slept_ends_no_claim() -> Outcome {
    const NIGHT: u64 = 8 * 60 * MINUTE;
    let (_folder, gate) = gate(true).await?;
    for (holder, by) in [("over-http", By::Http), ("gone", By::Relay)] {
        let review = propose(&gate, holder).await?;
        let claim = gate.claim(&caller(holder, by), review).await?;
        gate.inner.reviews.was_off(NIGHT, after(NIGHT)).await;
        gate.inner.reviews.pass_time(after(NIGHT)).await;
        let kept = if by == By::Http { lease::LEASE_MILLIS } else { lease::GONE_MILLIS };
        gate.inner.reviews.pass_time(after(NIGHT + kept - MINUTE / 2)).await;
        assert_eq!(stands(&gate, review).await?.status, ReviewStatus::Claimed, "{holder}: its time goes on after it");
        gate.inner.reviews.pass_time(after(NIGHT + kept + MINUTE)).await;
        assert_eq!(stands(&gate, review).await?.status, ReviewStatus::Created, "{holder}: and is over then");
        let late = gate.judge(&caller(holder, by), review, verdict(Verdict::Approved, Some(claim.claim_token))).await;
        assert_eq!(late.err().map(|fault| fault.code), Some(Code::ClaimLost), "{holder}");
    }
    Ok(())
}

#[tokio::test]
async fn a_claim_outlives_the_gate_and_its_time_is_not_used_up_meanwhile() -> Outcome {
    let (folder, before) = gate(true).await?;
    let review = propose(&before, "b").await?;
    let claim = before.claim(&caller("over-http", By::Http), review).await?;
    before.inner.receipts.close().await;
    before.inner.store.close().await;
    let gate = open(&folder, true).await?;
    assert_eq!(stands(&gate, review).await?.holder.as_deref(), Some("over-http"));
    gate.inner.reviews.pass_time(after(lease::LEFT_MILLIS - MINUTE)).await;
    let holder = caller("over-http", By::Http);
    let approved = gate.judge(&holder, review, verdict(Verdict::Approved, Some(claim.claim_token))).await?;
    assert_eq!(approved.status, ReviewStatus::Approved, "whoever had it goes on");
    Ok(())
}

#[tokio::test]
async fn the_person_hears_once_of_what_nobody_reviews_and_it_stays_in_the_queue() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let review = propose(&gate, "b").await?;
    gate.inner.reviews.pass_time(after(lease::UNREVIEWED_MILLIS - MINUTE)).await;
    assert_eq!(gate.pending(), 0, "there is time");
    gate.inner.reviews.pass_time(after(lease::UNREVIEWED_MILLIS + MINUTE)).await;
    assert_eq!(gate.pending(), 1, "the person is asked");
    assert_eq!(stands(&gate, review).await?.status, ReviewStatus::Created, "beside the queue");
    let stored = gate.inner.store.review(review).await?.ok_or("it is there")?;
    let request = stored.request_id.ok_or("a question")?;
    gate.claim(&relay("reviewer"), review).await?;
    assert_eq!(gate.closed_now(request).await?, RequestStatus::Cancelled, "a reviewer came: nobody is asked any more");
    gate.release(&relay("reviewer"), review, None, Claimed::default()).await?;
    gate.inner.reviews.pass_time(after(2 * lease::UNREVIEWED_MILLIS + MINUTE)).await;
    assert_eq!(gate.pending(), 0, "once a round");
    Ok(())
}

#[tokio::test]
async fn what_nothing_happens_in_for_a_month_is_over_unless_it_is_the_persons_turn() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let (quiet, persons) = (propose(&gate, "b").await?, propose(&gate, "c").await?);
    gate.claim(&relay("reviewer"), persons).await?;
    gate.judge(&relay("reviewer"), persons, verdict(Verdict::Escalate, None)).await?;
    gate.inner.reviews.pass_time(after(lease::QUIET_MILLIS - MINUTE)).await;
    assert_ne!(stands(&gate, quiet).await?.status, ReviewStatus::Closed);
    gate.inner.reviews.pass_time(after(lease::QUIET_MILLIS + MINUTE)).await;
    assert_eq!(stands(&gate, quiet).await?.outcome, Some(Ending::Expired));
    assert_eq!(stands(&gate, persons).await?.status, ReviewStatus::AwaitingPerson, "theirs waits for them");
    Ok(())
}

#[tokio::test]
async fn each_of_many_who_wait_is_given_another_review() -> Outcome {
    const MANY: usize = 64;
    let (_folder, gate) = gate(true).await?;
    let mut waiting = JoinSet::new();
    for number in 0..MANY {
        let (gate, name) = (gate.clone(), format!("reviewer-{number}"));
        waiting.spawn(async move { gate.wait_to_claim(&relay(&name), &ClaimWish::default()).await });
    }
    let mut proposed = HashSet::new();
    for number in 0..MANY {
        proposed.insert(propose(&gate, &format!("b{number}")).await?);
    }
    let mut claimed = HashSet::new();
    while let Some(given) = waiting.join_next().await {
        let given = given??;
        assert!(claimed.insert(given.review.review_id), "nobody is given another's");
    }
    assert_eq!(claimed, proposed);
    Ok(())
}

#[tokio::test]
async fn a_review_that_came_while_the_only_one_who_waits_looked_at_another_is_theirs() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    for number in 0..20 {
        let waits = tokio::spawn({
            let (gate, name) = (gate.clone(), format!("reviewer-{number}"));
            async move { gate.wait_to_claim(&relay(&name), &ClaimWish::default()).await }
        });
        wait_to_claim(&gate, 1).await?;
        // Both are offered to the same one, who can look at one of them only, and others are faster there.
        let first = propose(&gate, &format!("b{number}")).await?;
        let taken = gate.claim(&relay(&format!("faster-{number}")), first).await;
        let second = propose(&gate, &format!("c{number}")).await?;
        let given = waits.await??.review.review_id;
        assert_eq!(given, if taken.is_ok() { second } else { first }, "whatever is free is given");
        let rest = gate.claim_next(&relay(&format!("rest-{number}")), &ClaimWish::default()).await?;
        assert_eq!(
            rest.map(|rest| rest.review.review_id),
            taken.is_err().then_some(second),
            "and nothing else is left"
        );
    }
    Ok(())
}

#[tokio::test]
async fn whoever_gives_up_waiting_leaves_the_review_to_the_next() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    for number in 0..20 {
        let join = |name: &str| {
            let (gate, name) = (gate.clone(), name.to_owned());
            tokio::spawn(async move { gate.wait_to_claim(&relay(&name), &ClaimWish::default()).await })
        };
        let impatient = join(&format!("impatient-{number}"));
        wait_to_claim(&gate, 1).await?;
        let patient = join(&format!("patient-{number}"));
        wait_to_claim(&gate, 2).await?;
        let review = propose(&gate, &format!("b{number}")).await?;
        impatient.abort();
        if let Ok(given) = impatient.await {
            let given = given?;
            assert_eq!(given.review.review_id, review, "it was faster");
            patient.abort();
            continue;
        }
        let holder = loop {
            let stands = stands(&gate, review).await?;
            match stands.holder {
                Some(holder) => break holder,
                None => gate.happened(&relay("proposer"), review, stands.event).await?,
            }
        };
        // An act that has begun is done: then it is theirs whose call is gone, until the lease ends.
        if holder == format!("impatient-{number}") {
            patient.abort();
            continue;
        }
        assert_eq!(patient.await??.review.review_id, review, "the next one has it");
    }
    Ok(())
}

#[tokio::test]
async fn waiting_for_a_review_ends_with_others_acts_and_not_with_ones_own() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let review = propose(&gate, "b").await?;
    let event = stands(&gate, review).await?.event;
    let own = Said { at: SaidAt::Review, body: "Please.".to_owned(), resolve: None, message_id: None };
    let anothers = Cell::new(false);
    let waits = async {
        gate.happened(&relay("proposer"), review, event).await?;
        assert!(anothers.get(), "one's own act wakes nobody");
        Outcome::Ok(())
    };
    let acts = async {
        gate.say(&relay("proposer"), review, own).await?;
        // Whoever was woken by that has found its event long before these are all through.
        for _ in 0..20 {
            BrokerPort::events(&gate, &relay("proposer"), review, 0, bounds::LIST_ITEMS).await?;
        }
        anothers.set(true);
        gate.claim(&relay("reviewer"), review).await?;
        Outcome::Ok(())
    };
    tokio::try_join!(waits, acts)?;
    gate.happened(&relay("proposer"), review, event).await?;
    let anchor = Anchor { file: "x".to_owned(), line: Some(1), start_line: None, side: Side::New };
    let at_once = Said { at: SaidAt::Lines(anchor), body: "Why?".to_owned(), resolve: None, message_id: None };
    let (said, thread) = gate.say(&relay("reviewer"), review, at_once).await?;
    assert!(thread.is_some() && said.event == event + 3, "nothing is missed between two calls: {said:?}");
    Ok(())
}

#[tokio::test]
async fn a_party_holds_three_claims_at_most_and_one_that_it_lost_twice_is_for_others() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let mut reviews = Vec::new();
    for number in 0..=bounds::CLAIMS {
        reviews.push(propose(&gate, &format!("b{number}")).await?);
    }
    for review in &reviews[..3] {
        gate.claim(&relay("reviewer"), *review).await?;
    }
    let refused = gate.claim(&relay("reviewer"), reviews[3]).await.err().map(|fault| fault.code);
    assert_eq!(refused, Some(Code::TooMany), "it has its hands full");
    for round in 0..bounds::LOST_CLAIMS {
        gate.claim(&relay("other"), reviews[3]).await?;
        gate.inner.reviews.pass_time(after(lease::LEASE_MILLIS + MINUTE)).await;
        let again = gate.claim(&relay("other"), reviews[3]).await;
        let lost_too_often = round + 1 == bounds::LOST_CLAIMS;
        assert_eq!(again.is_err(), lost_too_often, "{round}");
        if again.is_ok() {
            gate.release(&relay("other"), reviews[3], None, Claimed::default()).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_call_that_is_replayed_gives_its_first_result_and_does_nothing_again() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let first = relay("proposer");
    let submitted = gate.submit(&first, proposal("b")).await?;
    let again = gate.submit(&first, proposal("b")).await?;
    assert_eq!(again.review, submitted.review, "the same call is the same review");
    let review = submitted.review.review_id;
    let claims = relay("reviewer");
    let claim = gate.claim(&claims, review).await?;
    let replayed = gate.claim(&claims, review).await?;
    assert_eq!((replayed.claim_token, replayed.review), (claim.claim_token, claim.review));
    let next = relay("reviewer");
    let said = || Said { at: SaidAt::Review, body: "Once.".to_owned(), resolve: None, message_id: None };
    let (one, _) = gate.say(&next, review, said()).await?;
    let (same, _) = gate.say(&next, review, said()).await?;
    assert_eq!(one.event, same.event);
    let (_, messages) = gate.messages(&relay("proposer"), review, 0, 10).await?;
    assert_eq!(messages.len(), 1, "it is said once");
    let judges = relay("reviewer");
    let judged = gate.judge(&judges, review, verdict(Verdict::Approved, None)).await?;
    let closes = relay("proposer");
    gate.close(&closes, review, None, None).await?;
    let late = gate.judge(&judges, review, verdict(Verdict::Approved, None)).await?;
    assert_eq!(late, judged, "what came of it then, whatever has happened since");
    let events = BrokerPort::events(&gate, &relay("proposer"), review, 0, 50).await?;
    let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["submitted", "claimed", "message", "verdict", "closed"]);
    Ok(())
}

#[tokio::test]
async fn what_has_arrived_is_another_call_when_it_comes_again() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let call = relay("proposer");
    let first = gate.submit(&call, proposal("b")).await?.review.review_id;
    assert_eq!(gate.submit(&call, proposal("b")).await?.review.review_id, first, "its result was lost on the way");
    gate.note_delivery(&call.whose.call_key).await;
    let second = gate.submit(&call, proposal("b")).await?.review.review_id;
    assert_ne!(second, first, "a client may use a name again once it has the result");

    // Over HTTP no call comes again under its name: what it says tells.
    let over_http =
        || ReviewCaller { digest: Some(gate_core::Digest::of_bytes(b"the same")), ..caller("other", By::Http) };
    let first = gate.submit(&over_http(), proposal("c")).await?.review.review_id;
    assert_eq!(
        gate.submit(&over_http(), proposal("c")).await?.review.review_id,
        first,
        "it broke off and was repeated"
    );
    gate.close(&over_http(), first, None, None).await?;
    let second = gate.submit(&over_http(), proposal("c")).await?.review;
    assert!(second.review_id != first && second.status == ReviewStatus::Created, "what was closed is proposed anew");
    Ok(())
}

#[tokio::test]
async fn a_reviewer_who_waited_is_counted_though_it_has_the_review_by_then() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    for number in 0..20 {
        let waits = tokio::spawn({
            let (gate, name) = (gate.clone(), format!("reviewer-{number}"));
            async move { gate.wait_to_claim(&relay(&name), &ClaimWish::default()).await }
        });
        wait_to_claim(&gate, 1).await?;
        let submission = gate.submit(&relay("proposer"), proposal(&format!("b{number}"))).await?;
        let is_taken = submission.review.status == ReviewStatus::Claimed;
        assert!(is_taken || submission.waiting == 1, "somebody looks at it: {submission:?}");
        waits.await??;
    }
    Ok(())
}

#[tokio::test]
async fn a_token_that_was_given_no_folder_sees_its_own_alone() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let with_token = |name: &str| {
        let (caller, owner) = (caller(name, By::Http), Owner::from(OwnerId::Token(name.to_owned())));
        let party = gate_core::proposal::Party::of(&owner, name, "");
        ReviewCaller { party, whose: Whose { owner, ..caller.whose }, folder: None, ..caller }
    };
    let review = gate.submit(&with_token("one"), proposal("b")).await?.review.review_id;
    gate.look(&with_token("one"), review).await?;
    let others = gate.look(&with_token("two"), review).await;
    assert_eq!(others.err().map(|fault| fault.code), Some(Code::UnknownReview), "that both have none makes no heirs");
    Ok(())
}
