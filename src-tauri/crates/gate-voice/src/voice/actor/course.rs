//! The course of a take: begun, recorded, released, understood, given up.

use gate_api::{VoicePhase, VoiceReadiness};
use gate_core::{Code, Fault, RequestId};
use tokio::time::Instant;

use super::super::{HUNG, RESTARTS, Told, WITHOUT_MICROPHONE};
use super::{Actor, LEVELS, TAIL_WAIT, is_going_on, is_of_microphone, no_model, no_take};
use crate::frame::Frame;
use crate::protocol::{FromListener, FromRecogniser, Options, ToRecogniser};
use crate::take::{Take, peak};
use crate::{SAMPLES_PER_MS, TAIL_MS, ms};

impl Actor {
    /// Begins a take; gives whether its microphone is open already.
    pub(super) fn start(&mut self, request_id: Option<RequestId>, prompt: String) -> Result<bool, Fault> {
        if self.readiness() == VoiceReadiness::Off {
            return Err(Fault::new(
                Code::VoiceUnavailable,
                "Voice is switched off.",
                "Switch it on in the settings, or `review-gate config set voice.enabled true`.",
            ));
        }
        if self.choices.model.is_none() || self.choices.vad.is_none() {
            return Err(no_model());
        }
        self.cancel();
        // It goes on trying, and would have said so if it had succeeded.
        if let Some(fault) = self.listener.as_ref().and_then(|listener| listener.fault.clone()) {
            return Err(fault);
        }
        self.fault = None;
        self.takes += 1;
        let options = Options { language: self.choices.language.clone(), prompt, threads: None, partial: true };
        let before = self.pre_roll.take();
        self.take = Some(Take::new(self.takes, request_id, options, before));
        let running = self.load().and_then(|()| self.listen());
        if let Err(fault) = running {
            self.take = None;
            return Err(fault);
        }
        self.unload_at = None;
        self.send_take();
        Ok(self.listener.as_ref().is_some_and(|listener| listener.open.is_some()))
    }

    /// Sends the recogniser all of the take that there is.
    fn send_take(&mut self) {
        let (Some(take), Some(recogniser)) = (&mut self.take, &self.recogniser) else { return };
        take.anew();
        let to = &recogniser.link.to;
        let begin = ToRecogniser::Begin { take: take.number, options: take.options.clone() };
        let _ = to.send(Frame::Message(begin));
        if !take.samples().is_empty() {
            let _ = to.send(Frame::Sound(take.samples().to_vec()));
        }
        if take.phase == VoicePhase::Transcribing {
            let _ = to.send(Frame::Message(ToRecogniser::Release { take: take.number }));
            let _ = to.send(Frame::Message(ToRecogniser::End { take: take.number }));
        }
        self.hung_at = None;
        if self.take.as_ref().is_some_and(|take| take.phase == VoicePhase::Transcribing) {
            self.expect_words();
        }
    }

    pub(super) fn present(&self, take: u32) -> Result<(), Fault> {
        match &self.take {
            Some(present) if present.number == take && is_going_on(present.phase) => Ok(()),
            _ => Err(no_take()),
        }
    }

    /// The key is up: a little more is recorded, then the rest is transcribed.
    pub(super) fn release(&mut self, cut_off: bool) {
        let Some(take) = &mut self.take else { return };
        if take.phase != VoicePhase::Recording || self.release_by.is_some() {
            return;
        }
        take.cut_off = cut_off;
        let (number, enough) = (take.number, take.samples().len() + TAIL_MS * SAMPLES_PER_MS);
        self.to_recogniser(ToRecogniser::Release { take: number });
        // Without a microphone there is no end to wait for.
        let open = self.listener.as_ref().is_some_and(|listener| listener.open.is_some());
        if cut_off || !open {
            self.end();
        } else {
            self.release_by = Some((Instant::now() + ms(TAIL_MS) + TAIL_WAIT, enough));
        }
    }

