//! What the person decides of reviews, on a real store: what is taken back, what is given by whom, and what they are asked
//! in turn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gate_api::Origin;
use gate_api::subjects::requests::{Dismiss, SendNow, SendReply, UndoReply};
use gate_api::subjects::reviews::{CommentReview, EndReview, GiveBackReview, TakeReview};
use gate_api::subjects::settings::SaveSettings;
use gate_core::proposal::{
    Act, Acting, Actor, Anchor, ApprovedBy, Asked, Brought, Party, ReviewId, ReviewStatus, ReviewStore as _,
    StoredMessage, Verdict, bounds, lease,
};
use gate_core::{AnsweredFrom, Ask, Code, Decision, Draft, Fault, RequestId, RequestStatus, Seat, Side};
use gate_mcp::{BrokerPort as _, Call, ProposedChange, ReviewCaller, SubmittedProposal};
use gate_settings::Values;
use serde_json::json;

use super::reviews::{MINUTE, after, proposal, propose, relay, stands, verdict};
use crate::slices::Gate;
use crate::tests::wait::{LIMIT, eventually};
use crate::tests::{Allows, Outcome, gate, now, open, open_seated, open_to_stop, open_with};

type Error = Box<dyn std::error::Error>;

#[tokio::test]
async fn what_was_withdrawn_as_the_gate_was_stopped_is_no_question_at_the_next_start() -> Outcome {
    let (folder, gate) = gate(true).await?;
    let (review, request) = asked(&gate, "b").await?;
    let (stays, question) = asked(&gate, "c").await?;
    // The act alone: the gate is stopped before it withdraws the question.
    gate.inner
        .store
        .act(Acting {
            review_id: review,
            actor: Actor::Person(AnsweredFrom::Desktop.into()),
            act: Act::Close(None),
            with: Brought::Closed { commit: None, found: None },
            answers: None,
            call_key: None,
            at: now(),
        })
        .await?;
    assert_eq!(gate.closed_now(request).await?, RequestStatus::Pending, "it is stopped in between");
    gate.inner.receipts.close().await;
    gate.inner.store.close().await;
    let after = open(&folder, true).await?;
    assert_eq!(after.closed_now(request).await?, RequestStatus::Cancelled, "nobody is asked about what is over");
    assert_eq!(after.closed_now(question).await?, RequestStatus::Pending, "what is asked yet stays");
    assert_eq!(self::question(&after, stays).await?, Some(question));
    Ok(())
}

/// A review that waits for the person, with the question that asks them.
async fn asked(gate: &Gate, word: &str) -> Result<(ReviewId, RequestId), Error> {
    let review = propose(gate, word).await?;
    gate.claim(&relay("reviewer"), review).await?;
    gate.judge(&relay("reviewer"), review, verdict(Verdict::Escalate, None)).await?;
    Ok((review, question(gate, review).await?.ok_or("the person is asked")?))
}

pub(super) async fn question(gate: &Gate, review: ReviewId) -> Result<Option<RequestId>, Error> {
    Ok(gate.inner.store.review(review).await?.ok_or("it is there")?.request_id)
}

/// Sends a reply from the window.
pub(super) async fn send(
    gate: &Gate,
    request_id: RequestId,
    decision: Option<Decision>,
    text: &str,
) -> Result<(), Fault> {
    let digest = gate.inner.requests.question(request_id).await?.digest;
    let draft = Draft { text: text.to_owned(), ..Draft::default() };
    gate.execute(SendReply { request_id, digest, decision, draft }, Origin::Desktop).await?;
    Ok(())
}

pub(super) async fn becomes(
    gate: &Gate,
    review: ReviewId,
    what: &str,
    is_so: impl Fn(&gate_core::proposal::Review) -> bool,
) -> Outcome {
    let look = || async {
        let stored = gate.inner.store.review(review).await?;
        Ok(stored.filter(|stored| is_so(&stored.state)).map(drop))
    };
    Ok(eventually(what, LIMIT, look).await?)
}

pub(super) async fn said(gate: &Gate, review: ReviewId) -> Result<Vec<StoredMessage>, Fault> {
    gate.inner.store.review_messages(review, 0, 100).await
}

