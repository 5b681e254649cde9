//! `review-gate voice`: speech models and microphones, on this machine and without a gate. One that runs is
//! told of what has changed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use gate_api::subjects::voice::ListSpeechModels;
use gate_api::{ModelState, SpeechModel, SpeechModels};
use gate_core::Fault;
use gate_link::Home;
use gate_voice::models::{Downloads, FOLDER, ModelFolder, RECOMMENDED, no_such_model};
use gate_voice::program::{microphones, voice_program};
use serde_json::json;
use tokio::sync::watch;

use crate::client::Client;
use crate::output::one_line;
use crate::progress::Progress;
use crate::{exit, output, settings};

/// Longest name that is shown, in characters.
const NAME_CHARS: usize = 100;

#[derive(Debug, Args)]
#[command(
    after_help = "Speaking needs a speech model once; then nothing leaves this machine. Larger models hear better and take
longer. Names with .en know English only; q8_0, q5_1 and q5_0 are smaller and nearly as good.

Exit codes: 0 done; 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate voice download                the recommended model
  review-gate voice models                  which there are
  review-gate voice import ~/Downloads/ggml-small.bin
  review-gate config set voice.model small
  review-gate voice microphones"
)]
pub(crate) struct VoiceArguments {
    #[command(subcommand)]
    command: VoiceCommand,
}

