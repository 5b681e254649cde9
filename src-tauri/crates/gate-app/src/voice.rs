//! Voice in a running gate: what the windows ask of it, with the settings and the conversation's own words.
//! The programs that listen and recognise, and the models, are gate-voice's matter.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gate_api::{Event, Microphone, ModelState, SpeechModels, VoiceReadiness, VoiceState};
use gate_core::{Code, Fault, RequestId, bounds};
use gate_settings::Settings;
use gate_voice::link::VoiceProgram;
use gate_voice::models::{Downloads, FOLDER, ModelFolder};
use gate_voice::program::voice_program;
use gate_voice::voice::{Choices, Told, Voice};
use gate_voice::words::{Vocabulary, prompt};
use tokio::sync::{Notify, OnceCell, broadcast};

use crate::gate::{Gate, unknown_request};

/// Voice, begun when it is first asked for.
#[derive(Debug)]
pub(crate) struct Speech {
    folder: ModelFolder,
    running: OnceCell<Running>,
    /// Settings or models are other than before.
    changed: Arc<Notify>,
}

#[derive(Debug)]
struct Running {
    voice: Voice,
    downloads: Downloads,
}

impl Speech {
    pub(crate) fn new(data: &Path) -> Self {
        let folder = ModelFolder::new(data.join(FOLDER));
        Self { folder, running: OnceCell::new(), changed: Arc::default() }
    }

    /// Takes up other settings.
    pub(crate) fn settings_changed(&self) {
        self.changed.notify_one();
    }
}

impl Gate {
    async fn speech(&self) -> Result<&Running, Fault> {
        let speech = &self.inner.speech;
        let begin = || async {
            let path = voice_program()?;
            let choices = self.voice_choices().await?;
            let events = self.inner.events.clone();
            let told = move |what| tell(&events, what);
            let voice = Voice::begin(VoiceProgram { path: path.clone() }, choices, told);
            let (events, changed) = (self.inner.events.clone(), Arc::clone(&speech.changed));
            let usable = AtomicUsize::new(0);
            let told = move |models: SpeechModels| {
                let now = models.models.iter().filter(|model| model.state == ModelState::Installed).count();
                let _ = events.send(Event::ModelsChanged { models });
                if usable.swap(now, Ordering::Relaxed) != now {
                    changed.notify_one();
                }
            };
            let downloads = Downloads::begin(speech.folder.clone(), path, mirror(&self.settings()), told);
            tokio::spawn(follow(self.clone(), voice.clone(), downloads.clone()));
            Ok(Running { voice, downloads })
        };
        speech.running.get_or_try_init(begin).await
    }

    /// What the settings and the models that are there make of voice.
    async fn voice_choices(&self) -> Result<Choices, Fault> {
        let (settings, folder) = (self.settings(), self.inner.speech.folder.clone());
        // It looks at large files.
        let choosing = tokio::task::spawn_blocking(move || choices(&settings, &folder));
        choosing.await.map_err(|error| Fault::internal(error.to_string()))
    }

    /// The keys that are held to speak went down or up.
    pub fn voice_key(&self, down: bool) {
        self.emit(Event::VoiceKey { down });
    }

    /// How voice is.
    pub(crate) async fn voice(&self) -> Result<VoiceState, Fault> {
        match self.speech().await {
            Ok(running) => running.voice.state().await,
            Err(fault) => Ok(without(fault)),
        }
    }

    pub(crate) async fn arm_voice(&self, by: String) -> Result<VoiceState, Fault> {
        if by.chars().count() > bounds::PAGE_MARK_CHARS {
            return Err(Fault::new(
                Code::TooLarge,
                format!("A page's mark has more than {} characters.", bounds::PAGE_MARK_CHARS),
                "Use a shorter one.",
            ));
        }
        match self.speech().await {
            Ok(running) => running.voice.arm(by).await,
            Err(fault) => Ok(without(fault)),
        }
    }

    pub(crate) async fn disarm_voice(&self, by: String) -> Result<VoiceState, Fault> {
        match self.speech().await {
            Ok(running) => running.voice.disarm(by).await,
            Err(fault) => Ok(without(fault)),
        }
    }

    pub(crate) async fn start_voice(&self, request: RequestId) -> Result<VoiceState, Fault> {
        let running = self.speech().await?;
        let words = self.likely_words(request).await?;
        running.voice.start(Some(request), words).await
    }

    /// Names of the conversation, and the person's own words.
    async fn likely_words(&self, request: RequestId) -> Result<String, Fault> {
        let ask = self.inner.store.request(request).await?.ok_or_else(|| unknown_request(request))?.ask;
        let vocabulary = Vocabulary::of(&self.settings().voice.vocabulary);
        let texts = [Some(ask.message), ask.title, ask.context, ask.diff];
        let finding = move || {
            let texts: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
            prompt(&texts, &vocabulary)
        };
        tokio::task::spawn_blocking(finding).await.map_err(|error| Fault::internal(error.to_string()))
    }

    pub(crate) async fn stop_voice(&self, take: u32) -> Result<VoiceState, Fault> {
        self.speech().await?.voice.stop(take).await
    }

