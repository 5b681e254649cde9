//! Voice as the gate and the command line see it: takes, the programs that listen and recognise, what is
//! said to them, speech models, and what becomes of the words. What touches microphones, models and the
//! network is in `review-gate-voice`, a program of its own: a fault in a driver or in the speech engine
//! ends only that, and the other programs stay small and start where there is no sound system at all.

pub mod frame;
pub mod link;
pub mod models;
pub mod program;
pub mod protocol;
mod take;
pub mod transcribe;
pub mod voice;
pub mod words;

/// Samples of a second, everywhere behind the microphone: what Whisper wants.
pub const SAMPLE_RATE: u32 = 16_000;
/// Samples of a millisecond.
pub const SAMPLES_PER_MS: usize = (SAMPLE_RATE / 1000) as usize;
/// What is kept of the time before the key went down while the microphone is open, in milliseconds.
pub const PRE_ROLL_MS: usize = 500;
/// For how long is recorded after the key is up, in milliseconds.
pub const TAIL_MS: usize = 300;

fn ms(millis: usize) -> std::time::Duration {
    std::time::Duration::from_millis(millis as u64)
}
