//! Two short sounds, made of sine tones. They need no file and no page, so that they are heard while
//! every window is hidden.

use std::f32::consts::TAU;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::time::Duration;

use cpal::traits::{DeviceTrait as _, HostTrait as _, StreamTrait as _};
use cpal::{FromSample, SampleFormat, SizedSample, StreamConfig};
use gate_app::attention::Sound;

/// How long a device may take to play one before it is given up.
const LIMIT: Duration = Duration::from_secs(5);
/// Silence behind a sound, in seconds, so that the device's buffer doesn't cut it off.
const TAIL: f32 = 0.25;
/// How long a tone takes to be at its loudest, in seconds; without it, it would click.
const ATTACK: f32 = 0.008;

/// A tone of a sound.
struct Tone {
    /// When it begins, in seconds.
    at: f32,
    /// How high it is, in hertz.
    pitch: f32,
    /// How loud it is at its loudest; 1 is all that a device can do.
    gain: f32,
    /// How fast it fades, in seconds to a third of it.
    fade: f32,
}

/// A fifth upwards, soft.
const SOFT: &[Tone] =
    &[Tone { at: 0.0, pitch: 587.33, gain: 0.11, fade: 0.12 }, Tone { at: 0.11, pitch: 880.0, gain: 0.10, fade: 0.16 }];
/// Twice a fourth upwards, brighter.
const URGENT: &[Tone] = &[
    Tone { at: 0.0, pitch: 880.0, gain: 0.2, fade: 0.1 },
    Tone { at: 0.1, pitch: 1174.66, gain: 0.2, fade: 0.14 },
    Tone { at: 0.32, pitch: 880.0, gain: 0.2, fade: 0.1 },
    Tone { at: 0.42, pitch: 1174.66, gain: 0.2, fade: 0.2 },
];

/// One at a time: many requests at once are heard as one.
static PLAYING: AtomicBool = AtomicBool::new(false);

/// Plays a sound and returns at once. Where there is no device, nothing is heard.
pub(crate) fn play(sound: Sound) {
    if PLAYING.swap(true, Ordering::Relaxed) {
        return;
    }
    let playing = std::thread::Builder::new().name("sound".to_owned()).spawn(move || {
        if let Err(error) = play_through(sound) {
            tracing::debug!(%error, "no sound");
        }
        PLAYING.store(false, Ordering::Relaxed);
    });
    if playing.is_err() {
        PLAYING.store(false, Ordering::Relaxed);
    }
}

fn play_through(sound: Sound) -> Result<(), cpal::Error> {
    let device = cpal::default_host().default_output_device().ok_or(cpal::ErrorKind::DeviceNotAvailable)?;
    let usual = device.default_output_config()?;
    let (format, config) = (usual.sample_format(), usual.config());
    let (done, is_done) = mpsc::sync_channel(1);
    let stream = match format {
        SampleFormat::F32 => stream::<f32>(&device, config, sound, done),
        SampleFormat::I32 => stream::<i32>(&device, config, sound, done),
        SampleFormat::U16 => stream::<u16>(&device, config, sound, done),
        SampleFormat::U8 => stream::<u8>(&device, config, sound, done),
        // What every device has.
        _ => stream::<i16>(&device, config, sound, done),
    }?;
    stream.play()?;
    // A device that was unplugged says nothing; the sound is lost then.
    let _ = is_done.recv_timeout(LIMIT);
    Ok(())
}

fn stream<T: SizedSample + FromSample<f32>>(
    device: &cpal::Device,
    config: StreamConfig,
    sound: Sound,
    done: SyncSender<()>,
) -> Result<cpal::Stream, cpal::Error> {
    let channels = usize::from(config.channels).max(1);
    let mut samples = samples(sound, config.sample_rate);
    let fill = move |data: &mut [T], _: &cpal::OutputCallbackInfo| {
        for frame in data.chunks_mut(channels) {
            let next = samples.next();
            if next.is_none() {
                // Already said when it doesn't fit.
                let _ = done.try_send(());
            }
            frame.fill(T::from_sample(next.unwrap_or(0.0)));
        }
    };
    device.build_output_stream(config, fill, |error| tracing::debug!(%error, "a sound broke off"), None)
}

/// The sound at each moment, from -1 to 1.
fn samples(sound: Sound, rate: u32) -> impl Iterator<Item = f32> {
    let tones = match sound {
        Sound::Soft => SOFT,
        Sound::Urgent => URGENT,
    };
    // A tone is gone after five times its fading.
    let end = tones.iter().map(|tone| tone.at + 5.0 * tone.fade).fold(0.0, f32::max) + TAIL;
    let rate = f32::from(u16::try_from(rate / 10).unwrap_or(u16::MAX)) * 10.0;
    let moments = std::iter::successors(Some(0.0f32), |number| Some(number + 1.0)).map(move |number| number / rate);
    moments.take_while(move |moment| *moment < end).map(move |moment| tones.iter().map(|tone| tone.level(moment)).sum())
}

impl Tone {
    /// A sine with a quiet octave above it, which swells fast and fades slowly.
    fn level(&self, moment: f32) -> f32 {
        let since = moment - self.at;
        if since < 0.0 {
            return 0.0;
        }
        let swell = (since / ATTACK).min(1.0) * (-since / self.fade).exp();
        let turn = TAU * self.pitch * since;
        self.gain * swell * (0.85 * turn.sin() + 0.15 * (2.0 * turn).sin())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 48_000;

    fn made(sound: Sound) -> Vec<f32> {
        samples(sound, RATE).collect()
    }

    fn loudest(samples: &[f32]) -> f32 {
        samples.iter().fold(0.0, |loudest, sample| loudest.max(sample.abs()))
    }

    #[test]
    fn a_sound_is_short_soft_and_without_a_click() {
        for sound in [Sound::Soft, Sound::Urgent] {
            let made = made(sound);
            let seconds = made.len() / 48;
            assert!((300..2000).contains(&seconds), "{sound:?} takes {seconds} ms");
            assert!(loudest(&made) < 0.5, "{sound:?} startles nobody: {}", loudest(&made));
            let jump =
                made.windows(2).filter_map(|pair| Some((pair.first()? - pair.last()?).abs())).fold(0.0, f32::max);
            assert!(jump < 0.08, "{sound:?} has no click: {jump}");
            assert!(made.first().is_some_and(|first| first.abs() < 0.001), "{sound:?} begins with silence");
            assert!(loudest(made.get(made.len() - 4800..).unwrap_or_default()) < 0.002, "{sound:?} ends with it");
        }
    }

    #[test]
    fn an_urgent_one_can_be_told_from_another() {
        let (soft, urgent) = (made(Sound::Soft), made(Sound::Urgent));
        assert!(loudest(&urgent) > 1.5 * loudest(&soft), "it is louder");
        assert!(urgent.len() > soft.len(), "and longer");
    }
}
