//! The system's microphones: which there are, and sound from one of them. What the rest of this crate sees
//! of them is in two traits, so that it can be tested with microphones that break when they are told to.

use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cpal::traits::{DeviceTrait as _, HostTrait as _, StreamTrait as _};
use cpal::{
    BufferSize, Device, DeviceId, ErrorKind, FromSample, Host, SampleFormat, SizedSample, StreamConfig,
    SupportedBufferSize,
};
use gate_api::Microphone;
use gate_core::{Code, Fault};
use rtrb::{Consumer, Producer, RingBuffer};

/// How much sound waits at most to be fetched, in seconds. It is fetched many times a second.
const WAITING: usize = 3;
/// Into how many pieces the system is asked to cut a second.
const PIECES: u32 = 50;

/// The microphones of a system.
pub(crate) trait Microphones {
    /// One that is open.
    type Open: Source;

    /// Opens one by its stable id, or the system's default.
    ///
    /// # Errors
    /// `no_microphone`, `microphone_busy`, `microphone_denied`.
    fn open(&mut self, id: Option<&str>) -> Result<Self::Open, Fault>;

    /// The id of the system's default.
    fn default_id(&mut self) -> Option<String>;
}

/// Sound from a microphone.
pub(crate) trait Source {
    /// What it is.
    fn about(&self) -> &About;

    /// Appends what was heard since, mono, at the microphone's own rate.
    fn fetch(&mut self, to: &mut Vec<f32>);

    /// Whether the system says that no more will come.
    fn is_gone(&self) -> bool;

    /// Closes it. May take long where its driver hangs.
    fn close(self);
}

/// What an open microphone is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) microphone: Microphone,
    /// Samples per second.
    pub(crate) rate: u32,
    pub(crate) channels: u16,
    /// Its own format, e.g. `f32`.
    pub(crate) format: String,
}

/// Those of this machine.
pub(crate) struct System {
    host: Host,
}

impl System {
    pub(crate) fn new() -> Self {
        Self { host: cpal::default_host() }
    }

    /// The system's default where it can be opened, and all that the system names.
    pub(crate) fn microphones(&self) -> (Option<Microphone>, Vec<Microphone>) {
        let default = self.host.default_input_device().filter(|device| device.default_input_config().is_ok());
        let default = default.and_then(|device| about(&device, true));
        let devices = self.host.input_devices().map(Iterator::collect::<Vec<_>>).unwrap_or_default();
        let others = devices.iter().filter_map(|device| about(device, false));
        (default, others.collect())
    }

    fn device(&self, id: Option<&str>) -> Result<Device, Fault> {
        let found = match id {
            None => self.host.default_input_device(),
            Some(id) => DeviceId::from_str(id).ok().and_then(|id| self.host.device_by_id(&id)),
        };
        found.ok_or_else(|| fault_of(ErrorKind::DeviceNotAvailable, ""))
    }
}

impl Microphones for System {
    type Open = Open;

    fn open(&mut self, id: Option<&str>) -> Result<Open, Fault> {
        let device = self.device(id)?;
        let config = device.default_input_config().map_err(|error| fault_from(&error))?;
        let default = id.is_none() || self.default_id().as_deref() == id;
        let microphone = about(&device, default).ok_or_else(|| fault_of(ErrorKind::DeviceNotAvailable, ""))?;
        let (rate, channels, format) = (config.sample_rate(), config.channels(), config.sample_format());
        // Some sound systems hand over seconds at once where nothing else is asked for.
        let mut wanted = config.config();
        wanted.buffer_size = BufferSize::Fixed(match config.buffer_size() {
            SupportedBufferSize::Range { min, max } => (rate / PIECES).clamp(*min, (*max).max(*min)),
            SupportedBufferSize::Unknown => rate / PIECES,
        });
        let (stream, from, gone) = started(&device, wanted, format)
            .or_else(|_| started(&device, config.config(), format))
            .map_err(|error| fault_from(&error))?;
        let about = About { microphone, rate, channels, format: format.to_string() };
        Ok(Open { about, stream, from, gone })
    }

