//! SIGKILL of the gate while agents carry reviews through all that there is: no act is lost, doubled or halved, and each
//! call has its first result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use gate_tests::{
    Home, LIMIT, NOTES, Peer, Process, Seed, SignedPage, adds, at_a_random_instant, campaign, campaign_tells, commit,
    eventually, makes_it,
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// Pairs of a proposer and a reviewer.
const PAIRS: usize = 3;
/// Longest time between two kills of the gate.
const LIFE: Duration = Duration::from_millis(400);

/// What happens in one review of these, from its beginning to its end.
const HAPPENS: [&str; 10] =
    ["submitted", "claimed", "message", "message", "patch", "round", "message", "verdict", "round", "closed"];

/// What these leave, each kind of it once where all reviews have left the same.
const LEAVES: &str = "SELECT DISTINCT
    (SELECT count(*) FROM rounds r WHERE r.review_id = p.review_id) AS rounds,
    (SELECT count(*) FROM verdicts v WHERE v.review_id = p.review_id) AS verdicts,
    (SELECT count(*) FROM counter_patches c WHERE c.review_id = p.review_id AND c.status = 'accepted') AS patches,
    (SELECT count(*) FROM threads t WHERE t.review_id = p.review_id) AS threads,
    (SELECT count(*) FROM thread_messages m WHERE m.review_id = p.review_id) AS messages,
    (SELECT count(*) FROM claims c WHERE c.review_id = p.review_id) AS claims,
    (SELECT count(*) FROM claims c WHERE c.review_id = p.review_id AND c.ended_at IS NULL) AS held
    FROM proposals p";

/// Carries reviews through, one after the other, until told to stop; gives them.
async fn carries(number: usize, proposer: Arc<Peer>, reviewer: Arc<Peer>, stop: Arc<AtomicBool>) -> Result<Vec<Value>> {
    let mut carried = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let intent = format!("pair {number}, review {}", carried.len());
        let review = carry(&intent, &proposer, &reviewer).await.with_context(|| intent.clone())?;
        carried.push(json!({"review_id": review, "intent": intent}));
    }
    Ok(carried)
}

