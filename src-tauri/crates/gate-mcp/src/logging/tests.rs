//! What clients hear of the gate's own course, through a relay.

use serde_json::Value;

use super::*;
use crate::connection::relayed::{Relay, nobody_listens, stateless};
use crate::fake_gate::FakeGate;

const MESSAGE: &str = "notifications/message";

fn entry(severity: Severity, code: &'static str) -> LogEntry {
    LogEntry { severity, code, message: format!("This is {code}."), agent: None }
}

fn of(relay: &str, code: &'static str) -> LogEntry {
    LogEntry { agent: Some(Agent::Relay(relay.to_owned())), ..entry(Severity::Notice, code) }
}

async fn code(relay: &mut Relay) -> Value {
    relay.told(MESSAGE).await["params"]["data"]["code"].take()
}

#[tokio::test]
async fn a_client_hears_what_is_as_grave_as_it_asked_for() {
    let gate = Arc::new(FakeGate::default());
    gate.stands(entry(Severity::Warning, "settings_file"));
    gate.stands(entry(Severity::Notice, "no_window"));
    let mut relay = Relay::initialized(&gate).await;
    let first = relay.told(MESSAGE).await;
    let data = json!({"code": "settings_file", "message": "This is settings_file."});
    assert_eq!(first["params"], json!({"level": "warning", "logger": "review-gate", "data": data}));
    gate.note(entry(Severity::Notice, "away"));
    gate.note(entry(Severity::Error, "disk_full"));
    assert_eq!(code(&mut relay).await, "disk_full", "who asks for nothing hears warnings and what is worse");

    let set = relay.ask("logging/setLevel", json!({"level": "notice"})).await;
    assert_eq!(set["result"], json!({}), "{set}");
    assert_eq!(code(&mut relay).await, "no_window", "what was there before is told when it is asked for");
    for noted in [entry(Severity::Info, "chatter"), of("another", "theirs"), of("relay", "ours")] {
        gate.note(noted);
    }
    assert_eq!(code(&mut relay).await, "ours", "neither less grave entries nor other agents' ones");
    relay.ask("logging/setLevel", json!({"level": "error"})).await;
    gate.note(entry(Severity::Warning, "settings_file"));
    gate.note(entry(Severity::Error, "read_only"));
    assert_eq!(code(&mut relay).await, "read_only", "a level takes the place of the one before");
    relay.close().await;
    nobody_listens(&gate).await;
}

#[tokio::test]
async fn a_level_that_is_none_is_refused_with_those_that_are() {
    let gate = Arc::new(FakeGate::default());
    let mut relay = Relay::initialized(&gate).await;
    for params in [json!({"level": "loud"}), json!({"level": 7}), json!({})] {
        let refused = relay.ask("logging/setLevel", params.clone()).await;
        assert_eq!(refused["error"]["code"], -32602, "{params}: {refused}");
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("`level`: debug, info") && message.contains("emergency"), "{message}");
    }
    relay.close().await;
}

#[tokio::test]
async fn a_client_of_a_later_revision_has_no_log() {
    let gate = Arc::new(FakeGate::default());
    gate.stands(entry(Severity::Error, "disk_full"));
    let mut relay = Relay::connect(&gate);
    let found = relay.ask("server/discover", json!({"_meta": stateless()})).await;
    assert_eq!(found["result"]["capabilities"].get("logging"), None, "it isn't promised: {found}");
    for level in ["debug", "loud"] {
        let refused = relay.ask("logging/setLevel", json!({"level": level, "_meta": stateless()})).await;
        assert_eq!(refused["error"]["code"], -32601, "there is no such method: {refused}");
    }
    assert_eq!((gate.log_listeners(), relay.heard.len()), (0, 0), "and nothing is said");
    relay.close().await;
}

#[tokio::test]
async fn a_client_whose_relay_comes_back_hears_that() {
    let gate = Arc::new(FakeGate::default());
    let mut relay = Relay::resumed(&gate).initialize().await;
    relay.ask("logging/setLevel", json!({"level": "debug"})).await;
    assert_eq!(code(&mut relay).await, "reconnected");
    relay.close().await;
}
