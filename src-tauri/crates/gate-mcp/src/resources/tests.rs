//! URIs as clients write them, and what of all that the gate has each of them names; the fuzz test tries all
//! others.

use std::collections::HashMap;

use gate_core::{SessionStatus, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::*;
use crate::connection::relayed::Relay;
use crate::fake_gate::{FakeGate, prompts, resources};
use crate::fuzzing::Fuzz;
use crate::prompts::PromptTimes;

const BASE: &str = "file://review-gate/";
const SKILL: &str = "skill://";
/// What clients are told of the gate's own resources.
const LISTED: &str = include_str!("gate.json");
const ID: &str = "0190a6e4-7a10-7000-8000-000000000001";

#[tokio::test]
async fn clients_are_told_of_the_resources_what_is_written_down() {
    let gate = Arc::new(FakeGate::default());
    gate.serve(vec![prompts::prompt("commit")]);
    gate.begin();
    let mut relay = Relay::initialized(&gate).await;
    let mut told = Vec::new();
    for method in ["resources/list", "resources/templates/list"] {
        told.push(relay.ask(method, json!({})).await["result"].take());
    }
    let told = serde_json::to_string_pretty(&told).unwrap() + "\n";
    if std::env::var_os("REVIEW_GATE_WRITE_SAMPLES").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/resources/gate.json"), &told).unwrap();
    }
    assert_eq!(told, LISTED, "where it is meant, REVIEW_GATE_WRITE_SAMPLES=1 writes it anew");
    relay.close().await;
}

#[tokio::test]
async fn what_is_listed_says_when_it_changed() {
    let gate = Arc::new(FakeGate::default());
    gate.serve(vec![prompts::prompt("just_found"), prompts::prompt("own")]);
    let served = HashMap::from([("own".to_owned(), Timestamp(3000))]);
    gate.changed(PromptTimes { served, latest: Some(Timestamp(5000)) }, Timestamp(4000));
    gate.begin();
    let mut relay = Relay::initialized(&gate).await;
    let listed = relay.ask("resources/list", json!({})).await["result"]["resources"].take();
    let listed = listed.as_array().unwrap().iter();
    let times: HashMap<_, _> = listed
        .map(|one| (one["uri"].as_str().unwrap(), one["annotations"]["lastModified"].as_str().unwrap_or("never")))
        .collect();
    for (uri, at) in [
        ("file://review-gate/conversations", "1970-01-01T00:00:00Z"),
        ("file://review-gate/conversations/active", "1970-01-01T00:00:00Z"),
        ("file://review-gate/config", "1970-01-01T00:00:04Z"),
        ("file://review-gate/templates", "1970-01-01T00:00:05Z"),
        ("file://review-gate/templates/own", "1970-01-01T00:00:03Z"),
        ("file://review-gate/templates/just_found", "never"),
        ("skill://index.json", "1970-01-01T00:00:05Z"),
    ] {
        assert_eq!(times.get(uri), Some(&at), "{uri}: {times:?}");
    }
    relay.close().await;
}

/// The URI of what a URI names, and the query.
fn names<'a>(all: &All, uri: &'a str) -> Option<(String, &'a str)> {
    named(all, uri).map(|(resource, query)| (resource.uri(), query))
}

#[test]
fn every_uri_names_its_resource_and_is_written_in_one_way() {
    let all = resources();
    for (uri, written, query) in [
        ("conversations", "conversations", ""),
        ("conversations?q=a&status=active", "conversations", "q=a&status=active"),
        ("conversations/active", "conversations/active", ""),
        (&format!("conversations/{ID}?cursor=x"), &format!("conversations/{ID}"), "cursor=x"),
        (&format!("sessions/{}", ID.to_uppercase()), &format!("sessions/{ID}"), ""),
        (&format!("checkpoints/{ID}"), &format!("checkpoints/{ID}"), ""),
        (&format!("checkpoints/{ID}?cursor=x"), &format!("checkpoints/{ID}"), "cursor=x"),
        (&format!("attachments/{ID}"), &format!("attachments/{ID}"), ""),
        ("config", "config", ""),
        ("templates?cursor=x", "templates", "cursor=x"),
        ("templates/team/code_review", "templates/team/code_review", ""),
        ("templates/team%2Fcode_review", "templates/team/code_review", ""),
        // As RFC 6570 expands {+name}.
        ("templates/pr%C3%BCfung/a%20b", "templates/pr%C3%BCfung/a%20b", ""),
        ("templates/prüfung/a b", "templates/pr%C3%BCfung/a%20b", ""),
    ] {
        let (uri, written) = (format!("{BASE}{uri}"), format!("{BASE}{written}"));
        assert_eq!(names(&all, &uri), Some((written.clone(), query)), "{uri}");
        assert_eq!(names(&all, &written), Some((written.clone(), "")), "{uri}");
    }
    for uri in ["skill://index.json", "skill://code-review/SKILL.md"] {
        assert_eq!(names(&all, uri), Some((uri.to_owned(), "")));
    }
    for uri in [
        "",
        "file://review-gate",
        "file://review-gate/",
        "file://review-gate/conversations/",
        "file://review-gate/conversations/nonsense",
        "file://review-gate/conversations/0190a6e47a1070008000000000000001",
        "file://review-gate/sessions/{0190a6e4-7a10-7000-8000-000000000001}",
        "file://review-gate/checkpoints/urn:uuid:0190a6e4-7a10-7000-8000-000000000001",
        "file://review-gate/sessions",
        "file://review-gate/attachments/../../etc/passwd",
        "file://review-gate/templates/",
        "file://review-gate/templates/a/../b",
        "file://review-gate/templates/%2e%2e/b",
        "file://review-gate/templates/_partials/x",
        "file://review-gate/templates/%FF",
        "skill://",
        "skill:///SKILL.md",
        "skill://a/b/SKILL.md",
        "skill://A/SKILL.md",
        "skill://a/other.md",
        "file:///etc/passwd",
        "https://review-gate/conversations",
    ] {
        assert_eq!(names(&all, uri), None, "{uri} names nothing");
    }
}

