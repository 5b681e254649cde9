//! Voice, beside whisper.cpp's plain transcription of the same sound with the same model in the same run: words
//! understood, time from key up to text, quiet and under load, silence, ends of sentences, memory.

mod alignment;
mod program;
mod speech;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use gate_voice::SAMPLE_RATE;

use self::alignment::{Alignment, Ends};
use self::program::{Baseline, Heard, Listener, Recogniser, decoded};
use self::speech::{SENTENCES, noise, seconds, spoken, tight, words};
use crate::options::Options;
use crate::report::{Goal, Report};
use crate::stats::Times;

const SECTION: &str = "voice";
const MODEL: &str = "ggml-base-q8_0.bin";
const VAD: &str = "ggml-silero-v6.2.0.bin";
/// Eleven seconds of recorded speech (whisper.cpp's public-domain sample).
const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sound/jfk.wav");
/// What is said in it.
const RECORDED: &str = "And so my fellow Americans, ask not what your country can do for you, ask what you can do for \
                        your country.";
/// Lengths of what is spoken in seconds, and how much of the baseline's time the rest may take.
const LENGTHS: [(usize, Option<f64>); 5] = [(2, None), (5, Some(0.2)), (10, None), (30, None), (60, Some(0.1))];
const RECORDED_RATIO: f64 = 0.4;
const LOADED_RATIO: f64 = 0.5;
const PEAK_MB: f64 = 200.0;
const FIRST_SAMPLE_MS: f64 = 80.0;
const CANCEL_MS: f64 = 100.0;
const NOISES: usize = 100;
const TIGHT: usize = 50;

/// Where everything is.
struct Bench<'a> {
    program: PathBuf,
    model: PathBuf,
    vad: PathBuf,
    recorded: Vec<i16>,
    threads: u32,
    options: &'a Options,
}

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let program = options.programs.join("review-gate-voice");
    let models = options.models.as_deref().context("no speech models: --models names their folder")?;
    let recorded = decoded(&program, Path::new(RECORDING))?;
    let threads =
        std::thread::available_parallelism().map_or(2, |cores| u32::try_from(cores.get()).unwrap_or(2)).min(4);
    let bench = Bench { model: models.join(MODEL), vad: models.join(VAD), program, recorded, threads, options };
    let mut recogniser = Recogniser::load(&bench.program, &bench.model, &bench.vad)?;
    let mut baseline = Baseline::load(&bench.program, &bench.model, threads)?;
    bench.understood(&mut recogniser, &mut baseline, report)?;
    bench.released(&mut recogniser, &mut baseline, report)?;
    bench.loaded(&mut recogniser, report)?;
    bench.silent(&mut recogniser, report)?;
    bench.given_up(&mut recogniser, report)?;
    report.goal(SECTION, "most memory of the recogniser", recogniser.peak_mb()?, "MB", Goal::AtMost(PEAK_MB));
    bench.first_sample(report)
}