async fn carry(intent: &str, proposer: &Peer, reviewer: &Peer) -> Result<Value> {
    let submitted = proposer.proposes(intent, &makes_it("zwei")).await?;
    let review = &submitted["review_id"];
    ensure!(submitted["status"] == "created" && submitted["round"] == 1, "{submitted}");
    let claim = reviewer.does("claim_review", json!({"review_id": review})).await?;
    ensure!(claim["status"] == "claimed" && claim["claim_token"] == 1, "the first claim, once: {claim}");
    let on_a_line = json!({"review_id": review, "file": NOTES.0, "line": 2, "body": "Why?"});
    let said = reviewer.does("post_message", on_a_line).await?;
    let answer = json!({"review_id": review, "thread_id": said["thread_id"], "body": "Why not?"});
    proposer.does("post_message", answer).await?;
    let patch = json!({"review_id": review, "diff": makes_it("deux"), "claim_token": 1});
    let offered = reviewer.does("submit_patch", patch).await?;
    let accepts = json!({"review_id": review, "patch_id": offered["patch_id"]});
    let accepted = proposer.does("accept_counter_patch", accepts).await?;
    ensure!(accepted["round"] == 2 && accepted["status"] == "claimed", "{accepted}");
    reviewer.does("post_message", json!({"review_id": review, "body": "Thank you."})).await?;
    reviewer.does("claim_review", json!({"review_id": review})).await?;
    let verdict =
        json!({"review_id": review, "decision": "rejected", "reason": "Spanish.", "claim_token": 1, "round": 2});
    let rejected = reviewer.does("submit_verdict", verdict).await?;
    ensure!(rejected["status"] == "rejected", "{rejected}");
    let round = json!({"intent": intent, "diff": makes_it("dos"), "review_id": review});
    let third = proposer.does("submit_proposal", round).await?;
    ensure!(third["round"] == 3 && third["status"] == "created" && third["unchanged"] == false, "{third}");
    let closed = proposer.does("close_review", json!({"review_id": review})).await?;
    ensure!(closed["outcome"] == "withdrawn" && closed["event"] == HAPPENS.len(), "{closed}");
    Ok(review.clone())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_of_the_gate_lose_double_and_halve_no_act() -> Result<()> {
    let mut seed = Seed::new();
    let home = Home::new()?;
    commit(&home.workspace(), &[NOTES]).await?;
    let done = Arc::new(AtomicBool::new(false));
    let (mut working, mut peers) = (Vec::new(), Vec::new());
    for number in 0..PAIRS {
        let proposer = Arc::new(Peer::over_stdio(&home, &format!("proposer-{number}")).await?);
        let reviewer = Arc::new(Peer::over_stdio(&home, &format!("reviewer-{number}")).await?);
        peers.push(Arc::clone(&reviewer));
        working.push(tokio::spawn(carries(number, proposer, reviewer, Arc::clone(&done))));
    }
    let kills = campaign(1000, 20);
    campaign_tells(format!("{kills} kills of the gate under {PAIRS} pairs of a proposer and a reviewer"));
    let carried = killed(&home, kills, &mut seed, working, &done).await.with_context(|| format!("{seed}"))?;

    assert!(carried.len() >= PAIRS, "each pair got through at least once ({seed})");
    let stored = home.rows("SELECT review_id, intent, event FROM proposals ORDER BY created_at").await?;
    assert_eq!(stored.len(), carried.len(), "each proposal is one review ({seed}): {stored:?}");
    for review in &carried {
        let events = peers[0].events(&review["review_id"]).await?;
        assert_eq!(events, HAPPENS, "each act once, in its order, without a gap ({seed}): {review}");
        let said = peers[0].does("get_messages", json!({"review_id": review["review_id"]})).await?;
        let said: Vec<_> = said["messages"].as_array().context("a list")?.iter().map(|said| &said["body"]).collect();
        assert_eq!(said, ["Why?", "Why not?", "Thank you."], "{seed}: {review}");
    }
    let rows = home.rows(LEAVES).await?;
    let whole =
        [json!({"rounds": 3, "verdicts": 1, "patches": 1, "threads": 1, "messages": 3, "claims": 1, "held": 0})];
    assert_eq!(rows, whole, "what each act leaves is there with it, in every review ({seed})");
    let approved = home.rows("SELECT count(*) AS n FROM proposals WHERE state LIKE '%\"approved_by\":\"%'").await?;
    assert_eq!(approved[0]["n"], 0, "nobody approved anything ({seed})");
    let left = || async {
        let left = home.rows("SELECT count(*) AS n FROM broker_calls").await?;
        Ok((left[0]["n"] == 0).then_some(()))
    };
    eventually("no call that is remembered though its result has arrived", LIMIT, left).await
}

/// Kills the gate so many times while these work, who are then told that they are done; what they have carried through.
async fn killed(
    home: &Home,
    kills: usize,
    seed: &mut Seed,
    mut working: Vec<JoinHandle<Result<Vec<Value>>>>,
    done: &AtomicBool,
) -> Result<Vec<Value>> {
    for _ in 0..kills {
        let running = || async { Ok(home.gate().filter(Process::is_alive)) };
        let gate = eventually("a gate that the agents have started", LIMIT, running).await?;
        at_a_random_instant(seed, LIFE).await;
        gate.kill()?;
        if let Some(broken) = working.iter().position(JoinHandle::is_finished) {
            let carried = working.swap_remove(broken).await??;
            bail!("a pair stopped early, after {} reviews", carried.len());
        }
    }
    done.store(true, Ordering::Relaxed);
    let mut carried = Vec::new();
    for pair in working {
        carried.extend(pair.await??);
    }
    Ok(carried)
}

/// What the person does, and what agents do meanwhile.
const OF_PERSON: [&str; 5] = ["approves", "rejects", "undoes", "takes", "puts aside"];
const OF_AGENTS: [&str; 4] = ["submit_proposal", "accept_counter_patch", "close_review", "post_message"];

/// Does what the person does. It may not get through: nothing is said of that.
async fn of_person(page: &SignedPage, does: &str, id: &str, review: &Value) {
    let command = |command: Value| async { drop(page.command(command).await) };
    match does {
        "approves" => drop(page.reply(id, "").await),
        "rejects" => drop(page.replies(id, "changes_requested", "").await),
        "undoes" => command(json!({"command": "undo_reply", "request_id": id})).await,
        "takes" => command(json!({"command": "take_review", "review_id": review})).await,
        _ => command(json!({"command": "dismiss", "request_id": id})).await,
    }
}

/// Whoever's turn it is goes on with a review until it is over. `decided` says whether the person may have approved it.
async fn goes_on(
    home: &Home,
    proposer: &Peer,
    fresh: &Peer,
    (review, id): (&Value, &str),
    decided: bool,
) -> Result<()> {
    let asked = AtomicBool::new(decided);
    let look = || async {
        let seen = proposer.status(review).await?;
        let by_person = seen["approved_by"] == "person";
        ensure!(!by_person || asked.load(Ordering::Relaxed), "nobody has approved it: {seen}");
        match seen["turn"].as_str() {
            Some("nobody") => return Ok(Some(())),
            Some("proposer") => drop(proposer.call("close_review", json!({"review_id": review})).await?),
            Some("reviewer") => drop(fresh.judges(review, "approved", "").await),
            Some("person") => {
                asked.store(true, Ordering::Relaxed);
                let page = SignedPage::sign_in(home).await?;
                match page.command(json!({"command": "take_review", "review_id": review})).await? {
                    Ok(taken) => drop(page.approves(taken["request_id"].as_str().unwrap_or_default(), "").await),
                    // It is decided, and held.
                    Err(_) => drop(page.command(json!({"command": "send_now", "request_id": id})).await?),
                }
            }
            _ => bail!("it is nobody's turn, and it isn't over: {seen}"),
        }
        Ok(None)
    };
    eventually("an end", LIMIT, look).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_while_the_person_and_agents_act_leave_a_turn_and_a_way_on() -> Result<()> {
    let mut seed = Seed::new();
    let home = Home::new()?;
    commit(&home.workspace(), &[NOTES]).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let reviewer = Peer::over_stdio(&home, "codex").await?;
    let fresh = Peer::over_stdio(&home, "gemini-cli").await?;
    let kills = campaign(200, 6);
    campaign_tells(format!("{kills} kills of the gate while the person and agents act on one review"));
    for number in 0..kills {
        let (person, agents) = (OF_PERSON[seed.index(OF_PERSON.len())], OF_AGENTS[seed.index(OF_AGENTS.len())]);
        let what = format!("race {number}: the person {person}, agents {agents}");
        let submitted = proposer.proposes(&what, &adds(&format!("{number}.txt"))).await?;
        let review = &submitted["review_id"];
        let claim = reviewer.does("claim_review", json!({"review_id": review})).await?;
        let patch = json!({"review_id": review, "diff": adds(&format!("{number}-mine.txt")), "approves": true});
        reviewer.does("submit_patch", patch).await?;
        let escalates = json!({
            "review_id": review, "decision": "escalate", "reason": "You?", "claim_token": claim["claim_token"],
        });
        reviewer.does("submit_verdict", escalates).await?;
        let id = home.waiting(&what).await?;
        let page = SignedPage::sign_in(&home).await?;
        if person == "undoes" {
            page.reply(&id, "").await?;
        }
        let gate = home.gate_runs().await?;
        let does =
            json!({"review_id": review, "intent": what, "diff": adds(&format!("{number}-next.txt")), "body": "?"});
        let (_, done, killed) =
            tokio::join!(of_person(&page, person, &id, review), proposer.call(agents, does), async {
                at_a_random_instant(&mut seed, DECIDING).await;
                gate.kill()
            });
        killed?;
        done.with_context(|| format!("{seed}: {what}"))?.ok();
        let may_be_approved = matches!(person, "approves" | "undoes");
        let ended = goes_on(&home, &proposer, &fresh, (review, &id), may_be_approved).await;
        ended.with_context(|| format!("{seed}: {what}"))?;
        // Numbered without a gap, or this fails.
        reviewer.events(review).await.with_context(|| format!("{seed}: {what}"))?;
    }
    let none = || async { Ok(home.pending().await?.is_empty().then_some(())) };
    eventually("nothing is asked of what is over", LIMIT, none).await
}

/// Longest time from a decision to the kill of the gate.
const DECIDING: Duration = Duration::from_millis(150);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_while_the_person_decides_leave_it_decided_once_or_theirs() -> Result<()> {
    let mut seed = Seed::new();
    let home = Home::new()?;
    commit(&home.workspace(), &[NOTES]).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let reviewer = Peer::over_stdio(&home, "codex").await?;
    let kills = campaign(200, 6);
    campaign_tells(format!("{kills} kills of the gate while the person decides"));
    for number in 0..kills {
        let intent = format!("decision {number}");
        let submitted = proposer.proposes(&intent, &adds(&format!("{number}.txt"))).await?;
        let review = &submitted["review_id"];
        reviewer.judges(review, "escalate", "You?").await?;
        let id = home.waiting(&intent).await?;
        let (decision, status) = match seed.below(2) {
            0 => ("approved", "approved"),
            _ => ("changes_requested", "rejected"),
        };
        let draft = || json!({"text": intent});
        let page = SignedPage::sign_in(&home).await?;
        let gate = home.gate_runs().await?;
        let (_, killed) = tokio::join!(page.answers(&id, Some(decision), draft()), async {
            at_a_random_instant(&mut seed, DECIDING).await;
            gate.kill()
        });
        killed?;
        let decided = || async {
            let seen = proposer.status(review).await?;
            ensure!(seen["approved_by"] != "agent", "{seen}");
            if seen["status"] == status {
                return Ok(Some(()));
            }
            // It waits for them, or is held: they send it now.
            let page = SignedPage::sign_in(&home).await?;
            let _ = match home.pending().await?.iter().any(|request| request["request_id"] == *id) {
                true => page.answers(&id, Some(decision), draft()).await,
                false => page.command(json!({"command": "send_now", "request_id": id})).await.map(drop),
            };
            Ok(None)
        };
        eventually(&format!("a decision ({seed})"), LIMIT, decided).await?;
        super::person::is_decided_once(&reviewer, review, &intent).await.with_context(|| format!("{seed}"))?;
    }
    Ok(())
}
