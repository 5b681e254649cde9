//! Replies and their receipts, on a real store and a real log.

use gate_api::Event;
use gate_api::subjects::requests;
use gate_core::{AnsweredFrom, Assurance, Decision, Draft, RequestId, RequestStatus, Seat};
use gate_link::Home;
use gate_mcp::Call;
use gate_receipts::{About, Level, NAME, Said};
use gate_settings::Values;

use crate::host::Allows;
use crate::slices::Gate;
use crate::slices::receipts::unsent;
use crate::tests::{Outcome, call, gate, open, open_seated, reply};

fn text(text: &str) -> Draft {
    Draft { text: text.to_owned(), ..Draft::default() }
}

/// The same reply in the record, but for its decision.
async fn made_an_approval(gate: &Gate, request: RequestId) -> Outcome {
    let store = &gate.inner.store;
    let given = store.standing(request).await?.and_then(|standing| standing.reply).ok_or("a reply")?;
    let shown = gate.inner.requests.question(request).await?.digest;
    let (draft, at) = (text(&given.text), given.answered_at);
    store.withdraw_reply(request, &Draft::default(), at).await?;
    store.answer(request, shown, Some(Decision::Approved), &draft, given.answered_from, at).await?;
    let forged = store.standing(request).await?.and_then(|standing| standing.reply).ok_or("a reply")?;
    assert_eq!(forged, gate_core::Reply { decision: Some(Decision::Approved), ..given }, "nothing else is changed");
    Ok(())
}

/// How many receipts the log has, and whether its chain is whole.
async fn counted(gate: &Gate) -> Result<(usize, bool), Box<dyn std::error::Error>> {
    let (receipts, report) = (gate.inner.receipts.list(100).await?, gate.inner.receipts.report().await?);
    assert_eq!(report.head.is_some(), report.lines > 0, "it stands at its last line");
    Ok((receipts.len(), report.is_whole()))
}

fn warned(gate: &Gate) -> String {
    gate.inner.bus.warnings().iter().map(|fault| fault.message.clone()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_reply_has_one_receipt_which_its_result_names() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    assert_eq!(counted(&gate).await?, (0, true));
    reply(&gate, asked.request_id, Some(Decision::Approved), &text("go"), AnsweredFrom::Desktop).await?;
    let outcome = gate.inner.requests.closed(asked.request_id).await?;
    let found = gate.inner.receipts.list(100).await?.pop().ok_or("a receipt")?;
    assert_eq!((outcome.receipt, outcome.digest), (Some(found.id), found.decided.content.ask));
    assert_eq!((found.decided.request, found.decided.given), (asked.request_id, AnsweredFrom::Desktop));
    assert_eq!(outcome.assurance, Some(Assurance::L1));
    gate.inner.receipts.flush().await;
    let abouts = gate.inner.store.abouts(asked.request_id).await?;
    assert_eq!(abouts.iter().map(|about| about.about).collect::<Vec<_>>(), [found.decided.about], "which stays home");
    Ok(())
}

#[tokio::test]
async fn a_reply_that_only_the_record_has_is_a_draft_and_its_agent_waits() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let (request, now) = (asked.request_id, gate.inner.bus.now());
    let shown = gate.inner.requests.question(request).await?.digest;
    let forged = text("Forged.");
    gate.inner.store.answer(request, shown, Some(Decision::Approved), &forged, AnsweredFrom::Desktop, now).await?;
    let standing = gate.inner.requests.standing(request).await?.ok_or("a request")?;
    assert_eq!((standing.status, standing.reply), (RequestStatus::Pending, None), "nothing was given here");
    assert_eq!(gate.inner.store.draft(request).await?, forged, "it is the person's to send or to drop");
    assert_eq!(gate.inner.store.status(request).await?, Some(RequestStatus::Pending));
    assert!(warned(&gate).contains("has no receipt"), "who is told: {}", warned(&gate));
    reply(&gate, request, None, &text("No."), AnsweredFrom::Desktop).await?;
    assert_eq!(gate.inner.requests.closed(request).await?.text, "No.");
    Ok(())
}

