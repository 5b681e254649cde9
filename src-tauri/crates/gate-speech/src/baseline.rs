//! `review-gate-voice baseline MODEL [THREADS]`: sound frames in, then what whisper.cpp makes of them when it
//! is left alone, as JSON. What the benchmark compares with; no part of using voice.

use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use gate_core::{Code, Fault};
use gate_voice::frame::{self, Frame};
use serde_json::json;

use crate::busy::Busy;
use crate::engine::Engine;
use crate::resample::from_words;

/// Runs once its input has ended; a message among the sound is an end, too, so that several recordings can
/// be compared without loading the model again.
pub(crate) fn run(model: &Path, threads: Option<i32>) -> ExitCode {
    whisper_rs::install_logging_hooks();
    match compare(model, threads, std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => crate::fault(&fault),
    }
}

fn compare(model: &Path, threads: Option<i32>, input: impl Read, mut output: impl Write) -> Result<(), Fault> {
    let broken = |error: std::io::Error| Fault::internal(format!("A pipe broke: {error}."));
    let mut engine = Engine::load(model)?;
    let threads = threads.filter(|threads| (1..=64).contains(threads)).unwrap_or_else(|| Busy::new().threads());
    let mut input = BufReader::new(input);
    let mut sound: Vec<f32> = Vec::new();
    loop {
        let frame = frame::read::<serde_json::Value>(&mut input).map_err(broken)?;
        let over = frame.is_none();
        if let Some(Frame::Sound(words)) = frame {
            sound.extend(from_words(&words));
            continue;
        }
        if !sound.is_empty() {
            let begun = Instant::now();
            let text = engine.plainly(&sound, "en", threads)?;
            let took = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
            writeln!(output, "{}", json!({ "text": text, "took_ms": took, "threads": threads })).map_err(broken)?;
            output.flush().map_err(broken)?;
        } else if over {
            return Err(Fault::new(Code::Audio, "There was no sound to transcribe.", "Give it some sound frames."));
        }
        sound.clear();
        if over {
            return Ok(());
        }
    }
}
