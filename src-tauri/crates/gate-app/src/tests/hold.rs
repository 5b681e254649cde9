//! Replies that can still be taken back, on a real store; time is passed in.

use gate_api::subjects::conversations::{DeleteConversation, ReadConversation};
use gate_api::subjects::receipts::WithdrawReceipt;
use gate_api::subjects::requests::{self, Attach, Dismiss, OpenedRequest, SendNow, SendReply, Snooze, UndoReply};
use gate_api::{Done, Event, Origin, ReceiptStanding, ReceiptView};
use gate_core::{
    Assurance, AttachmentId, Choice, Code, Decision, Draft, Fault, LineComment, ProgressUpdate, Remark, RequestId,
    RequestStatus, Role, Side, Timestamp,
};
use gate_mcp::{Asked, Call, Whose};
use gate_settings::Values;
use tokio::sync::broadcast::Receiver;
use uuid::Uuid;

use crate::host::Allows;
use crate::slices::Gate;
use crate::tests::{Outcome, call, gate, now, open, open_allowing, own};

/// How often a request is read meanwhile.
const READINGS: usize = 20;

fn later(seconds: i64) -> Timestamp {
    Timestamp(now().0 + seconds * 1000)
}

fn text(text: &str) -> Draft {
    Draft { text: text.to_owned(), ..Draft::default() }
}

async fn send(gate: &Gate, request_id: RequestId, draft: Draft, origin: Origin) -> Result<Done, Fault> {
    let digest = gate.inner.requests.question(request_id).await?.digest;
    // A terminal's decision is confirmed in another way.
    let decision = (origin != Origin::Terminal).then_some(Decision::Approved);
    let reply = SendReply { request_id, digest, decision, draft };
    gate.execute(reply, origin).await
}

async fn undo(gate: &Gate, request_id: RequestId) -> Result<OpenedRequest, Fault> {
    gate.execute(UndoReply { request_id }, Origin::Desktop).await
}

/// Whether a call that waits for the request would hear of its end.
async fn hears(gate: &Gate, request: RequestId) -> Result<bool, Fault> {
    let again = gate.inner.requests.ask(Call { request_id: Some(request), ..call("another:1", "") }).await?;
    let resolves = resolves(gate, request).await;
    Ok(again.outcome.is_some() || resolves)
}

/// Whether what waits for a request resolves at once.
async fn resolves(gate: &Gate, request: RequestId) -> bool {
    // By the time that others have read the same rows again and again, it has read them and resolves, or waits.
    let meanwhile = async {
        for _ in 0..READINGS {
            let _ = gate.inner.requests.standing(request).await;
        }
    };
    tokio::select! {
        biased;
        _ = gate.inner.requests.closed(request) => true,
        () = meanwhile => false,
    }
}

async fn said_to_agents(gate: &Gate, asked: &Asked) -> Result<Vec<(Role, Option<RequestStatus>)>, Fault> {
    let recorded = gate_mcp::RecordPort::conversation(gate, asked.session_uuid, None, &own()).await?;
    let messages = recorded.map(|recorded| recorded.messages.items).unwrap_or_default();
    Ok(messages.into_iter().map(|message| (message.role, message.status)).collect())
}

async fn closed(
    events: &mut Receiver<Event>,
) -> Result<(RequestStatus, Option<Timestamp>), Box<dyn std::error::Error>> {
    loop {
        if let Event::Requests(requests::Event::RequestClosed { status, undo_until, .. }) = events.recv().await? {
            return Ok((status, undo_until));
        }
    }
}

