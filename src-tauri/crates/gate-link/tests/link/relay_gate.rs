//! The relay over the deaths of gates.

use crate::world::{
    CALL, CALL_CANCELLED, CALL_DELIVERED, CALL_RESULT, Client, INITIALIZE, INITIALIZE_RESULT, INITIALIZED, World,
    nothing_else_came, shake_hands,
};
use gate_link::{StartCommand, StartPlan};
use std::time::Duration;

#[tokio::test]
async fn a_relay_says_who_it_is_and_carries_lines_both_ways() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    assert_eq!(relay.hello.toolset, "gate", "the toolset that was asked for");
    assert_eq!(relay.hello.workspace, "/somewhere/here", "the agent's folder");
    assert_eq!(relay.hello.relay_id.as_u128(), 7, "half of the call key");
    assert!(!relay.hello.resumed, "this is its first connection");
    assert_eq!(relay.peer.pid, Some(std::process::id()), "the system knows whose connection it is");
    shake_hands(&mut client, &mut relay).await;
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#;
    relay.says(progress).await;
    assert_eq!(client.hears().await, progress, "notifications pass");
}

#[tokio::test]
async fn a_delivered_answer_is_acknowledged_once_the_client_can_read_it() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    client.says(CALL).await;
    assert_eq!(relay.hears().await, CALL, "the call");
    relay.says(CALL_RESULT).await;
    assert_eq!(client.hears().await, CALL_RESULT, "the answer");
    assert_eq!(relay.hears().await, CALL_DELIVERED, "the gate may record the delivery");
}

#[tokio::test]
async fn a_call_outlives_its_gate_and_is_answered_once() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    shake_hands(&mut client, &mut relay).await;
    client.says(CALL).await;
    assert_eq!(relay.hears().await, CALL, "the gate has the call");
    drop((relay, gate));

    let gate = world.gate();
    let mut relay = gate.relay().await;
    assert!(relay.hello.resumed, "the new gate must know that this was heard before");
    assert_eq!(relay.hello.relay_id.as_u128(), 7, "the call key stays");
    assert_eq!(relay.hears_all().await, [INITIALIZE, INITIALIZED, CALL], "everything it needs, in order");
    relay.says(INITIALIZE_RESULT).await;
    relay.says(CALL_RESULT).await;
    relay.says(CALL_RESULT).await;
    assert_eq!(client.hears().await, CALL_RESULT, "the handshake's second answer isn't for the client");
    assert_eq!(relay.hears().await, CALL_DELIVERED, "delivered on the new connection");
    nothing_else_came(&mut client, &mut relay).await;
}

#[tokio::test]
async fn a_gate_that_somebody_quits_is_not_started_again_until_the_client_needs_one() {
    let world = World::new();
    let gate = world.gate();
    let mut options = world.options();
    let trace = world.folder.path().join("started");
    let script = format!("echo started >> {}; exit 3", trace.display());
    options.start = StartPlan::of([StartCommand::new("/bin/sh", ["-c", script.as_str()])]);
    let mut client = Client::start(options.clone());
    let mut relay = gate.relay().await;
    shake_hands(&mut client, &mut relay).await;
    drop((relay, gate));

    let gate = world.gate();
    let mut relay = gate.relay().await;
    assert_eq!(relay.hears_all().await, [INITIALIZE, INITIALIZED], "a gate that comes by itself is found");
    relay.says(INITIALIZE_RESULT).await;
    assert!(!trace.exists(), "nothing was started while the client waited for nothing");
    drop((relay, gate));

    client.says(CALL).await;
    let answer = client.hears().await;
    assert!(answer.contains("gate_unreachable"), "the program that is started fails: {answer}");
    assert!(trace.exists(), "a call starts a gate");
}

#[tokio::test]
async fn a_handshake_cut_off_is_made_anew() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    client.says(INITIALIZE).await;
    relay.hears().await;
    drop(relay);
    let mut relay = gate.relay().await;
    assert_eq!(relay.hears().await, INITIALIZE, "it is still to be answered");
    relay.says(INITIALIZE_RESULT).await;
    assert_eq!(client.hears().await, INITIALIZE_RESULT, "and this answer is the client's first");
}

#[tokio::test]
async fn half_an_answer_of_a_dead_gate_is_not_passed_on() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    client.says(CALL).await;
    relay.hears().await;
    relay.says_raw(&CALL_RESULT[..30]).await;
    drop(relay);
    let mut relay = gate.relay().await;
    assert_eq!(relay.hears().await, CALL, "it counts as unanswered");
    relay.says(CALL_RESULT).await;
    assert_eq!(client.hears().await, CALL_RESULT, "only the whole answer");
}

