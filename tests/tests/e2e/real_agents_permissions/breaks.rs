//! What breaks between a real agent's question and the answer: the hook, the gate, the person's patience. The agent then asks at its
//! own prompt, nothing is done before that is answered, and nothing is left at the gate.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use gate_tests::{AgentTerminal, NoNetwork, Process, Program, SCRIPTS_ANSWER, Turn};
use serde_json::json;

use super::scene::{Scene, at, own_prompt, runs, times};

/// How long a question waits: as little as the setting allows.
const WAITS: Duration = Duration::from_secs(10);
/// How much later it may be gone, on a busy machine.
const LITTLE: Duration = Duration::from_secs(5);
const HOOK: &str = "hook.txt";
const GATE: &str = "gate.txt";
const TIME: &str = "time.txt";

async fn nothing_is_allowed_by_what_breaks(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = [HOOK, GATE, TIME].map(|file| runs(program, &format!("echo hi > {file}")));
    let turns = turns.into_iter().chain([Turn::Say("Done.")]).collect();
    let Some(mut scene) = Scene::new(program, turns).await? else { return Ok(()) };
    scene.agent.forget_the_server()?;
    let terminal = scene.starts().await?;
    broken(&mut scene, &terminal).await.map_err(|error| at(&terminal, error))
}

async fn broken(scene: &mut Scene, terminal: &AgentTerminal) -> Result<()> {
    let request = scene.asked(HOOK, HOOK).await?;
    let asking = scene.hooks();
    assert_eq!(asking.len(), 1, "one process asks: {asking:?}");
    asking.iter().try_for_each(Process::kill)?;
    scene.nothing_waits().await?;
    scene.is_too_late(&request).await?;
    let drawn = says_yes(scene, terminal, 0, HOOK).await?;

    let request = scene.asked(GATE, GATE).await?;
    scene.gate.kill().await?;
    scene.no_hook_waits().await?;
    scene.asks_itself(terminal, drawn).await?;
    let settings = format!("{SCRIPTS_ANSWER}permissions:\n  wait_seconds: {}\n", WAITS.as_secs());
    std::fs::write(scene.agent.home.path().join("config.yaml"), settings)?;
    scene.gate = scene.agent.home.serve().await?;
    scene.finds_the_gate().await?;
    scene.nothing_waits().await?;
    scene.is_too_late(&request).await?;
    let heard = scene.hears().await?;
    let drawn = says_yes(scene, terminal, drawn, GATE).await?;

    let request = scene.asked(TIME, TIME).await?;
    let begin = Instant::now();
    scene.nothing_waits().await?;
    let waited = begin.elapsed();
    assert!(waited > WAITS / 2 && waited < WAITS + LITTLE, "it waits for as long as the setting says: {waited:?}");
    let id = request["request_id"].as_str().context("it has an id")?;
    heard.is_told(&["permission_over", id, "time_over"]).await?;
    scene.is_too_late(&request).await?;
    scene.no_hook_waits().await?;
    says_yes(scene, terminal, drawn, TIME).await?;

    let query = "SELECT q.ended, r.decision FROM review_requests q LEFT JOIN replies r USING (request_id)
                 ORDER BY q.created_at";
    let ended = ["gone", "stopping", "time_over"].map(|ended| json!({"ended": ended, "decision": null}));
    assert_eq!(scene.agent.home.rows(query).await?, ended, "nothing was answered at the gate, and the record says why");
    Ok(())
}

/// Waits for the agent's own prompt, drawn more than so many times, and says yes to it; gives how often it had been drawn.
async fn says_yes(scene: &Scene, terminal: &AgentTerminal, before: usize, file: &str) -> Result<usize> {
    scene.asks_itself(terminal, before).await?;
    assert!(!scene.file(file).exists(), "nothing is done before its own prompt is answered");
    let own = own_prompt(scene.agent.program());
    let drawn = times(terminal, own.shows);
    scene.says_yes(terminal, file).await?;
    Ok(drawn)
}

#[tokio::test]
async fn claude_code_asks_itself_where_something_breaks() -> Result<()> {
    nothing_is_allowed_by_what_breaks(Program::ClaudeCode).await.context("Claude Code")
}

#[tokio::test]
async fn codex_asks_itself_where_something_breaks() -> Result<()> {
    nothing_is_allowed_by_what_breaks(Program::Codex).await.context("Codex")
}

#[tokio::test]
async fn opencode_asks_itself_where_something_breaks() -> Result<()> {
    nothing_is_allowed_by_what_breaks(Program::OpenCode).await.context("opencode")
}