#[tokio::test]
async fn what_counts_is_what_was_decided_last_however_fast() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let (yes, no) = (Some(Decision::Approved), Some(Decision::ChangesRequested));
    for (number, (first, last, status)) in [
        (yes, no, ReviewStatus::Rejected),
        (no, yes, ReviewStatus::Approved),
        (yes, None, ReviewStatus::AwaitingPerson),
        (yes, yes, ReviewStatus::Approved),
    ]
    .into_iter()
    .cycle()
    .take(12)
    .enumerate()
    {
        let (review, request) = asked(&gate, &format!("b{number}")).await?;
        send(&gate, request, first, "").await?;
        // Sometimes the first one is seen before it is taken back, and sometimes it isn't.
        if number % 3 == 0 {
            becomes(&gate, review, "it is held", |state| state.held.is_some()).await?;
        }
        gate.execute(UndoReply { request_id: request }, Origin::Desktop).await?;
        send(&gate, request, last, "So.").await?;
        gate.execute(SendNow { request_id: request }, Origin::Desktop).await?;
        becomes(&gate, review, "it stands where the last reply has it", |state| {
            let is_done = last.is_some() || state.asked == Some(Asked::Replied);
            is_done && state.status == status && state.held.is_none()
        })
        .await?;
        let words: Vec<_> = said(&gate, review).await?.into_iter().map(|message| message.body).collect();
        assert_eq!(words, ["So."], "{first:?}, then {last:?}: said once");
        let by = gate.inner.store.review(review).await?.and_then(|stored| stored.state.approved_by);
        assert_eq!(by, (status == ReviewStatus::Approved).then_some(ApprovedBy::Person), "{first:?}, then {last:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_question_that_is_put_aside_after_an_undo_leaves_nothing_locked() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let (review, request) = asked(&gate, "b").await?;
    send(&gate, request, Some(Decision::Approved), "").await?;
    becomes(&gate, review, "it is held", |state| state.held.is_some()).await?;
    gate.execute(UndoReply { request_id: request }, Origin::Desktop).await?;
    gate.execute(Dismiss { request_id: request }, Origin::Desktop).await?;
    becomes(&gate, review, "nobody decides", |state| state.held.is_none()).await?;
    let look = || async { Ok(question(&gate, review).await.ok().filter(Option::is_none).map(drop)) };
    eventually("the question is put aside", LIMIT, look).await?;
    let taken = gate.execute(TakeReview { review_id: review }, Origin::Desktop).await?;
    send(&gate, taken.request_id, Some(Decision::Approved), "").await?;
    becomes(&gate, review, "it is held", |state| state.held.is_some()).await?;
    let again = gate.execute(TakeReview { review_id: review }, Origin::Desktop).await;
    assert_eq!(again.err().map(|fault| fault.code), Some(Code::PersonDeciding), "it is decided, and can be taken back");
    gate.execute(SendNow { request_id: taken.request_id }, Origin::Desktop).await?;
    becomes(&gate, review, "it is approved", |state| state.status == ReviewStatus::Approved).await
}

#[tokio::test]
async fn what_was_taken_in_the_window_isnt_given_back_or_ended_from_a_terminal() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let review_id = propose(&gate, "b").await?;
    gate.execute(TakeReview { review_id }, Origin::Desktop).await?;
    for origin in [Origin::Terminal, Origin::Script] {
        let back = gate.execute(GiveBackReview { review_id }, origin).await.err().map(|fault| fault.code);
        let ended = gate.execute(EndReview { review_id, outcome: None }, origin).await.err().map(|fault| fault.code);
        assert!(back.is_some() && ended.is_some(), "{origin:?}: {back:?} {ended:?}");
    }
    assert_eq!(stands(&gate, review_id).await?.status, ReviewStatus::AwaitingPerson);
    gate.execute(GiveBackReview { review_id }, Origin::Desktop).await?;
    assert_eq!(stands(&gate, review_id).await?.status, ReviewStatus::Created);
    gate.execute(TakeReview { review_id }, Origin::Terminal).await?;
    gate.execute(GiveBackReview { review_id }, Origin::Terminal).await?;
    Ok(())
}

