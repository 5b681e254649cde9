//! Voice in a running gate: what the windows ask of it, with the settings and the conversation's own words.
//! The programs that listen and recognise, and the models, are gate-voice's matter.

mod commands;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gate_api::subjects::settings;
use gate_api::subjects::voice::Event;
use gate_api::{Microphone, ModelState, SpeechModels, VoiceReadiness, VoiceState};
use gate_core::{Code, Fault, RequestId, bounds};
use gate_settings::Settings;
use gate_store::Store;
use gate_voice::link::VoiceProgram;
use gate_voice::models::{Downloads, FOLDER, ModelFolder};
use gate_voice::program::voice_program;
use gate_voice::voice::{Choices, Told, Voice};
use gate_voice::words::{Vocabulary, prompt};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, OnceCell};

use crate::bus::Bus;
use crate::slices::settings::Configured;
use crate::unknown::unknown_request;
use crate::work::blocking;

/// Voice in a running gate, begun when it is first asked for.
#[derive(Debug)]
pub(crate) struct Speech {
    store: Store,
    bus: Bus,
    settings: Arc<Configured>,
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
    /// Voice with the models below this folder of data.
    pub(crate) fn new(store: Store, bus: Bus, settings: Arc<Configured>, data: &Path) -> Self {
        let folder = ModelFolder::new(data.join(FOLDER));
        Self { store, bus, settings, folder, running: OnceCell::new(), changed: Arc::default() }
    }

    async fn running(self: &Arc<Self>) -> Result<&Running, Fault> {
        let begin = || async {
            let path = voice_program()?;
            // From before the choice on, so that no change is missed.
            let events = self.bus.events();
            let choices = self.choices().await?;
            let bus = self.bus.clone();
            let told = move |what| tell(&bus, what);
            let voice = Voice::begin(VoiceProgram { path: path.clone() }, choices, told);
            let (bus, changed) = (self.bus.clone(), Arc::clone(&self.changed));
            let usable = AtomicUsize::new(0);
            let told = move |models: SpeechModels| {
                let now = models.models.iter().filter(|model| model.state == ModelState::Installed).count();
                bus.emit(Event::ModelsChanged { models });
                if usable.swap(now, Ordering::Relaxed) != now {
                    changed.notify_one();
                }
            };
            let mirror = mirror(&self.settings.in_force());
            let downloads = Downloads::begin(self.folder.clone(), path, mirror, told);
            tokio::spawn(follow(Arc::clone(self), events, voice.clone(), downloads.clone()));
            Ok(Running { voice, downloads })
        };
        self.running.get_or_try_init(begin).await
    }

    /// What the settings and the models that are there make of voice.
    async fn choices(&self) -> Result<Choices, Fault> {
        let (settings, folder) = (self.settings.in_force(), self.folder.clone());
        // It looks at large files.
        blocking(move || Ok(choices(&settings, &folder))).await
    }

    /// How voice is.
    pub(crate) async fn voice(self: &Arc<Self>) -> Result<VoiceState, Fault> {
        match self.running().await {
            Ok(running) => running.voice.state().await,
            Err(fault) => Ok(without(fault)),
        }
    }

    pub(crate) async fn arm_voice(self: &Arc<Self>, by: String) -> Result<VoiceState, Fault> {
        if by.chars().count() > bounds::PAGE_MARK_CHARS {
            return Err(Fault::new(
                Code::TooLarge,
                format!("A page's mark has more than {} characters.", bounds::PAGE_MARK_CHARS),
                "Use a shorter one.",
            ));
        }
        match self.running().await {
            Ok(running) => running.voice.arm(by).await,
            Err(fault) => Ok(without(fault)),
        }
    }

    pub(crate) async fn disarm_voice(self: &Arc<Self>, by: String) -> Result<VoiceState, Fault> {
        match self.running().await {
            Ok(running) => running.voice.disarm(by).await,
            Err(fault) => Ok(without(fault)),
        }
    }

    pub(crate) async fn start_voice(self: &Arc<Self>, request: RequestId) -> Result<VoiceState, Fault> {
        let running = self.running().await?;
        let words = self.likely_words(request).await?;
        running.voice.start(Some(request), words).await
    }

