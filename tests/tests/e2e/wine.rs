//! The real programs for Windows, under Wine: relays and the gate over named pipes, HTTP, answers, prompts, one record for
//! two systems, and kills. `cargo xtask cross` builds them and runs this.

mod clients;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use gate_tests::{Agent, Home, HomeOptions, Http, LIMIT, SCRIPTS_ANSWER, Seed, TOOLS, eventually, install_models};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{kills, voice::RECORDING};

/// A Windows on which scripts may answer: who sits at a terminal isn't known there.
fn windows() -> Result<Home> {
    let config = format!("{SCRIPTS_ANSWER}network:\n  port: 0\n");
    Home::on_windows(HomeOptions { config: Some(config), ..HomeOptions::default() })
}

#[tokio::test]
async fn an_agent_asks_over_a_pipe_and_by_http_and_gets_its_answer() -> Result<()> {
    let home = windows()?;
    // A current folder may have 258 letters there.
    let folder = home.workspace().join("Projekt ü").join("deep ".repeat(40).trim());
    std::fs::create_dir_all(&folder)?;
    let agent = Agent::spawn_with(&home, gate_tests::Spawning { folder: Some(folder), ..Default::default() })?;
    let server = agent.initialize("claude-code").await?;
    assert_eq!(server["serverInfo"]["name"], "review-gate", "the relay has started a gate");
    let list = agent.request("tools/list", json!({})).await?;
    let list = agent.result(list).await?;
    let names: Vec<_> = list["tools"].as_array().into_iter().flatten().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, TOOLS, "the same tools as everywhere");

    let call = agent.call(json!({"message": "line one\r\nline two", "title": "Over a pipe", "approval": true})).await?;
    let id = home.waiting("Over a pipe").await?;
    home.answer(&id, ["--approve", "--text", "go, 走吧"]).await?;
    let outcome = agent.outcome(call).await?;
    assert_eq!((&outcome["decision"], &outcome["text"]), (&json!("approved"), &json!("go, 走吧")), "{outcome}");
    assert_eq!(outcome["answered_from"], "script", "nobody took it for a person: {outcome}");

    let shown = home.run(["history", "--json"]).await?.json()?;
    let folder = shown[0]["workspace"].as_str().context("it has a workspace")?;
    assert!(folder.starts_with(r"C:\work\Projekt ü\deep deep"), "as people there read a path: {folder}");

    let mut http = Http::of(&home)?;
    http.initialize("cursor").await?;
    let asked = tokio::spawn(async move { http.chat(json!({"message": "m", "title": "By HTTP"})).await });
    let id = home.waiting("By HTTP").await?;
    home.answer(&id, ["--text", "heard"]).await?;
    assert_eq!(asked.await??.outcome()?["text"], "heard");
    assert_eq!(Http::at(&Http::of(&home)?.address, "wrong").post("ping", json!({}), &[]).await?.status, 401);

    let gate = home.gate().context("the relay's gate")?;
    home.run(["stop"]).await?.succeeded()?;
    assert!(gate.ends_within(LIMIT), "`stop` ends it");
    assert_eq!(home.run(["status", "--json"]).await?.json()?["running"], false, "and it stays so");
    let call = agent.call(json!({"message": "m", "title": "Again"})).await?;
    let id = home.waiting("Again").await?;
    home.answer(&id, ["--text", "ok"]).await?;
    assert_eq!(agent.outcome(call).await?["text"], "ok", "the agent's next call starts another");
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_is_told_as_everywhere() -> Result<()> {
    let home = windows()?;
    let _gate = home.serve().await?;
    let unknown = home.run(["answer", "00000000-0000-4000-8000-000000000000", "--approve"]).await?;
    assert!(unknown.code == Some(4) && unknown.stderr.contains("[unknown_request]"), "{unknown:?}");
    let missing = home.run(["import", r"C:\nowhere\record.json"]).await?;
    assert!(missing.code == Some(4) && missing.stderr.contains(r"C:\nowhere\record.json"), "{missing:?}");
    let second = home.run(["serve"]).await?;
    assert!(second.code == Some(0) && second.stdout.contains("\"already_running\":true"), "{second:?}");
    let sandbox = home.run(["run", "--", "codex"]).await?;
    assert!(sandbox.code != Some(0) && sandbox.stderr.contains("Linux"), "it says where it can be had: {sandbox:?}");
    let doctor = home.run(["doctor", "--json"]).await?;
    let found: Value = serde_json::from_str(&doctor.stdout).with_context(|| format!("{doctor:?}"))?;
    assert!(!doctor.stdout.contains(r"\\\\?\\"), "paths as people read them: {found}");
    Ok(())
}

