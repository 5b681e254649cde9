//! Notes to agents, on a real store.

use gate_api::subjects::conversations::{CloseSession, SendNote, TakeBackNote};
use gate_core::{Code, Fault, Note, NoteId, Role, SessionUuid, bounds};
use uuid::Uuid;

use crate::slices::Gate;
use crate::tests::{Outcome, call, gate, open};
use gate_api::Origin;

async fn send(gate: &Gate, session_uuid: SessionUuid, text: &str) -> Result<(), Fault> {
    let text = text.to_owned();
    gate.execute(SendNote { session_uuid, text }, Origin::Desktop).await.map(drop)
}

async fn take_back(gate: &Gate, note_id: NoteId) -> Option<Code> {
    gate.execute(TakeBackNote { note_id }, Origin::Desktop).await.err().map(|fault| fault.code)
}

fn waiting(gate: &Gate, session: SessionUuid) -> Vec<Note> {
    gate.inner.conversations.sessions.get(session).map(|session| session.notes).unwrap_or_default()
}

fn texts(notes: &[Note]) -> Vec<&str> {
    notes.iter().map(|note| note.text.as_str()).collect()
}

#[tokio::test]
async fn notes_go_with_one_result_and_are_given_back_where_that_is_lost() -> Outcome {
    let (folder, gate) = gate(true).await?;
    let session = gate.inner.requests.ask(call("relay:1", "May I?")).await?.session_uuid;
    send(&gate, session, "Use tabs.").await?;
    send(&gate, session, "And spaces.").await?;
    assert_eq!(texts(&waiting(&gate, session)), ["Use tabs.", "And spaces."], "the person sees what waits");

    let lost = gate.inner.conversations.hand_notes(session, "relay:2").ok_or("both go with the next result")?;
    assert_eq!(texts(&lost.notes), ["Use tabs.", "And spaces."]);
    assert!(gate.inner.conversations.hand_notes(session, "relay:3").is_none(), "and with no other");
    drop(lost);
    let handed = gate.inner.conversations.hand_notes(session, "relay:4").ok_or("what was lost goes again")?;
    assert_eq!(handed.notes.len(), 2);
    send(&gate, session, "A third.").await?;
    gate.note_delivery("relay:4").await;
    drop(handed);
    assert_eq!(texts(&waiting(&gate, session)), ["A third."], "what has arrived waits no longer");

    gate.inner.receipts.close().await;

    gate.inner.store.close().await;
    let after = open(&folder, true).await?;
    assert_eq!(texts(&waiting(&after, session)), ["A third."], "so it is after a restart");
    let handed = after.inner.conversations.hand_notes(session, "relay:5").ok_or("it still goes")?;
    assert_eq!(texts(&handed.notes), ["A third."]);
    Ok(())
}

#[tokio::test]
async fn a_note_is_part_of_the_conversation_and_of_no_request() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    send(&gate, asked.session_uuid, "Mind the tests.").await?;
    let view = gate.inner.conversations.conversation_view(asked.session_uuid, None).await?;
    let said: Vec<_> = view.messages.iter().map(|message| (message.role, message.note)).collect();
    assert_eq!((said, view.entry.messages), (vec![(Role::Agent, false), (Role::Person, true)], 2));
    let note = waiting(&gate, asked.session_uuid).remove(0);
    let as_request = gate_core::RequestId(note.note_id.0);
    assert_eq!(view.messages[1].request_id, as_request, "the window finds the one that waits");
    let asks = gate.inner.requests.ask(gate_mcp::Call { request_id: Some(as_request), ..call("relay:2", "") }).await;
    assert_eq!(asks.err().map(|fault| fault.code), Some(Code::UnknownRequest), "no agent can wait for it");
    assert!(gate.inner.requests.open_request(as_request).await.is_err_and(|fault| fault.code == Code::UnknownRequest));
    assert_eq!(gate.pending(), 1, "it is no request");
    assert_eq!(gate.inner.store.pending().await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_note_is_taken_back_until_its_agent_is_given_it() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let session = gate.inner.requests.ask(call("relay:1", "May I?")).await?.session_uuid;
    for text in ["one", "two", "three"] {
        send(&gate, session, text).await?;
    }
    let notes = waiting(&gate, session);
    assert_eq!(take_back(&gate, notes[0].note_id).await, None);
    assert_eq!(take_back(&gate, notes[0].note_id).await, Some(Code::UnknownNote), "it is gone");
    let view = gate.inner.conversations.conversation_view(session, None).await?;
    assert_eq!((view.messages.len(), view.entry.messages), (3, 3), "also from the conversation");
    let handed = gate.inner.conversations.hand_notes(session, "relay:2").ok_or("two are left")?;
    assert_eq!(texts(&handed.notes), ["two", "three"]);
    assert_eq!(take_back(&gate, notes[1].note_id).await, Some(Code::TooLate), "it is on its way");
    gate.note_delivery("relay:2").await;
    assert_eq!(take_back(&gate, notes[1].note_id).await, Some(Code::TooLate), "and has arrived");
    assert_eq!(take_back(&gate, NoteId(Uuid::nil())).await, Some(Code::UnknownNote));
    Ok(())
}

#[tokio::test]
async fn notes_are_bounded_and_go_to_agents_that_work() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let session = asked.session_uuid;
    let code = |sent: Result<(), Fault>| sent.err().map(|fault| fault.code);
    assert_eq!(code(send(&gate, session, " ").await), Some(Code::EmptyReply));
    assert_eq!(code(send(&gate, session, &"x".repeat(bounds::NOTE_CHARS + 1)).await), Some(Code::TooLarge));
    assert_eq!(code(send(&gate, SessionUuid(Uuid::nil()), "hi").await), Some(Code::UnknownSession));
    for number in 0..bounds::NOTES {
        send(&gate, session, &number.to_string()).await?;
    }
    assert_eq!(code(send(&gate, session, "one more").await), Some(Code::TooMany));
    gate.inner.requests.cancel(asked.request_id).await?;
    gate.execute(CloseSession { session_uuid: session }, Origin::Desktop).await?;
    assert_eq!(code(send(&gate, session, "too late").await), Some(Code::InvalidInput), "nobody would get it");
    let script = SendNote { session_uuid: session, text: "hi".to_owned() };
    let script = gate.execute(script, Origin::Script).await;
    assert_eq!(code(script.map(drop)), Some(Code::ScriptedAnswersOff), "an agent with a shell is no person");
    Ok(())
}
