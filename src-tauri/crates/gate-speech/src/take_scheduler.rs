//! What there is to do for the take that goes on, and in which order. Pure: told what was heard and what was
//! transcribed, and what time it is; asked what to transcribe next.
//!
//! Speech is transcribed as soon as a pause ends a piece of it, and on trial before: in a short pause, while
//! somebody wants to see text, and when the key goes up. A trial that heard all speech of its piece is the
//! piece's text, so that at the end there is mostly nothing left to do; and where the last whole sentence was
//! tried, only what came after it.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gate_voice::protocol::{FromRecogniser, Options, Segment};
use gate_voice::{SAMPLES_PER_MS, TAIL_MS};

use crate::abort::Stop;
use crate::cut::{Cutter, Piece, WINDOW};
use crate::engine::{Heard, Request};
use crate::resample::from_words;
use crate::vad::{Window, loudness};

/// A pause after which a piece is tried: 160 ms.
const PAUSE: usize = 5 * WINDOW;
/// A pause after which it is tried at once, however much was tried before: 256 ms. Whoever pauses for that long
/// may be through, and what is tried then is there when the key goes up.
const LONG_PAUSE: usize = 8 * WINDOW;
/// New speech after which text is shown anew while somebody speaks on, in samples: 2 s.
const NEWS: usize = 2_000 * SAMPLES_PER_MS;
/// Trials while somebody speaks without pauses take at most a third of the time.
const REST: u32 = 2;
/// The shortest sound of a whole sentence that isn't heard again when the key goes up: 2.5 s. With less, the
/// model doesn't know what is spoken of.
const SENTENCE: usize = 2_500 * SAMPLES_PER_MS;
/// The least pause after it, in windows: 224 ms. In a shorter one, somebody has found a word.
const SENTENCE_PAUSE: usize = 7;
/// The least speech after it that is heard by itself, in windows: 640 ms.
const AFTER: usize = 20;
/// A language that was found out in this much sound isn't looked for again in this take: 3 s.
const LANGUAGE: usize = 3_000 * SAMPLES_PER_MS;
/// Sound after a trial that may belong to its last word, in windows, where it is [`FAINT`].
const FADING: usize = 6;
/// How faint that is, beside the speech before.
const FAINT: f32 = 0.05;

/// A transcription to be made.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    take: u32,
    /// What of the take it is.
    range: Range<usize>,
    /// Whether it is a trial of a piece that goes on.
    trial: bool,
    /// The windows of the pause that it ends with, where it may be a whole sentence.
    pause: Option<Range<usize>>,
    /// The sound.
    pub(crate) sound: Vec<f32>,
    /// Where its speech ends, in samples from its start.
    pub(crate) speech_end: usize,
    /// What goes with it; the threads are for whoever carries it out.
    pub(crate) request: Request,
    /// The threads that were asked for.
    pub(crate) threads: Option<u32>,
    /// Ends it.
    pub(crate) stop: Stop,
    begun: Instant,
}

/// What to do next.
#[derive(Debug)]
pub(crate) enum Next {
    /// A transcription.
    Job(Box<Job>),
    /// Something to say.
    Say(Vec<FromRecogniser>),
    /// Nothing before this moment, or before something is heard.
    Wait(Option<Instant>),
}

/// The take that goes on, if any.
#[derive(Debug, Default)]
pub(crate) struct TakeScheduler {
    work: Option<Work>,
    /// What is being transcribed.
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    take: u32,
    range: Range<usize>,
    trial: bool,
    pause: Option<Range<usize>>,
    stop: Stop,
}

#[derive(Debug)]
struct Work {
    take: u32,
    options: Options,
    sound: Sound,
    cutter: Cutter,
    /// Complete ones that wait.
    pieces: VecDeque<Piece>,
    /// The last trial, and what of the take it was.
    tried: Option<(Range<usize>, Heard)>,
    /// The last trial whose text ended a sentence, in a pause.
    sentence: Option<Sentence>,
    released: Option<Instant>,
    ended: bool,
    /// Whether there was any text.
    speech: bool,
    /// What was found out, and in how much sound.
    language: Option<(String, usize)>,
    /// When the next trial may be made.
    trial_at: Instant,
}

