//! `review-gate-voice` in its parts, as the gate speaks to it.

use std::io::{BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use gate_voice::SAMPLES_PER_MS;
use gate_voice::frame::{self, Frame};
use gate_voice::protocol::{FromListener, FromRecogniser, Options, ToListener, ToRecogniser};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Sound comes from the microphone in pieces of so many milliseconds.
const PIECE_MS: usize = 20;
/// How long the gate records on after the key is up.
const TAIL_MS: usize = gate_voice::TAIL_MS;

/// A part that runs. Ended when it is dropped.
struct Part {
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    output: BufReader<ChildStdout>,
}

impl Part {
    fn start(program: &Path, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("{} can't be started", program.display()))?;
        let input = child.stdin.take().map(BufWriter::new);
        let output = child.stdout.take().map(BufReader::new).context("it has no output")?;
        Ok(Self { child, input, output })
    }

    fn say(&mut self, message: &impl serde::Serialize) -> Result<()> {
        Ok(frame::write(self.input.as_mut().context("its input is closed")?, message)?)
    }

    fn sound(&mut self, samples: &[i16]) -> Result<()> {
        Ok(frame::write_sound(self.input.as_mut().context("its input is closed")?, samples)?)
    }

    fn hear<M: DeserializeOwned>(&mut self) -> Result<Frame<M>> {
        frame::read(&mut self.output)?.context("the program has ended")
    }

    fn message<M: DeserializeOwned>(&mut self) -> Result<M> {
        loop {
            if let Frame::Message(message) = self.hear()? {
                return Ok(message);
            }
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets time pass, as it does while a person speaks.
fn pass(time: Duration) {
    let end = Instant::now() + time;
    while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        std::thread::park_timeout(left);
    }
}

/// What became of a take.
pub(super) struct Heard {
    pub(super) text: String,
    pub(super) speech: bool,
    /// From the key going up to all of the text.
    pub(super) took: Duration,
}

/// The part that recognises, with a model.
pub(super) struct Recogniser {
    part: Part,
    takes: u32,
}

impl Recogniser {
    pub(super) fn load(program: &Path, model: &Path, vad: &Path) -> Result<Self> {
        let mut part = Part::start(program, &["recognise"])?;
        part.say(&ToRecogniser::Load { model: model.to_owned(), vad: vad.to_owned() })?;
        loop {
            match part.message()? {
                FromRecogniser::Loaded { .. } => return Ok(Self { part, takes: 0 }),
                FromRecogniser::Fault { fault, .. } => bail!("{fault}"),
                _ => {}
            }
        }
    }

    /// Most memory that it has had, in MB (`VmHWM`, proc(5)).
    pub(super) fn peak_mb(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.part.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
        let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
        // Its kB are 1024 bytes.
        Ok(kilobytes * 1024.0 / 1e6)
    }

    /// A take that is spoken as fast as it can be said.
    pub(super) fn at_once(&mut self, samples: &[i16]) -> Result<Heard> {
        let take = self.begin(None)?;
        self.part.sound(samples)?;
        let begin = Instant::now();
        self.part.say(&ToRecogniser::Release { take })?;
        self.part.say(&ToRecogniser::End { take })?;
        self.rest(take, begin)
    }

    /// A take that is spoken as a person does; silence follows.
    pub(super) fn spoken(&mut self, samples: &[i16], threads: Option<u32>) -> Result<Heard> {
        let take = self.begin(threads)?;
        self.speak(samples)?;
        let begin = Instant::now();
        self.part.say(&ToRecogniser::Release { take })?;
        self.speak(&vec![0; TAIL_MS * SAMPLES_PER_MS])?;
        self.part.say(&ToRecogniser::End { take })?;
        self.rest(take, begin)
    }

    /// From giving up a take that has been worked on for some time until the engine is free: until the next take is
    /// through, which holds nothing.
    pub(super) fn cancelled(&mut self, samples: &[i16], worked: Duration) -> Result<Duration> {
        let take = self.begin(None)?;
        self.part.sound(samples)?;
        self.part.say(&ToRecogniser::Release { take })?;
        self.part.say(&ToRecogniser::End { take })?;
        pass(worked);
        let begin = Instant::now();
        self.part.say(&ToRecogniser::Cancel { take })?;
        let next = self.begin(None)?;
        self.part.say(&ToRecogniser::Release { take: next })?;
        self.part.say(&ToRecogniser::End { take: next })?;
        Ok(self.rest(next, begin)?.took)
    }

    /// A take with as many names told beforehand as the gate tells at most.
    pub(super) fn prompted(&mut self, samples: &[i16]) -> Result<()> {
        let names = (0..).map(|number| format!("reviewGate{number}, "));
        let mut prompt = String::new();
        for name in names {
            if prompt.len() + name.len() > gate_voice::words::PROMPT_CHARS {
                break;
            }
            prompt.push_str(&name);
        }
        let take = self.begin_with(None, prompt)?;
        self.part.sound(samples)?;
        self.part.say(&ToRecogniser::Release { take })?;
        self.part.say(&ToRecogniser::End { take })?;
        self.rest(take, Instant::now())?;
        Ok(())
    }

    fn begin(&mut self, threads: Option<u32>) -> Result<u32> {
        self.begin_with(threads, String::new())
    }

    fn begin_with(&mut self, threads: Option<u32>, prompt: String) -> Result<u32> {
        self.takes += 1;
        let options = Options { language: Some("en".to_owned()), prompt, threads, partial: true };
        self.part.say(&ToRecogniser::Begin { take: self.takes, options })?;
        Ok(self.takes)
    }

    fn speak(&mut self, samples: &[i16]) -> Result<()> {
        let begin = Instant::now();
        for (number, piece) in (1_u32..).zip(samples.chunks(PIECE_MS * SAMPLES_PER_MS)) {
            let due = begin + Duration::from_millis(PIECE_MS as u64) * number;
            pass(due.saturating_duration_since(Instant::now()));
            self.part.sound(piece)?;
        }
        Ok(())
    }

    fn rest(&mut self, wanted: u32, begin: Instant) -> Result<Heard> {
        let mut text = String::new();
        loop {
            match self.part.message()? {
                FromRecogniser::Segment { take, segment } if take == wanted => {
                    text.push(' ');
                    text.push_str(&segment.text);
                }
                FromRecogniser::Done { take, speech, .. } if take == wanted => {
                    return Ok(Heard { text, speech, took: begin.elapsed() });
                }
                FromRecogniser::Fault { fault, .. } => bail!("{fault}"),
                _ => {}
            }
        }
    }
}

/// What whisper.cpp makes of the same by itself.
pub(super) struct Baseline(Part);

#[derive(Deserialize)]
pub(super) struct Plain {
    pub(super) text: String,
    pub(super) took_ms: f64,
}

impl Baseline {
    pub(super) fn load(program: &Path, model: &Path, threads: u32) -> Result<Self> {
        let model = model.to_str().context("a path that isn't text")?;
        Ok(Self(Part::start(program, &["baseline", model, &threads.to_string()])?))
    }

    pub(super) fn transcribe(&mut self, samples: &[i16]) -> Result<Plain> {
        self.0.sound(samples)?;
        self.0.say(&serde_json::json!({}))?;
        let mut line = String::new();
        std::io::BufRead::read_line(&mut self.0.output, &mut line)?;
        serde_json::from_str(&line).with_context(|| format!("the baseline said {line:?}"))
    }
}

/// The part that listens.
pub(super) struct Listener(Part);

impl Listener {
    pub(super) fn start(program: &Path, env: &[(&str, String)]) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("listen").envs(env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let input = child.stdin.take().map(BufWriter::new);
        let output = child.stdout.take().map(BufReader::new).context("it has no output")?;
        let mut listener = Self(Part { child, input, output });
        match listener.0.message()? {
            FromListener::Ready => Ok(listener),
            other => bail!("it is ready first, not {other:?}"),
        }
    }

    /// From asking for the microphone to its first sound.
    pub(super) fn open(&mut self) -> Result<Duration> {
        let begin = Instant::now();
        self.0.say(&ToListener::Open { microphone: None })?;
        loop {
            match self.0.hear()? {
                Frame::Sound(_) => return Ok(begin.elapsed()),
                Frame::Message(FromListener::Fault { fault }) => bail!("{fault}"),
                Frame::Message(_) => {}
            }
        }
    }

    /// Times between one piece of sound and the next: a key that goes down waits for at most one of them.
    pub(super) fn gaps(&mut self, time: Duration) -> Result<Vec<Duration>> {
        let mut gaps = Vec::new();
        let (begin, mut last) = (Instant::now(), Instant::now());
        while begin.elapsed() < time {
            if let Frame::Sound(_) = self.0.hear::<FromListener>()? {
                gaps.push(last.elapsed());
                last = Instant::now();
            }
        }
        Ok(gaps)
    }
}

/// The sound of a file, as the program reads it.
pub(super) fn decoded(program: &Path, file: &Path) -> Result<Vec<i16>> {
    let file = file.to_str().context("a path that isn't text")?;
    let mut part = Part::start(program, &["decode", file])?;
    drop(part.input.take());
    let mut samples = Vec::new();
    while let Some(found) = frame::read::<serde_json::Value>(&mut part.output)? {
        if let Frame::Sound(piece) = found {
            samples.extend(piece);
        }
    }
    let _ = std::io::stdout().flush();
    if samples.is_empty() {
        bail!("{file} holds no sound");
    }
    Ok(samples)
}
