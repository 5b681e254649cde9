//! What agents read again of the record, held against the receipts.

use gate_api::Origin;
use gate_api::subjects::receipts::WithdrawReceipt;
use gate_api::subjects::requests::Attach;
use gate_core::{
    AnsweredFrom, Assurance, AttachmentId, Code, Decision, Draft, Message, RequestId, RequestStatus, Role, SessionUuid,
    Timestamp, Withheld,
};
use gate_mcp::{Call, ChatPort as _, Context, RecordPort as _, Whose};

use crate::slices::Gate;
use crate::tests::upgrade::answered_before;
use crate::tests::{Outcome, call, gate, now, open, own, reply};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn text(text: &str) -> Draft {
    Draft { text: text.to_owned(), ..Draft::default() }
}

/// What the conversation of a request says, by the tool and by the resource, which say the same.
async fn read(gate: &Gate, session: SessionUuid) -> Result<Vec<Message>> {
    let Call { caller, declared, agent, owner, .. } = call("", "");
    let call_key = format!("context:{}", uuid::Uuid::now_v7());
    let whose = Whose { session_uuid: Some(session), caller, declared, agent, owner, call_key };
    let Context { messages, .. } = gate.context(whose, None).await?;
    let recorded = gate.conversation(session, None, &own()).await?.ok_or("a conversation")?;
    assert_eq!(recorded.messages.items, messages.items, "the resource says the same as the tool");
    Ok(messages.items)
}

/// The status of the question, and the person's message.
async fn told(gate: &Gate, session: SessionUuid) -> Result<(Option<RequestStatus>, Option<Message>)> {
    let mut said = read(gate, session).await?.into_iter();
    let question = said.next().ok_or("a question")?;
    assert_eq!(question.role, Role::Agent);
    Ok((question.status, said.next()))
}

async fn finds(gate: &Gate, word: &str) -> Result<usize> {
    let query = gate_core::ConversationQuery { text: Some(word.to_owned()), ..Default::default() };
    Ok(gate.conversations(query, None, &own()).await?.items.len())
}

/// What is shown around a word.
async fn excerpt(gate: &Gate, word: &str) -> Result<String> {
    let query = gate_core::ConversationQuery { text: Some(word.to_owned()), ..Default::default() };
    let found = gate.conversations(query, None, &own()).await?.items;
    let hit = found.into_iter().next().and_then(|found| found.hit).ok_or("it is found")?;
    Ok(hit.pieces.into_iter().map(|piece| piece.text).collect())
}

/// Answers a request in the record alone.
async fn forge(gate: &Gate, request: RequestId, words: &str) -> Outcome {
    let (shown, now) = (gate.inner.requests.question(request).await?.digest, gate.inner.bus.now());
    let decision = Some(Decision::Approved);
    gate.inner.store.answer(request, shown, decision, &text(words), AnsweredFrom::Desktop, now).await?;
    gate.inner.conversations.search.said();
    Ok(())
}

/// Notes that an agent has the reply of the call of this key.
async fn deliver(gate: &Gate, key: &str) -> Outcome {
    Ok(gate.inner.store.mark_delivered(key, Timestamp(1)).await?)
}

#[tokio::test]
async fn a_reply_is_read_again_as_it_was_given() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    reply(&gate, asked.request_id, Some(Decision::Approved), &text("xylophone"), AnsweredFrom::Desktop).await?;
    for delivered in [false, true] {
        let (status, said) = told(&gate, asked.session_uuid).await?;
        let said = said.ok_or("a reply")?;
        assert_eq!(status, Some(RequestStatus::Answered));
        assert_eq!((said.text.as_str(), said.decision), ("xylophone", Some(Decision::Approved)), "{delivered}");
        assert_eq!((said.assurance, said.withheld), (Some(Assurance::L1), None));
        assert_eq!(excerpt(&gate, "xylophone").await?, "xylophone", "as it was given, where it is found");
        deliver(&gate, "relay:1").await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_reply_that_only_the_record_has_is_read_by_nobody() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    forge(&gate, asked.request_id, "xylophone").await?;
    assert_eq!(finds(&gate, "xylophone").await?, 0, "nor found by its words");
    let (status, said) = told(&gate, asked.session_uuid).await?;
    assert_eq!((status, said), (Some(RequestStatus::Pending), None), "the question waits for the person");
    assert_eq!(gate.inner.store.draft(asked.request_id).await?.text, "xylophone", "for whom it is a draft");

    let asked = gate.inner.requests.ask(call("relay:2", "And may I?")).await?;
    forge(&gate, asked.request_id, "marimba").await?;
    deliver(&gate, "relay:2").await?;
    assert_eq!(finds(&gate, "marimba").await?, 0, "not either where it says that an agent had it");
    let (status, said) = told(&gate, asked.session_uuid).await?;
    let said = said.ok_or("a message that says so")?;
    assert_eq!(status, Some(RequestStatus::Answered));
    assert_eq!((said.withheld, said.text.as_str(), said.decision), (Some(Withheld::NotGivenHere), "", None));
    Ok(())
}

