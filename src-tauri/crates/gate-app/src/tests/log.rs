//! What agents' clients hear of the gate's own course, on a real store.

use gate_core::{AnsweredFrom, Draft, Fault, RequestId, Timestamp};
use gate_mcp::{Agent, Call, ConnectionPort as _, Severity};
use gate_settings::Values;

use crate::slices::Gate;
use crate::tests::{Outcome, call, gate, open_with, reply};

fn relay() -> Agent {
    Agent::Relay("relay".to_owned())
}

fn asking(key: &str) -> Call {
    Call { agent: Some(relay()), ..call(key, "a secret question") }
}

/// Asks, and waits no longer.
async fn asked(gate: &Gate, key: &str) -> Result<RequestId, Fault> {
    Ok(gate.inner.requests.ask(asking(key)).await?.request_id)
}

#[tokio::test]
async fn an_agent_that_no_longer_waits_hears_what_became_of_its_request() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let (requests, draft) = (&gate.inner.requests, Draft { text: "a secret reply".to_owned(), ..Draft::default() });
    let mut log = gate.log();
    let waits = requests.ask(asking("relay:1")).await?;
    reply(&gate, waits.request_id, None, &draft, AnsweredFrom::Terminal).await?;
    assert!(log.try_recv().is_err(), "a call that waits is told by its result");
    gate.inner.store.mark_delivered("relay:1", Timestamp(1)).await?;
    drop(waits);
    let withdrawn = asked(&gate, "relay:2").await?;
    requests.withdraw(withdrawn).await?;
    assert!(log.try_recv().is_err(), "who takes a question back knows that");

    let answered = asked(&gate, "relay:3").await?;
    reply(&gate, answered, None, &draft, AnsweredFrom::Terminal).await?;
    gate.inner.store.mark_delivered("relay:3", Timestamp(1)).await?;
    let dismissed = asked(&gate, "relay:4").await?;
    requests.cancel(dismissed).await?;
    for (request, code) in [(answered, "request_answered"), (dismissed, "request_cancelled")] {
        let entry = log.try_recv()?;
        assert_eq!((entry.code, entry.severity, entry.agent), (code, Severity::Notice, Some(relay())));
        assert!(entry.message.contains(&request.to_string()), "which one: {}", entry.message);
        assert!(!entry.message.contains("secret"), "nobody's words: {}", entry.message);
    }
    Ok(())
}

#[tokio::test]
async fn a_reply_that_can_be_taken_back_is_told_when_it_is_let_go() -> Outcome {
    let folder = tempfile::tempdir()?;
    let gate = open_with(&folder, true, Values::from([("window.undo_seconds", 30.into())])).await?;
    let mut log = gate.log();
    let request = asked(&gate, "relay:1").await?;
    let draft = Draft { text: "yes".to_owned(), ..Draft::default() };
    let shown = gate.inner.requests.question(request).await?.digest;
    gate.inner.requests.answer_from_window(request, shown, None, &draft, AnsweredFrom::Desktop.into()).await?;
    assert!(log.try_recv().is_err(), "agents take it for pending");
    gate.inner.requests.send_now(request).await?;
    assert_eq!(log.try_recv()?.code, "request_answered");
    Ok(())
}

#[tokio::test]
async fn warnings_are_told_as_they_come_and_to_whoever_comes_later() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let mut log = gate.log();
    let warning = Fault::new(gate_core::Code::SettingsFile, "secret.yaml is broken.", "Mend secret.yaml.");
    gate.warn(warning.clone());
    gate.warn(warning);
    let told = log.try_recv()?;
    assert_eq!((told.code, told.severity, told.agent.clone()), ("settings_file", Severity::Warning, None));
    assert!(!told.message.contains("secret"), "{}", told.message);
    assert!(log.try_recv().is_err(), "once");
    let later: Vec<_> = gate.log_so_far().into_iter().map(|entry| entry.code).collect();
    assert_eq!(later, ["settings_file", "no_window"], "what is wrong, and that nobody sees a window");
    Ok(())
}
