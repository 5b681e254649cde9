//! A terminal of its own: `script` (util-linux) makes one, and runs one command in it.

use std::io::Write as _;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::home::Home;
use crate::wait::LIMIT;

/// A command that runs in a terminal.
#[derive(Debug)]
pub struct Terminal {
    /// What ends with the command; absent where that was left behind.
    child: Option<Child>,
    screen: ChildStdout,
    keys: ChildStdin,
    seen: String,
}

/// Goes on when it has been given a line.
const WAIT: &str = "read -r line; ";
/// Runs a line in a terminal, and says at last how it ended.
const RUN: &str = "script --quiet --return --command \"$0\" /dev/null; echo \"ended: $?\"";
/// What it says at last.
const ENDED: &str = "ended: ";

impl Home {
    /// What `review-gate` prints in a person's terminal, to its end.
    ///
    /// # Errors
    /// When it fails.
    pub async fn at_a_terminal(&self, arguments: &str) -> Result<String> {
        let line = format!("{} {arguments}", self.command_line()?.display());
        let (code, shown) = Terminal::start(self, &line)?.ended().await?;
        ensure!(code == Some(0), "`review-gate {arguments}` ended with {code:?}: {shown}");
        Ok(shown)
    }

    /// A link that signs a person's browser in.
    ///
    /// # Errors
    /// When the gate gives none.
    pub async fn link(&self) -> Result<Value> {
        let printed = self.at_a_terminal("link --json").await?;
        let made: Value = serde_json::from_str(printed.trim()).with_context(|| format!("no link: {printed}"))?;
        Ok(made["ui"].clone())
    }
}

impl Terminal {
    /// Runs a shell's command line in a terminal of this home that no agent has started, as a person's isn't: whoever
    /// has started it has left it behind.
    ///
    /// # Errors
    /// When `setsid` can't be started.
    pub fn start(home: &Home, line: &str) -> Result<Self> {
        let mut command = Command::new("setsid");
        command.args(["--fork", "sh", "-c", &format!("{WAIT}{RUN}"), line]);
        home.dress(&mut command);
        let mut starts =
            command.as_std_mut().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("no terminal")?;
        let (screen, keys) = (starts.stdout.take(), starts.stdin.take());
        // As long as that is there, whoever looks sees who has started it.
        ensure!(starts.wait()?.success(), "`setsid` left nothing behind");
        let (screen, mut keys) = (screen.context("it has a screen")?, keys.context("it has keys")?);
        keys.write_all(b"\n")?;
        let (screen, keys) = (ChildStdout::from_std(screen)?, ChildStdin::from_std(keys)?);
        Ok(Self { child: None, screen, keys, seen: String::new() })
    }

    /// Runs one in a terminal that this process makes, as an agent could: of a home in which this process has started a
    /// relay, it is below an agent.
    ///
    /// # Errors
    /// When there is no shell.
    pub fn below(home: &Home, line: &str) -> Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", RUN, line]);
        home.dress(&mut command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("no terminal")?;
        let screen = child.stdout.take().context("it has a screen")?;
        let keys = child.stdin.take().context("it has keys")?;
        Ok(Self { child: Some(child), screen, keys, seen: String::new() })
    }

    /// Waits until the screen has shown this; gives all that it has shown.
    ///
    /// # Errors
    /// When it doesn't in time, or the command ends before.
    pub async fn shows(&mut self, text: &str) -> Result<&str> {
        let mut bytes = [0; 4096];
        while !self.seen.contains(text) {
            let read = tokio::time::timeout(LIMIT, self.screen.read(&mut bytes)).await;
            let read = read.with_context(|| format!("{text:?} isn't on the screen: {}", self.seen))??;
            if read == 0 {
                bail!("the command ended without {text:?}: {}", self.seen);
            }
            self.seen.push_str(&String::from_utf8_lossy(bytes.get(..read).unwrap_or_default()));
        }
        Ok(&self.seen)
    }

    /// As [`Terminal::shows`], of what wasn't given so before; gives that, to the end of the text.
    ///
    /// # Errors
    /// As there.
    pub async fn next(&mut self, text: &str) -> Result<String> {
        self.shows(text).await?;
        let end = self.seen.find(text).context("it was shown")? + text.len();
        let rest = self.seen.split_off(end);
        Ok(std::mem::replace(&mut self.seen, rest))
    }

    /// Types this.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub async fn types(&mut self, text: &str) -> Result<()> {
        self.keys.write_all(text.as_bytes()).await?;
        Ok(self.keys.flush().await?)
    }

    /// Waits for the command's end; gives its exit code and all that the screen has shown.
    ///
    /// # Errors
    /// When it doesn't end in time.
    pub async fn ended(mut self) -> Result<(Option<i32>, String)> {
        let mut rest = Vec::new();
        tokio::time::timeout(LIMIT, self.screen.read_to_end(&mut rest)).await.context("it goes on")??;
        self.seen.push_str(&String::from_utf8_lossy(&rest));
        if let Some(child) = &mut self.child {
            tokio::time::timeout(LIMIT, child.wait()).await.context("it doesn't end")??;
        }
        let (shown, code) = self.seen.rsplit_once(ENDED).context("it says how it ended")?;
        Ok((code.trim().parse().ok(), shown.to_owned()))
    }
}
