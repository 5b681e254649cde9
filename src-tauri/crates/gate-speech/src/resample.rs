//! Any sample rate to that of the speech model, piece by piece, without losing the beginning or the end.
//! Knows nothing of where the sound comes from.

use gate_core::{Code, Fault};
use gate_voice::SAMPLE_RATE;
use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, Indexing, Resampler as _};

/// The rates that are taken, in samples per second: from telephones to the fastest sound cards.
const RATES: std::ops::RangeInclusive<u32> = 4_000..=768_000;

/// Turns mono sound of one rate into mono sound of [`SAMPLE_RATE`].
pub(crate) struct Resampler {
    /// Absent where the rate is right already.
    fft: Option<Fft<f32>>,
    rate: u32,
    waiting: Vec<f32>,
    made: Vec<f32>,
    /// Samples of the resampler's own delay that are still to be left out.
    delay: usize,
    fed: u64,
    given: u64,
}

impl Resampler {
    /// # Errors
    /// `audio` for a rate that no microphone has.
    pub(crate) fn new(rate: u32) -> Result<Self, Fault> {
        let unusable = || {
            Fault::new(
                Code::Audio,
                format!("Sound with {rate} samples per second can't be used."),
                "Set the microphone to 48000 samples per second in the system's sound settings.",
            )
        };
        if !RATES.contains(&rate) {
            return Err(unusable());
        }
        let fft = if rate == SAMPLE_RATE {
            None
        } else {
            // 20 ms at a time: long enough for a steep filter, short enough not to be waited for.
            let chunk = rate as usize / 50;
            let fft = Fft::new(rate as usize, SAMPLE_RATE as usize, chunk, 1, FixedSync::Both);
            Some(fft.map_err(|_| unusable())?)
        };
        let delay = fft.as_ref().map_or(0, |fft| fft.output_delay());
        let most = fft.as_ref().map_or(0, |fft| fft.output_frames_max());
        Ok(Self { fft, rate, waiting: Vec::new(), made: vec![0.0; most], delay, fed: 0, given: 0 })
    }

    /// Takes sound, and appends what is ready.
    pub(crate) fn push(&mut self, sound: &[f32], to: &mut Vec<f32>) {
        self.fed += sound.len() as u64;
        if self.fft.is_none() {
            to.extend_from_slice(sound);
            self.given += sound.len() as u64;
            return;
        }
        self.waiting.extend_from_slice(sound);
        self.work(to);
    }

    /// Appends all that is still inside, so that as much has come out as went in.
    pub(crate) fn flush(&mut self, to: &mut Vec<f32>) {
        let all = (self.fed * u64::from(SAMPLE_RATE)).div_ceil(u64::from(self.rate));
        while self.given < all {
            let Some(fft) = &self.fft else { return };
            self.waiting.resize(fft.input_frames_next(), 0.0);
            self.work(to);
            let surplus = usize::try_from(self.given.saturating_sub(all)).unwrap_or(0).min(to.len());
            to.truncate(to.len() - surplus);
            self.given -= surplus as u64;
        }
    }

    fn work(&mut self, to: &mut Vec<f32>) {
        let Some(fft) = &mut self.fft else { return };
        let mut at = 0;
        while self.waiting.len() - at >= fft.input_frames_next() {
            let frames = fft.output_frames_max();
            let Ok(input) = InterleavedSlice::new(&self.waiting, 1, self.waiting.len()) else { break };
            let Ok(mut output) = InterleavedSlice::new_mut(&mut self.made, 1, frames) else { break };
            let indexing = Indexing::new().input_offset(at);
            let Ok((used, made)) = fft.process_into_buffer(&input, &mut output, Some(&indexing)) else { break };
            at += used;
            let late = self.delay.min(made);
            self.delay -= late;
            to.extend_from_slice(&self.made[late..made]);
            self.given += (made - late) as u64;
        }
        self.waiting.drain(..at);
    }
}

/// Samples of 16 bits, as they go through the pipes.
pub(crate) fn to_words(sound: &[f32]) -> impl Iterator<Item = i16> {
    // The cast saturates, and makes 0 of what is no number.
    sound.iter().map(|sample| (sample * 32_768.0).round() as i16)
}