#[tokio::test]
async fn what_a_terminal_took_is_the_windows_once_it_is_taken_there() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let review_id = propose(&gate, "b").await?;
    let first = gate.execute(TakeReview { review_id }, Origin::Terminal).await?;
    let second = gate.execute(TakeReview { review_id }, Origin::Desktop).await?;
    assert_eq!(first.request_id, second.request_id, "by the same question");
    let back = gate.execute(GiveBackReview { review_id }, Origin::Terminal).await.err().map(|fault| fault.code);
    assert_eq!(back, Some(Code::RoleForbidden));
    let unreviewed = propose(&gate, "c").await?;
    gate.inner.reviews.pass_time(now().plus_millis(lease::UNREVIEWED_MILLIS + 1000)).await;
    let before = question(&gate, unreviewed).await?.ok_or("they are told that nobody reviews it")?;
    let taken = gate.execute(TakeReview { review_id: unreviewed }, Origin::Desktop).await?;
    assert_ne!(taken.request_id, before, "now they are asked to decide it");
    assert_eq!(stands(&gate, unreviewed).await?.status, ReviewStatus::AwaitingPerson, "and nobody else does");
    Ok(())
}

#[tokio::test]
async fn a_reply_to_a_question_that_stands_no_more_decides_nothing_and_loses_no_word() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let (review, request) = asked(&gate, "b").await?;
    let mut events = gate.events();
    gate.inner.store.asked_no_more(review, request).await?;
    send(&gate, request, Some(Decision::Approved), "It was good.").await?;
    gate.execute(SendNow { request_id: request }, Origin::Desktop).await?;
    let look = || async { Ok(said(&gate, review).await?.pop()) };
    let message = eventually("their words are said", LIMIT, look).await?;
    assert_eq!((message.body.as_str(), message.author.as_str()), ("It was good.", "the person"));
    let told = async {
        loop {
            let event = events.recv().await?;
            if format!("{event:?}").contains("which had changed by then") {
                return Result::<(), Error>::Ok(());
            }
        }
    };
    tokio::time::timeout(LIMIT, told).await??;
    assert_eq!(stands(&gate, review).await?.approved_by, None, "nothing is approved");
    Ok(())
}

#[tokio::test]
async fn a_decision_is_good_though_the_clock_was_put_back_since() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let (review, request) = asked(&gate, "b").await?;
    // It was held by a clock that was ahead.
    gate.inner
        .store
        .act(Acting {
            review_id: review,
            actor: Actor::Person(AnsweredFrom::Desktop.into()),
            act: Act::Decide { approved: true, until: after(60 * MINUTE) },
            with: Brought::Nothing,
            answers: Some(request),
            call_key: None,
            at: now(),
        })
        .await?;
    send(&gate, request, Some(Decision::Approved), "").await?;
    gate.execute(SendNow { request_id: request }, Origin::Desktop).await?;
    becomes(&gate, review, "it is approved", |state| state.approved_by == Some(ApprovedBy::Person)).await
}

#[tokio::test]
async fn what_is_done_on_another_display_than_the_persons_is_as_unsure_as_at_a_terminal() -> Outcome {
    let folder = tempfile::tempdir()?;
    let seat = Some(Seat::Elsewhere(":99".to_owned()));
    let gate = open_seated(&folder, true, Values::new(), Allows::default(), seat).await?;
    let review_id = propose(&gate, "b").await?;
    gate.execute(comment(review_id, "Here.", None), Origin::Desktop).await?;
    let author = said(&gate, review_id).await?.pop().ok_or("it is said")?.author;
    assert!(author.contains("(L0)"), "nobody can tell that they see that window: {author}");
    gate.execute(TakeReview { review_id }, Origin::Browser).await?;
    for done in [
        gate.execute(GiveBackReview { review_id }, Origin::Desktop).await,
        gate.execute(EndReview { review_id, outcome: None }, Origin::Desktop).await,
    ] {
        assert_eq!(
            done.err().map(|fault| fault.code),
            Some(Code::RoleForbidden),
            "what they took on the page is theirs"
        );
    }
    gate.execute(GiveBackReview { review_id }, Origin::Browser).await?;
    Ok(())
}

fn comment(review_id: ReviewId, text: &str, round: Option<u32>) -> CommentReview {
    let place = Some(Anchor { file: "x".to_owned(), line: Some(1), start_line: None, side: Side::New });
    CommentReview { review_id, thread_id: None, place, round, text: text.to_owned(), resolve: None }
}

