//! The programs that listen and recognise, as something to speak to: child processes of
//! `review-gate-voice`, or doubles of them in tests.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use gate_api::Microphone;
use gate_core::{Code, Fault};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::BufReader;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;

use crate::frame::{self, Frame};
use crate::protocol::{FromListener, FromRecogniser, ToListener, ToRecogniser};

/// Frames from a program that wait to be looked at: a second of sound and more.
const WAITING: usize = 128;
/// How long looking for microphones may take.
const LOOKING: Duration = Duration::from_secs(5);

/// A program that runs. It ends when this is dropped.
#[derive(Debug)]
pub struct Link<To, From> {
    /// What it is told. Never waits: whoever speaks bounds how much that is.
    pub to: mpsc::UnboundedSender<Frame<To>>,
    /// What it says; ends when it has ended.
    pub from: mpsc::Receiver<Frame<From>>,
}

/// Starts the programs.
pub trait Programs: Send + 'static {
    /// Starts one that listens.
    ///
    /// # Errors
    /// `voice_unavailable` when it can't be started.
    fn listener(&self) -> Result<Link<ToListener, FromListener>, Fault>;

    /// Starts one that recognises.
    ///
    /// # Errors
    /// As [`Programs::listener`].
    fn recogniser(&self) -> Result<Link<ToRecogniser, FromRecogniser>, Fault>;
}

/// The real ones.
#[derive(Debug, Clone)]
pub struct VoiceProgram {
    /// The file of `review-gate-voice`.
    pub path: PathBuf,
}

impl VoiceProgram {
    /// Starts it in one of its parts, with pipes; it is killed when the child is dropped.
    ///
    /// # Errors
    /// `voice_unavailable` when it can't be started.
    pub fn start(&self, part: &str) -> Result<Child, Fault> {
        let mut command = Command::new(&self.path);
        command.arg(part).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        command.spawn().map_err(|error| {
            Fault::new(
                Code::VoiceUnavailable,
                format!("review-gate-voice can't be started: {error}."),
                "Install Review Gate again; on Linux it also needs the package libasound2.",
            )
        })
    }

    /// The microphones that there are, the system's default first.
    ///
    /// # Errors
    /// `voice_unavailable` when the program can't be started or doesn't say them in time.
    pub async fn microphones(&self) -> Result<Vec<Microphone>, Fault> {
        let child = self.start("devices")?;
        let output = tokio::time::timeout(LOOKING, child.wait_with_output()).await;
        let said = output.ok().and_then(Result::ok).and_then(|output| serde_json::from_slice(&output.stdout).ok());
        said.ok_or_else(|| {
            Fault::new(
                Code::VoiceUnavailable,
                "The system doesn't say which microphones it has.",
                "Try again; restarting the system's sound service may help.",
            )
        })
    }

    fn link<To, From>(&self, part: &str) -> Result<Link<To, From>, Fault>
    where
        To: Serialize + Send + Sync + 'static,
        From: DeserializeOwned + Send + 'static,
    {
        let mut child = self.start(part)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Fault::internal("A child program has no pipes."));
        };
        let (to, told) = mpsc::unbounded_channel();
        let (says, from) = mpsc::channel(WAITING);
        tokio::spawn(tell(told, input));
        tokio::spawn(hear(child, output, says));
        Ok(Link { to, from })
    }
}

impl Programs for VoiceProgram {
    fn listener(&self) -> Result<Link<ToListener, FromListener>, Fault> {
        self.link("listen")
    }

    fn recogniser(&self) -> Result<Link<ToRecogniser, FromRecogniser>, Fault> {
        self.link("recognise")
    }
}

/// Tells a program what it is to hear; closing its input tells it to end.
async fn tell<To: Serialize>(mut told: mpsc::UnboundedReceiver<Frame<To>>, mut input: ChildStdin) {
    while let Some(frame) = told.recv().await {
        let sent = match frame {
            Frame::Message(message) => frame::send(&mut input, &message).await,
            Frame::Sound(samples) => frame::send_sound(&mut input, &samples).await,
        };
        if sent.is_err() {
            // It has ended; whoever reads from it hears that.
            return;
        }
    }
}

/// Passes on what a program says, until it ends or nobody listens any more. Then it is killed.
async fn hear<From: DeserializeOwned>(mut child: Child, output: ChildStdout, says: mpsc::Sender<Frame<From>>) {
    let mut output = BufReader::with_capacity(64 * 1024, output);
    let speaking = async {
        while let Ok(Some(frame)) = frame::receive(&mut output).await {
            if says.send(frame).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = speaking => {}
        () = says.closed() => {}
    }
    let _ = child.kill().await;
}
