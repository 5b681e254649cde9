//! Voice while a gate or a command runs: one microphone, one recogniser, one take at a time. An actor that
//! owns both child programs. The recording stays here, so that a recogniser that ends costs a moment only.

mod actor;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use gate_api::VoiceState;
use gate_core::{Code, Fault, RequestId};
use tokio::sync::{mpsc, oneshot};

use crate::link::Programs;
use crate::protocol::Segment;
use crate::words::Vocabulary;
use actor::Actor;

/// How long a page keeps the microphone open without saying so again.
pub const LEASE: Duration = Duration::from_secs(15);
/// Pages that keep it open at the same time.
pub const LEASES: usize = 16;
/// How long a microphone may take to open before a take is given up.
pub const OPENING: Duration = Duration::from_secs(8);
/// How long a take goes on without its microphone before it is transcribed as it is.
pub const WITHOUT_MICROPHONE: Duration = Duration::from_secs(5);
/// How long a recogniser may be silent at work, beside the length of the take, before it counts as hung.
pub const HUNG: Duration = Duration::from_secs(60);
/// How often a take begins anew with another recogniser by itself.
pub const RESTARTS: u32 = 2;
/// Orders that wait.
const ORDERS: usize = 64;

/// What the person and the machine have chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Choices {
    /// Whether voice is switched on.
    pub enabled: bool,
    /// The model's name and file; absent where none is there.
    pub model: Option<(String, PathBuf)>,
    /// The file of the model that tells speech from silence; absent where it isn't there.
    pub vad: Option<PathBuf>,
    /// The microphone's stable id; absent for the system's default.
    pub microphone: Option<String>,
    /// Whether the microphone is open before the key goes down.
    pub armed: bool,
    /// The language's code; absent for finding it out.
    pub language: Option<String>,
    /// The longest take.
    pub longest: Duration,
    /// How long an idle model stays loaded.
    pub unload: Duration,
    /// What is written for what is heard.
    pub vocabulary: Vocabulary,
}

/// What is told while it goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// It is other than before.
    State(VoiceState),
    /// How loud it is, in thousandths of full scale, and how long the take is in milliseconds.
    Level {
        /// The loudest of the last moment.
        peak: u16,
        /// How long was recorded.
        recorded_ms: u32,
    },
    /// All text of a take so far.
    Text {
        /// Which take.
        take: u32,
        /// What won't change.
        text: String,
        /// What follows it and may.
        partial: String,
        /// Whether that is all.
        last: bool,
        /// The parts of `text`, as they were recognised.
        segments: Vec<Segment>,
    },
}

type Answered = oneshot::Sender<Result<VoiceState, Fault>>;

#[derive(Debug)]
enum Order {
    Choose(Box<Choices>),
    Arm { by: String },
    Disarm { by: String },
    Start { request_id: Option<RequestId>, prompt: String },
    Stop { take: u32 },
    Cancel { take: u32 },
    Retry { take: u32 },
    Look,
}

/// A handle on it. Everything ends when the last one is dropped.
#[derive(Debug, Clone)]
pub struct Voice {
    orders: mpsc::Sender<(Order, Answered)>,
}

impl Voice {
    /// Begins, with nothing running yet. `told` hears what goes on; it mustn't wait.
    pub fn begin(programs: impl Programs, choices: Choices, told: impl Fn(Told) + Send + 'static) -> Self {
        let (orders, given) = mpsc::channel(ORDERS);
        tokio::spawn(Actor::new(programs, choices, told).run(given));
        Self { orders }
    }

    async fn order(&self, order: Order) -> Result<VoiceState, Fault> {
        let (answered, answer) = oneshot::channel();
        let gone = || Fault::new(Code::ShuttingDown, "Review Gate is shutting down.", "Start it again.");
        self.orders.send((order, answered)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Takes up other choices. A take that goes on keeps its own.
    ///
    /// # Errors
    /// When it has ended.
    pub async fn choose(&self, choices: Choices) -> Result<VoiceState, Fault> {
        self.order(Order::Choose(Box::new(choices))).await
    }

    /// How it is.
    ///
    /// # Errors
    /// When it has ended.
    pub async fn state(&self) -> Result<VoiceState, Fault> {
        self.order(Order::Look).await
    }

    /// `by` shows a reply box, for [`LEASE`] from now: the model is loaded, and the microphone opened where
    /// that is chosen.
    ///
    /// # Errors
    /// `too_many` beyond [`LEASES`].
    pub async fn arm(&self, by: String) -> Result<VoiceState, Fault> {
        self.order(Order::Arm { by }).await
    }

    /// `by` doesn't any more.
    ///
    /// # Errors
    /// When it has ended.
    pub async fn disarm(&self, by: String) -> Result<VoiceState, Fault> {
        self.order(Order::Disarm { by }).await
    }

    /// Begins a take; one that goes on is given up. Answers when the microphone is open.
    ///
    /// # Errors
    /// `voice_unavailable`, `no_speech_model`, `no_microphone`, `microphone_busy`, `microphone_denied`.
    pub async fn start(&self, request_id: Option<RequestId>, prompt: String) -> Result<VoiceState, Fault> {
        self.order(Order::Start { request_id, prompt }).await
    }

    /// Ends recording.
    ///
    /// # Errors
    /// `no_take` where it isn't the present one.
    pub async fn stop(&self, take: u32) -> Result<VoiceState, Fault> {
        self.order(Order::Stop { take }).await
    }

    /// Gives a take up.
    ///
    /// # Errors
    /// `no_take` where it isn't the present one.
    pub async fn cancel(&self, take: u32) -> Result<VoiceState, Fault> {
        self.order(Order::Cancel { take }).await
    }

    /// Transcribes the last take again.
    ///
    /// # Errors
    /// `no_take` where its recording is gone.
    pub async fn retry(&self, take: u32) -> Result<VoiceState, Fault> {
        self.order(Order::Retry { take }).await
    }
}
