//! Claude Code without a terminal, which asks by the tool that its flag names: what the person answers is what happens, and where
//! nobody does, it is denied and the model is told why.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use gate_tests::{LIMIT, NoNetwork, Program, RealAgent, SCRIPTS_ANSWER, Turn};
use serde_json::{Value, json};

use super::edits::shown;
use super::scene::{Scene, runs};

const TOOL: &str = "mcp__review-gate__review_gate_permission";
const FILE: &str = "a.txt";
const REASON: &str = "Use a folder of its own.";

fn turns(folder: &Path) -> Vec<Turn> {
    let run = |command: &str| runs(Program::ClaudeCode, command);
    let file = folder.join(FILE);
    let edit =
        |old: &str, new: &str| Turn::Call("Edit", json!({"file_path": file, "old_string": old, "new_string": new}));
    vec![
        run("echo hi > made.txt"),
        run("echo no > denied.txt"),
        run("echo as-asked > asked.txt"),
        Turn::Call("Read", json!({"file_path": file})),
        edit("two", "ZWEI two"),
        edit("two", "DENIED"),
        edit("two", "AS ASKED"),
        run("echo hi > gate.txt"),
        edit("three", "GATE"),
        run("echo hi > away.txt"),
        edit("three", "STILL AWAY"),
        Turn::Say("Done."),
    ]
}

/// Answers what asks for this with the next result of the model, which it gives.
async fn answered(scene: &Scene, text: &str, answer: Value, results: usize) -> Result<String> {
    let request = scene.asks(text).await?;
    let permission = &request["permission"];
    assert_eq!(permission["form"], "claude_prompt", "it asks by its tool: {permission}");
    assert_eq!(permission["answers"]["rule"], false, "which offers no rule: {permission}");
    scene.answers(&request, answer).await?;
    result(scene, results).await
}

async fn result(scene: &Scene, results: usize) -> Result<String> {
    scene.given(results).await?.into_iter().nth(results - 1).context("a result")
}

#[tokio::test]
async fn claude_code_without_a_terminal_does_what_is_allowed_and_is_told_why_not() -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let Some(mut scene) = Scene::connected(Program::ClaudeCode, &["--no-allow"], Vec::new()).await? else {
        return Ok(());
    };
    let folder = scene.folder();
    fs::write(folder.join(FILE), "one\ntwo\nthree")?;
    scene.agent.model.says(turns(&folder));
    let running = scene.agent.start_with_prompt_tool(TOOL)?;
    let done = asked_and_left_alone(&mut scene).await;
    done.with_context(|| format!("the model was given {:?}", scene.agent.model.given()))?;
    let ended = scene.agent.ended(running).await?;
    assert_eq!(ended.code, Some(0), "what is denied ends no run: {ended:?}");
    for name in ["denied.txt", "asked.txt", "gate.txt", "away.txt"] {
        assert!(!scene.file(name).exists(), "{name} is made without anybody's act");
    }
    scene.nothing_waits().await
}

async fn asked_and_left_alone(scene: &mut Scene) -> Result<()> {
    let once = || json!({"answer": "once"});
    let deny = || json!({"answer": "deny", "reason": REASON});
    answered(scene, "made.txt", once(), 1).await?;
    assert!(scene.file("made.txt").exists(), "what is allowed is done");
    let told = answered(scene, "denied.txt", deny(), 2).await?;
    assert!(told.contains(REASON), "the model is told why: {told}");
    let edited = json!({"answer": "edited", "text": "echo as-edited > edited.txt"});
    answered(scene, "asked.txt", edited, 3).await?;
    assert_eq!(fs::read_to_string(scene.file("edited.txt"))?, "as-edited\n", "it is done as it was changed");

    let (folder, file) = (scene.folder(), scene.file(FILE));
    let request = scene.asks("ZWEI").await?;
    let shown = shown(&folder, &request)?;
    answered(scene, "ZWEI", once(), 5).await?;
    assert_eq!(shown, [(file.clone(), fs::read_to_string(&file).ok())], "what was shown is what was done");
    let told = answered(scene, "DENIED", deny(), 6).await?;
    assert!(told.contains(REASON), "the model is told why: {told}");
    assert_eq!(fs::read_to_string(&file)?, "one\nZWEI two\nthree", "and nothing is changed");
    answered(scene, "AS ASKED", json!({"answer": "edited", "text": "as edited "}), 7).await?;
    let edited = "one\nZWEI as edited \nthree";
    assert_eq!(fs::read_to_string(&file)?, edited, "it is done as it was changed");

    let request = scene.asked("gate.txt", "gate.txt").await?;
    // The next gate lets it wait for as little as may be.
    let settings = format!("{SCRIPTS_ANSWER}permissions:\n  wait_seconds: 10\n");
    fs::write(scene.agent.home.path().join("config.yaml"), settings)?;
    killed(scene).await?;
    let again = scene.asked("gate.txt", "gate.txt").await?;
    assert_ne!(again["request_id"], request["request_id"], "the next gate is asked anew");
    scene.is_too_late(&request).await?;
    let told = result(scene, 8).await?;
    assert!(told.contains("Nobody answered in time"), "nobody does, and the model is told so: {told}");

    let request = scene.asks("GATE").await?;
    killed(scene).await?;
    let again = scene.asks("GATE").await?;
    scene.is_too_late(&request).await?;
    scene.answers(&again, deny()).await?;
    let told = result(scene, 9).await?;
    assert!(told.contains(REASON), "the next gate's answer is the one that counts: {told}");

    scene.asked("away.txt", "away.txt").await?;
    scene.page.does(json!({"command": "set_away", "away": true})).await?;
    for results in [10, 11] {
        let told = result(scene, results).await?;
        assert!(told.contains("The person is away"), "the model is told why: {told}");
    }
    assert_eq!(fs::read_to_string(&file)?, edited, "no edit is done without anybody's act");
    Ok(())
}

/// The gate is killed while it is asked, and the agent's relay starts the next one.
async fn killed(scene: &mut Scene) -> Result<()> {
    let gate = scene.agent.home.gate().context("a gate runs")?;
    gate.kill()?;
    // One that is about to end takes a connection, and resets it.
    ensure!(gate.ends_within(LIMIT), "it was killed");
    scene.finds_the_gate().await
}

#[tokio::test]
async fn claude_code_without_a_terminal_is_denied_where_nobody_can_be_asked() -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = vec![runs(Program::ClaudeCode, "echo hi > made.txt"), Turn::Say("Done.")];
    let Some(agent) = RealAgent::new(Program::ClaudeCode, turns).await? else { return Ok(()) };
    agent.asks_before_it_acts()?;
    agent.install(&["--no-allow"]).await?;
    let ended = agent.ended(agent.start_with_prompt_tool(TOOL)?).await?;
    let told = format!("{:?}", agent.model.given());
    assert!(told.contains("Nobody can be asked"), "the model is told why: {told}; {ended:?}");
    assert!(!agent.home.workspace().join("made.txt").exists(), "and nothing is done");
    Ok(())
}
