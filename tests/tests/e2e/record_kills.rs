//! SIGKILL of the gate in a loop while it writes: what was said to be stored is stored, and every
//! start finds a sound record.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use gate_tests::{Agent, Control, Home, LIMIT, Seed, at_a_random_instant, campaign, campaign_tells, eventually};
use serde_json::{Value, json};

/// Longest time from one kill to the next.
const LIFE: Duration = Duration::from_millis(60);
/// Sessions that report and make checkpoints in turns: in each, far fewer than it may have.
const WRITTEN: usize = 8;
/// How long one call may take over all kills that hit it.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the gate said it had stored.
#[derive(Debug, Default)]
struct Told {
    /// Sessions that questions began, in their order.
    sessions: Vec<String>,
    /// Replies by request.
    replies: HashMap<String, String>,
    /// The number of the latest report of each session.
    reports: HashMap<String, u64>,
    /// Names of checkpoints of each session.
    checkpoints: HashMap<String, Vec<String>>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_while_writing_lose_nothing_that_was_committed() -> Result<()> {
    let mut seed = Seed::new();
    let home = Home::with_scripts()?;
    let agent = Agent::start(&home, "writer").await?;
    let mut told = Told::default();
    let mut number = 0_u64;
    let kills = campaign(200, 20);
    campaign_tells(format!("{kills} kills"));
    for kill in 0..kills {
        number += 1;
        // A call starts the gate again.
        write_some(&agent, &home, number, &mut told).await.with_context(|| format!("round {kill}, {seed}"))?;
        let running = || async { Ok(home.gate().filter(gate_tests::Process::is_alive)) };
        let gate = eventually("a gate that the agent has started", LIMIT, running).await?;
        let killer = {
            let mut seed = seed.fork();
            tokio::spawn(async move {
                at_a_random_instant(&mut seed, LIFE).await;
                gate.kill()
            })
        };
        // Everything that writes, until the gate is gone in the midst of it.
        while !killer.is_finished() {
            number += 1;
            write_some(&agent, &home, number, &mut told).await.with_context(|| format!("round {kill}, {seed}"))?;
        }
        killer.await??;
    }
    let report = home.run(["check", "--json"]).await?.json()?;
    assert_eq!((&report["integrity"], &report["references"]), (&json!([]), &json!([])), "{seed}");
    assert!(told.replies.len() >= kills / 4, "replies were written between the kills: {} ({seed})", told.replies.len());
    let rows = home.rows("SELECT request_id, body FROM messages WHERE role = 'person'").await?;
    let stored: HashMap<&str, &str> =
        rows.iter().filter_map(|row| Some((row["request_id"].as_str()?, row["body"].as_str()?))).collect();
    for (request, text) in &told.replies {
        assert_eq!(stored.get(request.as_str()), Some(&text.as_str()), "a committed reply is kept ({seed})");
    }
    assert_eq!(told.reports.len(), WRITTEN, "all of the sessions reported ({seed})");
    for (session, number) in &told.reports {
        let rows = home.rows(&format!("SELECT status_message FROM progress WHERE session_uuid = '{session}'")).await?;
        let found = rows.first().and_then(|row| row["status_message"].as_str()?.strip_prefix("report ")?.parse().ok());
        assert!(found >= Some(*number), "a committed report is kept: {found:?}, {number} ({seed})");
    }
    for (session, names) in &told.checkpoints {
        let rows = home.rows(&format!("SELECT name FROM checkpoints WHERE session_uuid = '{session}'")).await?;
        for name in names {
            assert!(rows.iter().any(|row| row["name"] == name.as_str()), "checkpoint {name} is kept ({seed})");
        }
        assert_eq!(rows.len(), names.len(), "and none was made twice ({seed})");
    }
    let rows = home.rows("SELECT session_uuid FROM conversations").await?;
    let stored: HashSet<&str> = rows.iter().filter_map(|row| row["session_uuid"].as_str()).collect();
    let begun: HashSet<&str> = told.sessions.iter().map(String::as_str).collect();
    assert_eq!(begun.len(), told.replies.len(), "each question began a session of its own ({seed})");
    assert_eq!(stored, begun, "no try of a call that was killed began another ({seed})");
    Ok(())
}

/// A question that begins a session and is answered; a report and a checkpoint in one of the first
/// sessions. The relay brings its calls through every kill; the person's command may die with the gate,
/// and then counts for nothing.
async fn write_some(agent: &Agent, home: &Home, number: u64, told: &mut Told) -> Result<()> {
    let title = format!("question {number}");
    let call = agent.call(json!({"message": title, "title": title})).await?;
    let text = format!("reply {number}");
    let answered = answer(home, &title, &text).await;
    let request = answered.with_context(|| format!("its call so far: {:?}", agent.take(call)))?;
    told.replies.insert(request, text.clone());
    let response = agent.wait_for(call, PATIENCE).await?;
    let got = &response["result"]["structuredContent"]["text"];
    if *got != json!(text) {
        bail!("{title:?} must get its answer, but got {response}");
    }
    let session = response["result"]["structuredContent"]["session_uuid"].as_str().context("a session")?;
    told.sessions.push(session.to_owned());

    let turn = usize::try_from(number)? % told.sessions.len().min(WRITTEN);
    let session = told.sessions[turn].clone();
    let message = format!("report {number}");
    let report = json!({"session_uuid": session, "progress_percent": number % 101, "status_message": message});
    tool(agent, "review_gate_update_progress", report).await?;
    told.reports.insert(session.clone(), number);
    let name = format!("checkpoint {number}");
    tool(agent, "review_gate_create_checkpoint", json!({"session_uuid": session, "name": name})).await?;
    told.checkpoints.entry(session).or_default().push(name);
    Ok(())
}

async fn tool(agent: &Agent, name: &str, arguments: Value) -> Result<Value> {
    let call = agent.request("tools/call", json!({"name": name, "arguments": arguments})).await?;
    let mut response = agent.wait_for(call, PATIENCE).await?;
    if response["result"]["isError"] == true || response.get("error").is_some() {
        bail!("{name} was refused: {response}");
    }
    Ok(response["result"]["structuredContent"].take())
}

/// Answers a request as soon as it is there; gives its id when the gate has said that it is stored.
async fn answer(home: &Home, title: &str, text: &str) -> Result<String> {
    let look = || async {
        let requests = waiting(home).await;
        let Some(request) = requests.iter().flatten().find(|request| request["title"] == title) else {
            // It may have been answered by a command whose own answer died with the gate; with the answer on
            // its way the relay needs no other gate.
            return stored_reply(home, title, text).await;
        };
        let id = request["request_id"].as_str().context("an id")?.to_owned();
        let draft = json!({"text": text, "selected": [], "comments": [], "attachments": []});
        let Ok(mut control) = Control::open(home).await else { return Ok(None) };
        match control.reply(&id, None, draft).await {
            Ok(Ok(_)) => Ok(Some(id)),
            Ok(Err(fault)) if fault["code"] == "not_pending" => Ok(Some(id)),
            Ok(Err(fault)) => bail!("{fault}"),
            Err(_) => Ok(None),
        }
    };
    eventually(&format!("{title} is answered"), PATIENCE, look).await
}

/// The requests that wait; absent while no gate says so.
async fn waiting(home: &Home) -> Option<Vec<Value>> {
    let mut snapshot = Control::open(home).await.ok()?.command(json!({"command": "snapshot"})).await.ok()?.ok()?;
    match snapshot["requests"].take() {
        Value::Array(requests) => Some(requests),
        _ => None,
    }
}

/// A reply that is in the record with its receipt; one that was killed before that is a draft.
async fn stored_reply(home: &Home, title: &str, text: &str) -> Result<Option<String>> {
    let query = format!(
        "SELECT q.request_id, m.body FROM review_requests q
         JOIN messages m ON m.request_id = q.request_id AND m.role = 'person' WHERE q.title = '{title}'"
    );
    // There is no record before the first gate.
    let rows = home.rows(&query).await.unwrap_or_default();
    let row = rows.first().filter(|row| row["body"] == text);
    let Some(id) = row.and_then(|row| row["request_id"].as_str()) else { return Ok(None) };
    let log = std::fs::read_to_string(home.path().join("receipts.log")).unwrap_or_default();
    let has_receipt = log.lines().any(|line| line.contains("\"kind\":\"decided\"") && line.contains(id));
    Ok(has_receipt.then(|| id.to_owned()))
}