impl Bench<'_> {
    /// Word error rates, real-time factors, and what was lost at the ends.
    fn understood(&self, ours: &mut Recogniser, plain: &mut Baseline, report: &mut Report) -> Result<()> {
        let count = if self.options.quick { 6 } else { SENTENCES.len() };
        let (mut said, mut our_errors, mut plain_errors) = (0, 0, 0);
        let (mut length, mut our_time, mut plain_time) = (0.0, 0.0, 0.0);
        let mut ends = Ends::default();
        for (number, sentence) in SENTENCES.iter().enumerate().take(count) {
            let samples = spoken(&self.program, sentence, number)?;
            let wanted = words(sentence);
            let heard = ours.at_once(&samples)?;
            let other = plain.transcribe(&samples)?;
            said += wanted.len();
            our_errors += errors(&wanted, &heard.text);
            plain_errors += errors(&wanted, &other.text);
            length += samples.len() as f64 / f64::from(SAMPLE_RATE);
            our_time += heard.took.as_secs_f64();
            plain_time += other.took_ms / 1000.0;
            if number < TIGHT {
                // From the very first sound to the very last, as if the key had gone down and up then.
                let heard = Alignment::of(&wanted, &words(&ours.at_once(tight(&samples))?.text));
                let other = Alignment::of(&wanted, &words(&plain.transcribe(tight(&samples))?.text));
                ends.push(&heard, &other);
            }
        }
        let rate = |errors: usize| 100.0 * errors as f64 / said as f64;
        let name = format!("word error rate, {said} spoken words");
        beside(report, &name, rate(our_errors), rate(plain_errors), "%");
        let heard = ours.at_once(&self.recorded)?;
        let other = plain.transcribe(&self.recorded)?;
        let wanted = words(RECORDED);
        let rate = |text: &str| 100.0 * errors(&wanted, text) as f64 / wanted.len() as f64;
        beside(report, "word error rate, recorded speech", rate(&heard.text), rate(&other.text), "%");
        report.figure(SECTION, "time per time of speech, at once", our_time / length, "");
        report.figure(SECTION, "time per time of speech, at once, whisper.cpp alone", plain_time / length, "");
        let Ends { sentences, cut_off, misheard, gained } = ends;
        let name = format!("first or last words lost of {sentences} sentences");
        beside(report, &name, (cut_off + misheard) as f64, (gained + misheard) as f64, "");
        report.figure(SECTION, format!("{name}: misheard, by whisper.cpp alone, too"), misheard as f64, "");
        report.figure(SECTION, format!("{name}: cut off, whisper.cpp alone has them"), cut_off as f64, "");
        Ok(())
    }

    /// From the key going up to the text.
    fn released(&self, ours: &mut Recogniser, plain: &mut Baseline, report: &mut Report) -> Result<()> {
        let mut texts: Vec<(String, Vec<i16>, Option<f64>)> = Vec::new();
        for (length, ratio) in LENGTHS {
            if self.options.quick && length > 10 {
                continue;
            }
            texts.push((format!("{length} s"), seconds(&self.program, length)?, ratio));
        }
        texts.push(("11 s, recorded".to_owned(), self.recorded.clone(), Some(RECORDED_RATIO)));
        for (name, samples, ratio) in texts {
            let times = self.options.pick(if samples.len() > 20 * SAMPLE_RATE as usize { 3 } else { 5 }, 1);
            let (mut our, mut other) = (Times::default(), Times::default());
            for _ in 0..times {
                our.push(ours.spoken(&samples, Some(self.threads))?.took);
                other.push(Duration::from_secs_f64(plain.transcribe(&samples)?.took_ms / 1000.0));
            }
            compare(report, &format!("key up to text, {name}"), &our, &other, ratio);
        }
        Ok(())
    }

    /// The same while both cores are busy, with as many threads as the program finds right.
    fn loaded(&self, ours: &mut Recogniser, report: &mut Report) -> Result<()> {
        let mut one = Baseline::load(&self.program, &self.model, 1)?;
        let mut several = Baseline::load(&self.program, &self.model, self.threads)?;
        let samples = seconds(&self.program, 5)?;
        let over = AtomicBool::new(false);
        let busy = || {
            while !over.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        };
        let (our, other) = std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(2, std::num::NonZero::get) {
                scope.spawn(busy);
            }
            let measured = (|| {
                let (mut our, mut other) = (Times::default(), Times::default());
                for _ in 0..self.options.pick(5, 1) {
                    our.push(ours.spoken(&samples, None)?.took);
                    // The better of both: it doesn't know how busy the machine is.
                    let plain = one.transcribe(&samples)?.took_ms.min(several.transcribe(&samples)?.took_ms);
                    other.push(Duration::from_secs_f64(plain / 1000.0));
                }
                Ok::<_, anyhow::Error>((our, other))
            })();
            over.store(true, Ordering::Relaxed);
            measured
        })?;
        compare(report, "key up to text, 5 s, all cores busy", &our, &other, Some(LOADED_RATIO));
        Ok(())
    }

    fn silent(&self, ours: &mut Recogniser, report: &mut Report) -> Result<()> {
        let count = if self.options.quick { 12 } else { NOISES };
        let mut invented = 0;
        for number in 0..count {
            let Heard { text, speech, .. } = ours.at_once(&noise(number))?;
            invented += usize::from(speech || !text.trim().is_empty());
        }
        report.goal(SECTION, format!("{count} recordings of noise, with text"), invented as f64, "", Goal::AtMost(0.0));
        Ok(())
    }

    fn given_up(&self, ours: &mut Recogniser, report: &mut Report) -> Result<()> {
        let samples = seconds(&self.program, 25)?;
        let mut times = Times::default();
        for number in 0..self.options.pick(20, 4) {
            // At another moment of its work each time.
            let worked = Duration::from_millis(400 + 60 * u64::from(number));
            times.push(ours.cancelled(&samples, worked)?);
        }
        report.samples(SECTION, "giving up a take until the engine is free", &times);
        report.figure(SECTION, "giving up a take until the engine is free", times.median(), "ms");
        let name = "giving up a take until the engine is free, worst";
        report.goal(SECTION, name, times.p99(), "ms", Goal::AtMost(CANCEL_MS));
        // What takes most memory: as much as there is to hear at a time, and as many names as there can be.
        ours.prompted(&seconds(&self.program, 60)?)
    }

    /// With the microphone open, as it is while a reply box is shown.
    fn first_sample(&self, report: &mut Report) -> Result<()> {
        let server = sound::Server::start()?;
        let mut listener = Listener::start(&self.program, &server.env())?;
        let opening = listener.open()?;
        report.figure(SECTION, "opening the microphone to its first sound", opening.as_secs_f64() * 1000.0, "ms");
        // What has come meanwhile comes at once.
        listener.gaps(Duration::from_secs(1))?;
        let mut times = Times::default();
        for gap in listener.gaps(Duration::from_secs(self.options.pick(10, 2).into()))? {
            times.push(gap);
        }
        report.samples(SECTION, "key down to the next sound", &times);
        let name = "key down to the next sound, microphone open, p99";
        report.goal(SECTION, name, times.p99(), "ms", Goal::AtMost(FIRST_SAMPLE_MS));
        Ok(())
    }
}