    /// Names of the conversation, and the person's own words.
    async fn likely_words(&self, request: RequestId) -> Result<String, Fault> {
        let ask = self.store.request(request).await?.ok_or_else(|| unknown_request(request))?.ask;
        let vocabulary = Vocabulary::of(&self.settings.in_force().voice.vocabulary);
        let texts = [Some(ask.message), ask.title, ask.context, ask.diff];
        let finding = move || {
            let texts: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
            Ok(prompt(&texts, &vocabulary))
        };
        blocking(finding).await
    }

    pub(crate) async fn stop_voice(self: &Arc<Self>, take: u32) -> Result<VoiceState, Fault> {
        self.running().await?.voice.stop(take).await
    }

    pub(crate) async fn cancel_voice(self: &Arc<Self>, take: u32) -> Result<VoiceState, Fault> {
        self.running().await?.voice.cancel(take).await
    }

    pub(crate) async fn retry_voice(self: &Arc<Self>, take: u32) -> Result<VoiceState, Fault> {
        self.running().await?.voice.retry(take).await
    }

    pub(crate) async fn microphones(&self) -> Result<Vec<Microphone>, Fault> {
        VoiceProgram { path: voice_program()? }.microphones().await
    }

    pub(crate) async fn speech_models(self: &Arc<Self>) -> Result<SpeechModels, Fault> {
        self.running().await?.downloads.models().await
    }

    pub(crate) async fn download_model(self: &Arc<Self>, name: &str) -> Result<SpeechModels, Fault> {
        self.running().await?.downloads.download(name).await
    }

    pub(crate) async fn pause_download(self: &Arc<Self>, name: &str) -> Result<SpeechModels, Fault> {
        self.running().await?.downloads.pause(name).await
    }

    pub(crate) async fn import_model(self: &Arc<Self>, path: &str) -> Result<SpeechModels, Fault> {
        let path = Path::new(path);
        if !path.is_absolute() {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("{} isn't a full path.", path.display()),
                "Name the model's file, or a folder of such files, by its full path.",
            ));
        }
        let models = self.running().await?.downloads.import(path).await?;
        self.changed.notify_one();
        Ok(models)
    }

    pub(crate) async fn remove_model(self: &Arc<Self>, name: &str) -> Result<SpeechModels, Fault> {
        let models = self.running().await?.downloads.remove(name).await?;
        self.changed.notify_one();
        Ok(models)
    }
}

/// Takes up settings and models that are other than before, until the gate ends.
async fn follow(speech: Arc<Speech>, mut events: Receiver<gate_api::Event>, voice: Voice, downloads: Downloads) {
    loop {
        tokio::select! {
            () = speech.changed.notified() => {}
            () = settings_changed(&mut events) => {}
            () = speech.bus.stop().cancelled() => return,
        }
        let taken = async {
            downloads.set_mirror(mirror(&speech.settings.in_force())).await?;
            voice.choose(speech.choices().await?).await
        };
        if let Err(fault) = taken.await {
            tracing::warn!(%fault, "voice doesn't follow its settings");
        }
    }
}

/// Resolves when settings are other, or may be.
async fn settings_changed(events: &mut Receiver<gate_api::Event>) {
    loop {
        match events.recv().await {
            Ok(gate_api::Event::Settings(settings::Event::SettingsChanged { .. })) | Err(RecvError::Lagged(_)) => {
                return;
            }
            Ok(_) => {}
            Err(RecvError::Closed) => return std::future::pending().await,
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

fn tell(bus: &Bus, what: Told) {
    let event = match what {
        Told::State(voice) => Event::VoiceChanged { voice },
        Told::Level { peak, recorded_ms } => Event::VoiceLevel { peak, recorded_ms: Some(recorded_ms) },
        Told::Text { take, text, partial, last, .. } => Event::VoiceText { take, text, partial, last },
    };
    bus.emit(event);
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
    use gate_api::subjects::voice::{ArmVoice, RetryVoice, StartVoice};
    use uuid::Uuid;

    use super::*;
    use crate::tests::{Outcome, gate};
    use gate_api::Origin;

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
