//! Five agents at once, twenty requests each, answered in random order from terminals and over the
//! control connection: every reply reaches its own caller, none is lost or doubled.

use std::time::Duration;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, LIMIT, Seed, at_a_random_instant, eventually};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const AGENTS: usize = 5;
const REQUESTS: usize = 20;

/// Asks all of an agent's questions, at random instants, and waits for all of the answers.
async fn ask(home: &Home, name: &str, mut seed: Seed) -> Result<Vec<(String, Value)>> {
    let agent = Agent::start_apart(home, name).await?;
    let mut calls = Vec::new();
    for number in 0..REQUESTS {
        at_a_random_instant(&mut seed, Duration::from_millis(50)).await;
        let title = format!("{name} #{number}");
        let arguments =
            json!({"message": format!("Question {number} of {name}"), "title": title, "options": ["x", "y"]});
        calls.push((title, agent.call(arguments).await?));
    }
    let mut outcomes = Vec::new();
    for (title, call) in calls {
        outcomes.push((title, agent.outcome(call).await?));
    }
    // A relay that is killed could not confirm the last delivery any more.
    agent.close().await?;
    Ok(outcomes)
}

/// Answers a random one of the pending requests at a time until all have been answered.
async fn answer(home: &Home, mut seed: Seed) -> Result<()> {
    let mut control = Control::open(home).await?;
    let mut left = AGENTS * REQUESTS;
    while left > 0 {
        let look = || async {
            let pending = home.pending().await?;
            Ok((!pending.is_empty()).then_some(pending))
        };
        let mut pending = eventually("a request to answer", LIMIT, look).await?;
        seed.shuffle(&mut pending);
        pending.truncate(1 + seed.index(8));
        for request in pending {
            let id = request["request_id"].as_str().context("a request has an id")?;
            let text = format!("to {}", request["title"].as_str().unwrap_or_default());
            if seed.below(2) == 0 {
                home.answer(id, ["--text", &text, "--choose", "y"]).await?;
            } else {
                let draft = json!({"text": text, "selected": ["y"], "comments": [], "attachments": []});
                let sent = control.reply(id, None, draft).await?;
                assert!(sent.is_ok(), "a pending request takes one answer: {sent:?}");
            }
            left -= 1;
        }
    }
    Ok(())
}

async fn all(home: &Home, seed: &mut Seed) -> Result<()> {
    let mut agents = JoinSet::new();
    for number in 0..AGENTS {
        let (home, seed) = (home.clone(), seed.fork());
        agents.spawn(async move { ask(&home, &format!("agent-{number}"), seed).await });
    }
    answer(home, seed.fork()).await?;
    while let Some(outcomes) = agents.join_next().await {
        for (title, outcome) in outcomes?? {
            assert_eq!(outcome["text"], format!("to {title}"), "every reply reaches its own caller");
            assert_eq!(outcome["selected"], json!(["y"]), "with everything that belongs to it");
        }
    }
    Ok(())
}

#[tokio::test]
async fn replies_to_many_agents_never_cross() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let mut seed = Seed::new();
    println!("repeat with {seed}");
    all(&home, &mut seed).await.with_context(|| format!("repeat with {seed}"))?;

    let delivered = || async {
        let query = "SELECT count(*) AS requests, count(delivered_at) AS delivered,
                            (SELECT count(*) FROM review_requests WHERE status = 'answered') AS answered
                     FROM replies";
        let rows = home.rows(query).await?;
        let all = AGENTS * REQUESTS;
        Ok((rows == [json!({"requests": all, "delivered": all, "answered": all})]).then_some(()))
    };
    eventually("a record of one delivered reply for each request", LIMIT, delivered).await?;
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "nothing is left over");
    Ok(())
}
