//! The ledger by itself: what is owed, what is replayed, what is forgotten.

use super::{CANCELLED, CANCELLED_BYTES, Ledger, Opened, Settled};
use crate::relay::envelope::{Key, Message, cancelled_id, key, parse};
use crate::relay::outbox::Line;

fn ask(ledger: &mut Ledger, text: &str) -> Opened {
    let line = Line::new(text.as_bytes().to_vec());
    match parse(&line) {
        Ok(Message::Request { key, method, params, .. }) => ledger.open(&key, &line, &method, params),
        other => panic!("the test asks with requests: {other:?}"),
    }
}

fn cancel(ledger: &mut Ledger, id: &str) {
    let text = format!(r#"{{"method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#);
    let line = Line::new(text.into_bytes());
    let Ok(Message::Notification { params, .. }) = parse(&line) else { panic!("the test cancels with a notification") };
    if let Some(key) = cancelled_id(params).and_then(key) {
        ledger.cancel(&key, &line);
    }
}

fn id(text: &str) -> Key {
    text.into()
}

fn replayed(ledger: &Ledger) -> Vec<String> {
    ledger.replay().lines.iter().map(|line| String::from_utf8_lossy(line).trim_end().to_owned()).collect()
}

const OWED: Settled = Settled::Owed { acknowledge: false };
const INITIALIZE: &str = r#"{"id":0,"method":"initialize"}"#;
const CALL: &str = r#"{"id":1,"method":"tools/call"}"#;
const LIST: &str = r#"{"id":2,"method":"tools/list"}"#;

#[test]
fn unanswered_requests_are_replayed_in_order_and_answered_ones_are_not() {
    let mut ledger = Ledger::default();
    for request in [INITIALIZE, CALL, LIST] {
        assert_eq!(ask(&mut ledger, request), Opened::New, "each id is new");
    }
    assert_eq!(replayed(&ledger), [INITIALIZE, CALL, LIST], "nothing is answered");
    assert!(ledger.replay().swallow.is_empty(), "and every answer is still owed");

    assert_eq!(ledger.settle(&id("0"), false), OWED, "an answer that is owed");
    ledger.initialized(&Line::new(b"initialized".to_vec()));
    assert_eq!(ledger.settle(&id("2"), false), OWED, "answers come in any order");
    assert_eq!(replayed(&ledger), [INITIALIZE, "initialized", CALL], "a gate needs the handshake and what is owed");
    assert!(ledger.replay().swallow.contains("0"), "but the client has the answer to the handshake");
    assert_eq!(ledger.settle(&id("1"), false), Settled::Owed { acknowledge: true }, "a call's answer is acknowledged");
    assert_eq!(ledger.settle(&id("1"), false), Settled::NotOwed, "a second answer is nobody's");
    assert_eq!(ledger.owed(), 0, "nothing is left");
}

#[test]
fn a_client_without_a_handshake_gets_none_replayed() {
    let mut ledger = Ledger::default();
    ask(&mut ledger, CALL);
    assert_eq!(replayed(&ledger), [CALL], "stateless clients never said `initialize`");
}

#[test]
fn a_request_that_was_cancelled_is_replayed_with_its_cancellation_and_its_answer_dropped() {
    let mut ledger = Ledger::default();
    ask(&mut ledger, CALL);
    cancel(&mut ledger, "1");
    let cancellation = r#"{"method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(replayed(&ledger), [CALL, cancellation], "the gate may have died before it heard it");
    assert_eq!(ledger.owed(), 0, "the client waits for nothing");
    assert_eq!(ledger.settle(&id("1"), false), Settled::NotOwed, "a late answer isn't for the client");
    assert!(replayed(&ledger).is_empty(), "and shows that the gate has heard it");
}

#[test]
fn cancelled_requests_are_few_and_small() {
    let mut ledger = Ledger::default();
    for number in 0..CANCELLED + 10 {
        ask(&mut ledger, &format!(r#"{{"id":{number},"method":"tools/call"}}"#));
        cancel(&mut ledger, &number.to_string());
    }
    assert_eq!(replayed(&ledger).len(), 2 * CANCELLED, "the oldest make room");
    let long = "a".repeat(CANCELLED_BYTES);
    ask(&mut ledger, &format!(r#"{{"id":"long","method":"tools/call","params":{{"text":"{long}"}}}}"#));
    cancel(&mut ledger, r#""long""#);
    assert_eq!((replayed(&ledger).len(), ledger.bytes), (0, 0), "what nobody waits for may not fill the memory");
}

#[test]
fn one_id_is_owed_one_answer() {
    let mut ledger = Ledger::default();
    ask(&mut ledger, CALL);
    assert_eq!(ask(&mut ledger, CALL), Opened::Duplicate, "the first is still to be answered");
    cancel(&mut ledger, "1");
    assert_eq!(ask(&mut ledger, CALL), Opened::New, "nobody waits for the cancelled one");
    assert_eq!(ledger.owed(), 1, "so this one is owed");
}

#[test]
fn subscriptions_and_the_log_level_are_set_again_without_a_second_answer() {
    let subscribe = |id: u32| format!(r#"{{"id":{id},"method":"resources/subscribe","params":{{"uri":"gate://a"}}}}"#);
    let mut ledger = Ledger::default();
    let level = r#"{"id":3,"method":"logging/setLevel","params":{"level":"info"}}"#;
    for request in [&subscribe(1), &subscribe(2), level] {
        ask(&mut ledger, request);
    }
    for key in ["1", "2", "3"] {
        ledger.settle(&id(key), false);
    }
    assert_eq!(replayed(&ledger), [&subscribe(2), level], "each once, the last way it was set");
    assert_eq!(ledger.replay().swallow, ["2", "3"].map(id).into(), "the client has had the answers");
    ask(&mut ledger, r#"{"id":4,"method":"resources/unsubscribe","params":{"uri":"gate://a"}}"#);
    ledger.settle(&id("4"), false);
    assert_eq!(replayed(&ledger), [level], "what was undone is not set again");
}

#[test]
fn deliveries_are_told_to_the_next_gate_before_the_requests() {
    let mut ledger = Ledger::default();
    ask(&mut ledger, LIST);
    for number in 0..100 {
        ledger.delivered(number.to_string().into());
    }
    let lines = replayed(&ledger);
    assert_eq!(lines.len(), 64 + 1, "the latest 64, and the request");
    let first = r#"{"jsonrpc":"2.0","method":"notifications/review_gate/delivered","params":{"id":36}}"#;
    assert_eq!(lines.first().map(String::as_str), Some(first), "the oldest of those");
    assert_eq!(lines.last().map(String::as_str), Some(LIST), "a gate must know what is delivered before it answers");
}

#[test]
fn what_is_given_up_is_not_replayed() {
    let mut ledger = Ledger::default();
    ask(&mut ledger, INITIALIZE);
    ask(&mut ledger, CALL);
    ask(&mut ledger, LIST);
    cancel(&mut ledger, "2");
    assert_eq!(ledger.give_up(), ["0", "1"].map(id), "those that wait are told");
    assert_eq!(replayed(&ledger).len(), 2, "only the cancelled one is left with its cancellation");
    assert_eq!(ledger.settle(&id("1"), false), Settled::NotOwed, "an answer now would be the second");
}
