//! What is said to `review-gate-voice`, and what it says, in frames (see [`crate::frame`]) on its standard
//! input and output. A program ends when its input ends.

use std::path::PathBuf;

use gate_api::Microphone;
use gate_core::Fault;
use serde::{Deserialize, Serialize};

/// Said to `review-gate-voice listen`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum ToListener {
    /// Opens a microphone, instead of the one that is open. Answered by [`FromListener::Opened`] or
    /// [`FromListener::Fault`].
    Open {
        /// Its stable id; absent for the system's default, which is then followed when it changes.
        microphone: Option<String>,
    },
    /// Closes it. Answered by [`FromListener::Closed`].
    Close,
}

/// Said by `review-gate-voice listen`. Its sound frames are what the microphone hears, from the moment it
/// was opened on, in pieces of 10 to 40 ms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum FromListener {
    /// It runs.
    Ready,
    /// A microphone is open, and its first sample is there.
    Opened {
        /// Which one.
        microphone: Microphone,
        /// Its own samples per second.
        rate: u32,
        /// Its channels; they are mixed.
        channels: u16,
        /// Its own format, e.g. `f32`.
        format: String,
        /// Whether it was opened by itself, in place of one that went silent or away.
        again: bool,
        /// What was missed then, in milliseconds.
        missed_ms: u32,
    },
    /// No microphone is open any more.
    Closed,
    /// None can be opened, or the open one went away and no other took its place: codes `no_microphone`,
    /// `microphone_busy`, `microphone_denied`, `microphone_gone`. While it is asked to listen it goes on
    /// trying, for ten seconds and more before it ends, and says [`FromListener::Opened`] when it succeeds.
    Fault {
        /// What is wrong.
        fault: Fault,
    },
}

/// Said to `review-gate-voice recognise`. Sound frames belong to the take that was begun last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum ToRecogniser {
    /// Loads a model, instead of the one that is loaded. Answered by [`FromRecogniser::Loaded`] or
    /// [`FromRecogniser::Fault`] without a take.
    Load {
        /// The speech model's file.
        model: PathBuf,
        /// The file of the model that tells speech from silence.
        vad: PathBuf,
    },
    /// Begins a take; one that goes on is given up.
    Begin {
        /// Its number.
        take: u32,
        /// How it is transcribed.
        options: Options,
    },
    /// The key is up. At most [`crate::TAIL_MS`] of sound follow, then [`ToRecogniser::End`]; where the
    /// last of it was no speech, the take may be finished at once.
    Release {
        /// Which take.
        take: u32,
    },
    /// All of it was said.
    End {
        /// Which take.
        take: u32,
    },
    /// Gives it up. Answered by nothing.
    Cancel {
        /// Which take.
        take: u32,
    },
}

/// How a take is transcribed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The language's code, e.g. `en`; absent for finding it out.
    pub language: Option<String>,
    /// Words that are likely to be said; empty for none.
    pub prompt: String,
    /// Threads; absent for what the machine has free.
    pub threads: Option<u32>,
    /// Whether text that may still change is wanted while it is spoken.
    pub partial: bool,
}

/// Said by `review-gate-voice recognise`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum FromRecogniser {
    /// It runs.
    Ready,
    /// The model is loaded.
    Loaded {
        /// How long that took, in milliseconds.
        took_ms: u32,
        /// Whether the model knows English only.
        english_only: bool,
    },
    /// What was heard after the last segment; replaces what was said of that before.
    Partial {
        /// Of which take.
        take: u32,
        /// The text.
        text: String,
    },
    /// A part of the take whose text won't change.
    Segment {
        /// Of which take.
        take: u32,
        /// The part.
        segment: Segment,
    },
    /// All segments of the take have been said. After [`ToRecogniser::End`], or after
    /// [`ToRecogniser::Release`] where nothing more was said.
    Done {
        /// Which take.
        take: u32,
        /// Whether any speech was in it.
        speech: bool,
        /// The language, fixed or found out.
        language: Option<String>,
        /// How long its end took, from [`ToRecogniser::Release`] on, in milliseconds.
        took_ms: u32,
    },
    /// Something failed: codes `speech_model`, `transcription`.
    Fault {
        /// In which take; absent when loading.
        take: Option<u32>,
        /// What is wrong.
        fault: Fault,
    },
}

/// A part of a take, and its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Where it begins in the take, in milliseconds.
    pub start_ms: u32,
    /// Where it ends.
    pub end_ms: u32,
    /// What was said.
    pub text: String,
}
