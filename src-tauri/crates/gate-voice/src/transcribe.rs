//! A recording in a file to text: one program gives its sound, another the words. What is ahead waits in
//! their pipes, so that a long file takes no more memory here than a short one.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use gate_core::{Code, Fault};
use tokio::io::BufReader;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::SAMPLES_PER_MS;
use crate::frame::{self, Frame};
use crate::program::{fault_of, not_started};
use crate::protocol::{FromRecogniser, Options, Segment, ToRecogniser};

/// How long the recogniser may say nothing: a segment of a large model on a small machine.
const SILENCE: Duration = Duration::from_secs(15 * 60);
/// The number of the only take.
const TAKE: u32 = 1;

/// The models that it is done with.
#[derive(Debug, Clone, Copy)]
pub struct With<'a> {
    /// The file of `review-gate-voice`.
    pub program: &'a Path,
    /// The speech model's file.
    pub model: &'a Path,
    /// The file of the model that tells speech from silence.
    pub vad: &'a Path,
}

/// What was said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    /// Its parts, in their order; none where nothing was said.
    pub segments: Vec<Segment>,
    /// The language, fixed or found out.
    pub language: Option<String>,
    /// How long the recording is, in milliseconds.
    pub length_ms: u64,
}

/// Transcribes a file. `heard` is told of each part as soon as it is understood. Dropping it ends what it has
/// started.
///
/// # Errors
/// `unreadable_file` and `audio` of the file, `speech_model`, `transcription`, `voice_unavailable`.
pub async fn transcribe(
    with: With<'_>,
    file: &Path,
    options: Options,
    mut heard: impl FnMut(&Segment),
) -> Result<Transcript, Fault> {
    let mut decoder = start(with.program, &["decode".as_ref(), file.as_os_str()], Stdio::null())?;
    let mut recogniser = start(with.program, &["recognise".as_ref()], Stdio::piped())?;
    let (Some(sound), Some(errors)) = (decoder.stdout.take(), decoder.stderr.take()) else { return Err(no_pipes()) };
    let (Some(input), Some(output)) = (recogniser.stdin.take(), recogniser.stdout.take()) else {
        return Err(no_pipes());
    };
    let load = ToRecogniser::Load { model: with.model.to_owned(), vad: with.vad.to_owned() };
    let feeding = async {
        // Both are read at the same time: a full pipe would hold the decoder up.
        let (passed, fault) = tokio::join!(pass_on(sound, input, load, options), fault_of(errors));
        let is_whole = decoder.wait().await.is_ok_and(|status| status.success());
        match fault {
            None if is_whole => Ok(passed),
            fault => Err(fault.unwrap_or_else(|| undecodable(file))),
        }
    };
    let listening = listen(output, &mut heard);
    tokio::pin!(feeding, listening);
    let (passed, transcript) = tokio::select! {
        // A file that can't be read is known before the recogniser has loaded its model. Its input stays open
        // until it is through.
        passed = &mut feeding => (passed?, listening.await?),
        transcript = &mut listening => {
            let transcript = transcript?;
            (feeding.await?, transcript)
        }
    };
    Ok(Transcript { length_ms: passed.samples / SAMPLES_PER_MS as u64, ..transcript })
}

/// Starts the program in one of its parts.
fn start(program: &Path, arguments: &[&OsStr], input: Stdio) -> Result<Child, Fault> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(input).stdout(Stdio::piped()).kill_on_drop(true);
    // What is wrong with recognising is said in its messages.
    command.stderr(if arguments.len() > 1 { Stdio::piped() } else { Stdio::null() });
    command.spawn().map_err(|error| not_started(&error))
}

/// The sound that was passed on.
struct Passed {
    samples: u64,
    /// The recogniser gives up when this ends.
    _input: ChildStdin,
}

/// Has the recogniser hear what the decoder gives. When it hears no more, it says itself why.
async fn pass_on(sound: ChildStdout, mut input: ChildStdin, load: ToRecogniser, options: Options) -> Passed {
    let mut sound = BufReader::with_capacity(64 * 1024, sound);
    let mut samples = 0;
    let begin = ToRecogniser::Begin { take: TAKE, options };
    let mut hears = frame::send(&mut input, &load).await.is_ok() && frame::send(&mut input, &begin).await.is_ok();
    // The decoder says no messages.
    while let Ok(Some(Frame::<ToRecogniser>::Sound(piece))) = frame::receive(&mut sound).await {
        samples += piece.len() as u64;
        hears = hears && frame::send_sound(&mut input, &piece).await.is_ok();
    }
    if hears {
        for last in [ToRecogniser::Release { take: TAKE }, ToRecogniser::End { take: TAKE }] {
            let _ = frame::send(&mut input, &last).await;
        }
    }
    Passed { samples, _input: input }
}

/// Takes up what the recogniser says, until it is through.
async fn listen(output: ChildStdout, heard: &mut impl FnMut(&Segment)) -> Result<Transcript, Fault> {
    let mut output = BufReader::with_capacity(16 * 1024, output);
    let mut transcript = Transcript::default();
    loop {
        let said = tokio::time::timeout(SILENCE, frame::receive(&mut output)).await;
        let Ok(Ok(Some(Frame::Message(said)))) = said else {
            let what = if said.is_err() { "hangs" } else { "ended before it was through" };
            return Err(Fault::new(
                Code::Transcription,
                format!("The speech engine {what}."),
                "Try again; if it happens again, take a smaller model, and report it.",
            ));
        };
        match said {
            FromRecogniser::Segment { segment, .. } => {
                heard(&segment);
                transcript.segments.push(segment);
            }
            FromRecogniser::Done { language, .. } => return Ok(Transcript { language, ..transcript }),
            FromRecogniser::Fault { fault, .. } => return Err(fault),
            FromRecogniser::Ready | FromRecogniser::Loaded { .. } | FromRecogniser::Partial { .. } => {}
        }
    }
}

