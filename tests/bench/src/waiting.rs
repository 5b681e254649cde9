//! What twenty calls that wait at once weigh, with everything that runs for them.

use anyhow::Result;
use serde_json::json;

use crate::gate::{CHAT, Desktop};
use crate::options::Options;
use crate::process::{name, pss_mb, tree, until_idle};
use crate::report::{Goal, Report};
use crate::screen::Screen;

const SECTION: &str = "waiting";
const CALLS: usize = 20;

pub(crate) fn run(options: &Options, screen: &Screen, report: &mut Report) -> Result<()> {
    let desktop = Desktop::start(&options.programs, screen)?;
    report.figure(SECTION, "nothing waits", sum(&tree(desktop.pid()))?, "MB");

    let mut relays = Vec::new();
    for round in 0..CALLS {
        let mut relay = desktop.relay()?;
        let message = format!("Agent {round} asks: **go ahead**?\n\n- rename `charge()`\n- keep the alias\n");
        relay.call(CHAT, &json!({"title": format!("Question of agent {round}"), "message": message}))?;
        relays.push(relay);
    }
    desktop.control()?.pending(CALLS)?;
    until_idle(desktop.pid())?;

    let app = tree(desktop.pid());
    let relays: Vec<u32> = relays.iter().map(crate::client::Client::pid).collect();
    for pid in &app {
        report.figure(SECTION, format!("{CALLS} calls, {}", name(*pid)), pss_mb(*pid)?, "MB");
    }
    report.figure(SECTION, format!("{CALLS} calls, all relays"), sum(&relays)?, "MB");
    let all = sum(&app)? + sum(&relays)?;
    report.goal(SECTION, format!("{CALLS} calls, everything"), all, "MB", Goal::AtMost(250.0));
    Ok(())
}

fn sum(pids: &[u32]) -> Result<f64> {
    pids.iter().map(|pid| pss_mb(*pid)).sum()
}
