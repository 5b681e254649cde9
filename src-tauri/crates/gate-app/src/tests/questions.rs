//! Answers and the questions that they were given to, on a real store.

use gate_api::Origin;
use gate_api::subjects::requests::{ListRequests, OpenRequest, ReadQuestion, SaveDraft, SendReply};
use gate_core::{Ask, Choice, Code, Decision, Digest, Draft, RequestId, RequestStatus, Timestamp};
use gate_mcp::Call;
use gate_settings::Values;

use crate::host::Allows;
use crate::slices::Gate;
use crate::tests::{Outcome, call, gate, open, open_allowing};

fn draft() -> Draft {
    Draft { text: "go on".to_owned(), ..Draft::default() }
}

/// The digests that are told of the only request that waits: with all of it, with its question, in the list, and to
/// notifications.
async fn told(gate: &Gate, request_id: RequestId) -> Result<[Digest; 4], Box<dyn std::error::Error>> {
    let opened = gate.execute(OpenRequest { request_id }, Origin::Browser).await?.request;
    let listed = gate.execute(ListRequests {}, Origin::Terminal).await?.requests;
    let read = gate.execute(ReadQuestion { request_id }, Origin::Terminal).await?;
    let notice = gate.notice_of(request_id).await?.ok_or("it waits")?;
    Ok([opened.digest, read.digest, listed.first().ok_or("it waits")?.digest, notice.digest])
}

#[tokio::test]
async fn an_answer_to_another_question_than_waits_is_refused_and_the_right_one_taken() -> Outcome {
    for origin in Origin::ALL {
        let folder = tempfile::tempdir()?;
        let scripts = Allows { scripts: true, terminal: false };
        let gate = open_allowing(&folder, false, Values::new(), scripts).await?;
        // A terminal's decision is confirmed in another way.
        let decision = (origin != Origin::Terminal).then_some(Decision::Approved);
        let request_id = gate.inner.requests.ask(call("relay:1", "May I fix the typo?")).await?.request_id;
        gate.execute(SaveDraft { request_id, draft: draft() }, origin).await?;
        let sending = |digest| {
            let reply = SendReply { request_id, digest, decision, draft: draft() };
            gate.execute(reply, origin)
        };
        let other = Ask { message: "May I drop the database?".to_owned(), ..Ask::default() };
        let refused = sending(Digest::of_question(&other)?).await.err().map(|fault| fault.code);
        assert_eq!(refused, Some(Code::ChangedQuestion), "{origin:?}");
        assert_eq!(gate.inner.store.status(request_id).await?, Some(RequestStatus::Pending), "nothing was answered");
        assert_eq!(gate.inner.queue.board.all().len(), 1, "and it still waits for the person");
        assert_eq!(gate.inner.store.draft(request_id).await?, draft(), "who has what they wrote");

        let shown = gate.execute(OpenRequest { request_id }, origin).await?.request.digest;
        sending(shown).await?;
        gate.inner.requests.let_replies_go(Timestamp(i64::MAX)).await;
        let outcome = gate.inner.requests.closed(request_id).await?;
        assert_eq!((outcome.decision, outcome.digest), (decision, Some(shown)), "its agent is told");
    }
    Ok(())
}

#[tokio::test]
async fn every_front_end_is_told_the_same_digest_after_a_restart_too() -> Outcome {
    let (folder, before) = gate(true).await?;
    let choice = Choice { label: "Now".to_owned(), description: None, recommended: true };
    let ask = Ask {
        message: "May I?\n".to_owned(),
        title: Some("Deploy".to_owned()),
        context: Some("releasing".to_owned()),
        urgent: true,
        options: vec![choice],
        diff: Some("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".to_owned()),
        ..Ask::default()
    };
    let digest = Digest::of_question(&ask)?;
    let asked = before.inner.requests.ask(Call { ask, ..call("relay:1", "") }).await?;
    assert_eq!(told(&before, asked.request_id).await?, [digest; 4]);
    assert_eq!(told(&before, asked.request_id).await?, [digest; 4], "once it is known, too");
    before.inner.store.close().await;
    assert_eq!(told(&open(&folder, true).await?, asked.request_id).await?, [digest; 4]);
    Ok(())
}

#[tokio::test]
async fn a_question_that_is_asked_again_more_urgently_is_the_same() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let first = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    drop(first.attendance);
    let mut again = call("relay:2", "May I?");
    again.ask.urgent = true;
    assert_eq!(gate.inner.requests.ask(again).await?.request_id, first.request_id, "the person is not asked twice");
    Ok(())
}
