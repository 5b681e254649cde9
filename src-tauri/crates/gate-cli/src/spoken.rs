//! A reply that is spoken at a terminal: recorded, understood and shown before anything is sent.

use std::io::{IsTerminal as _, Write as _};

use gate_api::{VoicePhase, VoiceState};
use gate_app::{Settings, voice_choices};
use gate_core::{Code, Fault};
use gate_link::Home;
use gate_settings::{Overlay, SettingsFile, Values};
use gate_voice::link::VoiceProgram;
use gate_voice::models::{FOLDER, ModelFolder};
use gate_voice::program::voice_program;
use gate_voice::voice::{Told, Voice};
use gate_voice::words::{Vocabulary, prompt};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines, Stdin};
use tokio::sync::mpsc;

use crate::output;

/// Width of the level meter, in characters.
const METER: usize = 20;
/// How much of the text is shown while it is spoken, in characters.
const SHOWN: usize = 50;

/// What was said, once the person has said that it may be sent; absent where they gave up.
///
/// # Errors
/// Without a terminal, a model or a microphone, and when nothing could be understood.
pub(crate) async fn ask(home: &Home, about: &[String]) -> Result<Option<String>, Fault> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(Fault::new(
            Code::InvalidInput,
            "Speaking needs a terminal: what was understood is shown before it is sent.",
            "Run it in a terminal, or pass the text with `--text`.",
        ));
    }
    let loaded = SettingsFile::at(home.config_file()).load(&Overlay::of_process(Values::new()));
    let settings: Settings = loaded.settings;
    let words =
        prompt(&about.iter().map(String::as_str).collect::<Vec<_>>(), &Vocabulary::of(&settings.voice.vocabulary));
    let choices = voice_choices(&settings, &ModelFolder::new(home.data_folder().join(FOLDER)));
    let (tell, told) = mpsc::unbounded_channel();
    let voice = Voice::begin(VoiceProgram { path: voice_program()? }, choices, move |what| {
        let _ = tell.send(what);
    });
    let mut speaker = Speaker { voice, told, words, lines: BufReader::new(tokio::io::stdin()).lines() };
    loop {
        let text = speaker.take().await?;
        if text.is_empty() {
            show("No speech was heard. Enter: again; q: give up.\n> ");
        } else {
            show(&format!("{}\nEnter: send; r: again; q: give up; anything else is sent instead.\n> ", text.trim()));
        }
        let answer = speaker.line().await?;
        match answer.as_deref().map(str::trim) {
            None | Some("q") => return Ok(None),
            Some("" | "r") if text.is_empty() => {}
            Some("r") => {}
            Some("") => return Ok(Some(text)),
            Some(instead) => return Ok(Some(instead.to_owned())),
        }
    }
}

struct Speaker {
    voice: Voice,
    told: mpsc::UnboundedReceiver<Told>,
    words: String,
    lines: Lines<BufReader<Stdin>>,
}

impl Speaker {
    async fn line(&mut self) -> Result<Option<String>, Fault> {
        self.lines.next_line().await.map_err(|error| {
            Fault::new(Code::InvalidInput, format!("The terminal can't be read: {error}."), "Nothing was sent.")
        })
    }

    /// Records until Enter, and gives what was understood; empty where nothing was said.
    async fn take(&mut self) -> Result<String, Fault> {
        show("Opening the microphone …");
        let state = self.voice.start(None, self.words.clone()).await?;
        let take = number(&state)?;
        show("\r\u{1b}[KSpeak. Enter ends, Ctrl+C gives up.\n");
        let mut text = String::new();
        let mut ended = false;
        loop {
            tokio::select! {
                line = self.lines.next_line(), if !ended => {
                    ended = true;
                    if !matches!(line, Ok(Some(_))) {
                        self.voice.cancel(take).await?;
                        return Ok(String::new());
                    }
                    self.voice.stop(take).await?;
                    show("\r\u{1b}[KTranscribing …");
                }
                told = self.told.recv() => match told {
                    None => return Err(Fault::internal("Voice has ended.")),
                    Some(Told::Level { peak, recorded_ms }) if !ended => show(&meter(peak, recorded_ms, &text)),
                    Some(Told::Text { take: of, text: sure, partial, .. }) if of == take => {
                        text = [sure, partial].join(" ").trim().to_owned();
                    }
                    Some(Told::State(state)) => match phase(&state, take) {
                        Some(VoicePhase::Done | VoicePhase::Silent) => {
                            show("\r\u{1b}[K");
                            return Ok(text);
                        }
                        Some(VoicePhase::Failed) => {
                            show("\r\u{1b}[K");
                            return Err(state.fault.unwrap_or_else(|| Fault::internal("Transcribing failed.")));
                        }
                        Some(VoicePhase::Transcribing) => ended = true,
                        _ => {}
                    },
                    Some(_) => {}
                }
            }
        }
    }
}

fn number(state: &VoiceState) -> Result<u32, Fault> {
    state.take.as_ref().map(|take| take.take).ok_or_else(|| Fault::internal("No take was begun."))
}

fn phase(state: &VoiceState, take: u32) -> Option<VoicePhase> {
    state.take.as_ref().filter(|present| present.take == take).map(|present| present.phase)
}

/// The line that shows how loud it is, how long, and what was understood so far.
fn meter(peak: u16, recorded_ms: u32, text: &str) -> String {
    let loud = (usize::from(peak) * METER / 1000).min(METER);
    let seconds = recorded_ms / 1000;
    let from = text.chars().count().saturating_sub(SHOWN);
    let end: String = text.chars().skip(from).collect();
    let line = output::one_line(&end, SHOWN + 1);
    format!("\r\u{1b}[K[{}{}] {}:{:02} {line}", "|".repeat(loud), " ".repeat(METER - loud), seconds / 60, seconds % 60)
}

/// Prints on stderr, which is a terminal, without a new line.
fn show(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_shows_loudness_time_and_the_end_of_the_text() {
        assert_eq!(meter(0, 0, ""), "\r\u{1b}[K[                    ] 0:00 ");
        assert_eq!(meter(500, 61_000, "a"), "\r\u{1b}[K[||||||||||          ] 1:01 a");
        let long = "word ".repeat(40) + "the end";
        let shown = meter(1000, 0, &long);
        assert!(shown.contains("[||||||||||||||||||||]") && shown.ends_with("the end"), "{shown}");
        assert!(!meter(0, 0, "a\u{1b}[2Jb").contains("\u{1b}[2J"), "nothing spoken moves the cursor");
    }
}