#[tokio::test]
async fn a_reply_that_was_cut_off_before_its_receipt_is_a_draft_at_the_next_start() -> Outcome {
    let (folder, before) = gate(true).await?;
    let asked = before.inner.requests.ask(call("relay:1", "May I?")).await?;
    let (request, now) = (asked.request_id, before.inner.bus.now());
    let shown = before.inner.requests.question(request).await?.digest;
    before.inner.store.answer(request, shown, None, &text("cut off"), AnsweredFrom::Desktop, now).await?;
    before.inner.receipts.close().await;
    before.inner.store.close().await;
    let after = open(&folder, true).await?;
    assert_eq!(after.inner.store.draft(request).await?.text, "cut off");
    assert_eq!(after.pending(), 1, "the person sees it again");
    let again = after.inner.requests.ask(Call { request_id: Some(request), ..call("relay:2", "") }).await?;
    assert!(again.outcome.is_none(), "and its agent waits");
    Ok(())
}

#[tokio::test]
async fn a_reply_whose_receipt_can_not_be_written_is_taken_back() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let request = asked.request_id;
    let shown = gate.inner.requests.question(request).await?.digest;
    gate.inner.receipts.close().await;
    let (approved, given) = (Some(Decision::Approved), AnsweredFrom::Desktop);
    let refused = gate.inner.requests.answer(request, shown, approved, &text("go"), given).await;
    assert!(refused.is_err_and(|fault| fault.message.contains("receipt can't be written")));
    assert_eq!(gate.inner.store.status(request).await?, Some(RequestStatus::Pending), "nothing was sent");
    assert_eq!(gate.inner.store.draft(request).await?.text, "go", "nothing is lost");
    assert_eq!(gate.inner.queue.board.all().len(), 1, "and it is still shown");
    Ok(())
}

/// As it is where the disk was full for both: in the record, without a receipt, and kept from agents.
async fn left_unsent(gate: &Gate, request: RequestId, words: &str) -> Outcome {
    let (shown, now) = (gate.inner.requests.question(request).await?.digest, gate.inner.bus.now());
    gate.inner.store.answer(request, shown, None, &text(words), AnsweredFrom::Desktop, now).await?;
    gate.inner.conversations.search.said();
    gate.inner.queue.board.keep_unsent(request, text(words));
    gate.inner.bus.warn(unsent(request));
    Ok(())
}

#[tokio::test]
async fn a_reply_that_was_neither_sent_nor_taken_back_comes_back_by_itself() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let request_id = asked.request_id;
    left_unsent(&gate, request_id, "xylophone").await?;
    assert_eq!(gate.inner.queue.board.all().len(), 0, "nobody is shown it");
    let standing = gate.inner.requests.standing(request_id).await?.ok_or("a request")?;
    assert_eq!((standing.status, standing.reply), (RequestStatus::Pending, None), "and its agent waits");

    let mut events = gate.events();
    let (one, two) = (gate.inner.requests.take_back_all_unsent(), gate.inner.requests.take_back_all_unsent());
    tokio::join!(one, two);
    let Event::Requests(requests::Event::RequestAdded { request, again: true, .. }) = events.recv().await? else {
        return Err("the windows were to hear of it".into());
    };
    assert_eq!((request.request_id, gate.inner.queue.board.all().len()), (request_id, 1), "it is in the inbox again");
    assert_eq!(gate.inner.store.status(request_id).await?, Some(RequestStatus::Pending));
    assert_eq!(gate.inner.store.draft(request_id).await?.text, "xylophone", "with what was written");
    assert_eq!(warned(&gate), "", "which is nothing to tell of any more");
    reply(&gate, request_id, None, &text("marimba"), AnsweredFrom::Desktop).await?;
    assert_eq!(gate.inner.requests.closed(request_id).await?.text, "marimba");
    Ok(())
}

