//! SIGKILL at random instants, of the gate and of the client's side: nothing is lost, nothing is
//! doubled, no approval appears from nowhere, and a running agent notices nothing. At the default settings, but for a port
//! that a gate has again after a kill.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use gate_tests::{Agent, Home, LIMIT, Seed, SignedPage, at_a_random_instant, campaign, campaign_tells, eventually};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

const AGENTS: usize = 4;
/// Longest time between two kills of the gate.
const LIFE: Duration = Duration::from_millis(250);
/// Longest time from a call to the kill of its client, where the kill may come before the gate has stored it.
const CALL: Duration = Duration::from_millis(20);
/// How long one call may take over all kills that hit it.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the person decides on a request depends on its title alone, so that it can be checked after
/// any number of restarts: even numbers are approved, odd ones get changes requested.
pub(super) fn decision(title: &str) -> &'static str {
    let last = title.chars().last().and_then(|c| c.to_digit(10)).unwrap_or(1);
    if last.is_multiple_of(2) { "approved" } else { "changes_requested" }
}

/// Answers on the page whatever is pending until told to stop.
async fn person(home: Home, page: SignedPage, stop: Arc<AtomicBool>) -> Result<()> {
    let page = Mutex::new(page);
    let stopped = || stop.load(Ordering::Relaxed);
    while !stopped() {
        let look = || async {
            let answered = answer_all(&home, &mut *page.lock().await).await;
            Ok((stopped() || answered.is_ok_and(|answered| answered > 0)).then_some(()))
        };
        eventually("a request to answer", PATIENCE, look).await?;
    }
    Ok(())
}

/// Gives how many were pending. A command may die with the gate; the next look shows whether it was carried
/// out.
async fn answer_all(home: &Home, page: &mut SignedPage) -> Result<usize> {
    let snapshot = || json!({"command": "snapshot"});
    let snapshot = match page.command(snapshot()).await {
        Ok(Ok(snapshot)) => snapshot,
        // Another gate by now.
        _ => {
            page.renew(home).await?;
            page.does(snapshot()).await?
        }
    };
    let requests = snapshot["requests"].as_array().context("a list")?;
    for request in requests {
        let title = request["title"].as_str().context("a title")?;
        let id = request["request_id"].as_str().context("an id")?;
        page.answers(id, Some(decision(title)), json!({"text": format!("reply to {title}")})).await?;
    }
    Ok(requests.len())
}

/// Calls again and again until told to stop; gives the titles that were asked.
pub(super) async fn work(agent: Agent, number: usize, stop: Arc<AtomicBool>) -> Result<Vec<String>> {
    let mut titles = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let title = format!("agent {number} question {}", titles.len());
        let call = agent.call(json!({"message": title, "title": title, "approval": true})).await?;
        let response = agent.wait_for(call, PATIENCE).await?;
        let outcome = &response["result"]["structuredContent"];
        let got = (&outcome["status"], &outcome["text"], &outcome["decision"]);
        let wanted = (&json!("answered"), &json!(format!("reply to {title}")), &json!(decision(&title)));
        if got != wanted {
            bail!("{title:?} must get its own answer, but got {response}");
        }
        if agent.take(call).is_some() {
            bail!("{title:?} was answered twice");
        }
        titles.push(title);
    }
    Ok(titles)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_of_the_gate_lose_nothing_and_agents_notice_nothing() -> Result<()> {
    let mut seed = Seed::new();
    let port = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
    let home = Home::with_config(&format!("network:\n  port: {port}\n"))?;
    let (done, finished) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let mut workers = Vec::new();
    for number in 0..AGENTS {
        let agent = Agent::start(&home, &format!("agent-{number}")).await?;
        workers.push(tokio::spawn(work(agent, number, Arc::clone(&done))));
    }
    let page = SignedPage::sign_in(&home).await?;
    let person = tokio::spawn(person(home.clone(), page, Arc::clone(&finished)));
    let all = campaign(100, 12);
    campaign_tells(format!("{all} kills of the gate under {AGENTS} agents"));
    let titles = killed_while_they_work(&home, all, LIFE, &mut seed, workers, &done).await?;
    finished.store(true, Ordering::Relaxed);
    person.await??;

    assert!(titles.len() >= AGENTS, "each agent got through at least once ({seed})");
    every_call_has_its_own_answer(&home, &titles, &seed).await
}

