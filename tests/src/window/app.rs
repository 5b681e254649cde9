//! The desktop app as a person starts it: by nothing that is seen above it, as a desktop does. What a test starts itself is
//! below an agent once the test has a relay.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use tokio::process::Command;

use crate::home::Home;
use crate::process::Process;
use crate::wait::{LIMIT, eventually};

/// Waits until whoever has started it is gone, says its number and becomes the app.
const BECOME: &str = "read -r line; echo $$; exec \"$0\" < /dev/null > /dev/null 2>&1";

/// The app that somebody has started. It ends when this is dropped, or by itself where it hands over to one that runs.
#[derive(Debug)]
pub struct App(Process);

impl Drop for App {
    fn drop(&mut self) {
        if self.runs() {
            let _ = self.0.kill();
        }
    }
}

impl App {
    /// Starts this program in a home, with further variables.
    pub(super) fn start(home: &Home, program: &Path, env: &[(String, String)]) -> Result<Self> {
        let mut command = Command::new("setsid");
        command.args(["--fork", "sh", "-c", BECOME]).arg(program);
        home.dress(&mut command);
        command.envs(env.iter().cloned());
        let command = command.as_std_mut().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut starts = command.spawn().context("the desktop app can't be started")?;
        let (told, word) = (starts.stdout.take(), starts.stdin.take());
        ensure!(starts.wait()?.success(), "`setsid` left nothing behind");
        word.context("it waits for a word")?.write_all(b"\n")?;
        let mut number = String::new();
        BufReader::new(told.context("it says its number")?).read_line(&mut number)?;
        let number = number.trim().parse().with_context(|| format!("no number: {number:?}"))?;
        Process::open(number).context("the desktop app ended at once").map(Self)
    }

    /// Its process's number.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.0.pid()
    }

    /// Whether it hasn't ended.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.0.is_alive()
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    /// When it goes on.
    pub async fn ends(&self) -> Result<()> {
        let look = || async { Ok((!self.runs()).then_some(())) };
        eventually("the end of the app that was started", LIMIT, look).await
    }
}
