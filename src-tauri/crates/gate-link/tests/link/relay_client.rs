//! The relay and what clients do to it.

use crate::world::{CALL, CALL_DELIVERED, CALL_RESULT, Client, World, nothing_else_came};
use gate_core::bounds;
use std::time::Duration;

#[tokio::test]
async fn what_is_no_message_is_answered_without_the_gate() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    for (line, answer) in [
        ("hello", r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#),
        (r#"{"jsonrpc":"2.0","id":1,"method":"#, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, r#"{"jsonrpc":"2.0","id":1.5,"error":{"code":-32600,"#),
    ] {
        client.says(line).await;
        let said = client.hears().await;
        assert!(said.starts_with(answer), "{line} gave {said}");
    }
    client.says("\r\n   \n").await;
    client.says(r#"{"jsonrpc":"2.0","method":"notifications/review_gate/delivered","params":{"id":1}}"#).await;
    let forged = r#"{"jsonrpc":"2.0","method":"notifications/review_gate/delivered","params":{"id":1},"id":2}"#;
    client.says(forged).await;
    let said = client.hears().await;
    assert!(said.starts_with(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"#), "nor as a request: {said}");
    nothing_else_came(&mut client, &mut relay).await;
}

#[tokio::test]
async fn a_line_over_the_bound_is_refused_with_its_id_and_the_relay_goes_on() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    client.says_raw(br#"{"method":"tools/call","params":{"text":""#).await;
    client.says_raw(&vec![b'a'; bounds::LINE_BYTES]).await;
    client.says_raw(b"\"},\"jsonrpc\":\"2.0\",\"id\":77}\n").await;
    let said = client.hears().await;
    assert!(said.starts_with(r#"{"jsonrpc":"2.0","id":77,"error":{"code":-32600,"#), "{said}");
    assert!(said.contains("50331648 bytes") && said.contains(r#""code":"too_large""#), "the bound is named: {said}");
    nothing_else_came(&mut client, &mut relay).await;
}

#[tokio::test]
async fn large_lines_pass_in_both_directions_at_once() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    let text = "a".repeat(4 * 1024 * 1024);
    client.says(CALL).await;
    relay.hears().await;
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"text":"{text}"}}}}"#);
    let result = format!(r#"{{"jsonrpc":"2.0","id":"call","result":{{"text":"{text}"}}}}"#);
    // Neither reads before it has written.
    let ((), ()) = tokio::join!(client.says(&request), relay.says(&result));
    assert!(client.hears().await == result, "the answer is whole");
    let [first, second] = relay.hears_all().await;
    assert!([first.as_str(), second.as_str()].contains(&request.as_str()), "the request is whole");
    assert!([first.as_str(), second.as_str()].contains(&CALL_DELIVERED), "and the delivery acknowledged");
}

#[tokio::test]
async fn when_stdin_ends_answers_on_their_way_are_still_delivered() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    // No newline: some clients leave it out behind their last line.
    client.says_raw(CALL.as_bytes()).await;
    client.closes_stdin();
    assert_eq!(relay.hears().await, CALL, "the last line counts");
    relay.says(CALL_RESULT).await;
    assert_eq!(client.ends().await, [CALL_RESULT], "the relay waits for what is owed, and for no more");
    assert_eq!(relay.hears_the_rest().await, [CALL_DELIVERED], "and acknowledges it before it leaves");
}

#[tokio::test]
async fn when_stdin_ends_a_call_that_takes_longer_is_left_behind() {
    let world = World::new();
    let gate = world.gate();
    let mut options = world.options();
    options.timing.grace = Duration::from_millis(20);
    let mut client = Client::start(options);
    let mut relay = gate.relay().await;
    client.says(CALL).await;
    assert_eq!(relay.hears().await, CALL, "a person will take longer than the grace");
    client.closes_stdin();
    assert!(client.ends().await.is_empty(), "nothing is said for it");
    assert!(relay.hears_the_rest().await.is_empty(), "and nothing acknowledged");
}

#[tokio::test]
async fn an_answer_that_nobody_can_read_is_not_acknowledged() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    client.says(CALL).await;
    relay.hears().await;
    client.closes_stdout();
    relay.says(CALL_RESULT).await;
    assert!(relay.hears_the_rest().await.is_empty(), "the gate must not think that the agent has it");
    assert!(client.ends().await.is_empty(), "the relay ends without a complaint");
}

#[tokio::test]
async fn an_id_used_twice_is_answered_once() {
    let world = World::new();
    let gate = world.gate();
    let mut client = world.client();
    let mut relay = gate.relay().await;
    client.says(CALL).await;
    client.says(CALL).await;
    assert_eq!(relay.hears().await, CALL, "asked once");
    relay.says(CALL_RESULT).await;
    assert_eq!(client.hears().await, CALL_RESULT, "answered once");
    assert_eq!(relay.hears().await, CALL_DELIVERED, "delivered once");
    nothing_else_came(&mut client, &mut relay).await;
}