#[tokio::test]
async fn a_reply_from_a_window_reaches_the_agent_when_it_can_no_longer_be_taken_back() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let mut events = gate.events();
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let before = now();
    send(&gate, asked.request_id, text("yes"), Origin::Desktop).await?;
    let (status, until) = closed(&mut events).await?;
    let until = until.ok_or("the window is to know until when")?;
    assert_eq!(status, RequestStatus::Answered);
    assert!((before.plus_millis(5000)..=now().plus_millis(5000)).contains(&until), "five seconds: {until}");

    assert_eq!((gate.pending(), gate.inner.queue.board.all().len()), (0, 0), "for the person it is answered");
    assert_eq!(gate.inner.store.status(asked.request_id).await?, Some(RequestStatus::Answered), "and in the record");
    assert!(!hears(&gate, asked.request_id).await?, "no agent hears of it yet");
    assert_eq!(
        gate_mcp::ChatPort::look(&gate, asked.request_id, &own()).await?.status,
        RequestStatus::Pending,
        "nor by its task"
    );
    let said = said_to_agents(&gate, &asked).await?;
    assert_eq!(said, [(Role::Agent, Some(RequestStatus::Pending))], "nor by the conversation");
    let details = gate_mcp::RecordPort::session(&gate, asked.session_uuid, &own()).await?;
    assert_eq!(details.map(|session| session.pending), Some(vec![asked.request_id]), "nor by the session");
    let Call { caller, declared, agent, owner, call_key, .. } = call("relay:done", "");
    let whose = Whose { session_uuid: Some(asked.session_uuid), caller, declared, agent, owner, call_key };
    let done = ProgressUpdate { completed: true, ..ProgressUpdate::default() };
    let done = gate_mcp::RecordPort::report(&gate, whose, done).await.err().map(|fault| fault.code);
    assert_eq!(done, Some(Code::StillPending), "its work isn't done, either: what it was told may be taken back");
    let next = Call { session_uuid: Some(asked.session_uuid), ..call("relay:2", "Something else?") };
    assert_ne!(gate.inner.requests.ask(next).await?.request_id, asked.request_id, "nor with the session's next call");

    gate.inner.requests.let_replies_go(later(4)).await;
    assert!(!hears(&gate, asked.request_id).await?, "not before its time");
    gate.inner.requests.let_replies_go(later(6)).await;
    assert_eq!(closed(&mut events).await?, (RequestStatus::Answered, None), "it can't be taken back any more");
    let outcome = gate.inner.requests.closed(asked.request_id).await?;
    assert_eq!((outcome.text.as_str(), outcome.decision), ("yes", Some(Decision::Approved)));
    assert_eq!(said_to_agents(&gate, &asked).await?.len(), 3, "two questions and the reply");
    assert_eq!(undo(&gate, asked.request_id).await.err().map(|fault| fault.code), Some(Code::TooLate));
    Ok(())
}

/// The receipt of what was said last, as a window reads it.
async fn receipt(gate: &Gate, asked: &Asked) -> Result<Option<ReceiptView>, Fault> {
    let read = ReadConversation { session_uuid: asked.session_uuid, cursor: None };
    let read = gate.execute(read, Origin::Desktop).await?;
    Ok(read.conversation.messages.into_iter().next_back().and_then(|message| message.receipt))
}

#[tokio::test]
async fn a_conversation_has_the_receipt_of_a_reply_as_it_stands() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    assert_eq!(receipt(&gate, &asked).await?, None, "a question has none");
    send(&gate, asked.request_id, text("yes"), Origin::Desktop).await?;
    let held = receipt(&gate, &asked).await?.ok_or("the reply has one")?;
    assert_eq!((held.standing, held.level), (ReceiptStanding::Held, Assurance::L1), "it can be taken back");
    gate.execute(SendNow { request_id: asked.request_id }, Origin::Desktop).await?;
    gate.inner.requests.closed(asked.request_id).await?;
    let good = receipt(&gate, &asked).await?.ok_or("it is there still")?;
    assert_eq!((good.id, good.standing, good.withdrawn_at), (held.id, ReceiptStanding::Good, None), "the same one");
    gate.execute(WithdrawReceipt { receipt: good.id }, Origin::Desktop).await?;
    let revoked = receipt(&gate, &asked).await?.ok_or("it stays in the conversation")?;
    assert_eq!((revoked.id, revoked.standing), (good.id, ReceiptStanding::Withdrawn));
    assert!(revoked.withdrawn_at.is_some(), "with when");
    Ok(())
}