    fn default_id(&mut self) -> Option<String> {
        Some(self.host.default_input_device()?.id().ok()?.to_string())
    }
}

/// A stream that runs, its sound, and whether it has ended.
type Started = (cpal::Stream, Consumer<f32>, Arc<AtomicBool>);

fn started(device: &Device, config: StreamConfig, format: SampleFormat) -> Result<Started, cpal::Error> {
    let (to, from) = RingBuffer::new(config.sample_rate as usize * WAITING);
    let gone = Arc::new(AtomicBool::new(false));
    let ear = Ear { to, lost: Arc::new(AtomicU64::new(0)), gone: Arc::clone(&gone) };
    let stream = ear.stream(device, config, format)?;
    stream.play()?;
    Ok((stream, from, gone))
}

/// An open microphone.
pub(crate) struct Open {
    about: About,
    stream: cpal::Stream,
    from: Consumer<f32>,
    gone: Arc<AtomicBool>,
}

impl Source for Open {
    fn about(&self) -> &About {
        &self.about
    }

    fn fetch(&mut self, to: &mut Vec<f32>) {
        let ready = self.from.slots();
        if let Ok(chunk) = self.from.read_chunk(ready) {
            to.extend(chunk);
        }
    }

    fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    fn close(self) {
        drop(self.stream);
    }
}

/// What runs on the system's own thread for sound. Never waits, and asks for no memory.
struct Ear {
    to: Producer<f32>,
    /// Samples for which there was no room.
    lost: Arc<AtomicU64>,
    gone: Arc<AtomicBool>,
}

impl Ear {
    fn stream(self, device: &Device, config: StreamConfig, format: SampleFormat) -> Result<cpal::Stream, cpal::Error> {
        match format {
            SampleFormat::F32 => self.stream_of::<f32>(device, config),
            SampleFormat::F64 => self.stream_of::<f64>(device, config),
            SampleFormat::I8 => self.stream_of::<i8>(device, config),
            SampleFormat::I16 => self.stream_of::<i16>(device, config),
            SampleFormat::I24 => self.stream_of::<cpal::I24>(device, config),
            SampleFormat::I32 => self.stream_of::<i32>(device, config),
            SampleFormat::I64 => self.stream_of::<i64>(device, config),
            SampleFormat::U8 => self.stream_of::<u8>(device, config),
            SampleFormat::U16 => self.stream_of::<u16>(device, config),
            SampleFormat::U24 => self.stream_of::<cpal::U24>(device, config),
            SampleFormat::U32 => self.stream_of::<u32>(device, config),
            SampleFormat::U64 => self.stream_of::<u64>(device, config),
            _ => Err(ErrorKind::UnsupportedConfig.into()),
        }
    }

    fn stream_of<T>(mut self, device: &Device, config: StreamConfig) -> Result<cpal::Stream, cpal::Error>
    where
        T: SizedSample + Send + 'static,
        f32: FromSample<T>,
    {
        let channels = usize::from(config.channels).max(1);
        let gone = Arc::clone(&self.gone);
        let failed = move |error: cpal::Error| {
            if ends_a_stream(error.kind()) {
                gone.store(true, Ordering::Relaxed);
            }
        };
        let heard = move |data: &[T], _: &cpal::InputCallbackInfo| self.hear(data, channels);
        device.build_input_stream(config, heard, failed, None)
    }