/// What the query of a URI is read as.
fn query(all: &All, path: &str) -> Result<Query, Fault> {
    let uri = format!("{BASE}{path}");
    let (resource, query) = named(all, &uri).unwrap_or_else(|| panic!("{uri}"));
    Query::parse(resource.parameters(), query)
}

#[test]
fn a_query_is_decoded_and_what_is_wrong_with_it_is_named() {
    let all = resources();
    let parsed = query(&all, "conversations?q=caf%C3%A9+100%25+a%2Bb&status=stale&cursor=");
    let expected = Query::default().with("q", "café 100% a+b".to_owned()).with("status", "stale".to_owned());
    assert_eq!(parsed, Ok(expected), "what is empty is absent");
    for (path, name) in [
        ("conversations?limit=3", "`limit`"),
        ("conversations?status=open", "`status`"),
        ("conversations?q=a&q=b", "`q`"),
        ("conversations/active?cursor=x", "`cursor`"),
        (&format!("sessions/{ID}?q=x"), "`q`"),
        ("templates/a?cursor=x", "`cursor`"),
        ("config?cursor=x", "`cursor`"),
        (&format!("conversations?q={}", "x".repeat(9000)), "8192"),
    ] {
        let fault = query(&all, path).err();
        assert!(fault.as_ref().is_some_and(|fault| fault.message.contains(name)), "{path}: {fault:?}");
    }
    let (skill, query) = named(&all, "skill://a/SKILL.md?cursor=x").unwrap();
    let fault = Query::parse(skill.parameters(), query).unwrap_err();
    assert!(fault.message.contains("`cursor`"), "{fault:?}");
    let fault = super::asked_for(&all, "file://review-gate/conversations?x=1").err().unwrap();
    assert!(fault.message.contains("It may have cursor, q, status."), "the mend names all of them: {fault:?}");
}

#[test]
fn fuzz_uris() {
    let all = resources();
    let mut fuzz = Fuzz::new("uris");
    let part = prop_oneof![
        4 => select(vec![
            BASE, "conversations", "conversations/", "active", "sessions/", "checkpoints/", "attachments/", ID, "?",
            "templates/", "skill://", "/SKILL.md", "a b", "&", "=", "cursor=", "q=", "status=", "active", "+", "%", "%20", "%C3", "%zz", "%+5", "..", "/", "#", "\0",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let uri = vec(part, 0..12).prop_map(|parts| parts.concat());
    let rooted =
        uri.prop_map(
            |rest| if rest.starts_with(BASE) || rest.starts_with(SKILL) { rest } else { format!("{BASE}{rest}") },
        );
    let query = (any::<Option<String>>(), any::<Option<String>>(), select(vec![None, Some(SessionStatus::Timeout)]));
    while fuzz.goes_on() {
        fuzz.batch(&rooted, |uri| any_uri(&all, &uri));
        fuzz.batch(&query, |(cursor, q, status)| {
            let given = [("q", q), ("status", status.map(|status: SessionStatus| status.as_str().to_owned()))];
            let given = given.into_iter().filter_map(|(name, value)| Some((name, value?)));
            let query = given
                .filter(|(_, value)| !value.is_empty())
                .fold(Query::default().at(cursor.filter(|cursor| !cursor.is_empty())), |query, (name, value)| {
                    query.with(name, value)
                });
            let uri = query.uri(format!("{BASE}conversations"));
            let (resource, text) = named(&all, &uri).unwrap();
            assert_eq!(Query::parse(resource.parameters(), text), Ok(query), "what is written is read again: {uri}");
            assert!(uri.is_ascii(), "and fits a URI: {uri}");
        });
    }
}

fn any_uri(all: &All, uri: &str) {
    let Some((resource, query)) = named(all, uri) else { return };
    assert_eq!(names(all, &resource.uri()), Some((resource.uri(), "")), "what it names has a URI of its own");
    match Query::parse(resource.parameters(), query) {
        Ok(query) => {
            let again = query.uri(resource.uri());
            let (same, text) = named(all, &again).unwrap();
            let read = Query::parse(same.parameters(), text);
            assert_eq!((same.uri(), read), (resource.uri(), Ok(query)), "written again, it is the same");
        }
        Err(fault) => {
            assert_eq!(fault.code, Code::InvalidInput);
            assert!(fault.message.len() < 500, "however long the URI is: {fault:?}");
            assert!(!fault.message.contains(char::is_control), "on one line: {fault:?}");
        }
    }
}