/// Kills the gate so many times, each within `life` of its start, while these work, who are then told that they are done. What
/// they have asked.
pub(super) async fn killed_while_they_work(
    home: &Home,
    kills: usize,
    life: Duration,
    seed: &mut Seed,
    mut workers: Vec<JoinHandle<Result<Vec<String>>>>,
    done: &AtomicBool,
) -> Result<Vec<String>> {
    for _ in 0..kills {
        let running = || async { Ok(home.gate().filter(gate_tests::Process::is_alive)) };
        let gate = eventually("a gate that the agents have started", LIMIT, running).await?;
        at_a_random_instant(seed, life).await;
        gate.kill()?;
        if let Some(broken) = workers.iter().position(JoinHandle::is_finished) {
            let titles = workers.swap_remove(broken).await?.with_context(|| format!("{seed}"))?;
            bail!("an agent stopped early, after {} calls ({seed})", titles.len());
        }
    }
    done.store(true, Ordering::Relaxed);
    let mut titles = Vec::new();
    for worker in workers {
        titles.extend(worker.await?.with_context(|| format!("{seed}"))?);
    }
    Ok(titles)
}

/// One request for each of these titles, each with the reply that is its own.
pub(super) async fn every_call_has_its_own_answer(home: &Home, titles: &[String], seed: &Seed) -> Result<()> {
    let rows = home
        .rows(
            "SELECT q.title, q.status, r.decision, m.body FROM review_requests q
             LEFT JOIN replies r ON r.request_id = q.request_id
             LEFT JOIN messages m ON m.request_id = q.request_id AND m.role = 'person'",
        )
        .await?;
    assert_eq!(rows.len(), titles.len(), "one request for each call: none lost, none opened twice ({seed})");
    for row in &rows {
        let title = row["title"].as_str().unwrap_or_default();
        assert!(titles.iter().any(|asked| asked == title), "{title:?} was asked ({seed})");
        assert_eq!(row["status"], "answered", "{title:?} ({seed})");
        assert_eq!(row["decision"], decision(title), "no approval appears that nobody gave: {title:?} ({seed})");
        assert_eq!(row["body"], format!("reply to {title}"), "{title:?} has its own reply ({seed})");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_of_the_clients_side_leave_every_request_open_for_who_comes_back() -> Result<()> {
    let mut seed = Seed::new();
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let kills = campaign(30, 8);
    campaign_tells(format!("{kills} kills of a client"));
    for round in 0..kills {
        let title = format!("round {round}");
        let agent = Agent::start(&home, "claude-code").await?;
        let call = agent.call(json!({"message": title, "title": title, "approval": true})).await?;
        let stored = seed.below(2) == 0;
        if stored {
            home.waiting(&title).await?;
        } else {
            at_a_random_instant(&mut seed, CALL).await;
        }
        agent.kill().await?;
        assert_eq!(agent.take(call), None, "nobody has answered yet ({seed})");
        let query = format!("SELECT request_id, status FROM review_requests WHERE title = '{title}'");
        let rows = home.rows(&query).await?;
        assert!(!stored || rows.len() == 1, "what the person saw is kept ({seed})");
        let Some(row) = rows.first() else { continue };
        let id = row["request_id"].as_str().context("an id")?;
        assert_eq!(row["status"], "pending", "a client's death answers and withdraws nothing ({seed})");
        let before = seed.below(2) == 0;
        let text = format!("reply to {title}");
        if before {
            home.answer(id, ["--request-changes", "--text", &text]).await?;
        }
        let other = Agent::start(&home, "claude-code").await?;
        let again = other.call(json!({"message": title, "request_id": id})).await?;
        if !before {
            home.answer(id, ["--request-changes", "--text", &text]).await?;
        }
        let outcome = other.outcome(again).await?;
        assert_eq!((&outcome["text"], &outcome["decision"]), (&json!(text), &json!("changes_requested")), "{seed}");
    }
    let approved = home.rows("SELECT count(*) AS n FROM replies WHERE decision = 'approved'").await?;
    assert_eq!(approved[0]["n"], 0, "nobody approved anything ({seed})");
    Ok(())
}
