//! Voice: what the reply box shows while a person speaks, the microphones, and the speech models.

use gate_core::{Fault, RequestId};
use serde::{Deserialize, Serialize};

/// How voice is. Told whole whenever any of it changes, except for levels and text, which come often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VoiceState {
    /// What can be done right now.
    pub readiness: VoiceReadiness,
    /// Why voice can't be used, or what went wrong last; gone when it works again.
    pub fault: Option<Fault>,
    /// Whether the microphone is open, and the last half second is kept in memory.
    pub armed: bool,
    /// The microphone that is open, or would be.
    pub microphone: Option<Microphone>,
    /// The model that is used, by its name in the catalogue or its file's name; absent for none.
    pub model: Option<String>,
    /// What is being spoken or transcribed; at most one take goes on at a time.
    pub take: Option<VoiceTake>,
}

/// What can be done with voice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum VoiceReadiness {
    /// It is switched off in the settings, or this build has none.
    Off,
    /// No model is there yet: the first use leads through getting one.
    NoModel,
    /// It can be spoken.
    Ready,
    /// There is a fault that the person has to mend.
    Fault,
}

/// Speech from key down to text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VoiceTake {
    /// Counts up while the gate runs.
    pub take: u32,
    /// For which request's reply; absent for a terminal's.
    pub request_id: Option<RequestId>,
    /// Where it is.
    pub phase: VoicePhase,
    /// How long it was recorded, in milliseconds.
    pub recorded_ms: u32,
    /// Whether it ended by itself because it had the longest length of the settings.
    pub cut_off: bool,
}

/// Where a take is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum VoicePhase {
    /// The microphone listens.
    Recording,
    /// The rest is being transcribed.
    Transcribing,
    /// The text is there.
    Done,
    /// Nothing was said.
    Silent,
    /// It was given up by the person.
    Cancelled,
    /// Transcribing failed; the recording is kept in memory until the next take or the reply, and
    /// can be tried again.
    Failed,
}

/// A microphone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Microphone {
    /// Stable across restarts; what the setting `voice.microphone` holds.
    pub id: String,
    /// What the system calls it.
    pub name: String,
    /// Whether it is the one that the system uses by default.
    pub default: bool,
}

/// A speech model of the catalogue, or one that was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SpeechModel {
    /// Its name, e.g. `base-q8_0`, as in the setting `voice.model`.
    pub name: String,
    /// Whether it knows English only.
    pub english_only: bool,
    /// The size of its file in bytes.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub bytes: u64,
    /// Memory that it needs while it is loaded, in bytes, roughly.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub memory_bytes: u64,
    /// Whether it is what a newcomer should take.
    pub recommended: bool,
    /// Whether it was imported and isn't in the catalogue.
    pub imported: bool,
    /// Whether it is there, or on its way.
    pub state: ModelState,
}

/// Whether a model is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ModelState {
    /// It has to be downloaded or imported first.
    Absent,
    /// It is being downloaded.
    Downloading {
        /// Bytes that are there.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        done: u64,
        /// Bytes in a second, over the last seconds.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        speed: u64,
    },
    /// A part of it is there; the download goes on from there.
    Paused {
        /// Bytes that are there.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        done: u64,
        /// Why it stopped; absent when the person paused it.
        fault: Option<Fault>,
    },
    /// It is there and was checked.
    Installed,
}

/// What the models page and the first use need to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SpeechModels {
    /// Small ones first; imported ones last.
    pub models: Vec<SpeechModel>,
    /// Where they are; the home folder is `~`.
    pub folder: String,
    /// Free bytes on that disk; absent when unknown.
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub free_bytes: Option<u64>,
}
