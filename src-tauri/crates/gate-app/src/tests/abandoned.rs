//! Requests whose agents are gone, closed at once, on a real store; time is passed in.

use gate_api::subjects::requests::{self, DismissAbandoned};
use gate_api::{Event, Origin};
use gate_core::{Code, Fault, ProgressUpdate, RequestId, RequestStatus, Timestamp, bounds};
use gate_mcp::Whose;
use tokio::sync::broadcast::error::TryRecvError;
use uuid::Uuid;

use crate::slices::Gate;
use crate::tests::{Outcome, call, gate, now};

/// After a session without a relay counts as silent.
fn later() -> Timestamp {
    now().plus_millis(302_000)
}

async fn dismiss(gate: &Gate, request_ids: Vec<RequestId>) -> Result<Vec<RequestId>, Fault> {
    gate.execute(DismissAbandoned { request_ids }, Origin::Desktop).await.map(|dismissed| dismissed.request_ids)
}

#[tokio::test]
async fn only_what_nobody_waits_for_and_whose_agent_is_gone_is_closed() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let waits = gate.inner.requests.ask(call("waits:1", "May I wait?")).await?;
    let back = gate.inner.requests.ask(call("back:1", "May I come back?")).await?;
    let first = gate.inner.requests.ask(call("gone:1", "May I?")).await?;
    let second = gate.inner.requests.ask(call("gone:2", "And I?")).await?;
    drop((back.attendance, first.attendance, second.attendance));
    let all = vec![second.request_id, waits.request_id, back.request_id, first.request_id, first.request_id];

    assert!(dismiss(&gate, all.clone()).await?.is_empty(), "agents that were heard a moment ago may come back");
    gate.inner.conversations.pass_time(later()).await;
    let spoke = call("back:2", "");
    let whose = Whose {
        session_uuid: Some(back.session_uuid),
        caller: spoke.caller,
        declared: spoke.declared,
        agent: None,
        owner: spoke.owner,
        call_key: spoke.call_key,
    };
    let progress = ProgressUpdate { progress_percent: Some(1), ..ProgressUpdate::default() };
    gate.inner.conversations.report(whose, progress).await?;
    let gone = |session| gate.inner.conversations.sessions.get(session).map(|session| session.gone);
    assert_eq!((gone(back.session_uuid), gone(first.session_uuid)), (Some(false), Some(true)), "windows are told");

    let mut events = gate.events();
    let mut closed = vec![first.request_id, second.request_id];
    closed.sort_unstable();
    assert_eq!(dismiss(&gate, all).await?, closed, "each of them once");
    let mut told = Vec::new();
    loop {
        match events.try_recv() {
            Ok(Event::Requests(event)) => told.push(event),
            Ok(_) => {}
            Err(TryRecvError::Empty) => break,
            Err(error) => return Err(error.into()),
        }
    }
    let event = requests::Event::RequestsClosed { request_ids: closed.clone(), status: RequestStatus::Cancelled };
    assert_eq!(told, [event], "one event for all of them");
    for request in closed {
        assert_eq!(gate.closed_now(request).await?, RequestStatus::Cancelled, "its agent hears so if it comes back");
    }
    for request in [waits.request_id, back.request_id] {
        assert_eq!(gate.closed_now(request).await?, RequestStatus::Pending, "the others stay");
    }
    assert_eq!(gate.pending(), 2);
    Ok(())
}

#[tokio::test]
async fn what_is_of_no_session_in_memory_is_abandoned_and_an_unknown_one_is_left_out() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("gone:1", "May I?")).await?;
    drop(asked.attendance);
    assert!(gate.inner.conversations.sessions.forget(asked.session_uuid), "it was in memory");
    let unknown = RequestId(Uuid::nil());
    assert_eq!(dismiss(&gate, vec![unknown, asked.request_id]).await?, [asked.request_id]);
    assert!(dismiss(&gate, vec![asked.request_id]).await?.is_empty(), "there is nothing left to close");
    let too_many = (0..=bounds::PENDING_REQUESTS).map(|_| RequestId(Uuid::now_v7())).collect();
    assert_eq!(dismiss(&gate, too_many).await.err().map(|fault| fault.code), Some(Code::TooMany));
    Ok(())
}