#[tokio::test]
async fn words_are_told_as_the_persons_only_where_that_is_sure() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let review = propose(&gate, "b").await?;
    gate.execute(comment(review, "Here.", None), Origin::Desktop).await?;
    gate.execute(comment(review, "There.", None), Origin::Terminal).await?;
    let (_, told) = gate.messages(&relay("proposer"), review, 0, 10).await?;
    let told: Vec<_> = told.iter().map(|message| (message.body.as_str(), message.author.as_str())).collect();
    assert_eq!(told, [("Here.", "the person"), ("There.", "given at a terminal, unconfirmed (L0)")]);
    Ok(())
}

#[tokio::test]
async fn a_comment_on_a_round_that_is_the_newest_no_more_is_given_back() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let review = propose(&gate, "b").await?;
    let next = SubmittedProposal { review_id: Some(review), ..proposal("c") };
    gate.submit(&relay("proposer"), next).await?;
    for (round, code) in [(Some(1), Some(Code::StaleRound)), (Some(3), Some(Code::InvalidInput)), (Some(2), None)] {
        let done = gate.execute(comment(review, "Here.", round), Origin::Desktop).await;
        assert_eq!(done.err().map(|fault| fault.code), code, "{round:?}");
    }
    assert_eq!(said(&gate, review).await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_rule_that_is_added_holds_for_the_rounds_that_are_open() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let keeps = tokio::spawn(Arc::clone(&gate.inner.reviews).keep_rules());
    let (open, approved) = (propose(&gate, "b").await?, propose(&gate, "c").await?);
    gate.claim(&relay("reviewer"), approved).await?;
    gate.judge(&relay("reviewer"), approved, verdict(Verdict::Approved, None)).await?;
    assert_eq!(stands(&gate, approved).await?.status, ReviewStatus::Approved);
    let rules = [("security.review_rules".to_owned(), json!(["person; path=x"]))].into();
    gate.execute(SaveSettings { values: rules, seen: [].into() }, Origin::Desktop).await?;
    becomes(&gate, open, "it needs the person", |state| state.needs().person).await?;
    becomes(&gate, approved, "what agents had approved waits for them", |state| {
        state.status == ReviewStatus::AwaitingPerson
    })
    .await?;
    let look = || async { Ok(question(&gate, approved).await.ok().flatten()) };
    eventually("they are asked", LIMIT, look).await?;
    keeps.abort();
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_rule_that_comes_while_a_round_is_on_its_way_holds_for_it() -> Outcome {
    let folder = tempfile::tempdir()?;
    let (stopped, mut is_stopped) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, goes_on) = std::sync::mpsc::channel::<()>();
    let (armed, goes_on) = (Arc::new(AtomicBool::new(false)), Mutex::new(goes_on));
    let stops = Arc::clone(&armed);
    let gate = open_to_stop(
        &folder,
        Box::new(move || {
            if stops.swap(false, Ordering::Relaxed) {
                let _ = stopped.send(());
                let _ = goes_on.lock().unwrap_or_else(PoisonError::into_inner).recv();
            }
        }),
    )
    .await?;
    let keeps = tokio::spawn(Arc::clone(&gate.inner.reviews).keep_rules());
    let known = propose(&gate, "b").await?;
    armed.store(true, Ordering::Relaxed);
    let submits = tokio::spawn({
        let gate = gate.clone();
        async move { propose(&gate, "c").await }
    });
    is_stopped.recv().await.ok_or("it is stopped once its need is known, and before it is in the record")?;
    let rules = [("security.review_rules".to_owned(), json!(["person; path=x"]))].into();
    gate.execute(SaveSettings { values: rules, seen: [].into() }, Origin::Desktop).await?;
    becomes(&gate, known, "what was there needs the person", |state| state.needs().person).await?;
    // Whoever looks for open reviews is through.
    keeps.abort();
    go_on.send(())?;
    let late = submits.await??;
    let state = gate.inner.store.review(late).await?.ok_or("it is there")?.state;
    assert!(state.needs().person, "it was found by the rules of before: {state:?}");
    Ok(())
}

