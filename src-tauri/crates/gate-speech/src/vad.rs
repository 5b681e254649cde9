//! Tells speech from silence, window by window, while the sound comes in. Wraps the engine's own model for
//! that, which begins anew each time that it is asked.

use std::path::Path;

use gate_core::{Code, Fault};
use whisper_rs::{WhisperVadContext, WhisperVadContextParams};

use crate::abort;
use crate::cut::WINDOW;
use crate::model_file::{self, Kind};

/// Windows that the model hears again before new ones, to find into the sound: about a second. What it
/// says of them is left out.
const BEFORE: usize = 32;
/// New windows that it is asked about at a time while the sound comes in: 160 ms. Each time costs what
/// [`BEFORE`] costs, some 5 ms.
const TOGETHER: usize = 5;
/// Windows that it is asked about at once at most: 8 s.
const AT_ONCE: usize = 250;

/// How a window sounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Window {
    /// How probable speech is in it, from 0 to 1.
    pub(crate) speech: f32,
    /// How loud it is: the mean of its samples' squares, as a root.
    pub(crate) loudness: f32,
}

/// Listens for speech.
pub(crate) struct Vad {
    model: WhisperVadContext,
    /// What was heard before, and what the model hasn't been asked about.
    sound: Vec<f32>,
    /// How much of it was heard before, in windows.
    before: usize,
}

impl Vad {
    /// # Errors
    /// `speech_model` where the file is none, or damaged.
    pub(crate) fn load(path: &Path) -> Result<Self, Fault> {
        model_file::check(path, Kind::Vad)?;
        abort::prepare();
        let unusable = |why: &str| {
            let message = format!("The model that tells speech from silence can't be used: {why}.");
            Fault::new(Code::SpeechModel, message, "Remove it under Settings, Voice, and download it again.")
        };
        let name = path.to_str().ok_or_else(|| unusable("its path isn't Unicode"))?;
        if name.contains('\0') {
            return Err(unusable("its path has a zero in it"));
        }
        let mut params = WhisperVadContextParams::new();
        // It is so small that a second thread only makes it slower.
        params.set_n_threads(1);
        let model = WhisperVadContext::new(name, params).map_err(|error| unusable(&error.to_string()))?;
        Ok(Self { model, sound: Vec::new(), before: 0 })
    }

    /// Forgets all sound: another take begins.
    pub(crate) fn begin(&mut self) {
        self.sound.clear();
        self.before = 0;
    }

    /// Hears sound; says how its windows sound, some of them later.
    ///
    /// # Errors
    /// `transcription` where the model fails.
    pub(crate) fn hear(&mut self, sound: impl Iterator<Item = f32>) -> Result<Vec<Window>, Fault> {
        self.sound.extend(sound);
        let mut windows = Vec::new();
        while self.sound.len() >= (self.before + TOGETHER) * WINDOW {
            let new = self.sound.len() / WINDOW - self.before;
            windows.extend(self.ask(new.min(AT_ONCE))?);
        }
        Ok(windows)
    }

    /// All windows that are complete by now.
    ///
    /// # Errors
    /// As [`Vad::hear`].
    pub(crate) fn now(&mut self) -> Result<Vec<Window>, Fault> {
        let new = self.sound.len() / WINDOW - self.before;
        if new == 0 { Ok(Vec::new()) } else { self.ask(new) }
    }

    /// What is left of a take; its last window is filled up with silence.
    ///
    /// # Errors
    /// As [`Vad::hear`].
    pub(crate) fn rest(&mut self) -> Result<Vec<Window>, Fault> {
        let new = self.sound.len().div_ceil(WINDOW) - self.before;
        self.sound.resize((self.before + new) * WINDOW, 0.0);
        if new == 0 { Ok(Vec::new()) } else { self.ask(new) }
    }

    fn ask(&mut self, new: usize) -> Result<Vec<Window>, Fault> {
        let end = (self.before + new) * WINDOW;
        let heard = &self.sound[..end];
        self.model.detect_speech(heard).map_err(|error| {
            let message = format!("The model that tells speech from silence failed: {error}.");
            Fault::new(Code::Transcription, message, "Try again.")
        })?;
        let speech = self.model.probabilities().get(self.before..).unwrap_or_default();
        let windows = heard[self.before * WINDOW..].chunks(WINDOW).zip(speech);
        let windows = windows.map(|(window, speech)| Window { speech: *speech, loudness: loudness(window) }).collect();
        let kept = (self.before + new).min(BEFORE);
        self.sound.drain(..end - kept * WINDOW);
        self.before = kept;
        Ok(windows)
    }
}

/// The mean of the samples' squares, as a root.
pub(crate) fn loudness(sound: &[f32]) -> f32 {
    let squares: f32 = sound.iter().map(|sample| sample * sample).sum();
    (squares / sound.len().max(1) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn loaded() -> Option<Vad> {
        Some(Vad::load(&testing::models()?.join(testing::VAD)).expect("the model"))
    }

    fn all(vad: &mut Vad, sound: &[f32], piece: usize) -> Vec<Window> {
        vad.begin();
        let mut windows = Vec::new();
        for piece in sound.chunks(piece) {
            windows.extend(vad.hear(piece.iter().copied()).expect("windows"));
        }
        windows.extend(vad.rest().expect("windows"));
        windows
    }

    #[test]
    fn speech_is_heard_the_same_in_pieces_and_as_a_whole() {
        let Some(mut vad) = loaded() else { return };
        let sound = crate::decode::decoded(&testing::recorded()).expect("sound");
        let whole = all(&mut vad, &sound, sound.len());
        assert_eq!(whole.len(), sound.len().div_ceil(WINDOW));
        let spoken = whole.iter().filter(|window| window.speech > 0.5).count();
        assert!(spoken * 2 > whole.len(), "most of it is speech: {spoken} of {}", whole.len());
        for piece in [160, 512, 1_000] {
            let pieces = all(&mut vad, &sound, piece);
            assert_eq!(pieces.len(), whole.len());
            let other = pieces.iter().zip(&whole).filter(|(a, b)| (a.speech >= 0.5) != (b.speech >= 0.5)).count();
            assert!(other * 25 <= whole.len(), "{other} of {} windows are other in pieces of {piece}", whole.len());
        }
    }

    #[test]
    fn silence_and_noise_are_no_speech() {
        let Some(mut vad) = loaded() else { return };
        let length = 16_000 * 4;
        let tones = |at: usize| (at as f32 * 0.0196).sin() * 0.3;
        let sounds: [(&str, Vec<f32>); 4] = [
            ("silence", vec![0.0; length]),
            ("noise", (0..length).map(|at| testing::noise(at as u64) * 0.1).collect()),
            ("hum", (0..length).map(tones).collect()),
            ("clicks", (0..length).map(|at| if at % 4_000 < 40 { testing::noise(at as u64) } else { 0.0 }).collect()),
        ];
        for (name, sound) in sounds {
            let most = all(&mut vad, &sound, 320).iter().map(|window| window.speech).fold(0.0, f32::max);
            assert!(most < 0.3, "{name}: {most}");
        }
    }

    #[test]
    fn little_waits_to_be_heard() {
        let Some(mut vad) = loaded() else { return };
        for _ in 0..100 {
            vad.hear([0.0; 320].into_iter()).expect("windows");
            let behind = vad.sound.len() - vad.before * WINDOW;
            assert!(behind < (TOGETHER + 1) * WINDOW, "{behind} samples");
            assert!(vad.sound.len() <= (BEFORE + TOGETHER + 1) * WINDOW, "nothing is kept for long");
        }
    }
}
