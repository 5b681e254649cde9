//! `review-gate-voice recognise`: frames in, text out. One thread hears: it reads, and tells speech from
//! silence; another one transcribes, so that a take can be given up at any time.

use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use gate_core::{Code, Fault};
use gate_voice::frame::{self, Frame};
use gate_voice::protocol::{FromRecogniser, ToRecogniser};

use crate::busy::Busy;
use crate::engine::Engine;
use crate::resample::from_words;
use crate::take_scheduler::{Job, Next, TakeScheduler};
use crate::vad::Vad;

/// Runs until the input ends.
pub(crate) fn run() -> ExitCode {
    whisper_rs::install_logging_hooks();
    crate::role(|| recognise(std::io::stdin(), std::io::stdout()))
}

/// What both threads share.
struct Shared {
    room: Mutex<Room>,
    news: Condvar,
}

struct Room {
    scheduler: TakeScheduler,
    busy: Busy,
    /// A model to be loaded, or why it can't be.
    load: Option<Result<PathBuf, Fault>>,
    /// What went wrong while listening, and in which take.
    fault: Option<(u32, Fault)>,
    /// The input has ended.
    over: bool,
}

impl Shared {
    fn room(&self) -> MutexGuard<'_, Room> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Recognises what comes in.
///
/// # Errors
/// When the other side has gone.
pub(crate) fn recognise(input: impl Read + Send, mut output: impl Write) -> std::io::Result<()> {
    let room = Room { scheduler: TakeScheduler::default(), busy: Busy::new(), load: None, fault: None, over: false };
    let shared = Shared { room: Mutex::new(room), news: Condvar::new() };
    frame::write(&mut output, &FromRecogniser::Ready)?;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _over = Over(&shared);
            Ear { shared: &shared, vad: None }.listen(input);
        });
        Mouth { shared: &shared, engine: None, output: &mut output }.work()
    })
}

/// Says that the input has ended, however it did.
struct Over<'a>(&'a Shared);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        let mut room = self.0.room();
        room.over = true;
        room.scheduler.give_up();
        self.0.news.notify_all();
    }
}

/// Reads, and tells speech from silence.
struct Ear<'a> {
    shared: &'a Shared,
    vad: Option<Vad>,
}

impl Ear<'_> {
    fn listen(&mut self, input: impl Read) {
        let mut input = BufReader::with_capacity(64 * 1024, input);
        while let Ok(Some(frame)) = frame::read::<ToRecogniser>(&mut input) {
            match frame {
                Frame::Sound(words) => self.hear(&words),
                Frame::Message(message) => self.told(message),
            }
            self.shared.news.notify_all();
        }
    }

    fn told(&mut self, message: ToRecogniser) {
        let now = Instant::now();
        match message {
            ToRecogniser::Load { model, vad } => {
                let loaded = Vad::load(&vad).map(|vad| self.vad = Some(vad));
                let mut room = self.shared.room();
                room.scheduler.give_up();
                room.load = Some(loaded.map(|()| model));
            }
            ToRecogniser::Begin { take, options } => {
                if let Some(vad) = &mut self.vad {
                    vad.begin();
                }
                let mut room = self.shared.room();
                room.fault = None;
                room.busy.look(now);
                room.scheduler.begin(take, options, now);
            }
            ToRecogniser::Release { take } => {
                if self.shared.room().scheduler.is(take) {
                    self.catch_up(take, Vad::now);
                    self.shared.room().scheduler.release(take, now);
                }
            }
            ToRecogniser::End { take } => {
                if self.shared.room().scheduler.is(take) {
                    self.catch_up(take, Vad::rest);
                    self.shared.room().scheduler.end(take, now);
                }
            }
            ToRecogniser::Cancel { take } => self.shared.room().scheduler.cancel(take),
        }
    }

    fn hear(&mut self, words: &[i16]) {
        let Some(take) = self.shared.room().scheduler.hearing() else { return };
        let Some(vad) = &mut self.vad else { return };
        let windows = vad.hear(from_words(words));
        let mut room = self.shared.room();
        room.busy.look(Instant::now());
        match windows {
            Ok(windows) => room.scheduler.hear(words, &windows),
            Err(fault) => room.fault = Some((take, fault)),
        }
    }

    /// Looks at what it hasn't been looked at yet.
    fn catch_up(&mut self, take: u32, rest: impl Fn(&mut Vad) -> Result<Vec<crate::vad::Window>, Fault>) {
        let Some(vad) = &mut self.vad else { return };
        let windows = rest(vad);
        let mut room = self.shared.room();
        match windows {
            Ok(windows) => room.scheduler.hear(&[], &windows),
            Err(fault) => room.fault = Some((take, fault)),
        }
    }
}