    /// All was recorded.
    pub(super) fn end(&mut self) {
        self.release_by = None;
        self.lonely_by = None;
        let Some(take) = &mut self.take else { return };
        if take.phase == VoicePhase::Recording {
            take.phase = VoicePhase::Transcribing;
            let number = take.number;
            self.to_recogniser(ToRecogniser::End { take: number });
            self.expect_words();
        }
        self.attend();
    }

    fn expect_words(&mut self) {
        let length = self.take.as_ref().map_or(0, |take| take.samples().len());
        self.hung_at = Some(Instant::now() + HUNG + ms(length / SAMPLES_PER_MS));
    }

    /// Nothing of the take is kept.
    pub(super) fn cancel(&mut self) {
        let Some(take) = self.take.as_mut() else { return };
        if is_going_on(take.phase) {
            take.phase = VoicePhase::Cancelled;
            let number = take.number;
            self.to_recogniser(ToRecogniser::Cancel { take: number });
        }
        if let Some(take) = &mut self.take {
            take.forget();
        }
        self.through();
    }

    pub(super) fn retry(&mut self, number: u32) -> Result<(), Fault> {
        let take = self.take.as_mut().filter(|take| take.number == number && !take.samples().is_empty());
        let take = take.filter(|take| !is_going_on(take.phase)).ok_or_else(no_take)?;
        take.phase = VoicePhase::Transcribing;
        take.broke = 0;
        self.fault = None;
        self.load()?;
        self.send_take();
        Ok(())
    }

    /// The take has come to its end, whichever it is.
    fn through(&mut self) {
        self.release_by = None;
        self.lonely_by = None;
        self.hung_at = None;
        self.opening = None;
        self.level_at = None;
        self.level = 0;
        self.attend();
    }

    fn to_recogniser(&self, message: ToRecogniser) {
        if let Some(recogniser) = &self.recogniser {
            let _ = recogniser.link.to.send(Frame::Message(message));
        }
    }

    pub(super) fn heard(&mut self, heard: Option<Frame<FromListener>>) {
        match heard {
            None => {
                // One that has tried in vain for long ends; what is wrong is known then.
                let known = self.listener.take().and_then(|listener| listener.fault);
                self.microphone_gone(known.unwrap_or_else(|| {
                    Fault::new(
                        Code::VoiceUnavailable,
                        "The program that listens has ended.",
                        "Try again; if it happens again, choose another microphone, and report it with the log file.",
                    )
                }));
            }
            Some(Frame::Sound(samples)) => self.sound(&samples),
            Some(Frame::Message(FromListener::Ready)) => {}
            Some(Frame::Message(FromListener::Opened { microphone, again, missed_ms, .. })) => {
                if again {
                    tracing::info!(microphone = microphone.name, missed_ms, "the microphone was opened again");
                }
                let Some(listener) = self.listener.as_mut().filter(|listener| listener.wanted.is_some()) else {
                    return;
                };
                listener.open = Some(microphone);
                listener.fault = None;
                self.lonely_by = None;
                if self.fault.as_ref().is_some_and(|fault| is_of_microphone(fault.code)) {
                    self.fault = None;
                }
                if let Some(opening) = self.opening.take() {
                    let _ = opening.answered.send(Ok(self.state()));
                }
            }
            Some(Frame::Message(FromListener::Closed)) => {}
            Some(Frame::Message(FromListener::Fault { fault })) => {
                if let Some(listener) = &mut self.listener {
                    listener.open = None;
                    listener.fault = Some(fault.clone());
                }
                self.microphone_gone(fault);
            }
        }
    }

    pub(super) fn microphone_gone(&mut self, fault: Fault) {
        self.fault = Some(fault.clone());
        if let Some(opening) = self.opening.take() {
            self.cancel();
            self.fault = Some(fault.clone());
            let _ = opening.answered.send(Err(fault));
        } else if self.is_recording() && self.lonely_by.is_none() {
            self.lonely_by = Some(Instant::now() + WITHOUT_MICROPHONE);
            if self.listener.is_none()
                && let Err(fault) = self.listen()
            {
                self.fault = Some(fault);
            }
        }
    }