#[tokio::test]
async fn what_is_taken_back_is_as_it_was_and_the_agent_goes_on_waiting() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let mut question = call("relay:1", "May I?");
    question.ask.options =
        ["a", "b"].map(|label| Choice { label: label.into(), description: None, recommended: false }).into();
    let asked = gate.inner.requests.ask(question).await?;
    let attached = Attach { request_id: asked.request_id, name: "a.txt".to_owned(), data: "AAAA".to_owned() };
    let attachment = gate.execute(attached, Origin::Desktop).await?.attachment;
    let draft = Draft {
        text: "Yes, do".to_owned(),
        selected: vec!["b".to_owned()],
        comments: vec![LineComment {
            file: "a.rs".into(),
            line: 3,
            start_line: None,
            side: Side::New,
            body: "Why?".into(),
        }],
        remarks: vec![Remark { quote: "May".into(), body: "You may".into() }],
        attachments: vec![attachment.attachment_id],
    };
    send(&gate, asked.request_id, draft.clone(), Origin::Desktop).await?;
    let mut events = gate.events();
    let request = undo(&gate, asked.request_id).await?.request;
    assert_eq!((request.status, &request.draft), (RequestStatus::Pending, &draft), "word for word");
    assert_eq!(request.attachments, [attachment], "with its files");
    assert!(request.summary.caller_waiting, "the agent still waits for it");
    let Event::Requests(requests::Event::RequestAdded { request: added, again: true, .. }) = events.recv().await?
    else {
        return Err("the other windows were to hear of it".into());
    };
    assert_eq!(added.request_id, asked.request_id);
    assert_eq!(
        (gate.pending(), gate.inner.conversations.sessions.get(asked.session_uuid).map(|session| session.pending)),
        (1, Some(1))
    );
    let view = gate.inner.conversations.conversation_view(asked.session_uuid, None).await?;
    assert_eq!((view.messages.len(), view.entry.messages), (1, 1), "the reply has gone from the conversation");
    assert!(!hears(&gate, asked.request_id).await?, "nothing was answered");
    assert_eq!(undo(&gate, asked.request_id).await.err().map(|fault| fault.code), Some(Code::InvalidInput));

    send(&gate, asked.request_id, text("No"), Origin::Desktop).await?;
    gate.execute(SendNow { request_id: asked.request_id }, Origin::Desktop).await?;
    let outcome = gate.inner.requests.closed(asked.request_id).await?;
    assert_eq!((outcome.text.as_str(), outcome.selected.len()), ("No", 0), "the agent hears what was sent in the end");
    Ok(())
}

#[tokio::test]
async fn what_was_taken_back_stays_so_after_a_restart_and_what_was_not_is_still_held() -> Outcome {
    let (folder, before) = gate(true).await?;
    let back = before.inner.requests.ask(call("relay:1", "May I?")).await?;
    let sent = before.inner.requests.ask(call("relay:2", "And may I?")).await?;
    for asked in [&back, &sent] {
        send(&before, asked.request_id, text("yes"), Origin::Browser).await?;
    }
    undo(&before, back.request_id).await?;
    before.inner.receipts.close().await;
    before.inner.store.close().await;

    let after = open(&folder, true).await?;
    assert_eq!(after.inner.bus.warnings(), Vec::new(), "nothing had to be mended");
    let again = after.inner.requests.ask(call("relay:1", "May I?")).await?;
    assert_eq!((again.request_id, again.outcome.is_some()), (back.request_id, false), "it waits for the person");
    assert_eq!(after.inner.store.draft(back.request_id).await?.text, "yes", "who finds what they had written");
    let again = after.inner.requests.ask(call("relay:2", "And may I?")).await?;
    assert!(again.outcome.is_none() && after.inner.queue.board.is_held(sent.request_id), "for the rest of its time");
    after.execute(SendNow { request_id: sent.request_id }, Origin::Browser).await?;
    let again = after.inner.requests.ask(call("relay:2", "And may I?")).await?;
    assert_eq!(again.outcome.map(|outcome| outcome.text).as_deref(), Some("yes"), "a replay finds the reply");
    Ok(())
}

#[tokio::test]
async fn only_windows_hold_back_and_only_where_the_person_wants_it() -> Outcome {
    let never = || Values::from([("window.undo_seconds", 0.into())]);
    for (origin, settings) in
        [(Origin::Terminal, Values::new()), (Origin::Script, Values::new()), (Origin::Desktop, never())]
    {
        let folder = tempfile::tempdir()?;
        let scripts = Allows { scripts: true, terminal: false };
        let gate = open_allowing(&folder, false, settings, scripts).await?;
        let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
        send(&gate, asked.request_id, text("yes"), origin).await?;
        let outcome = gate.inner.requests.closed(asked.request_id).await?;
        assert_eq!(outcome.text, "yes", "{origin:?}: the agent hears at once");
        assert_eq!(undo(&gate, asked.request_id).await.err().map(|fault| fault.code), Some(Code::TooLate));
    }
    Ok(())
}