fn no_pipes() -> Fault {
    Fault::internal("A child program has no pipes.")
}

fn undecodable(file: &Path) -> Fault {
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    Fault::new(
        Code::Audio,
        format!("The sound of {name} can't be read: the program that reads it ended."),
        "Give a WAV, MP3, FLAC, Ogg Vorbis or M4A file.",
    )
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    use tempfile::TempDir;

    use super::*;

    /// A program that gives such sound and says such messages.
    struct Trial {
        folder: TempDir,
        program: PathBuf,
    }

    impl Trial {
        fn new(decodes: &str, recognises: &str) -> Self {
            let folder = tempfile::tempdir().expect("a folder for tests");
            let program = folder.path().join("voice.sh");
            let cases = format!("cd \"${{0%/*}}\"\ncase $1 in\ndecode) {decodes};;\nrecognise) {recognises};;\nesac\n");
            fs::write(&program, format!("#!/bin/sh\n{cases}")).expect("a folder for tests");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("a folder for tests");
            let mut sound = Vec::new();
            frame::write_sound(&mut sound, &[1; 32_000]).expect("a vector takes all");
            frame::write_sound(&mut sound, &[2; 16_000]).expect("a vector takes all");
            fs::write(folder.path().join("sound"), sound).expect("a folder for tests");
            Self { folder, program }
        }

        fn says(self, messages: &[FromRecogniser]) -> Self {
            let mut frames = Vec::new();
            for message in messages {
                frame::write(&mut frames, message).expect("a vector takes all");
            }
            fs::write(self.folder.path().join("says"), frames).expect("a folder for tests");
            self
        }

        async fn transcribe(&self) -> (Result<Transcript, Fault>, Vec<String>) {
            let mut heard = Vec::new();
            let with = With { program: &self.program, model: Path::new("model"), vad: Path::new("vad") };
            let options = Options { language: Some("en".to_owned()), ..Options::default() };
            let done = transcribe(with, Path::new("a.wav"), options, |segment| heard.push(segment.text.clone())).await;
            (done, heard)
        }

        async fn refused(&self) -> Code {
            self.transcribe().await.0.expect_err("it is refused").code
        }
    }

    const DECODES: &str = "cat sound";
    /// Says all when it has heard all, and ends with its input.
    const RECOGNISES: &str = "head -c 96000 > heard; cat says; cat >> heard";

    fn segment(text: &str) -> FromRecogniser {
        let segment = Segment { start_ms: 0, end_ms: 500, text: text.to_owned() };
        FromRecogniser::Segment { take: TAKE, segment }
    }

    fn through() -> FromRecogniser {
        FromRecogniser::Done { take: TAKE, speech: true, language: Some("en".to_owned()), took_ms: 1 }
    }

    #[tokio::test]
    async fn what_is_in_a_file_becomes_text() {
        let trial =
            Trial::new(DECODES, RECOGNISES).says(&[FromRecogniser::Ready, segment("One"), segment("Two"), through()]);
        let (done, heard) = trial.transcribe().await;
        let done = done.expect("it is understood");
        assert_eq!((done.segments.len(), done.language.as_deref(), done.length_ms), (2, Some("en"), 3000));
        assert_eq!(heard, ["One", "Two"], "each is told as it comes");
        let mut told = &*fs::read(trial.folder.path().join("heard")).expect("it has heard");
        let load = ToRecogniser::Load { model: "model".into(), vad: "vad".into() };
        assert_eq!(frame::read(&mut told).ok().flatten(), Some(Frame::Message(load)), "the models come first");
    }

    #[tokio::test]
    async fn what_is_wrong_with_the_file_is_said_by_who_reads_it() {
        let fault = r#"echo '{"code": "audio", "message": "No sound.", "mend": "Give some."}' >&2; exit 1"#;
        assert_eq!(Trial::new(fault, "cat > /dev/null").refused().await, Code::Audio);
        assert_eq!(Trial::new("kill -9 $$", "cat > /dev/null").refused().await, Code::Audio, "even if it dies");
    }

    #[tokio::test]
    async fn what_is_wrong_with_the_model_is_said_by_who_loads_it() {
        let fault = Fault::new(Code::SpeechModel, "It is damaged.", "Get it again.");
        let said = FromRecogniser::Fault { take: None, fault };
        let trial = Trial::new(DECODES, "cat says; exec cat > /dev/null").says(&[said]);
        assert_eq!(trial.refused().await, Code::SpeechModel);
    }

    #[tokio::test]
    async fn an_engine_that_dies_is_said() {
        assert_eq!(Trial::new(DECODES, "kill -9 $$").refused().await, Code::Transcription);
        let mut trial = Trial::new(DECODES, RECOGNISES);
        trial.program = "/nonexistent/program".into();
        assert_eq!(trial.refused().await, Code::VoiceUnavailable);
    }
}
