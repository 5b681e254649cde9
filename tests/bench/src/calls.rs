//! What a running gate costs an agent: replies on their way back, a relay's start, calls that only
//! read.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::client::Client;
use crate::gate::{CHAT, Control, Desktop};
use crate::options::Options;
use crate::process::{pss_mb, until_idle};
use crate::report::{Goal, Report};
use crate::screen::Screen;
use crate::stats::Times;
use crate::wire::Target;

/// From the person's reply, as a front end sends it, to the result at the agent's client.
pub(crate) fn reply(options: &Options, screen: &Screen, report: &mut Report) -> Result<()> {
    let desktop = Desktop::start(&options.programs, screen)?;
    let (mut relay, mut control) = (desktop.relay()?, desktop.control()?);
    let (mut result, mut accepted) = (Times::default(), Times::default());
    for round in 0..=options.pick(200, 30) {
        let call = relay.call(CHAT, &json!({"message": format!("Round {round}: go ahead?")}))?;
        let request = control.the_pending_one()?;
        if round == 0 {
            // The window comes up for the first one, and stays.
            until_idle(desktop.pid())?;
        }
        let begin = Instant::now();
        let command = control.send_reply(&request)?;
        relay.result(call)?;
        let time = begin.elapsed();
        control.answer(command)?;
        if round > 0 {
            result.push(time);
            accepted.push(begin.elapsed());
        }
    }
    report.goal("reply", "to the client's result, median", result.median(), "ms", Goal::AtMost(5.0));
    report.figure("reply", "to the client's result, p95", result.p95(), "ms");
    report.samples("reply", "to the client's result", &result);
    Ok(())
}

/// From starting `review-gate mcp` to its answer to `initialize`, and what it weighs.
pub(crate) fn start(options: &Options, screen: &Screen, report: &mut Report) -> Result<()> {
    let desktop = Desktop::start(&options.programs, screen)?;
    let mut times = Times::default();
    for round in 0..=options.pick(100, 20) {
        let begin = Instant::now();
        let relay = desktop.relay()?;
        let time = begin.elapsed();
        drop(relay);
        if round > 0 {
            times.push(time);
        }
    }
    report.goal("start", "of review-gate mcp to initialize, median", times.median(), "ms", Goal::AtMost(10.0));
    report.figure("start", "of review-gate mcp to initialize, p95", times.p95(), "ms");
    report.samples("start", "of review-gate mcp to initialize", &times);

    let mut relay = desktop.relay()?;
    relay.call(CHAT, &json!({"message": "Go ahead?"}))?;
    desktop.control()?.pending(1)?;
    until_idle(relay.pid())?;
    report.goal("start", "memory of a relay whose call waits", pss_mb(relay.pid())?, "MB", Goal::AtMost(4.0));
    Ok(())
}

/// A request that was answered and delivered.
pub(crate) struct Answered {
    /// What reads it again.
    pub(crate) arguments: Value,
    /// A text as long as the one that reading it gives, for others to give back.
    pub(crate) as_long: String,
}

impl Answered {
    pub(crate) fn make(relay: &mut Client, control: &mut Control) -> Result<Self> {
        let call = relay.call(CHAT, &json!({"message": "Go ahead?"}))?;
        let request = control.the_pending_one()?;
        let command = control.send_reply(&request)?;
        control.answer(command)?;
        Self::of(&relay.result(call)?)
    }

    /// The same by a client over HTTP: a relay's requests aren't told to it.
    pub(crate) fn over_http(question: &Target, control: &mut Control) -> Result<Self> {
        let result = std::thread::scope(|scope| {
            let asked = scope.spawn(|| question.once());
            let request = control.the_pending_one()?;
            let command = control.send_reply(&request)?;
            control.answer(command)?;
            asked.join().ok().context("whoever asks panicked")?
        })?;
        Self::of(&result)
    }

    fn of(result: &Value) -> Result<Self> {
        let request = result["structuredContent"]["request_id"].as_str().context("a result names its request")?;
        let length = result["content"][0]["text"].as_str().map_or(0, str::len);
        Ok(Self { arguments: json!({"request_id": request}), as_long: "x".repeat(length) })
    }
}

/// A call through relay and gate that only reads, against a server that does nothing.
pub(crate) fn read(options: &Options, screen: &Screen, report: &mut Report) -> Result<()> {
    let desktop = Desktop::start(&options.programs, screen)?;
    let (mut relay, mut control) = (desktop.relay()?, desktop.control()?);
    let mut echo = Client::start(Command::new(&options.echo))?;

    let answered = Answered::make(&mut relay, &mut control)?;
    let read = json!({"name": CHAT, "arguments": answered.arguments});
    let said = json!({"name": "echo", "arguments": {"text": answered.as_long}});
    until_idle(desktop.pid())?;

    let kinds: [(&str, &str, &Value, &Value); 2] =
        [("answered request", "tools/call", &read, &said), ("list of tools", "tools/list", &Value::Null, &Value::Null)];
    for (name, method, ours, theirs) in kinds {
        let [ours, theirs] = [ours, theirs].map(|params| if params.is_null() { json!({}) } else { params.clone() });
        for in_flight in [1, 8] {
            // In turns, so that both have the same share of what else the machine does.
            let (mut our_rates, mut their_rates) = (Times::default(), Times::default());
            let time = Duration::from_millis(options.pick(400, 150).into());
            for round in 0..=options.pick(8, 3) {
                let (our, their) =
                    (relay.load(method, &ours, in_flight, time)?, echo.load(method, &theirs, in_flight, time)?);
                if round > 0 {
                    our_rates.0.push(our.rate);
                    their_rates.0.push(their.rate);
                }
            }
            let (our, their) = (our_rates.median(), their_rates.median());
            let name = format!("{name}, {in_flight} in flight");
            report.figure("read", &name, our, "/s");
            report.figure("read", format!("{name}, bare rmcp server"), their, "/s");
            report.goal("read", format!("{name}, ratio"), our / their, "", Goal::AtLeast(0.5));
        }
    }
    Ok(())
}
