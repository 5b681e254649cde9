//! Speaking, and the speech models: parse, one call.

use gate_api::subjects::voice::{
    ArmVoice, CancelVoice, DisarmVoice, DownloadModel, Handler, ImportModel, ListMicrophones, ListSpeechModels,
    Microphones, PauseDownload, ReadVoice, RemoveModel, RetryVoice, StartVoice, StopVoice,
};
use gate_api::{Origin, SpeechModels, VoiceState};
use gate_core::Fault;

use crate::slices::Gate;

impl Handler for Gate {
    async fn voice(&self, _: ReadVoice, _: Origin) -> Result<VoiceState, Fault> {
        self.inner.speech.voice().await
    }

    async fn arm_voice(&self, ArmVoice { by }: ArmVoice, _: Origin) -> Result<VoiceState, Fault> {
        self.inner.speech.arm_voice(by).await
    }

    async fn disarm_voice(&self, DisarmVoice { by }: DisarmVoice, _: Origin) -> Result<VoiceState, Fault> {
        self.inner.speech.disarm_voice(by).await
    }

    async fn start_voice(&self, started: StartVoice, _: Origin) -> Result<VoiceState, Fault> {
        self.inner.speech.start_voice(started.request_id).await
    }

    async fn stop_voice(&self, StopVoice { take }: StopVoice, _: Origin) -> Result<VoiceState, Fault> {
        self.inner.speech.stop_voice(take).await
    }

    async fn cancel_voice(&self, CancelVoice { take }: CancelVoice, _: Origin) -> Result<VoiceState, Fault> {
        self.inner.speech.cancel_voice(take).await
    }

    async fn retry_voice(&self, RetryVoice { take }: RetryVoice, _: Origin) -> Result<VoiceState, Fault> {
        self.inner.speech.retry_voice(take).await
    }

    async fn microphones(&self, _: ListMicrophones, _: Origin) -> Result<Microphones, Fault> {
        Ok(Microphones { microphones: self.inner.speech.microphones().await? })
    }

    async fn speech_models(&self, _: ListSpeechModels, _: Origin) -> Result<SpeechModels, Fault> {
        self.inner.speech.speech_models().await
    }

    async fn download_model(&self, DownloadModel { name }: DownloadModel, _: Origin) -> Result<SpeechModels, Fault> {
        self.inner.speech.download_model(&name).await
    }

    async fn pause_download(&self, PauseDownload { name }: PauseDownload, _: Origin) -> Result<SpeechModels, Fault> {
        self.inner.speech.pause_download(&name).await
    }

    async fn import_model(&self, ImportModel { path }: ImportModel, _: Origin) -> Result<SpeechModels, Fault> {
        self.inner.speech.import_model(&path).await
    }

    async fn remove_model(&self, RemoveModel { name }: RemoveModel, _: Origin) -> Result<SpeechModels, Fault> {
        self.inner.speech.remove_model(&name).await
    }
}
