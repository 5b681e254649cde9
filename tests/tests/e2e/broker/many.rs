//! Many at once, over both transports: always one winner, and whoever waits gets a review of its own.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use gate_tests::{Home, Peer, Seed, adds, campaign, campaign_tells};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::gate_of;

/// Reviewers, every second one over HTTP.
async fn reviewers(home: &Home, count: usize) -> Result<Vec<Arc<Peer>>> {
    let mut reviewers = Vec::new();
    for number in 0..count {
        let name = format!("reviewer-{number}");
        let reviewer = match number % 2 {
            0 => Peer::over_stdio(home, &name).await,
            _ => Peer::over_http(home, &name).await,
        };
        reviewers.push(Arc::new(reviewer.with_context(|| name)?));
    }
    Ok(reviewers)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_all_who_claim_a_review_at_once_one_has_it() -> Result<()> {
    let home = Home::with_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    let _gate = gate_of(&home).await?;
    let mut seed = Seed::new();
    let all = campaign(64, 12);
    campaign_tells(format!("{all} claimers"));
    let proposer = Peer::over_stdio(&home, "proposer").await?;
    let mut reviewers = reviewers(&home, all).await?;
    let counts = [2, 3, 4, 8, 16, 32, 64].into_iter().filter(|count| *count <= all).chain([all, all]);
    for (number, count) in counts.enumerate() {
        seed.shuffle(&mut reviewers);
        let submitted = proposer.proposes("Whose is it?", &adds(&format!("{number}.txt"))).await?;
        let review = &submitted["review_id"];
        // The second half names none, and is given the same one.
        let named = |index: usize| if index < count / 2 { json!({"review_id": review}) } else { json!({}) };
        let mut claims = JoinSet::new();
        for (index, reviewer) in reviewers.iter().take(count).enumerate() {
            let (reviewer, wanted) = (Arc::clone(reviewer), named(index));
            claims.spawn(async move { (reviewer.call("claim_review", wanted).await, reviewer) });
        }
        let mut winner = None;
        while let Some(claim) = claims.join_next().await {
            let (claim, reviewer) = claim?;
            match claim? {
                Ok(claim) if claim["claimed"] == true => {
                    assert!(winner.is_none(), "{count} claimers have one winner ({seed}): {claim}");
                    assert_eq!(&claim["review_id"], review, "{seed}");
                    winner = Some((reviewer, claim));
                }
                Ok(claim) => assert_eq!(claim["claimed"], false, "there is no other review ({seed}): {claim}"),
                Err(refused) => assert_eq!(refused.code, "already_claimed", "{seed}: {refused:?}"),
            }
        }
        let (winner, claim) = winner.with_context(|| format!("nobody of {count} has it ({seed})"))?;
        assert_eq!(proposer.events(review).await?, ["submitted", "claimed"], "it is claimed once ({seed})");
        let verdict = json!({"review_id": review, "decision": "approved", "claim_token": claim["claim_token"]});
        assert_eq!(winner.does("submit_verdict", verdict).await?["status"], "approved", "and is the winner's ({seed})");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_waits_for_a_review_gets_one_of_its_own() -> Result<()> {
    let home = Home::with_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    let _gate = gate_of(&home).await?;
    let all = campaign(64, 12);
    campaign_tells(format!("{all} waiting claims"));
    let proposer = Arc::new(Peer::over_stdio(&home, "proposer").await?);
    let mut waiting = JoinSet::new();
    for reviewer in reviewers(&home, all).await? {
        waiting.spawn(async move { reviewer.does("claim_review", json!({"wait": true})).await });
    }
    let mut proposed = HashSet::new();
    for number in 0..all {
        let submitted = proposer.proposes("Whose is it?", &adds(&format!("{number}.txt"))).await?;
        proposed.insert(submitted["review_id"].as_str().context("an id")?.to_owned());
    }
    let mut claimed = HashSet::new();
    while let Some(claim) = waiting.join_next().await {
        let claim: Value = claim??;
        assert_eq!(claim["claimed"], true, "there is one for each: {claim}");
        let review = claim["review_id"].as_str().context("an id")?.to_owned();
        assert!(claimed.insert(review), "nobody is given another's: {claim}");
    }
    assert_eq!(claimed, proposed, "and none is left over");
    Ok(())
}

#[tokio::test]
async fn a_proposer_who_would_wait_for_nobody_is_told_so_at_once() -> Result<()> {
    let home = Home::new()?;
    let _gate = gate_of(&home).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let proposal = json!({"intent": "Now?", "diff": adds("new.txt"), "wait": true});
    let submitted = proposer.does("submit_proposal", proposal).await?;
    assert_eq!(submitted["reviewers"], json!({"waiting": 0, "pool": []}));
    let next = submitted["next"].as_str().unwrap_or_default();
    assert!(next.contains("No reviewer waits"), "where nobody is there, it is told at once: {submitted}");
    Ok(())
}