/// What the speech model wants of them.
pub(crate) fn from_words(words: &[i16]) -> impl Iterator<Item = f32> {
    words.iter().map(|sample| f32::from(*sample) / 32_768.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `seconds` of a tone of 440 Hz at a rate.
    fn tone(rate: u32, seconds: f64) -> Vec<f32> {
        let length = (f64::from(rate) * seconds).round() as usize;
        let step = 440.0 * std::f64::consts::TAU / f64::from(rate);
        (0..length).map(|at| (0.5 * (at as f64 * step).sin()) as f32).collect()
    }

    fn resampled(rate: u32, sound: &[f32], piece: usize) -> Vec<f32> {
        let mut resampler = Resampler::new(rate).expect("a usable rate");
        let mut all = Vec::new();
        for piece in sound.chunks(piece) {
            resampler.push(piece, &mut all);
        }
        resampler.flush(&mut all);
        all
    }

    #[test]
    fn every_rate_comes_out_as_long_and_as_it_was() {
        for rate in [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000] {
            for piece in [1, 333, 4_096] {
                let seconds = if piece == 1 { 0.2 } else { 1.0 };
                let heard = resampled(rate, &tone(rate, seconds), piece);
                let wanted = tone(SAMPLE_RATE, seconds);
                let length = wanted.len().abs_diff(heard.len());
                assert!(length <= 1, "{rate} Hz in pieces of {piece}: {length} samples too many or too few");
                // The filter rounds off the hard edges of the tone; between them it is the same.
                let inner = 800..wanted.len().min(heard.len()) - 800;
                let worst = inner.clone().map(|at| (heard[at] - wanted[at]).abs()).fold(0.0, f32::max);
                // A tone of 440 Hz moves by that much in one sample.
                assert!(worst < 0.09, "{rate} Hz in pieces of {piece}: off by {worst}, more than a sample late");
                let loud = crate::vad::loudness(&heard[inner.clone()]) / crate::vad::loudness(&wanted[inner]);
                assert!((loud - 1.0).abs() < 0.01, "{rate} Hz in pieces of {piece}: {loud} times as loud");
            }
        }
    }

    #[test]
    fn clicks_at_both_ends_are_where_they_were() {
        for rate in [44_100, 48_000] {
            let mut sound = vec![0.0; rate as usize];
            for at in 0..rate as usize / 100 {
                sound[at] = 0.5;
                let last = sound.len() - 1 - at;
                sound[last] = 0.5;
            }
            let heard = resampled(rate, &sound, 480);
            let ends = [&heard[20..140], &heard[heard.len() - 140..heard.len() - 20]];
            for end in ends {
                assert!(end.iter().all(|sample| *sample > 0.35), "10 ms at each end are still there at {rate} Hz");
            }
            let middle = &heard[400..heard.len() - 400];
            assert!(middle.iter().all(|sample| sample.abs() < 0.01), "and nothing is between");
        }
    }

    #[test]
    fn nothing_in_gives_nothing_out() {
        assert_eq!(resampled(44_100, &[], 1), Vec::<f32>::new());
        assert_eq!(resampled(48_000, &[0.0; 3], 1).len(), 1, "three samples are one");
    }

    #[test]
    fn a_rate_of_no_microphone_is_refused() {
        for rate in [0, 1, 3_999, 768_001, u32::MAX] {
            assert_eq!(Resampler::new(rate).err().map(|fault| fault.code), Some(Code::Audio), "{rate}");
        }
    }

    #[test]
    fn words_are_the_same_after_there_and_back() {
        let words = [i16::MIN, -1, 0, 1, i16::MAX];
        let sound: Vec<f32> = from_words(&words).collect();
        assert_eq!(to_words(&sound).collect::<Vec<_>>(), words);
        assert_eq!(to_words(&[2.0, -2.0, f32::NAN]).collect::<Vec<_>>(), [i16::MAX, i16::MIN, 0], "nothing wraps");
    }
}