#[tokio::test]
async fn prompts_are_served_as_their_files_change() -> Result<()> {
    let home = windows()?;
    let agent = Agent::start(&home, "claude-code").await?;
    let write = |text: &str| -> Result<()> {
        let folder = home.path().join("prompts/team");
        std::fs::create_dir_all(&folder)?;
        Ok(std::fs::write(folder.join("greet ü.md"), text)?)
    };
    // As an editor of Windows saves it.
    write("---\r\ndescription: Greets\r\n---\r\nGood morning.\r\n")?;
    agent.notification("notifications/prompts/list_changed").await?;
    let greeting = || async {
        let asked = agent.request("prompts/get", json!({"name": "team/greet ü"})).await?;
        let got = agent.wait(asked).await?;
        Ok(got["result"]["messages"][0]["content"]["text"].as_str().map(str::to_owned))
    };
    let first = eventually("the new prompt", LIMIT, greeting).await?;
    assert!(first.starts_with("Good morning."), "{first}");
    write("---\r\ndescription: Greets\r\n---\r\nGood evening.\r\n")?;
    let changed = || async { Ok(greeting().await?.filter(|text| text.starts_with("Good evening."))) };
    eventually("the changed prompt", LIMIT, changed).await?;
    let listed = home.run(["prompts", "list", "--json"]).await?.json()?;
    assert!(listed.to_string().contains("team/greet ü"), "the terminal knows it, too: {listed}");
    Ok(())
}

#[tokio::test]
async fn speech_becomes_text() -> Result<()> {
    let home = windows()?;
    if !install_models(home.path())? {
        return Ok(());
    }
    std::fs::copy(RECORDING, home.workspace().join("rede ü.wav"))?;
    let said = home.run(["transcribe", r"C:\work\rede ü.wav", "--model", "tiny.en-q8_0"]).await?.succeeded()?.stdout;
    assert!(said.contains("fellow Americans") && said.contains("your country"), "{said}");
    let nothing = home.run(["transcribe", r"C:\home\config.yaml"]).await?;
    assert!(nothing.code == Some(4) && nothing.stderr.contains("[audio]"), "{nothing:?}");
    Ok(())
}

/// All that is said of a record, in its own words.
async fn exported(home: &Home, file: &str, at: &Path) -> Result<Value> {
    home.run(["export", "--format", "json", "--output", file]).await?.succeeded()?;
    let mut record: Value = serde_json::from_str(&std::fs::read_to_string(at)?)?;
    // When it was written, and by which program.
    record.as_object_mut().context("an object")?.retain(|name, _| name == "conversations" || name == "sessions");
    assert!(record.as_object().is_some_and(|record| !record.is_empty()), "there is something in it");
    Ok(record)
}

