//! What the app uses of the processor while nothing happens: its window hidden, an agent connected.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use crate::gate::Desktop;
use crate::options::Options;
use crate::process::{processor_seconds, tree, until_idle};
use crate::report::{Goal, Report};
use crate::screen::Screen;

const SECTION: &str = "idle";
/// For how many seconds is looked.
const SECONDS: (u32, u32) = (60, 20);
const GOAL_PERCENT: f64 = 0.5;

pub(crate) fn run(options: &Options, screen: &Screen, report: &mut Report) -> Result<()> {
    let desktop = Desktop::start(&options.programs, screen)?;
    let mut relay = desktop.relay()?;
    let progress = json!({"progress_percent": 40, "status_message": "Running tests"});
    let reported = relay.call("review_gate_update_progress", &progress)?;
    relay.result(reported)?;
    until_idle(desktop.pid())?;

    let app = tree(desktop.pid());
    let (begin, before) = (Instant::now(), processor_seconds(&app));
    let time = Duration::from_secs(options.pick(SECONDS.0, SECONDS.1).into());
    while let Some(left) = time.checked_sub(begin.elapsed()) {
        std::thread::park_timeout(left);
    }
    let used = (processor_seconds(&app) - before) / begin.elapsed().as_secs_f64() * 100.0;
    report.goal(SECTION, "hidden, an agent connected", used, "% of a core", Goal::AtMost(GOAL_PERCENT));
    Ok(())
}