#[tokio::test]
async fn while_a_reply_is_held_back_nobody_else_answers_closes_or_withdraws_it() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let request_id = asked.request_id;
    send(&gate, request_id, text("first"), Origin::Desktop).await?;
    for refused in [
        send(&gate, request_id, text("second"), Origin::Desktop).await,
        send(&gate, request_id, text("third"), Origin::Terminal).await,
        gate.execute(Dismiss { request_id }, Origin::Desktop).await,
        gate.execute(Snooze { request_id, until: None }, Origin::Desktop).await,
    ] {
        assert_eq!(refused.err().map(|fault| fault.code), Some(Code::NotPending), "the first reply wins");
    }
    drop(asked.attendance);
    gate.inner.requests.withdraw(request_id).await?;
    gate.inner.requests.let_replies_go(later(6)).await;
    assert_eq!(gate.inner.requests.closed(request_id).await?.text, "first");
    let unknown = RequestId(Uuid::nil());
    let refused =
        [undo(&gate, unknown).await.err(), gate.execute(SendNow { request_id: unknown }, Origin::Desktop).await.err()];
    for refused in refused {
        assert_eq!(refused.map(|fault| fault.code), Some(Code::UnknownRequest));
    }
    Ok(())
}

#[tokio::test]
async fn a_conversation_that_is_deleted_takes_its_held_back_reply_along() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    send(&gate, asked.request_id, text("yes"), Origin::Desktop).await?;
    let delete = DeleteConversation { session_uuid: asked.session_uuid };
    gate.execute(delete, Origin::Desktop).await?;
    let refused = undo(&gate, asked.request_id).await;
    assert_eq!(refused.err().map(|fault| fault.code), Some(Code::UnknownRequest));
    gate.inner.requests.let_replies_go(later(6)).await;
    assert_eq!(
        gate.inner.requests.closed(asked.request_id).await.err().map(|fault| fault.code),
        Some(Code::UnknownRequest)
    );
    assert_eq!(gate.inner.queue.board.held().len(), 0, "nothing of it is left");
    Ok(())
}

#[tokio::test]
async fn a_reply_that_is_refused_is_not_held_back() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let lost = Draft { attachments: vec![AttachmentId(Uuid::nil())], ..Draft::default() };
    let refused = send(&gate, asked.request_id, lost, Origin::Desktop).await;
    assert_eq!(refused.err().map(|fault| fault.code), Some(Code::UnknownAttachment));
    assert_eq!(gate.inner.queue.board.all().len(), 1, "the request is where it was");
    send(&gate, asked.request_id, text("yes"), Origin::Desktop).await?;
    assert_eq!(gate.inner.queue.board.all().len(), 0);
    Ok(())
}

#[tokio::test]
async fn words_that_were_taken_back_are_not_found() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    send(&gate, asked.request_id, text("xylophone"), Origin::Desktop).await?;
    let query = || gate_core::ConversationQuery { text: Some("xylophone".to_owned()), ..Default::default() };
    assert_eq!(
        gate.inner.conversations.page(&query(), None).await?.items.len(),
        1,
        "the person finds what they have sent"
    );
    assert_eq!(
        gate_mcp::RecordPort::conversations(&gate, query(), None, &own()).await?.items.len(),
        0,
        "the agent doesn't yet"
    );
    undo(&gate, asked.request_id).await?;
    assert_eq!(gate.inner.conversations.page(&query(), None).await?.items.len(), 0);
    Ok(())
}

#[tokio::test]
async fn no_script_stops_the_gate_while_a_reply_could_be_taken_back() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    gate.may_stop(Origin::Script)?;
    send(&gate, asked.request_id, text("yes"), Origin::Desktop).await?;
    let refused = gate.may_stop(Origin::Script).err().map(|fault| fault.code);
    assert_eq!(refused, Some(Code::ScriptedAnswersOff), "where it can be taken back would be gone");
    gate.may_stop(Origin::Terminal)?;
    gate.inner.requests.send_now(asked.request_id).await?;
    gate.may_stop(Origin::Script)?;
    Ok(())
}
