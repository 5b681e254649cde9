//! Speaking, and the speech models.

use gate_core::RequestId;
use serde::{Deserialize, Serialize};

use crate::voice::{Microphone, SpeechModels, VoiceState};
use crate::{commands, events};

commands! {
    /// How voice is.
    voice: ReadVoice {} -> VoiceState, by Anyone, Look;

    /// A page shows a request's reply box and has the person's attention: the microphone is opened where
    /// the settings say so, and the model is loaded. Holds for 15 seconds, so that the page says it again
    /// every 5.
    arm_voice: ArmVoice {
        /// The page's own mark, of at most 64 characters.
        by: String,
    } -> VoiceState, by Speaker, Look;

    /// A page shows no reply box any more, or has lost the person's attention.
    disarm_voice: DisarmVoice {
        /// The page's own mark.
        by: String,
    } -> VoiceState, by Anyone, Look;

    /// Begins to record, from half a second before now where the microphone was open, and answers with the take.
    /// `no_speech_model`, `no_microphone`, `microphone_busy`, `microphone_denied` where that can't be.
    start_voice: StartVoice {
        /// For which request's reply; its conversation's words help to hear right.
        request_id: RequestId,
    } -> VoiceState, by Speaker, Act;

    /// Ends recording; the text follows in events.
    stop_voice: StopVoice {
        /// Which take.
        take: u32,
    } -> VoiceState, by Anyone, Act;

    /// Gives a take up; nothing of it is kept.
    cancel_voice: CancelVoice {
        /// Which take.
        take: u32,
    } -> VoiceState, by Anyone, Act;

    /// Transcribes the last take again. `no_take` where it is gone.
    retry_voice: RetryVoice {
        /// Which take.
        take: u32,
    } -> VoiceState, by Speaker, Act;

    /// The microphones that there are.
    microphones: ListMicrophones {} -> Microphones, by Anyone, Look;

    /// The speech models.
    speech_models: ListSpeechModels {} -> SpeechModels, by Anyone, Look;

    /// Downloads a model, or goes on with it, and answers when that has begun; how it goes on comes in events.
    /// `disk_full` where the disk hasn't the room.
    download_model: DownloadModel {
        /// Its name in the catalogue.
        name: String,
    } -> SpeechModels, by Answerer, Act;

    /// Pauses a download; what is there stays.
    pause_download: PauseDownload {
        /// Its name in the catalogue.
        name: String,
    } -> SpeechModels, by Anyone, Act;

    /// Copies a model's file, or all in a folder, after checking it. `speech_model` where it is none.
    import_model: ImportModel {
        /// The file or folder, an absolute path.
        path: String,
    } -> SpeechModels, by Answerer, Act;

    /// Deletes a model, or what is there of it.
    remove_model: RemoveModel {
        /// Its name.
        name: String,
    } -> SpeechModels, by Answerer, Act;
}

events! {
    /// Voice is other than before.
    VoiceChanged {
        /// How it is now.
        voice: VoiceState,
    }, InWindows;

    /// How loud it is while the microphone is open, some fifteen times a second.
    VoiceLevel {
        /// The loudest of the last moment, in thousandths of full scale.
        peak: u16,
        /// How long the take has been recorded, in milliseconds; absent while none is.
        recorded_ms: Option<u32>,
    }, InWindows;

    /// The text of a take: replaces all text of this take that came before.
    VoiceText {
        /// Of which take.
        take: u32,
        /// What won't change any more.
        text: String,
        /// What was heard last and may still change; follows `text`.
        partial: String,
        /// Whether that is all: `partial` is empty then.
        last: bool,
    }, InWindows;

    /// The global key of push-to-talk went down (`true`) or up.
    VoiceKey {
        /// Whether it is down.
        down: bool,
    }, InWindows;

    /// A model is being downloaded, was installed or removed.
    ModelsChanged {
        /// All of them.
        models: SpeechModels,
    }, InWindows;
}

/// The microphones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Microphones {
    /// The system's default first.
    pub microphones: Vec<Microphone>,
}
