//! How many reviews are submitted and claimed a second.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::scene::{Scene, proposal, proposal_of_files};
use super::{CLIENTS, SECTION, at_least, at_most};
use crate::options::Options;
use crate::report::Report;
use crate::stats::Times;
use crate::wire::Peer;

/// What gsd-review-broker 0.1.0 did a second on such a machine, with one client and with 32.
const GSD: (f64, f64) = (229.0, 128.0);
/// Reviews that are claimed.
const REVIEWS: usize = 1000;
/// Milliseconds that a claim may take that somebody else has got meanwhile.
const LOST_MS: f64 = 50.0;

/// A client, and what it does again and again.
type Work<'a> = dyn Fn(usize, &mut Peer) -> Result<Times> + Sync + 'a;

/// Lets clients work at once. Gives what all of them took, and how long it was from the first to the last.
fn together(clients: Vec<Peer>, work: &Work<'_>) -> Result<(Times, Duration)> {
    let barrier = Barrier::new(clients.len());
    let begin = std::sync::Mutex::new(None);
    let times: Result<Vec<Times>> = std::thread::scope(|scope| {
        let barrier = &barrier;
        let begin = &begin;
        let threads: Vec<_> = clients
            .into_iter()
            .enumerate()
            .map(|(number, mut client)| {
                scope.spawn(move || {
                    barrier.wait();
                    if let Ok(mut begin) = begin.lock() {
                        begin.get_or_insert_with(Instant::now);
                    }
                    work(number, &mut client)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().ok().context("a client panicked")?).collect()
    });
    let times = Times(times?.into_iter().flat_map(|times| times.0).collect());
    let begin = begin.into_inner().ok().flatten().context("they began")?;
    Ok((times, begin.elapsed()))
}

/// Calls one after the other.
fn submits(
    client: &mut Peer,
    number: usize,
    each: usize,
    from: usize,
    one: fn(usize, usize) -> Value,
) -> Result<Times> {
    let mut times = Times::default();
    for at in from..from + each {
        let begin = Instant::now();
        client.does("submit_proposal", &one(number, at))?;
        times.push(begin.elapsed());
    }
    Ok(times)
}

pub(super) fn submitting(options: &Options, scene: &Scene, report: &mut Report) -> Result<()> {
    let each = usize::try_from(options.pick(100, 20))?;
    let clients = |count: usize| (0..count).map(|number| scene.proposer(number)).collect::<Result<Vec<_>>>();
    // Before anything counts.
    submits(&mut scene.proposer(0)?, 0, 20, 0, proposal)?;
    let mut from = 1000;
    let mut measure =
        |name: &str, count: usize, each: usize, one: fn(usize, usize) -> Value, bound: f64| -> Result<()> {
            from += 1000;
            let work = |number: usize, client: &mut Peer| submits(client, number, each, from, one);
            let (times, took) = together(clients(count)?, &work)?;
            at_least(report, &format!("submitting, {name}"), times.per_second(took), "/s", bound);
            report.figure(SECTION, format!("submitting, {name}, p50"), times.median(), "ms");
            report.figure(SECTION, format!("submitting, {name}, p99"), times.p99(), "ms");
            report.samples(SECTION, format!("submitting, {name}"), &times);
            Ok(())
        };
    measure("1 client", 1, 3 * each, proposal, 1.5 * GSD.0)?;
    measure("32 clients", CLIENTS, each, proposal, 10.0 * GSD.1)?;
    measure("1 client, with a diff of 3 files", 1, each, proposal_of_files, GSD.0)?;
    measure("32 clients, with a diff of 3 files", CLIENTS, each / 4, proposal_of_files, 3.0 * GSD.1)
}

/// Each client claims what comes next and approves it, until there is nothing more.
pub(super) fn claiming(options: &Options, scene: &Scene, report: &mut Report) -> Result<()> {
    let reviews = if options.quick { REVIEWS / 5 } else { REVIEWS };
    submit(scene, reviews)?;
    let work = |_: usize, client: &mut Peer| {
        let mut times = Times::default();
        loop {
            let begin = Instant::now();
            let claimed = client.does("claim_review", &json!({}))?;
            let Some(token) = claimed["claim_token"].as_u64() else { return Ok(times) };
            times.push(begin.elapsed());
            let verdict = json!({"review_id": claimed["review_id"], "decision": "approved", "claim_token": token});
            client.does("submit_verdict", &verdict)?;
        }
    };
    let reviewers = (0..CLIENTS).map(|number| scene.reviewer(number)).collect::<Result<Vec<_>>>()?;
    let (times, took) = together(reviewers, &work)?;
    if times.0.len() != reviews {
        bail!("{} reviews were claimed, and there were {reviews}", times.0.len());
    }
    report.figure(SECTION, "32 clients claim and approve what comes next", times.per_second(took), "/s");
    report.figure(SECTION, "a claim of what comes next, p99", times.p99(), "ms");
    Ok(())
}

/// All clients claim the same review at once, again and again.
pub(super) fn racing(options: &Options, scene: &Scene, report: &mut Report) -> Result<()> {
    let rounds = usize::try_from(options.pick(200, 40))?;
    let reviews = submit(scene, rounds)?;
    let barrier = Barrier::new(CLIENTS);
    let won = std::sync::atomic::AtomicUsize::new(0);
    let work = |_: usize, client: &mut Peer| {
        let mut times = Times::default();
        for review in &reviews {
            barrier.wait();
            let begin = Instant::now();
            client.send("claim_review", &json!({"review_id": review}))?;
            let (result, _) = client.receive()?;
            let took = begin.elapsed();
            match result["isError"] == true {
                true => times.push(took),
                false => {
                    won.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let token = &result["structuredContent"]["claim_token"];
                    client.does(
                        "submit_verdict",
                        &json!({"review_id": review, "decision": "approved", "claim_token": token}),
                    )?;
                }
            }
        }
        Ok(times)
    };
    let reviewers = (0..CLIENTS).map(|number| scene.reviewer(number)).collect::<Result<Vec<_>>>()?;
    let (lost, took) = together(reviewers, &work)?;
    let won = won.into_inner();
    if won != rounds {
        bail!("{won} clients have won {rounds} reviews");
    }
    let calls = Times(vec![0.0; rounds * CLIENTS]);
    report.figure(SECTION, "32 clients claim the same review, claims", calls.per_second(took), "/s");
    report.figure(SECTION, "the same, those that lost, p50", lost.median(), "ms");
    at_most(report, "the same, those that lost, p99", lost.p99(), "ms", LOST_MS);
    report.samples(SECTION, "claims that lost", &lost);
    Ok(())
}

/// Submits so many, by as many clients as it takes.
pub(super) fn submit(scene: &Scene, count: usize) -> Result<Vec<Value>> {
    let mut reviews = Vec::with_capacity(count);
    let mut clients = (0..CLIENTS).map(|number| scene.proposer(number)).collect::<Result<Vec<_>>>()?;
    let mut at = 0;
    while reviews.len() < count {
        for (number, client) in clients.iter_mut().enumerate().take(count - reviews.len()) {
            let mut one = proposal(number, at);
            one["intent"] = format!("{} of {count}", one["intent"]).into();
            reviews.push(client.does("submit_proposal", &one)?["review_id"].take());
        }
        at += 1;
    }
    Ok(reviews)
}
