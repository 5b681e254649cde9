//! A thousand calls that wait over HTTP: what they weigh, and how soon each hears of what it waits for.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::pace::submit;
use super::scene::Scene;
use super::{SECTION, at_most};
use crate::options::Options;
use crate::process::{LIMIT, processor_seconds, pss_mb, until_calm};
use crate::report::Report;
use crate::stats::Times;
use crate::wire::Peer;

/// Calls that wait.
const WAITING: usize = 1000;
/// Milliseconds from what happens to the result of a call that waited for it.
const HEARD_MS: f64 = 50.0;
/// KiB of a waiting call in the gate.
const EACH_KIB: f64 = 48.0;
/// Percent of a core for all that wait while nothing happens.
const CORE_PERCENT: f64 = 1.0;

/// Which call has its result, since when.
type Heard = (usize, Instant);

pub(super) fn measure(options: &Options, scene: &Scene, report: &mut Report) -> Result<()> {
    let reviews = submit(scene, WAITING)?;
    let pid = scene.pid()?;
    until_calm(pid)?;
    let before = pss_mb(pid)?;
    let (tell, heard) = channel();
    for (number, review) in reviews.iter().enumerate() {
        wait_for(scene.proposer(number)?, number, review, &tell)?;
    }
    until_calm(pid)?;
    #[expect(clippy::cast_precision_loss, reason = "a thousand")]
    let each = (pss_mb(pid)? - before) * 1e6 / 1024.0 / WAITING as f64;
    at_most(report, "1,000 waiting calls, memory of each", each, "KiB", EACH_KIB);
    let (used, begin) = (processor_seconds(&[pid]), Instant::now());
    std::thread::park_timeout(Duration::from_secs(options.pick(10, 3).into()));
    let percent = (processor_seconds(&[pid]) - used) / begin.elapsed().as_secs_f64() * 100.0;
    at_most(report, "1,000 waiting calls, of a core", percent, "%", CORE_PERCENT);

    let mut reviewer = scene.reviewer(0)?;
    let mut times = Times::default();
    for (number, review) in reviews.iter().enumerate().take(usize::try_from(options.pick(300, 50))?) {
        let begin = Instant::now();
        reviewer.does("post_message", &json!({"review_id": review, "body": "Is that still so without a network?"}))?;
        let (_, at) = hear(&heard, Some(number))?;
        times.push(at.saturating_duration_since(begin));
    }
    report.figure(SECTION, "a call → the result of one of 1,000 that wait, p50", times.median(), "ms");
    at_most(report, "a call → the result of one of 1,000 that wait, p99", times.p99(), "ms", HEARD_MS);
    report.samples(SECTION, "a call → the result of one of 1,000 that wait", &times);
    all_at_once(scene, reviews.last().context("there are reviews")?, report)
}

/// All of them wait for the same review.
fn all_at_once(scene: &Scene, review: &Value, report: &mut Report) -> Result<()> {
    let (tell, heard) = channel();
    for number in 0..WAITING {
        wait_for(scene.proposer(number)?, number, review, &tell)?;
    }
    until_calm(scene.pid()?)?;
    let mut times = Times::default();
    let begin = Instant::now();
    scene.reviewer(0)?.does("post_message", &json!({"review_id": review, "body": "And now?"}))?;
    for _ in 0..WAITING {
        let (_, at) = hear(&heard, None)?;
        times.push(at.saturating_duration_since(begin));
    }
    report.figure(SECTION, "a call → the results of 1,000 that wait for the same, p50", times.median(), "ms");
    report.figure(SECTION, "a call → the results of 1,000 that wait for the same, p99", times.p99(), "ms");
    Ok(())
}

/// Waits for what happens next in a review, on a thread of its own.
fn wait_for(mut client: Peer, number: usize, review: &Value, tell: &Sender<Heard>) -> Result<()> {
    let now = client.does("get_review_status", &json!({"review_id": review}))?;
    let wait = json!({"review_id": review, "since": now["event"], "wait": true});
    client.send("get_review_status", &wait)?;
    let tell = tell.clone();
    std::thread::Builder::new().stack_size(64 * 1024).spawn(move || {
        // Those for which nothing happens end with the gate.
        if let Ok((result, _)) = client.receive()
            && result["structuredContent"]["changed"] == true
        {
            let _ = tell.send((number, Instant::now()));
        }
    })?;
    Ok(())
}

/// The next result, which is this one's where it has to be.
fn hear(heard: &Receiver<Heard>, wanted: Option<usize>) -> Result<Heard> {
    loop {
        let (number, at) = heard.recv_timeout(LIMIT).context("a waiting call heard nothing")?;
        if wanted.is_none_or(|wanted| wanted == number) {
            return Ok((number, at));
        }
    }
}