#[tokio::test]
async fn a_record_goes_from_linux_to_windows_and_back() -> Result<()> {
    let windows = windows()?;
    let linux = Home::with_scripts()?;
    let agent = Agent::start(&linux, "claude-code").await?;
    for (title, text) in [("Von hier?", "Ja, 好。"), ("C:\\path or /path?", "both\r\nof them")] {
        let call = agent.call(json!({"message": "Which?", "title": title, "options": ["a", "b"]})).await?;
        let id = linux.waiting(title).await?;
        linux.answer(&id, ["--text", text, "--choose", "a"]).await?;
        agent.outcome(call).await?;
    }
    agent.close().await?;
    let there = linux.folder().join("there.json");
    let first = exported(&linux, &there.display().to_string(), &there).await?;

    std::fs::copy(&there, windows.drive().join("there.json"))?;
    let said = windows.run(["import", r"C:\there.json"]).await?.succeeded()?.stdout;
    assert!(said.contains("2 new conversations"), "{said}");
    let found = windows.run(["history", "好", "--json"]).await?.json()?;
    assert_eq!(found.as_array().map(Vec::len), Some(1), "it is found there: {found}");
    let again = exported(&windows, r"C:\back.json", &windows.drive().join("back.json")).await?;

    let third = Home::with_scripts()?;
    let back = windows.drive().join("back.json").display().to_string();
    third.run(["import", &back]).await?.succeeded()?;
    let last = third.folder().join("last.json");
    let last = exported(&third, &last.display().to_string(), &last).await?;
    assert_eq!(again, last, "what Windows wrote is what Linux has of it");
    let said = |record: &Value| -> Vec<String> {
        let mut found = Vec::new();
        strings(record, &mut found);
        found.retain(|text| !text.is_empty());
        found.sort();
        found
    };
    for text in said(&first) {
        assert!(said(&last).contains(&text), "{text:?} was lost on the way");
    }
    Ok(())
}

fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        // Where a session stands is another matter where no agent of it runs.
        Value::Object(values) => {
            values.iter().filter(|(name, _)| *name != "status").for_each(|(_, value)| strings(value, found));
        }
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_gates_started_at_once_leave_one() -> Result<()> {
    let home = windows()?;
    let mut started = JoinSet::new();
    for number in 0..20 {
        let home = home.clone();
        started.spawn(async move { Agent::start(&home, &format!("agent-{number}")).await });
    }
    let mut agents = Vec::new();
    while let Some(agent) = started.join_next().await {
        agents.push(agent??);
    }
    let one = || async { Ok((home.gates() == 1).then_some(())) };
    eventually("the end of all gates but one", LIMIT, one).await?;
    let gate = home.gate().context("the one that is left")?.pid();
    for (number, agent) in agents.iter().enumerate() {
        agent.call(json!({"message": "m", "title": format!("q{number}")})).await?;
    }
    let all = || async { Ok((home.pending().await?.len() == agents.len()).then_some(())) };
    eventually("every agent's request in the one gate", LIMIT, all).await?;
    assert_eq!(home.gate().map(|gate| gate.pid()), Some(gate), "it is still the same");
    Ok(())
}

const KILLS: usize = 100;
const AGENTS: usize = 3;
/// Longest time between two kills: a gate takes half a second to come up there.
const LIFE: Duration = Duration::from_millis(1500);

/// Answers by a script whatever is pending until told to stop. A command may die with the gate.
async fn person(home: Home, stop: Arc<AtomicBool>) -> Result<()> {
    while !stop.load(Ordering::Relaxed) {
        let Ok(pending) = home.pending().await else { continue };
        for request in pending {
            let (id, title) = (request["request_id"].as_str(), request["title"].as_str());
            let (Some(id), Some(title)) = (id, title) else { bail!("a request without a name: {request}") };
            let decide = if kills::decision(title) == "approved" { "--approve" } else { "--request-changes" };
            let _ = home.run(["answer", id, decide, "--text", &format!("reply to {title}")]).await?;
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_kills_lose_nothing_and_agents_notice_nothing() -> Result<()> {
    let home = windows()?;
    let mut seed = Seed::new();
    let (done, finished) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let mut workers = Vec::new();
    for number in 0..AGENTS {
        let agent = Agent::start(&home, &format!("agent-{number}")).await?;
        workers.push(tokio::spawn(kills::work(agent, number, Arc::clone(&done))));
    }
    let person = tokio::spawn(person(home.clone(), Arc::clone(&finished)));
    let titles = kills::killed_while_they_work(&home, KILLS, LIFE, &mut seed, workers, &done).await?;
    finished.store(true, Ordering::Relaxed);
    person.await??;
    home.run(["stop"]).await?.succeeded()?;
    kills::every_call_has_its_own_answer(&home, &titles, &seed).await
}