#[tokio::test]
async fn whoever_answers_again_first_is_not_taken_back() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    left_unsent(&gate, asked.request_id, "xylophone").await?;
    let shown = gate.inner.requests.question(asked.request_id).await?.digest;
    let marimba = text("marimba");
    let answer = gate.inner.requests.answer(asked.request_id, shown, None, &marimba, AnsweredFrom::Desktop);
    let (answered, ()) = tokio::join!(answer, gate.inner.requests.take_back_all_unsent());
    answered?;
    gate.inner.requests.take_back_all_unsent().await;
    assert_eq!(gate.inner.requests.closed(asked.request_id).await?.text, "marimba");
    Ok(())
}

#[tokio::test]
async fn changes_that_were_requested_and_were_made_an_approval_are_a_draft_also_after_a_restart() -> Outcome {
    for restarts in [false, true] {
        let (folder, mut gate) = gate(true).await?;
        let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?.request_id;
        reply(&gate, asked, Some(Decision::ChangesRequested), &text("not so"), AnsweredFrom::Desktop).await?;
        made_an_approval(&gate, asked).await?;
        if restarts {
            gate.inner.receipts.close().await;
            gate.inner.store.close().await;
            gate = open(&folder, true).await?;
        }
        let standing = gate.inner.requests.standing(asked).await?.ok_or("a request")?;
        assert_eq!(
            (standing.status, standing.reply),
            (RequestStatus::Pending, None),
            "restarted {restarts}: no agent's"
        );
        assert_eq!(gate.inner.store.draft(asked).await?.text, "not so", "restarted {restarts}: it is the person's");
        assert_eq!(gate.inner.queue.board.all().len(), 1, "restarted {restarts}: its request waits");
        assert!(warned(&gate).contains(&format!("{asked} isn't what its receipt is of")), "{}", warned(&gate));
        let given = gate.inner.receipts.list(10).await?;
        let decisions: Vec<_> = given.iter().map(|found| found.decided.decision).collect();
        assert_eq!(decisions, [Some(Decision::ChangesRequested)], "restarted {restarts}: what was given is on record");
    }
    Ok(())
}

#[tokio::test]
async fn a_receipt_that_is_revoked_takes_its_reply_from_agents() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    reply(&gate, asked.request_id, Some(Decision::Approved), &text(""), AnsweredFrom::Desktop).await?;
    let receipt = gate.inner.requests.closed(asked.request_id).await?.receipt.ok_or("a receipt")?;
    gate.inner.requests.revoke(receipt, AnsweredFrom::Desktop).await?;
    gate.inner.requests.revoke(receipt, AnsweredFrom::Desktop).await?;
    let again = gate.inner.requests.closed(asked.request_id).await?;
    assert_eq!((again.status, again.decision), (RequestStatus::Cancelled, None));
    let withdrawn = gate.inner.receipts.list(1).await?.pop().and_then(|found| found.after.withdrawn);
    assert!(withdrawn.is_some(), "a line says it, once");
    assert_eq!(counted(&gate).await?, (1, true));
    Ok(())
}

#[tokio::test]
async fn a_log_that_goes_while_the_gate_runs_makes_drafts_of_what_nobody_has() -> Outcome {
    let (folder, gate) = gate(true).await?;
    let first = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let second = gate.inner.requests.ask(call("relay:2", "And may I?")).await?;
    reply(&gate, first.request_id, None, &text("first"), AnsweredFrom::Desktop).await?;
    std::fs::remove_file(folder.path().join(NAME))?;
    reply(&gate, second.request_id, None, &text("second"), AnsweredFrom::Desktop).await?;
    gate.inner.requests.settle_orphaned().await;
    assert_eq!(gate.inner.store.draft(first.request_id).await?.text, "first", "nobody had it");
    assert_eq!(gate.inner.requests.closed(second.request_id).await?.text, "second", "it came behind the break");
    assert!(warned(&gate).contains("The log of receipts was gone."), "{}", warned(&gate));
    Ok(())
}

