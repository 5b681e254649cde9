//! Keeps a microphone open for as long as it is wanted: opens it again when it falls silent or goes away, or
//! the system's default in its place, and follows the default when that is what was asked for. Told what time
//! it is; starts nothing by itself but the closing of a microphone, which a driver can make take forever.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use gate_core::{Code, Fault};
use gate_voice::protocol::FromListener;

use crate::microphone::{Microphones, Source};
use crate::resample::{Resampler, to_words};

/// An open microphone that gives nothing for this long is lost.
pub(crate) const SILENT: Duration = Duration::from_millis(500);
/// How long one may take from being opened to its first sample. Wireless ones need a while.
pub(crate) const FIRST: Duration = Duration::from_secs(3);
/// How often it is tried again to open one.
pub(crate) const AGAIN: Duration = Duration::from_millis(500);
/// After so many tries in a row this program has to make place for a fresh one: with each, the libraries of
/// some sound systems keep threads and files open.
pub(crate) const TRIES: u32 = 20;
/// How often it is looked whether the system has another default.
pub(crate) const DEFAULT: Duration = Duration::from_secs(1);
/// How often sound is fetched.
const FETCH: Duration = Duration::from_millis(10);
/// How long is waited for a microphone to close.
const CLOSE: Duration = Duration::from_millis(200);
/// Samples that are passed on at least, and at most, at a time: 10 and 40 ms.
const PIECE: std::ops::RangeInclusive<usize> = 160..=640;

/// What comes of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Out {
    /// Something to say.
    Say(FromListener),
    /// Something that was heard.
    Sound(Vec<i16>),
}

/// The watch over a microphone.
pub(crate) struct Watch<M: Microphones> {
    system: M,
    /// Whether one is wanted, and which.
    wanted: Option<Option<String>>,
    state: State<M::Open>,
    /// The fault that was said since it was asked for, or was heard last.
    told: Option<Code>,
    /// How often opening has failed since it last succeeded.
    tries: u32,
    raw: Vec<f32>,
    ready: Vec<f32>,
}

enum State<S> {
    /// None is open.
    Closed,
    /// One was opened; nothing was heard of it yet.
    Opening { source: S, since: Instant, lost: Option<Instant>, fallen_back: bool },
    /// It is heard.
    Open { source: S, resampler: Box<Resampler>, heard: Instant, looked: Instant, default: Option<String> },
    /// None could be opened.
    Lost { again: Instant, lost: Option<Instant> },
}

