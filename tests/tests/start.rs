//! One gate per home, however many are started, and quickly.

use std::time::Instant;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, LIMIT, Ran, eventually};
use serde_json::{Value, json};
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_gates_started_at_once_leave_one_and_the_others_hand_over() -> Result<()> {
    let home = Home::new()?;
    let first = home.serve();
    let mut others = JoinSet::new();
    let first = first.await?;
    for _ in 0..19 {
        let command = home.command(["serve"])?;
        others.spawn(Ran::of(command));
    }
    while let Some(ran) = others.join_next().await {
        let ready = ran??.json()?;
        assert_eq!(ready["already_running"], true, "a loser says that another gate runs: {ready}");
        assert_eq!(ready["pid"], json!(first.pid()), "and which one");
    }
    let status = home.run(["status", "--json"]).await?.json()?;
    assert_eq!(status["pid"], json!(first.pid()), "the first one still runs");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_relays_started_at_once_without_a_gate_share_one() -> Result<()> {
    let home = Home::new()?;
    let mut relays = JoinSet::new();
    for number in 0..20 {
        let home = home.clone();
        relays.spawn(async move { Agent::start(&home, &format!("agent-{number}")).await });
    }
    let mut agents = Vec::new();
    while let Some(agent) = relays.join_next().await {
        agents.push(agent??);
    }
    for (number, agent) in agents.iter().enumerate() {
        agent.call(json!({"message": "m", "title": format!("q{number}")})).await?;
    }
    let all = || async { Ok((home.pending().await?.len() == 20).then_some(())) };
    eventually("twenty requests in one gate", LIMIT, all).await?;
    let gates = || async {
        let serving = |p: &&gate_tests::Process| p.arguments().get(1).is_some_and(|argument| argument == "serve");
        Ok((home.processes().iter().filter(serving).count() == 1).then_some(()))
    };
    eventually("a single gate process", LIMIT, gates).await
}

#[tokio::test]
async fn a_cold_start_answers_initialize_soon() -> Result<()> {
    let home = Home::new()?;
    let begin = Instant::now();
    let agent = Agent::spawn(&home)?;
    let server = agent.initialize("claude-code").await?;
    println_of_test(&format!("cold start to initialize: {:?}", begin.elapsed()));
    assert_eq!(server["serverInfo"]["name"], "review-gate");
    let instructions = server["instructions"].as_str().unwrap_or_default();
    assert!(instructions.contains("review_gate_chat"), "the server says when to ask: {instructions}");
    Ok(())
}

#[tokio::test]
async fn homes_are_apart_and_a_stopped_gate_stays_stopped() -> Result<()> {
    let (one, two) = (Home::new()?, Home::new()?);
    let mut gate = one.serve().await?;
    assert_eq!(two.run(["status", "--json"]).await?.json()?["running"], false, "the other home has no gate");
    let agent = Agent::start(&one, "claude-code").await?;
    one.run(["stop"]).await?.succeeded()?;
    assert_eq!(gate.ended().await?.code(), Some(0), "it ends in good order");
    assert_eq!(one.run(["status", "--json"]).await?.json()?["running"], false, "an idle agent starts none");
    let call = agent.call(json!({"message": "m", "title": "Again"})).await?;
    let id = one.waiting("Again").await?;
    one.answer(&id, ["--text", "ok"]).await?;
    assert_eq!(agent.outcome(call).await?["text"], "ok", "its next call starts one");
    let new = one.gate().context("a gate")?;
    assert_ne!(Some(new.pid()), gate.pid(), "another process");
    Ok(())
}

#[tokio::test]
async fn what_is_pending_survives_a_gentle_stop_with_its_caller_waiting() -> Result<()> {
    let home = Home::new()?;
    let mut gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "Over a stop"})).await?;
    let id = home.waiting("Over a stop").await?;
    home.run(["stop"]).await?.succeeded()?;
    gate.ended().await?;
    home.answer_when_running(&id).await?;
    let outcome = agent.outcome(call).await?;
    assert_eq!(outcome["text"], "after the restart", "the agent noticed nothing: {outcome}");
    assert_eq!(home.pending().await?, Vec::<Value>::new());
    Ok(())
}

trait AnswerWhenRunning {
    async fn answer_when_running(&self, id: &str) -> Result<()>;
}

impl AnswerWhenRunning for Home {
    async fn answer_when_running(&self, id: &str) -> Result<()> {
        let answered = || async {
            let ran = self.run(["answer", id, "--text", "after the restart"]).await?;
            Ok((ran.code == Some(0)).then_some(()))
        };
        eventually("an answer through the gate that the waiting relay started", LIMIT, answered).await
    }
}

/// Says something in the test's own output.
fn println_of_test(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{text}");
}