#[derive(Debug)]
struct Sentence {
    range: Range<usize>,
    /// The pause, as far as it was in the trial, in windows.
    pause: Range<usize>,
    heard: Heard,
}

/// The sound of a take that is still needed.
#[derive(Debug, Default)]
struct Sound {
    /// How many samples were forgotten.
    from: usize,
    samples: VecDeque<i16>,
}

impl Sound {
    fn end(&self) -> usize {
        self.from + self.samples.len()
    }

    fn forget_before(&mut self, at: usize) {
        let surplus = at.saturating_sub(self.from).min(self.samples.len());
        self.samples.drain(..surplus);
        self.from += surplus;
    }

    fn of(&self, range: &Range<usize>) -> Vec<f32> {
        let end = range.end.clamp(self.from, self.end()) - self.from;
        let start = range.start.saturating_sub(self.from).min(end);
        let words: Vec<i16> = self.samples.range(start..end).copied().collect();
        from_words(&words).collect()
    }
}

impl TakeScheduler {
    /// Begins a take; one that goes on is given up.
    pub(crate) fn begin(&mut self, take: u32, options: Options, now: Instant) {
        self.give_up();
        self.work = Some(Work {
            take,
            options,
            sound: Sound::default(),
            cutter: Cutter::default(),
            pieces: VecDeque::new(),
            tried: None,
            sentence: None,
            released: None,
            ended: false,
            speech: false,
            language: None,
            trial_at: now,
        });
    }

