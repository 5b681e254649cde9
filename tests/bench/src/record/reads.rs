//! What agents read of a record and look for in it, and the tools that never wait for a person: each
//! call by itself, through one relay.

use std::cmp::Ordering;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::Teller;
use super::home::Note;
use crate::client::Client;
use crate::options::Options;
use crate::stats::Times;

const CONVERSATIONS: &str = "file://review-gate/conversations";
/// Milliseconds that a page of a resource may take.
const PAGE_MS: f64 = 50.0;
/// Milliseconds that a search may take.
const SEARCH_MS: f64 = 100.0;
/// Milliseconds that a tool which waits for nobody may take.
const TOOL_MS: f64 = 10.0;
/// Milliseconds from a commit until subscribers hear of it.
const HEARD_MS: f64 = 100.0;
/// Conversations on a page.
const ON_A_PAGE: u64 = 50;
/// Sessions that the tools which write are called in: in each, so few checkpoints that there may be more.
const WRITTEN: usize = 20;

/// As many as a report may have.
const STEPS: usize = 200;

/// Calls that are measured together.
struct Kind {
    name: String,
    method: &'static str,
    /// Taken in turns.
    params: Vec<Value>,
    /// Milliseconds.
    bound: f64,
}

pub(super) fn measure(options: &Options, note: &Note, relay: &mut Client, tell: &mut Teller<'_>) -> Result<()> {
    let calls = options.pick(300, 60);
    let mut kinds = resources(note, relay)?;
    kinds.extend(searches(note, relay)?);
    kinds.extend(tools(note, calls));
    kinds.push(restores(note, relay)?);
    for kind in kinds {
        let params = kind.params.iter().cycle().take(calls.try_into()?);
        let times = relay.each(kind.method, params).with_context(|| kind.name.clone())?;
        if times.0.is_empty() {
            bail!("nothing to call for {}", kind.name);
        }
        tell.times(&kind.name, &times, kind.bound);
    }
    Ok(())
}

/// From the moment that a writer calls until a subscriber hears of what it wrote: an upper bound of what
/// goes by between the commit and the notification.
pub(super) fn notified(
    options: &Options,
    note: &Note,
    writer: &mut Client,
    listener: &mut Client,
    tell: &mut Teller<'_>,
) -> Result<()> {
    let session = note.some.first().context("the record has conversations")?;
    let subscribe = listener.request("resources/subscribe", &json!({"uri": format!("{CONVERSATIONS}/{session}")}))?;
    listener.result(subscribe)?;
    let mut times = Times::default();
    for round in 0..options.pick(200, 40) {
        let report = json!({"session_uuid": session, "progress_percent": round % 100});
        // What it has been told before is thrown away: it may not count for this round.
        let ping = listener.request("ping", &json!({}))?;
        listener.result(ping)?;
        let called = Instant::now();
        let call = writer.call("review_gate_update_progress", &report)?;
        listener.notification("notifications/resources/updated")?;
        times.push(called.elapsed());
        writer.result(call)?;
    }
    tell.times("update heard by a subscriber", &times, HEARD_MS);
    Ok(())
}

fn resources(note: &Note, relay: &mut Client) -> Result<Vec<Kind>> {
    let kind = |name: &str, method: &'static str, params: Vec<Value>| Kind {
        name: name.to_owned(),
        method,
        params,
        bound: PAGE_MS,
    };
    let uri = |uri: String| json!({"uri": uri});
    let read = |name: &str, uris: Vec<Value>| kind(name, "resources/read", uris);
    let of_each = |what: &str, ids: &[String]| -> Vec<Value> {
        ids.iter().map(|id| uri(format!("file://review-gate/{what}/{id}"))).collect()
    };
    let steps = note.conversations / ON_A_PAGE / 2;
    let (page, listed) = (middle_page(relay, steps)?, middle_of_the_list(relay, steps)?);
    Ok(vec![
        read("conversations, first page", vec![uri(CONVERSATIONS.to_owned())]),
        read("conversations, a page in the middle", vec![uri(page)]),
        read("conversations/{id}, the largest", of_each("conversations", std::slice::from_ref(&note.largest))),
        read("conversations/{id}, one after the other", of_each("conversations", &note.some)),
        read("sessions/{id}", of_each("sessions", &note.some)),
        read("checkpoints/{id}", of_each("checkpoints", &note.checkpointed)),
        read("conversations/active", vec![uri(format!("{CONVERSATIONS}/active"))]),
        kind("list of resources, first page", "resources/list", vec![json!({})]),
        kind("list of resources, a page in the middle", "resources/list", vec![json!({"cursor": listed})]),
        kind("list of templates", "resources/templates/list", vec![json!({})]),
    ])
}

/// The URI of the page of conversations that is so many pages on.
fn middle_page(relay: &mut Client, steps: u64) -> Result<String> {
    let mut uri = CONVERSATIONS.to_owned();
    for _ in 0..steps {
        uri = next(&page(relay, &uri)?)?;
    }
    Ok(uri)
}