    fn hear<T: Copy>(&mut self, data: &[T], channels: usize)
    where
        f32: FromSample<T>,
    {
        for frame in data.chunks_exact(channels) {
            if self.to.push(mixed(frame)).is_err() {
                self.lost.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// One sample of all channels.
fn mixed<T: Copy>(frame: &[T]) -> f32
where
    f32: FromSample<T>,
{
    frame.iter().map(|sample| f32::from_sample_(*sample)).sum::<f32>() / frame.len().max(1) as f32
}

/// Whether no more sound comes after such an error. The others mend themselves, or the watch finds out.
fn ends_a_stream(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::DeviceNotAvailable
            | ErrorKind::HostUnavailable
            | ErrorKind::StreamInvalidated
            | ErrorKind::PermissionDenied
    )
}

fn about(device: &Device, default: bool) -> Option<Microphone> {
    let id = device.id().ok()?.to_string();
    let name = device.description().ok()?.name().to_owned();
    Some(Microphone { id, name, default })
}

fn fault_from(error: &cpal::Error) -> Fault {
    fault_of(error.kind(), error.message().unwrap_or_default())
}

/// What a person can do about an error when opening a microphone.
fn fault_of(kind: ErrorKind, detail: &str) -> Fault {
    match kind {
        ErrorKind::DeviceBusy => Fault::new(
            Code::MicrophoneBusy,
            "Another program holds the microphone.",
            "Close it there, or choose another microphone; it is tried again by itself.",
        ),
        ErrorKind::PermissionDenied => Fault::new(
            Code::MicrophoneDenied,
            "The system doesn't let Review Gate use the microphone.",
            if cfg!(target_os = "linux") {
                "Add yourself to the group `audio`, or allow the microphone in the system's privacy settings, then sign in again."
            } else {
                "Allow the microphone for Review Gate in the system's privacy settings."
            },
        ),
        ErrorKind::DeviceNotAvailable | ErrorKind::HostUnavailable => {
            Fault::new(Code::NoMicrophone, "There is no microphone.", "Plug one in, or choose another one.")
        }
        _ => Fault::new(
            Code::NoMicrophone,
            match detail {
                "" => "The microphone can't be opened.".to_owned(),
                detail => format!("The microphone can't be opened: {}.", detail.trim_end_matches('.')),
            },
            "Choose another one, or unplug it and plug it in again.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_is_a_fault_that_can_be_told_apart() {
        let cases = [
            (ErrorKind::DeviceBusy, Code::MicrophoneBusy),
            (ErrorKind::PermissionDenied, Code::MicrophoneDenied),
            (ErrorKind::DeviceNotAvailable, Code::NoMicrophone),
            (ErrorKind::HostUnavailable, Code::NoMicrophone),
            (ErrorKind::BackendError, Code::NoMicrophone),
            (ErrorKind::UnsupportedConfig, Code::NoMicrophone),
        ];
        for (kind, code) in cases {
            let fault = fault_of(kind, "ALSA says so.");
            assert_eq!(fault.code, code, "{kind:?}");
            assert!(fault.message.ends_with('.') && !fault.message.ends_with(".."), "{fault}");
            assert!(!fault.mend.is_empty());
        }
    }

    #[test]
    fn channels_and_formats_become_one_sound() {
        assert_eq!(mixed(&[0.5_f32, 0.25]), 0.375);
        assert_eq!(mixed(&[i16::MIN]), -1.0);
        assert_eq!(mixed(&[0_i16, 16_384, 0, 0]), 0.125);
        assert_eq!(mixed(&[128_u8]), 0.0);
        assert_eq!(mixed(&[32_768_u16, 65_535]).round(), 0.0);
        assert_eq!(mixed(&[i32::MIN, i32::MIN]), -1.0);
        assert_eq!(mixed(&[0.5_f64; 6]), 0.5);
        assert_eq!(mixed::<f32>(&[]), 0.0);
    }

    #[test]
    fn what_finds_no_room_is_dropped_and_counted() {
        let (to, mut from) = RingBuffer::new(4);
        let (gone, lost) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut ear = Ear { to, lost: Arc::clone(&lost), gone };
        ear.hear(&[0.1_f32, 0.3, 1.0, 1.0, 0.0, 0.0, 0.5, 0.5, 0.9, 0.9, 0.7], 2);
        let heard: Vec<f32> = std::iter::from_fn(|| from.pop().ok()).collect();
        assert_eq!(heard, [0.2, 1.0, 0.0, 0.5]);
        assert_eq!(lost.load(Ordering::Relaxed), 1, "a frame that isn't whole is no frame");
    }
}
