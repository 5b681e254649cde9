//! Real agents at a terminal that ask whether they may, each with a model that the test scripts: what a person answers at the
//! gate is what happens, and nothing happens without a person's act, there or at the agent's own prompt.

mod breaks;
mod clock;
pub(crate) mod edits;
mod edits_there;
mod prompt_tool;
mod scene;
mod trust;

use anyhow::{Context as _, Result};
use gate_tests::{LIMIT, NoNetwork, Program, Turn, eventually};
use serde_json::json;

use clock::{Clock, notes};
use scene::{Scene, at, own_prompt, runs, times};

/// A command is allowed, one is denied with a reason, and where the agent takes it, one is changed and allowed.
async fn the_person_answers_at_the_gate(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let commands = ["echo hi > made.txt; pwd", "echo no > denied.txt", "echo as-asked > asked.txt"];
    let turns = commands.into_iter().map(|command| runs(program, command)).chain([Turn::Say("Done.")]);
    let Some(scene) = Scene::new(program, turns.collect()).await? else { return Ok(()) };
    let terminal = scene.starts().await?;
    answered(program, &scene).await.map_err(|error| at(&terminal, error))
}

async fn answered(program: Program, scene: &Scene) -> Result<()> {
    let request = scene.asked("made.txt", "made.txt").await?;
    let permission = &request["permission"];
    assert_eq!(permission["kind"], "command", "it is shown for what it is: {permission}");
    assert_eq!(permission["folder"], scene.agent.home.workspace().display().to_string(), "and where: {permission}");
    scene.answers(&request, json!({"answer": "once"})).await?;
    scene.is_made("made.txt").await?;

    let request = scene.asked("denied.txt", "denied.txt").await?;
    scene.answers(&request, json!({"answer": "deny", "reason": "Write to a folder of its own."})).await?;
    let given = scene.given(2).await?;
    assert!(given[1].contains("Write to a folder of its own."), "the model is told why: {given:?}");

    let request = scene.asked("asked.txt", "asked.txt").await?;
    let edits = program == Program::ClaudeCode;
    let answer = match edits {
        true => json!({"answer": "edited", "text": "echo as-edited > edited.txt"}),
        false => json!({"answer": "once"}),
    };
    scene.answers(&request, answer).await?;
    let (made, other) = if edits { ("edited.txt", "asked.txt") } else { ("asked.txt", "edited.txt") };
    scene.is_made(made).await?;
    scene.given(3).await?;
    assert!(!scene.file(other).exists(), "only what was allowed is done");
    let told = scene.agent.model.sections("The person changed the input of this tool");
    assert_eq!(!told.is_empty(), edits, "a model that didn't ask for what was done is told so");

    assert!(!scene.file("denied.txt").exists(), "what was denied isn't done later either");
    scene.nothing_waits().await
}

/// Answered at the agent's own prompt, without a gate, and while the person is away: there its own prompt is what counts.
async fn the_agents_own_prompt_stays(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = vec![runs(program, "echo hi > away.txt"), runs(program, "echo hi > alone.txt"), Turn::Say("Done.")];
    let Some(mut scene) = Scene::new(program, turns).await? else { return Ok(()) };
    scene.agent.forget_the_server()?;
    scene.agent.home.run(["away"]).await?.succeeded()?;
    let terminal = scene.starts().await?;
    let own = own_prompt(program);
    let alone = async {
        terminal.draws(own.shows).await?;
        assert!(!scene.file("away.txt").exists(), "nothing is allowed for somebody who is away");
        scene.gate.kill().await?;
        let before = times(&terminal, own.shows);
        scene.says_yes(&terminal, "away.txt").await?;
        let again = || async { Ok((times(&terminal, own.shows) > before).then_some(())) };
        eventually("the agent's own prompt, without a gate", LIMIT, again).await?;
        assert!(!scene.file("alone.txt").exists(), "without a gate nothing is allowed");
        scene.says_yes(&terminal, "alone.txt").await
    };
    alone.await.map_err(|error: anyhow::Error| at(&terminal, error))
}