#[tokio::test]
async fn a_reply_that_was_revoked_is_told_as_that() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    reply(&gate, asked.request_id, Some(Decision::Approved), &text("xylophone"), AnsweredFrom::Desktop).await?;
    let receipt = gate.inner.requests.closed(asked.request_id).await?.receipt.ok_or("a receipt")?;
    deliver(&gate, "relay:1").await?;
    assert_eq!(told(&gate, asked.session_uuid).await?.1.and_then(|said| said.decision), Some(Decision::Approved));
    let mut changes = gate.inner.bus.changes();
    gate.execute(WithdrawReceipt { receipt }, Origin::Desktop).await?;
    assert_eq!(changes.recv().await?, gate_mcp::Change::Conversation(asked.session_uuid), "who reads it hears of it");
    for again in [false, true] {
        let (status, said) = told(&gate, asked.session_uuid).await?;
        let said = said.ok_or("a message that says so")?;
        assert_eq!(status, Some(RequestStatus::Cancelled), "as a call with its id is told ({again})");
        assert_eq!((said.withheld, said.text.as_str(), said.decision), (Some(Withheld::Revoked), "", None));
        assert_eq!(said.assurance, None);
    }
    assert_eq!(finds(&gate, "xylophone").await?, 0, "its words are found no more");
    Ok(())
}

#[tokio::test]
async fn what_was_said_before_there_were_receipts_is_history_of_no_surety() -> Outcome {
    let folder = tempfile::tempdir()?;
    let two_days_ago = Timestamp(now().0 - 2 * 24 * 60 * 60 * 1000);
    let (_, session) = answered_before(&folder, "relay:1", "xylophone", two_days_ago, true).await?;
    let after = open(&folder, true).await?;
    let (status, said) = told(&after, session).await?;
    let said = said.ok_or("it is read")?;
    assert_eq!((status, said.text.as_str()), (Some(RequestStatus::Answered), "xylophone"));
    assert_eq!((said.assurance, said.withheld), (Some(Assurance::L0), None), "as any process might have written it");
    assert_eq!(finds(&after, "xylophone").await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_file_is_read_once_its_reply_is_the_agents() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let attached = Attach { request_id: asked.request_id, name: "a.txt".to_owned(), data: "AAAA".to_owned() };
    let id = gate.execute(attached, Origin::Desktop).await?.attachment.attachment_id;
    let reads = |id: AttachmentId| {
        let gate = gate.clone();
        async move { gate.attachment(id, &own()).await.map(|(_, bytes)| bytes.len()).map_err(|fault| fault.code) }
    };
    assert_eq!(reads(id).await, Err(Code::UnknownAttachment), "it is in a draft");
    let draft = Draft { attachments: vec![id], ..text("yes") };
    reply(&gate, asked.request_id, None, &draft, AnsweredFrom::Desktop).await?;
    assert_eq!(reads(id).await, Ok(3));
    let receipt = gate.inner.requests.closed(asked.request_id).await?.receipt.ok_or("a receipt")?;
    gate.execute(WithdrawReceipt { receipt }, Origin::Desktop).await?;
    assert_eq!(reads(id).await, Err(Code::UnknownAttachment), "it went with what was revoked");
    Ok(())
}
