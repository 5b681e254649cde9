//! The first client of a day: no gate runs, and its relay starts one before anybody can answer.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};
use tempfile::TempDir;

use crate::client::Client;
use crate::gate::at_home;
use crate::options::Options;
use crate::report::{Goal, Report};
use crate::screen::Screen;
use crate::stats::Times;

const SECTION: &str = "start";
/// Milliseconds until `initialize` is answered; some clients give a server only a few seconds.
const GOAL_MS: f64 = 1000.0;

/// From starting `review-gate mcp` to its answer to `initialize`, where it has to start the gate.
pub(crate) fn start(options: &Options, screen: &Screen, report: &mut Report) -> Result<()> {
    for (gate, screen) in [("the desktop app", Some(screen)), ("a gate without windows", None)] {
        let home = Home::new(options, screen)?;
        let mut times = Times::default();
        // The first one makes the database, too.
        for round in 0..=options.pick(20, 5) {
            let begin = Instant::now();
            let relay = Client::start(home.command("mcp"))?;
            let time = begin.elapsed();
            drop(relay);
            home.stop()?;
            if round > 0 {
                times.push(time);
            }
        }
        let name = format!("of review-gate mcp and {gate} to initialize");
        report.goal(SECTION, format!("{name}, median"), times.median(), "ms", Goal::AtMost(GOAL_MS));
        report.figure(SECTION, format!("{name}, p95"), times.p95(), "ms");
        report.samples(SECTION, name, &times);
    }
    Ok(())
}

/// A home in which a gate runs while somebody has started one. Dropping it stops that one.
struct Home<'a> {
    program: PathBuf,
    screen: Option<&'a Screen>,
    folder: TempDir,
}

impl<'a> Home<'a> {
    fn new(options: &Options, screen: Option<&'a Screen>) -> Result<Self> {
        // It is started in another folder than this.
        let program = std::path::absolute(options.programs.join("review-gate"))?;
        // A socket's path may have 107 bytes.
        let folder = tempfile::Builder::new().prefix("rg-bench-").tempdir_in("/tmp")?;
        Ok(Self { program, screen, folder })
    }

    fn command(&self, word: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(word).current_dir(self.folder.path());
        at_home(&mut command, self.folder.path());
        match self.screen {
            Some(screen) => screen.show_on(&mut command),
            None => {
                command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
            }
        }
        command
    }

    /// Stops the gate as a person would, and waits for its end.
    fn stop(&self) -> Result<()> {
        let stopped = self.command("stop").stdin(Stdio::null()).stdout(Stdio::null()).status()?;
        if !stopped.success() {
            bail!("review-gate stop failed ({stopped})");
        }
        Ok(())
    }
}

impl Drop for Home<'_> {
    fn drop(&mut self) {
        // There is one only where something went wrong.
        let _ = self.stop();
    }
}