impl<M> Watch<M>
where
    M: Microphones,
    M::Open: Send + 'static,
{
    pub(crate) fn new(system: M) -> Self {
        Self { system, wanted: None, state: State::Closed, told: None, tries: 0, raw: Vec::new(), ready: Vec::new() }
    }

    /// A microphone is wanted, instead of the one that is open.
    pub(crate) fn open(&mut self, id: Option<String>, now: Instant) -> Vec<Out> {
        self.put_away(CLOSE);
        self.wanted = Some(id);
        self.told = None;
        let mut out = Vec::new();
        self.find(now, None, &mut out);
        out
    }

    /// None is wanted any more.
    pub(crate) fn close(&mut self) -> Vec<Out> {
        self.put_away(CLOSE);
        self.wanted = None;
        vec![Out::Say(FromListener::Closed)]
    }

    /// Whether it should end, and another one begin.
    pub(crate) fn is_worn(&self) -> bool {
        self.tries >= TRIES
    }

    /// How long nothing needs to be done, unless something is asked for; forever where nothing is wanted.
    pub(crate) fn pause(&self, now: Instant) -> Option<Duration> {
        match &self.state {
            State::Closed => None,
            State::Opening { .. } | State::Open { .. } => Some(FETCH),
            State::Lost { again, .. } => Some(again.saturating_duration_since(now)),
        }
    }

    /// Does what there is to do by now.
    pub(crate) fn tick(&mut self, now: Instant) -> Vec<Out> {
        let mut out = Vec::new();
        match &mut self.state {
            State::Closed => {}
            State::Lost { again, lost } => {
                let lost = *lost;
                if now >= *again {
                    self.find(now, lost, &mut out);
                }
            }
            State::Opening { source, since, lost, fallen_back } => {
                let (since, lost, fallen_back) = (*since, *lost, *fallen_back);
                self.raw.clear();
                source.fetch(&mut self.raw);
                if !self.raw.is_empty() {
                    self.first(now, lost, &mut out);
                } else if source.is_gone() || now.duration_since(since) >= FIRST {
                    self.put_away(Duration::ZERO);
                    if fallen_back || self.wanted == Some(None) {
                        self.missing(now, lost, mute(), &mut out);
                    } else {
                        self.fall_back(now, lost, mute(), &mut out);
                    }
                }
            }
            State::Open { source, resampler, heard, looked, default } => {
                self.raw.clear();
                source.fetch(&mut self.raw);
                if self.raw.is_empty() {
                    if source.is_gone() || now.duration_since(*heard) >= SILENT {
                        let lost = *heard;
                        resampler.flush(&mut self.ready);
                        self.pass_on(&mut out, 1);
                        self.put_away(Duration::ZERO);
                        self.find(now, Some(lost), &mut out);
                    }
                    return out;
                }
                *heard = now;
                resampler.push(&self.raw, &mut self.ready);
                let followed = default.is_some() && now.duration_since(*looked) >= DEFAULT;
                if followed {
                    *looked = now;
                }
                let before = if followed { default.clone() } else { None };
                self.pass_on(&mut out, *PIECE.start());
                if before.is_some() {
                    self.follow(now, before, &mut out);
                }
            }
        }
        out
    }

    /// Opens the one that is wanted, or the default in its place.
    fn find(&mut self, now: Instant, lost: Option<Instant>, out: &mut Vec<Out>) {
        let Some(wanted) = self.wanted.clone() else { return };
        match self.system.open(wanted.as_deref()) {
            Ok(source) => self.state = State::Opening { source, since: now, lost, fallen_back: false },
            // Another program's turn will be over; what isn't there may never come.
            Err(fault) if wanted.is_some() => self.fall_back(now, lost, fault, out),
            Err(fault) => self.missing(now, lost, fault, out),
        }
    }

    fn fall_back(&mut self, now: Instant, lost: Option<Instant>, fault: Fault, out: &mut Vec<Out>) {
        match self.system.open(None) {
            Ok(source) => self.state = State::Opening { source, since: now, lost, fallen_back: true },
            Err(_) => self.missing(now, lost, fault, out),
        }
    }

    /// None can be opened: says so once, and tries again later.
    fn missing(&mut self, now: Instant, lost: Option<Instant>, fault: Fault, out: &mut Vec<Out>) {
        let fault = if lost.is_some() && fault.code == Code::NoMicrophone { gone() } else { fault };
        let code = fault.code;
        if self.told != Some(code) {
            out.push(Out::Say(FromListener::Fault { fault }));
        }
        self.told = Some(code);
        self.tries += 1;
        self.state = State::Lost { again: now + AGAIN, lost };
    }

    /// The first sound of a microphone is there.
    fn first(&mut self, now: Instant, lost: Option<Instant>, out: &mut Vec<Out>) {
        let State::Opening { source, fallen_back, .. } = std::mem::replace(&mut self.state, State::Closed) else {
            return;
        };
        let about = source.about().clone();
        let mut resampler = match Resampler::new(about.rate) {
            Ok(resampler) => Box::new(resampler),
            Err(fault) => {
                put_away(source, CLOSE);
                let fault = Fault::new(Code::NoMicrophone, fault.message, fault.mend);
                return self.missing(now, lost, fault, out);
            }
        };
        self.told = None;
        self.tries = 0;
        let missed = lost.map_or(Duration::ZERO, |lost| now.duration_since(lost));
        out.push(Out::Say(FromListener::Opened {
            microphone: about.microphone,
            rate: about.rate,
            channels: about.channels,
            format: about.format,
            again: lost.is_some(),
            missed_ms: u32::try_from(missed.as_millis()).unwrap_or(u32::MAX),
        }));
        self.ready.clear();
        resampler.push(&self.raw, &mut self.ready);
        self.pass_on(out, *PIECE.start());
        let follows = fallen_back || self.wanted == Some(None);
        let default = if follows { self.system.default_id() } else { None };
        self.state = State::Open { source, resampler, heard: now, looked: now, default };
    }

    /// Opens the default anew where it is another one by now.
    fn follow(&mut self, now: Instant, before: Option<String>, out: &mut Vec<Out>) {
        let default = self.system.default_id();
        if default.is_some() && default != before {
            self.put_away(CLOSE);
            self.find(now, Some(now), out);
        }
    }

    fn pass_on(&mut self, out: &mut Vec<Out>, least: usize) {
        if self.ready.len() >= least {
            out.extend(self.ready.chunks(*PIECE.end()).map(|piece| Out::Sound(to_words(piece).collect())));
            self.ready.clear();
        }
    }

    fn put_away(&mut self, wait: Duration) {
        self.ready.clear();
        let state = std::mem::replace(&mut self.state, State::Closed);
        if let State::Opening { source, .. } | State::Open { source, .. } = state {
            put_away(source, wait);
        }
    }
}

/// Closes a microphone on a thread of its own, and waits for that no longer than this.
fn put_away<S: Source + Send + 'static>(source: S, wait: Duration) {
    let (closed, told) = mpsc::channel();
    std::thread::spawn(move || {
        source.close();
        let _ = closed.send(());
    });
    let _ = told.recv_timeout(wait);
}

fn gone() -> Fault {
    Fault::new(
        Code::MicrophoneGone,
        "The microphone went away, and there is no other.",
        "Plug it in again; what was heard so far is kept.",
    )
}

fn mute() -> Fault {
    Fault::new(
        Code::NoMicrophone,
        "The microphone gives no sound.",
        "Choose another one, or unplug it and plug it in again.",
    )
}

#[cfg(test)]
mod tests;