fn compare(report: &mut Report, name: &str, our: &Times, other: &Times, ratio: Option<f64>) {
    report.samples(SECTION, name, our);
    report.figure(SECTION, name, our.median(), "ms");
    report.figure(SECTION, format!("{name}, whisper.cpp alone"), other.median(), "ms");
    let is = our.median() / other.median();
    match ratio {
        Some(ratio) => report.goal(SECTION, format!("{name}, ratio"), is, "", Goal::AtMost(ratio)),
        None => report.figure(SECTION, format!("{name}, ratio"), is, ""),
    }
}

/// A figure that may not be more than whisper.cpp's.
fn beside(report: &mut Report, name: &str, our: f64, other: f64, unit: &'static str) {
    report.goal(SECTION, name, our, unit, Goal::AtMost(other));
    report.figure(SECTION, format!("{name}, whisper.cpp alone"), other, unit);
}

/// How many words of a text aren't those that were said.
fn errors(said: &[String], text: &str) -> usize {
    Alignment::of(said, &words(text)).errors
}

/// A sound server of its own, with one microphone.
mod sound {
    use std::process::{Child, Command, Stdio};

    use anyhow::{Context as _, Result};
    use tempfile::TempDir;

    use crate::process::eventually;

    pub(super) struct Server {
        child: Child,
        folder: TempDir,
    }

    impl Server {
        pub(super) fn start() -> Result<Self> {
            let folder = tempfile::tempdir()?;
            let at = folder.path();
            let module = format!("module-native-protocol-unix socket={} auth-anonymous=1", at.join("socket").display());
            let mut server = Command::new("pulseaudio");
            server.args(["-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes"]);
            server.args(["-L", &module, "-L", "module-null-sink sink_name=mic rate=48000"]);
            server.env("HOME", at).env("XDG_RUNTIME_DIR", at).env("PULSE_STATE_PATH", at).env("PULSE_RUNTIME_PATH", at);
            server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let child = server.spawn().context("pulseaudio can't be started")?;
            let alsa = "</usr/share/alsa/alsa.conf>\npcm.!default { type pulse }\nctl.!default { type pulse }\n";
            std::fs::write(at.join("asound.conf"), alsa)?;
            let server = Self { child, folder };
            eventually("the sound server", || {
                let mut pactl = Command::new("pactl");
                pactl.args(["set-default-source", "mic.monitor"]).envs(server.env());
                let ended = pactl.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
                Ok(ended.success().then_some(()))
            })?;
            Ok(server)
        }

        pub(super) fn env(&self) -> Vec<(&'static str, String)> {
            let at = self.folder.path();
            let server = format!("unix:{}", at.join("socket").display());
            vec![("PULSE_SERVER", server), ("ALSA_CONFIG_PATH", at.join("asound.conf").display().to_string())]
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