#[tokio::test]
async fn a_party_has_so_many_questions_before_the_person_and_the_rest_wait_in_turn() -> Outcome {
    let folder = tempfile::tempdir()?;
    let rules: Values = [("security.review_rules", json!(["person"]))].into();
    let gate = open_with(&folder, true, rules).await?;
    let mut reviews = Vec::new();
    for number in 0..bounds::ASKED_AT_ONCE + 2 {
        reviews.push(propose(&gate, &format!("b{number}")).await?);
    }
    assert_eq!(gate.pending(), bounds::ASKED_AT_ONCE);
    let (one_more, another) = (reviews[bounds::ASKED_AT_ONCE], reviews[bounds::ASKED_AT_ONCE + 1]);
    assert_eq!((question(&gate, one_more).await?, question(&gate, another).await?), (None, None));
    let taken = gate.execute(TakeReview { review_id: another }, Origin::Desktop).await?;
    assert_eq!(question(&gate, another).await?, Some(taken.request_id), "what the person wants to see doesn't wait");
    for first in &reviews[..2] {
        let request = question(&gate, *first).await?.ok_or("a question")?;
        send(&gate, request, Some(Decision::ChangesRequested), "No.").await?;
        gate.execute(SendNow { request_id: request }, Origin::Desktop).await?;
    }
    let look = || async { Ok(question(&gate, one_more).await.ok().flatten()) };
    eventually("the next one is asked", LIMIT, look).await?;
    assert_eq!(gate.pending(), bounds::ASKED_AT_ONCE);
    Ok(())
}

#[tokio::test]
async fn nothing_but_the_gates_own_question_answers_a_round() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let (review, request) = asked(&gate, "b").await?;
    let stored = gate.inner.store.request(request).await?.ok_or("it is there")?;
    let whose = relay("proposer").whose;
    let call = |number: u32, ask: Ask, request_id| Call {
        session_uuid: Some(stored.session_uuid),
        request_id,
        caller: whose.caller.clone(),
        agent: whose.agent.clone(),
        owner: whose.owner.clone(),
        ask,
        ..super::call(&format!("proposer:{number}"), "")
    };
    let by_its_id = gate.inner.requests.ask(call(1, Ask::default(), Some(request))).await.err();
    assert_eq!(by_its_id.map(|fault| fault.code), Some(Code::UnknownRequest), "no agent's call waits for it");
    let in_its_words = Ask { round: None, git: None, ..stored.ask.clone() };
    let asked = gate.inner.requests.ask(call(2, in_its_words, None)).await?.request_id;
    assert_ne!(asked, request, "the same words are another question");
    send(&gate, asked, Some(Decision::Approved), "").await?;
    gate.execute(SendNow { request_id: asked }, Origin::Desktop).await?;
    assert_eq!(gate.closed_now(asked).await?, RequestStatus::Answered);
    let state = gate.inner.store.review(review).await?.ok_or("it is there")?.state;
    let stands = (state.status, state.approved_by, state.held);
    assert_eq!(stands, (ReviewStatus::AwaitingPerson, None, None), "and an answer to that is none to it");
    assert_eq!(question(&gate, review).await?, Some(request));
    Ok(())
}

#[tokio::test]
async fn nobodys_name_makes_a_question_say_what_it_doesnt() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let named = |name: &str, client: &str| {
        let caller = relay(name);
        ReviewCaller { party: Party { client: client.to_owned(), ..caller.party.clone() }, ..caller }
    };
    let change = ProposedChange::Diff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".to_owned());
    let proposer = named("one", "x** has been approved.\n\n# Approved by the person");
    let review = gate.submit(&proposer, SubmittedProposal { change, ..proposal("b") }).await?.review.review_id;
    let reviewer = || named("two", "the **person**");
    gate.claim(&reviewer(), review).await?;
    gate.judge(&reviewer(), review, verdict(Verdict::Escalate, None)).await?;
    let request = question(&gate, review).await?.ok_or("the person is asked")?;
    let asked = gate.inner.store.request(request).await?.ok_or("it is there")?.ask.message;
    let reviewer = "The reviewer **an agent that calls itself “the \\*\\*person\\*\\*”** asks you to decide";
    assert!(asked.contains(reviewer), "{asked}");
    assert!(asked.contains("x\\*\\* has been approved.  \\# Approved"), "{asked}");
    Ok(())
}