    fn sound(&mut self, samples: &[i16]) {
        let Some(take) = self.take.as_mut().filter(|take| take.phase == VoicePhase::Recording) else {
            if self.listener.as_ref().is_some_and(|listener| listener.wanted.is_some()) {
                self.pre_roll.hear(samples);
            }
            return;
        };
        take.hear(samples);
        let recorded_ms = take.recorded_ms();
        let recorded = take.samples().len();
        if let Some(recogniser) = &self.recogniser {
            let _ = recogniser.link.to.send(Frame::Sound(samples.to_vec()));
        }
        self.level = self.level.max(peak(samples));
        let now = Instant::now();
        if self.level_at.is_none_or(|at| now >= at) {
            (self.told)(Told::Level { peak: self.level, recorded_ms });
            self.level = 0;
            self.level_at = Some(now + LEVELS);
        }
        if u128::from(recorded_ms) >= self.choices.longest.as_millis() {
            self.release(true);
        } else if self.release_by.is_some_and(|(_, enough)| recorded >= enough) {
            self.end();
        }
    }

    pub(super) fn understood(&mut self, understood: Option<Frame<FromRecogniser>>) {
        let message = match understood {
            Some(Frame::Message(message)) => message,
            Some(Frame::Sound(_)) => return,
            None => return self.recogniser_ended(),
        };
        let present = self.take.as_ref().filter(|take| is_going_on(take.phase)).map(|take| take.number);
        if self.hung_at.is_some() {
            self.expect_words();
        }
        match message {
            FromRecogniser::Ready | FromRecogniser::Loaded { .. } => {}
            FromRecogniser::Partial { take, text } if Some(take) == present => {
                self.with_take(|present| present.maybe(text));
                self.tell_text(false);
            }
            FromRecogniser::Segment { take, segment } if Some(take) == present => {
                self.with_take(|present| present.understood(segment));
                self.tell_text(false);
            }
            FromRecogniser::Done { take, speech, .. } if Some(take) == present => {
                let phase = if speech { VoicePhase::Done } else { VoicePhase::Silent };
                self.with_take(|present| {
                    present.phase = phase;
                    present.maybe(String::new());
                });
                self.tell_text(true);
                self.with_take(Take::forget);
                self.through();
            }
            FromRecogniser::Fault { take: Some(take), fault } if Some(take) == present => self.failed(fault),
            FromRecogniser::Fault { take: None, fault } => {
                self.recogniser = None;
                self.failed(fault);
            }
            FromRecogniser::Partial { .. }
            | FromRecogniser::Segment { .. }
            | FromRecogniser::Done { .. }
            | FromRecogniser::Fault { .. } => {}
        }
    }

    pub(super) fn recogniser_ended(&mut self) {
        self.recogniser = None;
        let Some(take) = self.take.as_mut().filter(|take| is_going_on(take.phase)) else { return };
        take.broke += 1;
        tracing::warn!(take = take.number, times = take.broke, "the recogniser ended within a take");
        if take.broke <= RESTARTS && self.load().is_ok() {
            self.send_take();
            return;
        }
        self.failed(Fault::new(
            Code::Transcription,
            "The speech engine ended before it was through.",
            "Try again; if it happens again, choose a smaller model, and report it with the log file.",
        ));
    }

    /// The take can't be transcribed; its recording is kept.
    fn failed(&mut self, fault: Fault) {
        tracing::warn!(%fault, "voice");
        self.fault = Some(fault.clone());
        let Some(take) = self.take.as_mut().filter(|take| is_going_on(take.phase)) else { return };
        take.phase = VoicePhase::Failed;
        if let Some(opening) = self.opening.take() {
            let _ = opening.answered.send(Err(fault));
        }
        self.tell_text(true);
        self.through();
    }

    fn with_take(&mut self, change: impl FnOnce(&mut Take)) {
        if let Some(take) = &mut self.take {
            change(take);
        }
    }

    fn tell_text(&self, last: bool) {
        let Some(take) = &self.take else { return };
        let (text, partial) = take.text();
        let vocabulary = &self.choices.vocabulary;
        (self.told)(Told::Text {
            take: take.number,
            text: vocabulary.replaced(&text),
            partial: vocabulary.replaced(&partial),
            last,
            segments: take.segments().to_vec(),
        });
    }
}