#[tokio::test]
async fn backups_have_a_copy_and_what_was_before_receipts_has_them_once() -> Outcome {
    let (folder, before) = gate(true).await?;
    let asked = before.inner.requests.ask(call("relay:1", "May I?")).await?;
    reply(&before, asked.request_id, Some(Decision::Approved), &text(""), AnsweredFrom::Desktop).await?;
    let backups = folder.path().join("backups");
    before.inner.receipts.back_up(backups.clone()).await?;
    let log = folder.path().join(NAME);
    assert_eq!(std::fs::read(backups.join(NAME))?, std::fs::read(&log)?);
    before.inner.receipts.close().await;
    before.inner.store.close().await;

    let record = std::fs::read(folder.path().join("review-gate.db"))?;
    assert!(!record.is_empty(), "the home is as it was");
    let after = open(&folder, true).await?;
    let all = after.inner.receipts.list(10).await?;
    let kinds: Vec<_> = all.iter().map(|found| matches!(found.line.said, Said::Decided(_))).collect();
    assert_eq!(kinds, [true], "a start gives nothing a second receipt");
    assert_eq!(warned(&after), "", "and nothing is wrong");
    Ok(())
}

#[tokio::test]
async fn what_is_given_on_another_display_than_the_persons_is_recorded_and_no_more() -> Outcome {
    for (seat, level, told) in [
        (Some(Seat::Own("seat0".to_owned())), Assurance::L1, false),
        (Some(Seat::Elsewhere(":99".to_owned())), Assurance::L0, true),
        (Some(Seat::Unknown(":1".to_owned())), Assurance::L1, false),
        (None, Assurance::L1, false),
    ] {
        let folder = tempfile::tempdir()?;
        let gate = open_seated(&folder, true, Values::new(), Allows::default(), seat.clone()).await?;
        assert_eq!(warned(&gate).contains("on the display :99"), told, "{seat:?}: the person is told");
        for (from, expected) in [(AnsweredFrom::Desktop, level), (AnsweredFrom::Browser, Assurance::L1)] {
            let asked = gate.inner.requests.ask(call(from.as_str(), from.as_str())).await?;
            reply(&gate, asked.request_id, Some(Decision::Approved), &text("go"), from).await?;
            let outcome = gate.inner.requests.closed(asked.request_id).await?;
            assert_eq!((outcome.answered_from, outcome.assurance), (Some(from), Some(expected)), "{seat:?}");
            let found = gate.inner.receipts.list(1).await?.pop().ok_or("a receipt")?;
            assert_eq!(
                found.decided.level == Level::L1,
                expected == Assurance::L1,
                "{seat:?}: its receipt says so, too"
            );
            gate.inner.receipts.flush().await;
            let about = gate.inner.store.abouts(asked.request_id).await?.pop().ok_or("what stays home")?;
            let about: About = serde_json::from_str(&about.said)?;
            let written = seat.as_ref().filter(|_| from == AnsweredFrom::Desktop).map(Seat::name);
            assert_eq!(about.seat.as_deref(), written, "{seat:?} {from:?}: it is written down");
        }
    }
    Ok(())
}

#[tokio::test]
async fn an_older_backup_takes_nothing_back_that_was_approved_since() -> Outcome {
    let (folder, before) = gate(true).await?;
    let asked = before.inner.requests.ask(call("relay:1", "May I?")).await?;
    let backup = before.inner.store.backup(&folder.path().join("backups"), 3, before.inner.bus.now()).await?;
    reply(&before, asked.request_id, Some(Decision::Approved), &text("go"), AnsweredFrom::Desktop).await?;
    before.inner.receipts.close().await;
    before.inner.store.close().await;
    let log = std::fs::read(folder.path().join(NAME))?;

    crate::offline::restore(&Home::at(folder.path()), &backup.path).await?;
    let after = open(&folder, true).await?;
    assert_eq!(after.inner.store.status(asked.request_id).await?, Some(RequestStatus::Pending), "it is as it was then");
    let found = after.inner.receipts.list(10).await?.pop().ok_or("a receipt")?;
    assert_eq!((found.decided.request, found.after.withdrawn), (asked.request_id, None), "what was approved counts");
    assert_eq!(std::fs::read(folder.path().join(NAME))?, log, "the log isn't touched");
    assert_eq!(warned(&after), "");
    Ok(())
}
