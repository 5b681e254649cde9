//! How long the gate takes to start on a record: after a gentle stop, and after a kill in the midst of
//! its work.

use anyhow::{Context as _, Result};
use serde_json::json;

use super::home::Copied;
use super::{SECTION, Teller, named};
use crate::options::Options;
use crate::served::Served;
use crate::stats::Times;

/// Milliseconds that a start may take.
const START_MS: f64 = 500.0;
/// Starts after a kill.
const KILLS: usize = 5;
/// Reports that are written before each kill, so that SQLite's log isn't folded in.
const WRITTEN: usize = 50;

pub(super) fn measure(options: &Options, copied: &Copied, tell: &mut Teller<'_>) -> Result<()> {
    let mut starts = Times::default();
    for _ in 0..options.pick(10, 3) {
        let (served, time) = Served::start(&options.programs, copied.path())?;
        starts.push(time);
        served.stop()?;
    }
    figures("start", &starts, tell);

    let mut starts = Times::default();
    let (mut served, _) = Served::start(&options.programs, copied.path())?;
    for round in 0..KILLS {
        write(copied, &served, round)?;
        served.kill()?;
        let (again, time) = Served::start(&options.programs, copied.path()).context("after a kill")?;
        starts.push(time);
        served = again;
    }
    figures("start after SIGKILL", &starts, tell);
    served.stop()
}

fn figures(name: &str, starts: &Times, tell: &mut Teller<'_>) {
    let worst = starts.0.iter().copied().fold(0.0, f64::max);
    tell.figure(&format!("{name}, median"), starts.median(), "ms", Some(START_MS));
    tell.figure(&format!("{name}, worst"), worst, "ms", Some(START_MS));
    tell.report.samples(SECTION, format!("{}: {name}", named(tell.size)), starts);
}

/// Writes through a relay of its own, which is gone before the gate is killed: it would start another.
fn write(copied: &Copied, served: &Served, round: usize) -> Result<()> {
    let mut relay = served.relay()?;
    for (number, session) in (0..WRITTEN).zip(copied.note.some.iter().cycle()) {
        let message = format!("before kill {round}: {number}");
        let call =
            relay.call("review_gate_update_progress", &json!({"session_uuid": session, "status_message": message}))?;
        relay.result(call)?;
    }
    Ok(())
}
