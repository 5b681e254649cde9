//! `review-gate transcribe`: a recording to text, on this machine and without a gate.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use gate_core::{Code, Fault};
use gate_link::Home;
use gate_voice::models::{FOLDER, InstalledModel, ModelFolder};
use gate_voice::program::voice_program;
use gate_voice::protocol::Options;
use gate_voice::transcribe::{Transcript, With, transcribe};
use gate_voice::words::{Vocabulary, joined, prompt};
use serde_json::{Value, json};

use crate::output::one_line;
use crate::progress::Progress;
use crate::{exit, output, settings};

/// Longest part that is shown while it goes on, in characters: what a narrow terminal has.
const SHOWN_CHARS: usize = 60;

#[derive(Debug, Args)]
#[command(
    after_help = "Reads WAV, MP3, FLAC, Ogg Vorbis and M4A. Nothing leaves this machine, and nothing is kept. Your own
words (the setting voice.vocabulary) are written as you want them.

Exit codes: 0 done, also where nothing was said; 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate transcribe note.m4a
  review-gate transcribe meeting.mp3 --language de --model small-q8_0
  review-gate transcribe note.wav --json | jq -r '.segments[] | \"\\(.start_ms) \\(.text)\"'"
)]
pub(crate) struct TranscribeArguments {
    /// The recording
    file: PathBuf,
    /// The language's code, e.g. `en`, or `auto`; without it, what the settings say
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
    /// The speech model's name; without it, what the settings say
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Print JSON: the text, and its parts with when they were said
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(home: &Home, arguments: TranscribeArguments) -> Result<ExitCode, Fault> {
    let settings = settings::of(home).voice;
    let language = language(&arguments.language.unwrap_or(settings.language))?;
    let folder = ModelFolder::new(home.data_folder().join(FOLDER));
    let (model, vad) = folder.needed(&arguments.model.unwrap_or(settings.model))?;
    check_language(&model, language.as_deref())?;
    let program = voice_program()?;
    let vocabulary = Vocabulary::of(&settings.vocabulary);
    let options = Options { language, prompt: prompt(&[], &vocabulary), threads: None, partial: false };
    let with = With { program: &program, model: &model.path, vad: &vad };
    let progress = Progress::begin();
    progress.say(&format!("Listening with {}…", model.name));
    let done = transcribe(with, &arguments.file, options, |part| progress.say(&how_far(part.end_ms, &part.text))).await;
    progress.end();
    let transcript = done?;
    match arguments.json {
        true => output::json(&report(&transcript, &model, &vocabulary))?,
        false if transcript.segments.is_empty() => output::error("nothing was said in it"),
        false => output::line(&vocabulary.replaced(&joined(&transcript.segments))),
    }
    Ok(ExitCode::from(exit::DONE))
}

/// What is printed as JSON.
fn report(transcript: &Transcript, model: &InstalledModel, vocabulary: &Vocabulary) -> Value {
    let segments = transcript.segments.iter().map(|segment| {
        let text = vocabulary.replaced(segment.text.trim());
        json!({ "start_ms": segment.start_ms, "end_ms": segment.end_ms, "text": text })
    });
    json!({
        "text": vocabulary.replaced(&joined(&transcript.segments)),
        "language": transcript.language,
        "model": model.name,
        "length_ms": transcript.length_ms,
        "segments": segments.collect::<Vec<_>>(),
    })
}

/// A language's code; absent for finding it out.
fn language(code: &str) -> Result<Option<String>, Fault> {
    let code = code.to_ascii_lowercase();
    let is_code = (2..=3).contains(&code.len()) && code.bytes().all(|letter| letter.is_ascii_lowercase());
    match code.as_str() {
        "auto" => Ok(None),
        _ if is_code => Ok(Some(code)),
        _ => Err(Fault::new(
            Code::InvalidInput,
            format!("{code:?} is no language's code."),
            "Give two letters as in `en`, or `auto` for finding it out.",
        )),
    }
}

fn check_language(model: &InstalledModel, language: Option<&str>) -> Result<(), Fault> {
    match language {
        Some(code) if model.english_only && code != "en" => Err(Fault::new(
            Code::InvalidInput,
            format!("The speech model {} knows English only.", model.name),
            "Name another one with --model; `review-gate voice models` shows which there are.",
        )),
        _ => Ok(()),
    }
}

/// How far it is, and what was said there.
fn how_far(end_ms: u32, text: &str) -> String {
    let seconds = end_ms / 1000;
    format!("{}:{:02} {}", seconds / 60, seconds % 60, one_line(text.trim(), SHOWN_CHARS))
}

#[cfg(test)]
mod tests {
    use gate_voice::protocol::Segment;

    use super::*;

    fn model(english_only: bool) -> InstalledModel {
        InstalledModel { name: "tiny".into(), path: "tiny.bin".into(), bytes: 1, english_only, imported: false }
    }

    #[test]
    fn a_language_is_a_code_or_found_out() {
        assert_eq!(language("auto"), Ok(None));
        assert_eq!(language("EN"), Ok(Some("en".to_owned())));
        for wrong in ["", "e", "english", "e\u{0}", "12"] {
            assert_eq!(language(wrong).expect_err("it is none").code, Code::InvalidInput, "{wrong:?}");
        }
        assert!(check_language(&model(true), Some("de")).is_err(), "it would write down nonsense");
        assert_eq!(check_language(&model(true), Some("en")).and(check_language(&model(true), None)), Ok(()));
        assert_eq!(check_language(&model(false), Some("de")), Ok(()));
    }

    #[test]
    fn json_says_when_what_was_said() {
        let segments = vec![
            Segment { start_ms: 0, end_ms: 900, text: " Push it".to_owned() },
            Segment { start_ms: 900, end_ms: 2000, text: " to get hub.".to_owned() },
        ];
        let transcript = Transcript { segments, language: Some("en".to_owned()), length_ms: 2100 };
        let said = report(&transcript, &model(true), &Vocabulary::of(&["get hub -> GitHub".to_owned()]));
        let expected = json!({
            "text": "Push it to GitHub.", "language": "en", "model": "tiny", "length_ms": 2100,
            "segments": [
                { "start_ms": 0, "end_ms": 900, "text": "Push it" },
                { "start_ms": 900, "end_ms": 2000, "text": "to GitHub." },
            ],
        });
        assert_eq!(said, expected);
    }
}