#[derive(Debug, Subcommand)]
enum VoiceCommand {
    /// List the speech models
    #[command(after_help = "Example:
  review-gate voice models --json | jq -r '.models[] | select(.state.state == \"installed\") | .name'")]
    Models {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Download a speech model, or go on with it; Ctrl-C pauses it
    #[command(after_help = "The setting voice.mirror names another place than huggingface.co.

Examples:
  review-gate voice download
  review-gate voice download small-q8_0")]
    Download {
        /// Its name; without it, the recommended one
        #[arg(default_value = RECOMMENDED)]
        name: String,
        /// Print JSON: the model as it is then
        #[arg(long)]
        json: bool,
    },
    /// Copy a model's file, or all in a folder, after checking it
    #[command(after_help = "Example:
  review-gate voice import /media/stick/models")]
    Import {
        /// The file or folder
        path: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Delete a speech model, or what is there of it
    #[command(after_help = "Example:
  review-gate voice remove medium")]
    Remove {
        /// Its name
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the microphones
    #[command(after_help = "Example:
  review-gate config set voice.microphone \"$(review-gate voice microphones --json | jq -r '.[1].id')\"")]
    Microphones {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
}

pub(crate) async fn run(home: &Home, arguments: VoiceArguments) -> Result<ExitCode, Fault> {
    let folder = ModelFolder::new(home.data_folder().join(FOLDER));
    match arguments.command {
        VoiceCommand::Models { json } => {
            let listed = folder.list(&Default::default());
            match json {
                true => output::json(&listed)?,
                false => print_models(&listed),
            }
        }
        VoiceCommand::Download { name, json } => download(home, folder, &name, json).await?,
        VoiceCommand::Import { path, json } => import(home, &folder, &path, json).await?,
        VoiceCommand::Remove { name, json } => {
            folder.remove(&name)?;
            Client::tell(home, ListSpeechModels {}).await;
            match json {
                true => output::json(&json!({ "removed": name }))?,
                false => output::line(&format!("{name} is deleted.")),
            }
        }
        VoiceCommand::Microphones { json } => list_microphones(json).await?,
    }
    Ok(ExitCode::from(exit::DONE))
}

async fn download(home: &Home, folder: ModelFolder, name: &str, json: bool) -> Result<(), Fault> {
    let mirror = settings::of(home).voice.mirror;
    let (tell, mut told) = watch::channel(None);
    let downloads =
        Downloads::begin(folder, voice_program()?, Some(mirror).filter(|url| !url.is_empty()), move |all| {
            tell.send_replace(Some(all));
        });
    let progress = Progress::begin();
    let mut model = of_name(downloads.download(name).await?, name)?;
    let model = loop {
        match &model.state {
            ModelState::Downloading { done, speed } => progress.say(&how_far(&model, *done, *speed)),
            _ => break model,
        }
        let gone = |_| Fault::internal("The download ended without a word.");
        told.changed().await.map_err(gone)?;
        if let Some(all) = told.borrow_and_update().clone() {
            model = of_name(all, name)?;
        }
    };
    progress.end();
    match model.state {
        ModelState::Paused { fault: Some(fault), .. } => return Err(fault),
        ModelState::Installed => {}
        ModelState::Absent | ModelState::Paused { .. } | ModelState::Downloading { .. } => {
            return Err(Fault::internal("The download ended, and the model isn't there."));
        }
    }
    Client::tell(home, ListSpeechModels {}).await;
    match json {
        true => output::json(&model),
        false => {
            output::line(&format!("{name} is there."));
            Ok(())
        }
    }
}

fn of_name(all: SpeechModels, name: &str) -> Result<SpeechModel, Fault> {
    all.models.into_iter().find(|model| model.name == name).ok_or_else(|| no_such_model(name))
}

fn how_far(model: &SpeechModel, done: u64, speed: u64) -> String {
    let percent = done * 100 / model.bytes.max(1);
    let left = match model.bytes.saturating_sub(done).checked_div(speed) {
        Some(0) | None => String::new(),
        Some(seconds) if seconds < 90 => format!(", {seconds} s left"),
        Some(seconds) => format!(", {} min left", seconds.div_ceil(60)),
    };
    format!("{}: {percent} % of {}, {}/s{left}", model.name, size(model.bytes), size(speed))
}

async fn import(home: &Home, folder: &ModelFolder, path: &Path, json: bool) -> Result<(), Fault> {
    let imported = folder.import(path)?;
    Client::tell(home, ListSpeechModels {}).await;
    for fault in &imported.refused {
        output::fault(fault);
    }
    if json {
        return output::json(&json!({ "imported": imported.names, "refused": imported.refused }));
    }
    for name in &imported.names {
        output::line(&format!("{} is there.", one_line(name, NAME_CHARS)));
    }
    if folder.vad().is_none() {
        let name = imported.names.first().map_or(RECOMMENDED, String::as_str);
        output::error(&format!(
            "the small model that tells speech from silence is still missing; `review-gate voice download {name}` gets it"
        ));
    }
    Ok(())
}

async fn list_microphones(json: bool) -> Result<(), Fault> {
    let found = microphones(&voice_program()?).await?;
    if json {
        return output::json(&found);
    }
    if found.is_empty() {
        output::error("there is no microphone; plug one in, or look whether the sound system runs");
    }
    for microphone in &found {
        let mark = if microphone.default { "  (default)" } else { "" };
        let [id, name] = [&microphone.id, &microphone.name].map(|text| one_line(text, NAME_CHARS));
        output::line(&format!("{id:<40} {name}{mark}"));
    }
    Ok(())
}

fn print_models(listed: &SpeechModels) {
    for model in &listed.models {
        output::line(&row(model));
    }
    let free = listed.free_bytes.map_or_else(String::new, |bytes| format!(", {} free", size(bytes)));
    output::line(&format!("In {}{free}.", one_line(&listed.folder, NAME_CHARS)));
}

fn row(model: &SpeechModel) -> String {
    let state = match &model.state {
        ModelState::Absent if model.recommended => "recommended".to_owned(),
        ModelState::Absent => String::new(),
        ModelState::Downloading { done, .. } | ModelState::Paused { done, fault: None } => {
            format!("{} % there", done * 100 / model.bytes.max(1))
        }
        ModelState::Paused { fault: Some(fault), .. } => fault.message.clone(),
        ModelState::Installed => "installed".to_owned(),
    };
    let languages = if model.english_only { "English" } else { "any language" };
    let name = one_line(&model.name, NAME_CHARS);
    format!("{name:<22} {:>8}  {languages:<12}  {state}", size(model.bytes)).trim_end().to_owned()
}

/// Bytes for a person.
fn size(bytes: u64) -> String {
    const MB: u64 = 1_000_000;
    match bytes {
        0..100_000 => format!("{} kB", bytes.div_ceil(1000)),
        100_000..10_000_000 => format!("{:.1} MB", bytes as f64 / MB as f64),
        10_000_000..1_000_000_000 => format!("{} MB", bytes.div_ceil(MB)),
        _ => format!("{:.1} GB", bytes as f64 / (1000 * MB) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(state: ModelState) -> SpeechModel {
        let name = "base-q8_0".to_owned();
        let (english_only, recommended, imported) = (false, true, false);
        SpeechModel { name, english_only, bytes: 81_768_585, memory_bytes: 200_000_000, recommended, imported, state }
    }

    #[test]
    fn a_model_is_a_row() {
        let start = "base-q8_0                 82 MB  any language";
        assert_eq!(row(&model(ModelState::Absent)), format!("{start}  recommended"));
        assert_eq!(row(&model(ModelState::Installed)), format!("{start}  installed"));
        assert_eq!(row(&model(ModelState::Paused { done: 40_884_293, fault: None })), format!("{start}  50 % there"));
        let fault = Fault::new(gate_core::Code::Download, "No network.", "Mend it.");
        assert_eq!(row(&model(ModelState::Paused { done: 0, fault: Some(fault) })), format!("{start}  No network."));
    }

    #[test]
    fn how_far_a_download_is_fits_on_a_line() {
        let model = model(ModelState::Absent);
        assert_eq!(how_far(&model, 0, 0), "base-q8_0: 0 % of 82 MB, 0 kB/s");
        assert_eq!(how_far(&model, 40_884_293, 1_500_000), "base-q8_0: 50 % of 82 MB, 1.5 MB/s, 27 s left");
        assert_eq!(how_far(&model, 1_768_585, 200_000), "base-q8_0: 2 % of 82 MB, 0.2 MB/s, 7 min left");
        assert_eq!([size(1_624_555_275), size(99)], ["1.6 GB", "1 kB"]);
    }
}