    /// Gives up the take that goes on.
    pub(crate) fn give_up(&mut self) {
        self.work = None;
        if let Some(running) = &self.running {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Gives up a take by its number.
    pub(crate) fn cancel(&mut self, take: u32) {
        if self.is(take) {
            self.give_up();
        }
    }

    /// Whether a take of this number goes on.
    pub(crate) fn is(&self, take: u32) -> bool {
        self.work.as_ref().is_some_and(|work| work.take == take)
    }

    /// The number of the take that wants to hear.
    pub(crate) fn hearing(&self) -> Option<u32> {
        self.work.as_ref().filter(|work| !work.ended).map(|work| work.take)
    }

    /// Hears sound, and how the next windows sound; these may lag behind.
    pub(crate) fn hear(&mut self, words: &[i16], windows: &[Window]) {
        let Some(work) = self.work.as_mut().filter(|work| !work.ended) else { return };
        work.sound.samples.extend(words);
        for window in windows {
            work.pieces.extend(work.cutter.push(window.speech, window.loudness));
        }
        if work.pieces.is_empty() {
            work.sound.forget_before(work.cutter.needed());
        }
        self.look();
    }

    /// The key is up.
    pub(crate) fn release(&mut self, take: u32, now: Instant) {
        if let Some(work) = self.work.as_mut().filter(|work| work.take == take) {
            work.released.get_or_insert(now);
            self.look();
        }
    }

    /// All was heard.
    pub(crate) fn end(&mut self, take: u32, now: Instant) {
        if let Some(work) = self.work.as_mut().filter(|work| work.take == take && !work.ended) {
            work.released.get_or_insert(now);
            work.ended = true;
            self.look();
        }
    }

    /// What to do.
    pub(crate) fn next(&mut self, now: Instant) -> Next {
        let Some(work) = &mut self.work else { return Next::Wait(None) };
        if let Some(Sentence { range, heard, .. }) = work.settled() {
            return Next::Say(work.understood(&range, heard));
        }
        work.finish_early();
        if work.ended {
            work.pieces.extend(work.cutter.finish());
        }
        if let Some(piece) = work.pieces.pop_front() {
            if let Some(heard) = work.tried_for(&piece) {
                return Next::Say(work.understood(&piece.sound, heard));
            }
            return self.job(piece, false, now);
        }
        if work.ended {
            let done = work.done(now);
            self.work = None;
            return Next::Say(vec![done]);
        }
        let Some(open) = work.cutter.open() else { return Next::Wait(None) };
        if work.covers(&open) {
            return Next::Wait(None);
        }
        // What was heard after the last window belongs to it, too.
        let end = if work.cutter.silence() == 0 { work.sound.end() } else { open.sound.end };
        let open = Piece { sound: open.sound.start..end, ..open };
        if work.released.is_some() {
            return self.job(open, true, now);
        }
        let tried = work.tried.as_ref().map(|(range, _)| range.end).filter(|end| *end > open.sound.start);
        let news = open.speech_end.saturating_sub(tried.unwrap_or(open.sound.start));
        let wanted = work.cutter.silence() >= PAUSE || (work.options.partial && news >= NEWS);
        if !wanted {
            Next::Wait(None)
        } else if now < work.trial_at && work.cutter.silence() < LONG_PAUSE {
            Next::Wait(Some(work.trial_at))
        } else {
            self.job(open, true, now)
        }
    }

    fn job(&mut self, piece: Piece, trial: bool, now: Instant) -> Next {
        let Some(work) = &self.work else { return Next::Wait(None) };
        let stop: Stop = Arc::new(AtomicBool::new(false));
        let sound = work.sound.of(&piece.sound);
        let found = work.language.as_ref().map(|(language, _)| language.clone());
        let may_be_whole = trial && work.cutter.silence() >= PAUSE && piece.sound.len() >= SENTENCE;
        let pause = may_be_whole.then_some(piece.speech_end / WINDOW..piece.sound.end / WINDOW);
        let job = Job {
            take: work.take,
            range: piece.sound.clone(),
            trial,
            pause: pause.clone(),
            speech_end: piece.speech_end.saturating_sub(piece.sound.start).min(sound.len()),
            sound,
            request: Request {
                language: work.options.language.clone().or(found),
                prompt: work.options.prompt.clone(),
                threads: 1,
            },
            threads: work.options.threads,
            stop: Arc::clone(&stop),
            begun: now,
        };
        self.running = Some(Running { take: work.take, range: piece.sound, trial, pause, stop });
        Next::Job(Box::new(job))
    }

    /// A transcription was made, or stopped. Gives what is to be said of it.
    pub(crate) fn made(&mut self, job: &Job, heard: Option<Heard>, now: Instant) -> Vec<FromRecogniser> {
        self.running = None;
        let Some(work) = self.work.as_mut().filter(|work| work.take == job.take) else { return Vec::new() };
        let Some(heard) = heard else {
            // Stopped because there is more to hear by now; a complete piece never is.
            return Vec::new();
        };
        if work.options.language.is_none() && work.language.is_none() && (!job.trial || job.range.len() >= LANGUAGE) {
            work.language = heard.language.clone().map(|language| (language, job.range.len()));
        }
        if !job.trial {
            return work.understood(&job.range, heard);
        }
        work.trial_at = now + (now - job.begun) * REST;
        let text = heard.text();
        if let Some(pause) = job.pause.clone().filter(|_| ends_sentence(&text)) {
            work.sentence = Some(Sentence { range: job.range.clone(), pause, heard: heard.clone() });
        }
        work.tried = Some((job.range.clone(), heard));
        if work.options.partial { vec![FromRecogniser::Partial { take: job.take, text }] } else { Vec::new() }
    }

    /// A transcription failed: the take is given up.
    pub(crate) fn failed(&mut self, take: u32) {
        self.running = None;
        self.cancel(take);
    }

    /// Stops a trial that has been overtaken.
    fn look(&mut self) {
        let (Some(work), Some(running)) = (&self.work, &self.running) else { return };
        if !running.trial || running.take != work.take {
            return;
        }
        let complete = work.pieces.front();
        let open = if work.released.is_some() { work.cutter.open() } else { None };
        // What may be a whole sentence is worth its time: without it, all would have to be heard again.
        let settles = complete.is_none() && running.pause.as_ref().is_some_and(|pause| work.may_settle(pause));
        let overtaken = complete.or(open.as_ref()).is_some_and(|piece| !work.is_all(&running.range, piece)) && !settles;
        if overtaken {
            running.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Job {
    /// Of which take it is.
    pub(crate) fn take(&self) -> u32 {
        self.take
    }
}

impl Work {
    /// The sentence that isn't heard again with what came after it, once the key is up.
    fn settled(&mut self) -> Option<Sentence> {
        self.released?;
        let sentence = self.sentence.take()?;
        let open = self.cutter.open()?;
        let settled =
            open.sound.start == sentence.range.start && !self.covers(&open) && self.may_settle(&sentence.pause);
        settled.then(|| {
            self.cutter.cut_in(&sentence.pause);
            sentence
        })
    }

    fn may_settle(&self, pause: &Range<usize>) -> bool {
        self.cutter.may_cut_in(pause, SENTENCE_PAUSE, AFTER)
    }

    /// The key is up, nothing was said just before, and all that was said has been heard: the rest of the
    /// recording isn't waited for.
    fn finish_early(&mut self) {
        let silent = self.cutter.silence() >= TAIL_MS * SAMPLES_PER_MS;
        let heard = self.cutter.open().is_none_or(|open| self.covers(&open));
        if self.released.is_some() && silent && heard {
            self.ended = true;
        }
    }

    /// Whether the last trial heard all speech of a piece.
    fn covers(&self, piece: &Piece) -> bool {
        self.tried.as_ref().is_some_and(|(range, _)| self.is_all(range, piece))
    }

    /// Whether a part of the take has all speech of a piece, and none of another.
    fn is_all(&self, part: &Range<usize>, piece: &Piece) -> bool {
        if part.start != piece.sound.start || part.end > piece.sound.end + FADING * WINDOW {
            return false;
        }
        // The last window counts as speech for a little longer than there is something to hear.
        let more = part.end..piece.speech_end;
        more.is_empty()
            || (more.len() <= FADING * WINDOW
                && loudness(&self.sound.of(&more)) < FAINT * loudness(&self.sound.of(part)))
    }

    fn tried_for(&mut self, piece: &Piece) -> Option<Heard> {
        if self.covers(piece) { self.tried.take().map(|(_, heard)| heard) } else { None }
    }

    /// A piece is through.
    fn understood(&mut self, range: &Range<usize>, heard: Heard) -> Vec<FromRecogniser> {
        self.speech |= !heard.parts.is_empty();
        if let Some(language) = heard.language {
            self.language.get_or_insert((language, range.len()));
        }
        self.tried = None;
        self.sentence = None;
        let next = self.pieces.front().map_or(self.cutter.needed(), |piece| piece.sound.start);
        self.sound.forget_before(next);
        let segment = |part: crate::engine::Part| FromRecogniser::Segment {
            take: self.take,
            segment: Segment {
                start_ms: millis(range.start + part.start),
                end_ms: millis((range.start + part.end).min(range.end)),
                text: part.text,
            },
        };
        heard.parts.into_iter().map(segment).collect()
    }

    fn done(&self, now: Instant) -> FromRecogniser {
        let took = self.released.map_or(Duration::ZERO, |released| now.duration_since(released));
        let found = self.language.as_ref().map(|(language, _)| language.clone());
        FromRecogniser::Done {
            take: self.take,
            speech: self.speech,
            language: self.options.language.clone().or(found),
            took_ms: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
        }
    }
}

/// Whether a text ends as a sentence does.
fn ends_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['.', '?', '!', '。', '？', '！'])
}

fn millis(samples: usize) -> u32 {
    u32::try_from(samples / SAMPLES_PER_MS).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