/// Transcribes, and says what was heard.
struct Mouth<'a, W> {
    shared: &'a Shared,
    engine: Option<Engine>,
    output: &'a mut W,
}

enum Task {
    Load(Result<PathBuf, Fault>),
    Job(Box<Job>, i32),
    Say(Vec<FromRecogniser>),
    Over,
}

impl<W: Write> Mouth<'_, W> {
    fn work(&mut self) -> std::io::Result<()> {
        loop {
            let said = match self.task() {
                Task::Over => return Ok(()),
                Task::Load(model) => vec![self.load(model)],
                Task::Say(said) => said,
                Task::Job(job, threads) => self.transcribe(*job, threads),
            };
            for message in said {
                frame::write(self.output, &message)?;
            }
        }
    }

    fn task(&self) -> Task {
        let mut room = self.shared.room();
        loop {
            if room.over {
                return Task::Over;
            }
            if let Some(load) = room.load.take() {
                return Task::Load(load);
            }
            if let Some((take, fault)) = room.fault.take() {
                room.scheduler.failed(take);
                return Task::Say(vec![FromRecogniser::Fault { take: Some(take), fault }]);
            }
            let now = Instant::now();
            room = match room.scheduler.next(now) {
                Next::Say(said) if said.is_empty() => room,
                Next::Say(said) => return Task::Say(said),
                Next::Job(job) => {
                    room.busy.look(now);
                    let wanted = job.threads.and_then(|threads| i32::try_from(threads).ok());
                    let threads = wanted.map_or_else(|| room.busy.threads(), |threads| threads.clamp(1, 64));
                    return Task::Job(job, threads);
                }
                Next::Wait(None) => self.shared.news.wait(room).unwrap_or_else(PoisonError::into_inner),
                Next::Wait(Some(until)) => {
                    let left = until.saturating_duration_since(now);
                    let woken = self.shared.news.wait_timeout(room, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn load(&mut self, model: Result<PathBuf, Fault>) -> FromRecogniser {
        // The old one first: both together may be too much.
        self.engine = None;
        let begun = Instant::now();
        match model.and_then(|model| load(&model)) {
            Ok(engine) => {
                let english_only = engine.english_only();
                self.engine = Some(engine);
                let took_ms = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
                FromRecogniser::Loaded { took_ms, english_only }
            }
            Err(fault) => FromRecogniser::Fault { take: None, fault },
        }
    }

    fn transcribe(&mut self, mut job: Job, threads: i32) -> Vec<FromRecogniser> {
        job.request.threads = threads;
        let heard = match &mut self.engine {
            Some(engine) => engine.transcribe(&job.sound, job.speech_end, &job.request, &job.stop),
            None => Err(Fault::new(Code::Transcription, "No speech model is loaded.", "Choose one, and try again.")),
        };
        let mut room = self.shared.room();
        match heard {
            Ok(heard) => room.scheduler.made(&job, heard, Instant::now()),
            Err(fault) => {
                room.scheduler.failed(job.take());
                vec![FromRecogniser::Fault { take: Some(job.take()), fault }]
            }
        }
    }
}

fn load(model: &Path) -> Result<Engine, Fault> {
    Engine::load(model)
}

#[cfg(test)]
mod tests;