/// What is answered at the agent's own prompt first is over at the gate, within a second of when the agent could tell.
async fn no_at_its_own_prompt_takes_the_question_back(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = vec![runs(program, "echo hi > made.txt"), Turn::Say("Done.")];
    let Some(scene) = Scene::new(program, turns).await? else { return Ok(()) };
    notes(&scene.agent)?;
    let terminal = scene.starts().await?;
    let over = async {
        let request = scene.asked("made.txt", "made.txt").await?;
        if program != Program::Codex {
            terminal.draws(own_prompt(program).shows).await?;
        }
        let clock = Clock::of_a_no(&scene, &request)?;
        let pressed = scene.says_no_at(&terminal).await?;
        clock.closed(pressed).await?;
        let late = scene.answers(&request, json!({"answer": "once"})).await;
        assert!(late.is_err(), "an answer that comes too late is refused");
        assert!(!scene.file("made.txt").exists(), "and does nothing");
        Ok(())
    };
    over.await.map_err(|error: anyhow::Error| at(&terminal, error))
}

/// Where it is allowed at the agent's own prompt, it is done, and the question goes from the gate, within a second of when the
/// agent could tell.
async fn yes_at_its_own_prompt_closes_the_question(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = vec![runs(program, "echo hi > made.txt"), Turn::Say("Done.")];
    let Some(scene) = Scene::new(program, turns).await? else { return Ok(()) };
    notes(&scene.agent)?;
    let terminal = scene.starts().await?;
    let over = async {
        let request = scene.asked("made.txt", "made.txt").await?;
        let own = own_prompt(program);
        terminal.draws(own.shows).await?;
        let clock = Clock::of_a_yes(&scene, &request)?;
        let pressed = scene.says_yes_at(&terminal, "made.txt").await?;
        scene.nothing_waits().await?;
        clock.closed(pressed).await?;
        let late = scene.answers(&request, json!({"answer": "deny", "reason": "Too late."})).await;
        assert!(late.is_err(), "an answer that comes too late is refused");
        Ok(())
    };
    over.await.map_err(|error: anyhow::Error| at(&terminal, error))
}

#[tokio::test]
async fn claude_code_tells_of_a_yes_at_its_own_prompt() -> Result<()> {
    yes_at_its_own_prompt_closes_the_question(Program::ClaudeCode).await.context("Claude Code")
}

#[tokio::test]
async fn opencode_tells_of_a_yes_at_its_own_prompt() -> Result<()> {
    yes_at_its_own_prompt_closes_the_question(Program::OpenCode).await.context("opencode")
}

#[tokio::test]
async fn claude_code_does_what_the_person_allows_at_the_gate() -> Result<()> {
    the_person_answers_at_the_gate(Program::ClaudeCode).await.context("Claude Code")
}

#[tokio::test]
async fn codex_does_what_the_person_allows_at_the_gate() -> Result<()> {
    the_person_answers_at_the_gate(Program::Codex).await.context("Codex")
}

#[tokio::test]
async fn opencode_does_what_the_person_allows_at_the_gate() -> Result<()> {
    the_person_answers_at_the_gate(Program::OpenCode).await.context("opencode")
}

#[tokio::test]
async fn claude_code_asks_itself_where_the_gate_cannot() -> Result<()> {
    the_agents_own_prompt_stays(Program::ClaudeCode).await.context("Claude Code")
}

#[tokio::test]
async fn codex_asks_itself_where_the_gate_cannot() -> Result<()> {
    the_agents_own_prompt_stays(Program::Codex).await.context("Codex")
}

#[tokio::test]
async fn opencode_asks_itself_where_the_gate_cannot() -> Result<()> {
    the_agents_own_prompt_stays(Program::OpenCode).await.context("opencode")
}

#[tokio::test]
async fn claude_code_takes_its_question_back_after_a_no_at_its_own_prompt() -> Result<()> {
    no_at_its_own_prompt_takes_the_question_back(Program::ClaudeCode).await.context("Claude Code")
}

#[tokio::test]
async fn codex_takes_its_question_back_after_escape() -> Result<()> {
    no_at_its_own_prompt_takes_the_question_back(Program::Codex).await.context("Codex")
}

#[tokio::test]
async fn opencode_takes_its_question_back_after_a_no_at_its_own_prompt() -> Result<()> {
    no_at_its_own_prompt_takes_the_question_back(Program::OpenCode).await.context("opencode")
}