#[tokio::test]
async fn what_the_client_says_while_no_gate_lives_is_said_to_the_next() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let relay = gate.relay().await;
    drop((relay, gate));
    client.says(CALL).await;
    let gate = world.gate();
    let mut relay = gate.relay().await;
    assert_eq!(relay.hears().await, CALL, "nothing is lost between two gates");
    relay.says(CALL_RESULT).await;
    assert_eq!(client.hears().await, CALL_RESULT, "and it is answered");
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_at_the_next_gate_too_and_never_answered() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    client.says(CALL).await;
    client.says(CALL_CANCELLED).await;
    assert_eq!(relay.hears_all().await, [CALL, CALL_CANCELLED], "the gate hears of it");
    drop(relay);
    let mut relay = gate.relay().await;
    assert_eq!(relay.hears_all().await, [CALL, CALL_CANCELLED], "the first may have died before it recorded it");
    relay.says(CALL_RESULT).await;
    nothing_else_came(&mut client, &mut relay).await;
    drop(relay);
    let mut relay = gate.relay().await;
    nothing_else_came(&mut client, &mut relay).await;
}

#[tokio::test]
async fn a_gate_killed_before_it_recorded_a_delivery_learns_of_it_from_the_next_connection() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    client.says(CALL).await;
    relay.hears().await;
    relay.says(CALL_RESULT).await;
    drop(relay); // It never reads the acknowledgement.
    assert_eq!(client.hears().await, CALL_RESULT, "the answer was whole");
    let mut relay = gate.relay().await;
    assert_eq!(relay.hears().await, CALL_DELIVERED, "told again");
    nothing_else_came(&mut client, &mut relay).await;
}

#[tokio::test]
async fn a_question_of_a_dead_gate_is_withdrawn_and_its_late_answer_goes_nowhere() {
    let ask = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{{}}}}"#);
    let answer = |id: &str, text: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"text":"{text}"}}}}"#);
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    relay.says(&ask("0")).await;
    assert_eq!(client.hears().await, ask("0"), "the first gate's question, as it is");
    drop(relay);
    let mut relay = gate.relay().await;
    let withdrawn = client.hears().await;
    assert!(withdrawn.contains(r#""requestId":0"#) && withdrawn.contains("notifications/cancelled"), "{withdrawn}");
    relay.says(&ask("0")).await;
    assert_eq!(
        client.hears().await,
        ask("\"gate-1-1\""),
        "a new gate counts from the start: its 0 is another question"
    );
    client.says(&answer("0", "late")).await;
    client.says(&answer("\"gate-1-1\"", "for the living")).await;
    assert_eq!(relay.hears().await, answer("0", "for the living"), "only the answer to its own, under its own id");
}

#[tokio::test]
async fn a_gate_that_closes_every_connection_is_reported_as_unreachable() {
    let world = World::new();
    let gate = world.gate();
    let mut options = world.options();
    options.timing.unreachable_after = Duration::from_millis(50);
    let mut client = Client::start(options);
    client.says(CALL).await;
    let refuse = async {
        loop {
            drop(gate.relay().await);
        }
    };
    let said = tokio::select! {
        said = client.hears() => said,
        () = refuse => unreachable!("it never ends"),
    };
    assert!(said.contains(r#""code":"gate_unreachable""#) && said.contains(r#""id":"call""#), "{said}");
}

#[tokio::test]
async fn without_a_gate_requests_are_refused_until_one_comes() {
    let world = World::new();
    let mut options = world.options();
    options.timing.unreachable_after = Duration::from_millis(50);
    let mut client = Client::start(options);
    client.says(INITIALIZE).await;
    let said = client.hears().await;
    assert!(said.starts_with(r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"#), "an error, not silence: {said}");
    assert!(said.contains(r#""data":{"code":"gate_unreachable""#), "with the code that programs match on: {said}");
    let gate = world.gate();
    let mut relay = gate.relay().await;
    shake_hands(&mut client, &mut relay).await;
}

#[tokio::test]
async fn a_relay_beats() {
    let world = World::new();
    let gate = world.gate();
    let mut options = world.options();
    options.timing.heartbeat = Duration::from_millis(5);
    let _client = Client::start(options);
    let mut relay = gate.relay().await;
    let beat = r#"{"jsonrpc":"2.0","method":"notifications/review_gate/heartbeat"}"#;
    assert_eq!(relay.hears_all().await, [beat, beat], "again and again");
}
