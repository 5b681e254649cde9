//! A real agent at a terminal, as a person has it: what it has drawn, and what it is typed.

use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::wait::{LIMIT, eventually};

/// What agents ask a terminal before they draw, and what one answers.
const QUERIES: [(&str, &str); 4] = [
    ("\u{1b}[6n", "\u{1b}[1;1R"),
    ("\u{1b}[c", "\u{1b}[?62;c"),
    ("\u{1b}]11;?", "\u{1b}]11;rgb:0000/0000/0000\u{1b}\\"),
    ("\u{1b}]10;?", "\u{1b}]10;rgb:ffff/ffff/ffff\u{1b}\\"),
];
/// Its size, which `script` doesn't give it.
const SIZE: &str = "stty cols 150 rows 45; exec \"$@\"";

/// An agent in a terminal of its own, which ends with it.
#[derive(Debug)]
pub struct AgentTerminal {
    child: Child,
    drawn: Arc<Mutex<String>>,
    keys: mpsc::UnboundedSender<String>,
    pumps: [JoinHandle<()>; 2],
}

impl AgentTerminal {
    /// Starts a command in a terminal, with its environment and in its folder.
    ///
    /// # Errors
    /// When `script` (util-linux) can't be started.
    pub fn start(command: &Command) -> Result<Self> {
        let command = command.as_std();
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let quoted = words.map(|word| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''")));
        let line = format!("sh -c '{}' sh {}", SIZE.replace('\'', "'\\''"), quoted.collect::<Vec<_>>().join(" "));
        let mut script = Command::new("script");
        script.args(["--quiet", "--flush", "--return", "--command", &line, "/dev/null"]).kill_on_drop(true);
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => script.env(name, value),
                None => script.env_remove(name),
            };
        }
        if let Some(folder) = command.get_current_dir() {
            script.current_dir(folder);
        }
        script.env("TERM", "xterm-256color").env("LANG", "C.UTF-8").process_group(0);
        let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("no terminal")?;
        let (mut screen, typed) = (child.stdout.take().context("a screen")?, child.stdin.take().context("keys")?);
        let (keys, to_type) = mpsc::unbounded_channel();
        let drawn = Arc::new(Mutex::new(String::new()));
        let (all, answers) = (Arc::clone(&drawn), keys.clone());
        let looks = tokio::spawn(async move {
            let mut bytes = [0; 16 * 1024];
            while let Ok(read) = screen.read(&mut bytes).await {
                if read == 0 {
                    break;
                }
                let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
                for (_, answer) in QUERIES.iter().filter(|(query, _)| text.contains(query)) {
                    let _ = answers.send((*answer).to_owned());
                }
                all.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
            }
        });
        let types = tokio::spawn(type_all(typed, to_type));
        Ok(Self { child, drawn, keys, pumps: [looks, types] })
    }

    /// Types this.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn types(&self, text: &str) -> Result<()> {
        self.keys.send(text.to_owned()).context("the terminal is gone")
    }

    /// All that it has drawn so far, without blanks and what steers a terminal: agents put cursors in the place of blanks.
    #[must_use]
    pub fn drawn(&self) -> String {
        plain(&self.drawn.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until it has drawn this.
    ///
    /// # Errors
    /// When it doesn't in time, with the end of what it has drawn.
    pub async fn draws(&self, text: &str) -> Result<()> {
        let wanted = plain(text);
        let look = || async { Ok(self.drawn().contains(&wanted).then_some(())) };
        eventually(&format!("{text:?} at the agent's terminal"), LIMIT, look).await.with_context(|| {
            let drawn = self.drawn();
            let from = drawn.char_indices().rev().nth(3000).map_or(0, |(at, _)| at);
            drawn[from..].to_owned()
        })
    }

    /// Closes the terminal, by which the agent is told to end.
    ///
    /// # Errors
    /// When it doesn't end in time.
    pub async fn close(mut self) -> Result<()> {
        self.child.start_kill()?;
        tokio::time::timeout(LIMIT, self.child.wait()).await.context("the terminal doesn't end")??;
        Ok(())
    }
}

impl Drop for AgentTerminal {
    fn drop(&mut self) {
        for pump in &self.pumps {
            pump.abort();
        }
    }
}

async fn type_all(mut typed: ChildStdin, mut to_type: mpsc::UnboundedReceiver<String>) {
    while let Some(text) = to_type.recv().await {
        if typed.write_all(text.as_bytes()).await.is_err() || typed.flush().await.is_err() {
            break;
        }
    }
}

/// A text without blanks and without what steers a terminal.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\u{1b}', Some('[')) => {
                rest.next();
                rest.by_ref().find(|c| ('\u{40}'..='\u{7e}').contains(c));
            }
            ('\u{1b}', Some(']' | 'P' | '_')) => {
                let mut before = ' ';
                rest.by_ref().find(|c| *c == '\u{7}' || (std::mem::replace(&mut before, *c) == '\u{1b}' && *c == '\\'));
            }
            ('\u{1b}', _) => drop(rest.next()),
            (c, _) if c.is_whitespace() || c.is_control() || c == '\u{a0}' => {}
            (c, _) => plain.push(c),
        }
    }
    plain
}
