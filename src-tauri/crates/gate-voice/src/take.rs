//! One take: what was recorded of it and what was understood.

use std::collections::VecDeque;

use gate_api::{VoicePhase, VoiceTake};
use gate_core::RequestId;

use crate::protocol::{Options, Segment};
use crate::words::joined;
use crate::{PRE_ROLL_MS, SAMPLES_PER_MS};

/// The last half second while the microphone is open.
#[derive(Debug, Default)]
pub(crate) struct PreRoll(VecDeque<i16>);

impl PreRoll {
    pub(crate) fn hear(&mut self, samples: &[i16]) {
        let most = PRE_ROLL_MS * SAMPLES_PER_MS;
        self.0.extend(&samples[samples.len().saturating_sub(most)..]);
        let surplus = self.0.len().saturating_sub(most);
        self.0.drain(..surplus);
    }

    pub(crate) fn take(&mut self) -> Vec<i16> {
        std::mem::take(&mut self.0).into()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// A take. Its recording is kept in memory until the next one, so that it can be transcribed again.
#[derive(Debug)]
pub(crate) struct Take {
    pub(crate) number: u32,
    pub(crate) request_id: Option<RequestId>,
    pub(crate) phase: VoicePhase,
    pub(crate) options: Options,
    pub(crate) cut_off: bool,
    /// How many times its recogniser ended before it was through.
    pub(crate) broke: u32,
    samples: Vec<i16>,
    /// How many samples were recorded before the key went down.
    before: usize,
    segments: Vec<Segment>,
    partial: String,
}

impl Take {
    pub(crate) fn new(number: u32, request_id: Option<RequestId>, options: Options, before: Vec<i16>) -> Self {
        Self {
            number,
            request_id,
            phase: VoicePhase::Recording,
            options,
            cut_off: false,
            broke: 0,
            before: before.len(),
            samples: before,
            segments: Vec::new(),
            partial: String::new(),
        }
    }

    pub(crate) fn hear(&mut self, samples: &[i16]) {
        self.samples.extend_from_slice(samples);
    }

    pub(crate) fn samples(&self) -> &[i16] {
        &self.samples
    }

    /// Since the key went down, in milliseconds.
    pub(crate) fn recorded_ms(&self) -> u32 {
        u32::try_from((self.samples.len() - self.before) / SAMPLES_PER_MS).unwrap_or(u32::MAX)
    }

    /// Forgets what was understood, to be transcribed from its beginning.
    pub(crate) fn anew(&mut self) {
        self.segments.clear();
        self.partial.clear();
    }

    /// Forgets what was recorded.
    pub(crate) fn forget(&mut self) {
        self.anew();
        self.samples = Vec::new();
        self.before = 0;
    }

    pub(crate) fn understood(&mut self, segment: Segment) {
        self.partial.clear();
        self.segments.push(segment);
    }

    pub(crate) fn maybe(&mut self, partial: String) {
        self.partial = partial;
    }

    /// What won't change, and what follows it and may.
    pub(crate) fn text(&self) -> (String, String) {
        (joined(&self.segments), self.partial.clone())
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub(crate) fn view(&self) -> VoiceTake {
        VoiceTake {
            take: self.number,
            request_id: self.request_id,
            phase: self.phase,
            recorded_ms: self.recorded_ms(),
            cut_off: self.cut_off,
        }
    }
}

/// The loudest of some samples, in thousandths of full scale.
pub(crate) fn peak(samples: &[i16]) -> u16 {
    let loudest = samples.iter().map(|sample| sample.unsigned_abs()).max().unwrap_or(0);
    u16::try_from(u32::from(loudest) * 1000 / u32::from(i16::MIN.unsigned_abs())).unwrap_or(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_second_is_kept_of_the_time_before() {
        let mut pre_roll = PreRoll::default();
        let second: Vec<i16> = (0..16_000).map(|number| (number % 1000) as i16).collect();
        for piece in second.chunks(333) {
            pre_roll.hear(piece);
        }
        assert_eq!(pre_roll.take(), second[8_000..]);
        pre_roll.hear(&second);
        assert_eq!(pre_roll.take(), second[8_000..], "in one piece, too");
        assert_eq!(pre_roll.take(), Vec::<i16>::new(), "what was taken is gone");
    }

    #[test]
    fn the_time_before_the_key_counts_as_sound_but_not_as_length() {
        let mut take = Take::new(1, None, Options::default(), vec![1; 8_000]);
        take.hear(&[2; 1_600]);
        assert_eq!((take.samples().len(), take.recorded_ms()), (9_600, 100));
    }

    #[test]
    fn the_loudest_is_told_in_thousandths() {
        assert_eq!([peak(&[]), peak(&[0]), peak(&[16_384, -1]), peak(&[i16::MIN])], [0, 0, 500, 1000]);
    }
}