/// The cursor of the page of `resources/list` that is so many pages on.
fn middle_of_the_list(relay: &mut Client, steps: u64) -> Result<String> {
    let mut params = json!({});
    for _ in 0..steps {
        let id = relay.request("resources/list", &params)?;
        params = json!({"cursor": relay.result(id)?["nextCursor"]});
    }
    Ok(params["cursor"].as_str().context("the list of resources has no second page")?.to_owned())
}

/// Searches, and that each finds what it should: nothing would be found sooner.
fn searches(note: &Note, relay: &mut Client) -> Result<Vec<Kind>> {
    let mut kinds = Vec::new();
    for (name, words) in &note.searches {
        let uri = format!("{CONVERSATIONS}?q={}", encoded(words));
        let found = page(relay, &uri)?;
        let count = found["conversations"].as_array().map_or(0, Vec::len);
        let wants_none = name.contains("nothing");
        if wants_none != (count == 0) {
            bail!("{name} ({words:?}) is in {count} conversations; is the search index whole?");
        }
        let search = |name: String, uri: String| Kind {
            name,
            method: "resources/read",
            params: vec![json!({"uri": uri})],
            bound: SEARCH_MS,
        };
        kinds.push(search(format!("search, {name}"), uri));
        if name.contains("common") {
            kinds.push(search(format!("search, {name}, second page"), next(&found)?));
        }
    }
    Ok(kinds)
}

fn tools(note: &Note, calls: u32) -> Vec<Kind> {
    let sessions = || note.some.iter().take(WRITTEN);
    let reports = (0..100).zip(sessions().cycle()).map(|(number, session)| {
        let message = format!("reading file {number} of 100");
        json!({"session_uuid": session, "progress_percent": number, "status_message": message, "step_name": "reading"})
    });
    let checkpoints = (0..calls).zip(sessions().cycle()).map(|(number, session)| {
        json!({"session_uuid": session, "name": format!("measured {number}"), "description": "one of many"})
    });
    let of_each = |ids: &[String]| ids.iter().map(|session| json!({"session_uuid": session})).collect();
    let written: Vec<String> = sessions().cloned().collect();
    // Not in the sessions whose writes are measured beside SQLite's, with the steps that they had.
    let long_reports = (0..100)
        .zip(note.some.iter().rev().take(WRITTEN).cycle())
        .map(|(number, session)| json!({"session_uuid": session, "progress_percent": number, "steps": steps(number)}));
    vec![
        tool("", "review_gate_update_progress", reports.collect()),
        tool("", "review_gate_get_context", of_each(&note.some)),
        tool(", the largest", "review_gate_get_context", of_each(std::slice::from_ref(&note.largest))),
        tool("", "review_gate_create_checkpoint", checkpoints.collect()),
        tool("", "review_gate_list_checkpoints", of_each(&written)),
        tool(&format!(" with {STEPS} steps"), "review_gate_update_progress", long_reports.collect()),
    ]
}

/// Calls of a tool that waits for nobody; `kind` says what is special about them.
fn tool(kind: &str, name: &str, arguments: Vec<Value>) -> Kind {
    Kind {
        name: format!("{name}{kind}"),
        method: "tools/call",
        params: arguments.into_iter().map(|arguments| json!({"name": name, "arguments": arguments})).collect(),
        bound: TOOL_MS,
    }
}

/// As many steps as a report may have, so many of them completed.
fn steps(completed: usize) -> Vec<Value> {
    let state = |number: usize| match number.cmp(&completed) {
        Ordering::Less => "completed",
        Ordering::Equal => "in_progress",
        Ordering::Greater => "pending",
    };
    (0..STEPS)
        .map(|number| json!({"name": format!("port the callers of part {number}"), "state": state(number)}))
        .collect()
}

/// Each session goes back to a checkpoint, and then that is undone.
fn restores(note: &Note, relay: &mut Client) -> Result<Kind> {
    let mut calls = Vec::new();
    for session in note.checkpointed.iter().take(WRITTEN) {
        let id = relay.call("review_gate_list_checkpoints", &json!({"session_uuid": session}))?;
        let listed = relay.result(id)?;
        let first = &listed["structuredContent"]["checkpoints"][0]["checkpoint_id"];
        let first = first.as_str().with_context(|| format!("{session} has no checkpoint"))?;
        calls.push(json!({"session_uuid": session, "checkpoint_id": first}));
        calls.push(json!({"session_uuid": session, "undo": true}));
    }
    Ok(tool(", and its undoing", "review_gate_restore_checkpoint", calls))
}

/// What a URI reads as.
fn page(relay: &mut Client, uri: &str) -> Result<Value> {
    let id = relay.request("resources/read", &json!({"uri": uri}))?;
    let result = relay.result(id)?;
    let text = result["contents"][0]["text"].as_str().with_context(|| format!("{uri} reads as no text"))?;
    serde_json::from_str(text).with_context(|| format!("{uri} reads as no JSON"))
}

fn next(page: &Value) -> Result<String> {
    Ok(page["next"].as_str().context("a page has no next one")?.to_owned())
}

/// Percent-encoded for a URI's query.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn a_query_is_encoded() {
        assert_eq!(encoded("\"a b\" 配"), "%22a%20b%22%20%E9%85%8D");
    }
}