    pub(crate) async fn cancel_voice(&self, take: u32) -> Result<VoiceState, Fault> {
        self.speech().await?.voice.cancel(take).await
    }

    pub(crate) async fn retry_voice(&self, take: u32) -> Result<VoiceState, Fault> {
        self.speech().await?.voice.retry(take).await
    }

    pub(crate) async fn microphones(&self) -> Result<Vec<Microphone>, Fault> {
        VoiceProgram { path: voice_program()? }.microphones().await
    }

    pub(crate) async fn speech_models(&self) -> Result<SpeechModels, Fault> {
        self.speech().await?.downloads.models().await
    }

    pub(crate) async fn download_model(&self, name: &str) -> Result<SpeechModels, Fault> {
        self.speech().await?.downloads.download(name).await
    }

    pub(crate) async fn pause_download(&self, name: &str) -> Result<SpeechModels, Fault> {
        self.speech().await?.downloads.pause(name).await
    }

    pub(crate) async fn import_model(&self, path: &str) -> Result<SpeechModels, Fault> {
        let path = Path::new(path);
        if !path.is_absolute() {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("{} isn't a full path.", path.display()),
                "Name the model's file, or a folder of such files, by its full path.",
            ));
        }
        let models = self.speech().await?.downloads.import(path).await?;
        self.inner.speech.changed.notify_one();
        Ok(models)
    }

    pub(crate) async fn remove_model(&self, name: &str) -> Result<SpeechModels, Fault> {
        let models = self.speech().await?.downloads.remove(name).await?;
        self.inner.speech.changed.notify_one();
        Ok(models)
    }
}

/// Takes up settings and models that are other than before, until the gate ends.
async fn follow(gate: Gate, voice: Voice, downloads: Downloads) {
    let changed = Arc::clone(&gate.inner.speech.changed);
    let stop = gate.inner.stop.clone();
    loop {
        tokio::select! {
            () = changed.notified() => {}
            () = stop.cancelled() => return,
        }
        let taken = async {
            downloads.set_mirror(mirror(&gate.settings())).await?;
            voice.choose(gate.voice_choices().await?).await
        };
        if let Err(fault) = taken.await {
            tracing::warn!(%fault, "voice doesn't follow its settings");
        }
    }
}

/// What settings and the models in a folder make of voice. Looks at large files.
#[must_use]
pub fn choices(settings: &Settings, folder: &ModelFolder) -> Choices {
    let voice = &settings.voice;
    let named = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let minutes = |minutes: u8| Duration::from_secs(60 * u64::from(minutes));
    Choices {
        enabled: voice.enabled,
        model: folder.choose(&voice.model).map(|model| (model.name, model.path)),
        vad: folder.vad(),
        microphone: named(&voice.microphone),
        armed: voice.armed,
        language: named(&voice.language).filter(|language| language != "auto"),
        longest: minutes(voice.longest_minutes),
        unload: minutes(voice.unload_minutes),
        vocabulary: Vocabulary::of(&voice.vocabulary),
    }
}

fn mirror(settings: &Settings) -> Option<String> {
    Some(settings.voice.mirror.clone()).filter(|mirror| !mirror.is_empty())
}

fn tell(events: &broadcast::Sender<Event>, what: Told) {
    let event = match what {
        Told::State(voice) => Event::VoiceChanged { voice },
        Told::Level { peak, recorded_ms } => Event::VoiceLevel { peak, recorded_ms: Some(recorded_ms) },
        Told::Text { take, text, partial, last, .. } => Event::VoiceText { take, text, partial, last },
    };
    // Nobody listening is fine.
    let _ = events.send(event);
}

/// Voice where its program isn't there.
fn without(fault: Fault) -> VoiceState {
    VoiceState {
        readiness: VoiceReadiness::Off,
        fault: Some(fault),
        armed: false,
        microphone: None,
        model: None,
        take: None,
    }
}

#[cfg(test)]
mod tests {
    use gate_api::commands::voice::{ArmVoice, RetryVoice, StartVoice};
    use uuid::Uuid;

    use super::*;
    use crate::commands::Origin;
    use crate::tests::{Outcome, gate};

    #[tokio::test]
    async fn a_process_without_a_terminal_never_opens_the_microphone() -> Outcome {
        // Without a window, scripts may answer; not listen.
        let (_folder, gate) = gate(false).await?;
        let request_id = RequestId(Uuid::now_v7());
        let by = "page".to_owned();
        let refused = [
            gate.execute(ArmVoice { by }, Origin::Script).await,
            gate.execute(StartVoice { request_id }, Origin::Script).await,
            gate.execute(RetryVoice { take: 1 }, Origin::Script).await,
        ];
        for refused in refused {
            let fault = refused.err().ok_or("it is refused")?;
            assert_eq!(fault.code, Code::ScriptedAnswersOff);
        }
        Ok(())
    }

    #[tokio::test]
    async fn a_page_s_mark_is_bounded() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let by = "x".repeat(bounds::PAGE_MARK_CHARS + 1);
        let fault = gate.execute(ArmVoice { by }, Origin::Desktop).await.err().ok_or("it is refused")?;
        assert_eq!(fault.code, Code::TooLarge);
        Ok(())
    }
}
