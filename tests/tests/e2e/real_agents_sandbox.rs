//! A real agent in a sandbox of `review-gate run`: it starts, asks its model, asks the person, and hears the reply.

use anyhow::{Context as _, Result, bail};
use gate_tests::{NoNetwork, Part, Program, RealAgent, Turn, out_of_reach};
use serde_json::json;

/// What the model was given last, as text.
fn texts(given: &[Part]) -> String {
    let texts = given.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::Image(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

async fn asks_in_a_sandbox(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let question = json!({"message": "Which way?", "title": "From a sandbox"});
    let turns = vec![Turn::Call("review_gate_chat", question), Turn::Say("Thank you.")];
    let Some(agent) = RealAgent::new(program, turns).await? else { return Ok(()) };
    agent.install(&["--allow"]).await?;
    // The model is on loopback.
    let running = agent.start_in_a_sandbox(&["--network=shared"])?;
    let answered = async {
        let id = agent.home.waiting("From a sandbox").await?;
        agent.home.answer(&id, ["--text", "Take the left one."]).await
    };
    let answered = answered.await;
    let ended = agent.ended(running).await?;
    if ended.stderr.contains("no Landlock with scopes") {
        return out_of_reach("this kernel has no Landlock with scopes");
    }
    answered.with_context(|| format!("{ended:?}; asked: {}", agent.model.asked().len()))?;
    let given = agent.model.given();
    let [reply] = &given[..] else { bail!("one result reaches the model: {given:?}; {ended:?}") };
    assert!(texts(reply).contains("Take the left one."), "the model gets the answer: {given:?}; {ended:?}");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn claude_code_works_in_a_sandbox() -> Result<()> {
    asks_in_a_sandbox(Program::ClaudeCode).await
}

#[tokio::test]
async fn codex_works_in_a_sandbox() -> Result<()> {
    asks_in_a_sandbox(Program::Codex).await
}

#[tokio::test]
async fn gemini_works_in_a_sandbox() -> Result<()> {
    asks_in_a_sandbox(Program::Gemini).await
}

#[tokio::test]
async fn opencode_works_in_a_sandbox() -> Result<()> {
    asks_in_a_sandbox(Program::OpenCode).await
}
