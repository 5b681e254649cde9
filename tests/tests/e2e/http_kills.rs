//! SIGKILLs of the gate while twenty calls wait, half of them over HTTP: each call is
//! answered, once, with its own reply.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use gate_tests::{
    Agent, Control, Home, Http, LIMIT, Process, Seed, at_a_random_instant, campaign, campaign_tells, eventually,
};
use serde_json::{Value, json};

const CALLS: usize = 20;
/// Longest time between two kills.
const LIFE: Duration = Duration::from_millis(60);
/// A relay that has heard no gate for 15 s says so to its client, as it should. On a slow machine, most of
/// these gates end before anyone has heard them; so that one is in time, some live a little longer.
const UNHEARD: Duration = Duration::from_secs(5);

/// How long one call may take over all kills; nextest's cap on a test is higher.
fn patience() -> Duration {
    Duration::from_secs(campaign(900, 150))
}

fn question(title: &str) -> Value {
    json!({"message": title, "title": title, "approval": true})
}

/// Calls over stdio, once: the relay does the rest. The agent lives on, so that its relay can confirm.
async fn over_stdio(home: Home, title: String) -> Result<(Value, Option<Agent>)> {
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(question(&title)).await?;
    let mut response = agent.wait_for(call, patience()).await?;
    if agent.take(call).is_some() {
        bail!("{title:?} was answered twice");
    }
    if response["result"]["structuredContent"].is_null() {
        bail!("{title:?} was refused: {response}");
    }
    Ok((response["result"]["structuredContent"].take(), Some(agent)))
}

/// Calls over HTTP, and issues the call again whenever it breaks off, as a client does that retries.
async fn over_http(home: Home, title: String) -> Result<(Value, Option<Agent>)> {
    let begin = || async {
        let Ok(mut http) = Http::of(&home) else { return Ok(None) };
        Ok(http.initialize("claude-code").await.is_ok().then_some(http))
    };
    let mut seed = Seed::new();
    let mut http = eventually("a session", patience(), begin).await?;
    let deadline = tokio::time::Instant::now() + patience();
    while tokio::time::Instant::now() < deadline {
        if let Ok(again) = http.again(&home) {
            http = again;
        }
        match http.chat(question(&title)).await {
            Ok(response) if response.status == 404 => bail!("the session is lost: {response:?}"),
            Ok(response) => {
                if let Ok(outcome) = response.outcome() {
                    return Ok((outcome, None));
                }
            }
            Err(_) => {}
        }
        at_a_random_instant(&mut seed, Duration::from_millis(20)).await;
    }
    bail!("{title:?} was not answered in {:?}", patience())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_calls_over_both_transports_outlive_every_kill() -> Result<()> {
    let mut seed = Seed::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let home = Home::with_scripts_and_env([("REVIEW_GATE__NETWORK__PORT", free.to_string())])?;
    let first = home.serve().await?;
    let mut calls = Vec::new();
    for number in 0..CALLS {
        let (home, title) = (home.clone(), format!("call {number}"));
        let call = if number % 2 == 0 {
            tokio::spawn(over_stdio(home, title.clone()))
        } else {
            tokio::spawn(over_http(home, title.clone()))
        };
        calls.push((title, call));
    }
    let all_wait = || async { Ok((home.pending().await?.len() == CALLS).then_some(())) };
    eventually("all calls wait", LIMIT, all_wait).await?;
    // The first connection may meet the gate that was killed last.
    let all_are_back = || async {
        let Ok(mut control) = Control::open(&home).await else { return Ok(None) };
        let Ok(Ok(snapshot)) = control.command(json!({"command": "snapshot"})).await else { return Ok(None) };
        let requests = snapshot["requests"].as_array().context("a snapshot has its requests")?;
        let back = requests.iter().filter(|request| request["caller_waiting"] == true).count();
        Ok((back == CALLS).then_some(()))
    };
    let mut heard = Instant::now();
    let kills = campaign(500, 30);
    campaign_tells(format!("{kills} kills under {CALLS} calls"));
    for kill in 0..kills {
        let running = || async { Ok(home.gate().filter(Process::is_alive)) };
        let gate = eventually("a gate that the relays have started", LIMIT, running).await?;
        at_a_random_instant(&mut seed, LIFE).await;
        if heard.elapsed() > UNHEARD {
            eventually("a gate that every call has come back to", LIMIT, all_are_back).await?;
            heard = Instant::now();
        }
        gate.kill()?;
        if let Some(ended) = calls.iter().position(|(_, call)| call.is_finished()) {
            let (title, call) = calls.swap_remove(ended);
            bail!("{title} ended early, after {kill} kills ({seed}): {:?}", call.await);
        }
    }
    drop(first);
    let look = || async { Ok(home.pending().await.ok()) };
    let pending = eventually("a gate that stays", LIMIT, look).await?;
    assert_eq!(pending.len(), CALLS, "as many questions as calls ({seed})");
    for request in &pending {
        let title = request["title"].as_str().context("a title")?;
        let id = request["request_id"].as_str().context("an id")?;
        home.answer(id, ["--approve", "--text", &format!("reply to {title}")]).await?;
    }
    let mut agents = Vec::new();
    for (title, call) in calls {
        let (outcome, agent) = call.await?.with_context(|| format!("{title} ({seed})"))?;
        let got = (&outcome["status"], &outcome["decision"], &outcome["text"]);
        let wanted = (&json!("answered"), &json!("approved"), &json!(format!("reply to {title}")));
        assert_eq!(got, wanted, "{title} gets its own answer ({seed})");
        agents.push(agent);
    }
    let asked = home.rows("SELECT count(*) AS n FROM review_requests").await?;
    assert_eq!(asked[0]["n"], CALLS, "nothing was asked twice ({seed})");
    let all_delivered = || async {
        let left = home.rows("SELECT 1 FROM replies WHERE delivered_at IS NULL").await?;
        Ok(left.is_empty().then_some(()))
    };
    eventually("every reply is noted as delivered", LIMIT, all_delivered).await
}
