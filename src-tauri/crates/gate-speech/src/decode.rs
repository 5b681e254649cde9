//! `review-gate-voice decode FILE`: a recording to sound as the speech model wants it.

use std::fs::File;
use std::path::Path;
use std::process::ExitCode;

use gate_core::{Code, Fault};
use gate_voice::{SAMPLE_RATE, frame};
use symphonia::core::codecs::audio::AudioDecoderOptions;
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, TrackType};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;

use crate::resample::{Resampler, to_words};

/// Samples that are passed on at a time: a second.
const TOGETHER: usize = SAMPLE_RATE as usize;

/// Writes the sound of a file as frames; a fault as a line on standard error.
pub(crate) fn run(file: &Path) -> ExitCode {
    let mut output = std::io::stdout().lock();
    let mut gone = false;
    let decoded = decode(file, |sound| {
        let words: Vec<i16> = to_words(sound).collect();
        gone = frame::write_sound(&mut output, &words).is_err();
        !gone
    });
    match decoded {
        Err(fault) => crate::fault(&fault),
        Ok(()) => ExitCode::SUCCESS,
    }
}

/// All sound of a file.
///
/// # Errors
/// `unreadable_file` where there is none; `audio` where it holds no sound that can be read.
#[cfg(test)]
pub(crate) fn decoded(file: &Path) -> Result<Vec<f32>, Fault> {
    let mut all = Vec::new();
    decode(file, |sound| {
        all.extend_from_slice(sound);
        true
    })?;
    Ok(all)
}

/// Gives the sound of a file piece by piece, until it is told that no more is wanted.
///
/// # Errors
/// `unreadable_file` where there is none; `audio` where it holds no sound that can be read.
fn decode(path: &Path, mut wanted: impl FnMut(&[f32]) -> bool) -> Result<(), Fault> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let file = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(std::io::ErrorKind::IsADirectory.into()),
        false => Ok(file),
    });
    let file = file.map_err(|error| {
        let message = format!("{name} can't be read: {error}.");
        Fault::new(Code::UnreadableFile, message, "Give the path of a file that you may read.")
    })?;
    let fault = |why: &str| {
        let message = format!("{name} holds no sound that can be read: {why}.");
        Fault::new(Code::Audio, message, "Give a WAV, MP3, FLAC, Ogg Vorbis or M4A file.")
    };
    let mut hint = Hint::new();
    if let Some(extension) = path.extension().and_then(|extension| extension.to_str()) {
        hint.with_extension(extension);
    }
    let stream = MediaSourceStream::new(Box::new(file), Default::default());
    let probe = symphonia::default::get_probe();
    let mut format = probe
        .probe(&hint, stream, FormatOptions::default(), MetadataOptions::default())
        .map_err(|_| fault("its format isn't known"))?;
    let track = format.default_track(TrackType::Audio).ok_or_else(|| fault("it has no sound track"))?;
    let id = track.id;
    let codec =
        track.codec_params.as_ref().and_then(|codec| codec.audio()).ok_or_else(|| fault("it has no sound track"))?;
    let mut decoder = symphonia::default::get_codecs()
        .make_audio_decoder(codec, &AudioDecoderOptions::default())
        .map_err(|_| fault("its sound is packed in a way that isn't known"))?;

    let mut resampler: Option<(u32, Resampler)> = None;
    let (mut interleaved, mut mono, mut ready) = (Vec::new(), Vec::new(), Vec::new());
    let mut any = false;
    // What is there of a file that is cut off or damaged further on is taken.
    while let Ok(Some(packet)) = format.next_packet() {
        if packet.track_id != id {
            continue;
        }
        let buffer = match decoder.decode(&packet) {
            Ok(buffer) => buffer,
            Err(Error::DecodeError(_) | Error::IoError(_)) => continue,
            Err(_) => break,
        };
        let (rate, channels) = (buffer.spec().rate(), buffer.spec().channels().count().max(1));
        interleaved.resize(buffer.samples_interleaved(), 0.0_f32);
        buffer.copy_to_slice_interleaved(&mut interleaved);
        mono.clear();
        mono.extend(interleaved.chunks_exact(channels).map(|frame| frame.iter().sum::<f32>() / channels as f32));
        any |= !mono.is_empty();
        if resampler.as_ref().is_none_or(|(before, _)| *before != rate) {
            if let Some((_, mut old)) = resampler.take() {
                old.flush(&mut ready);
            }
            resampler = Some((rate, Resampler::new(rate)?));
        }
        if let Some((_, resampler)) = &mut resampler {
            resampler.push(&mono, &mut ready);
        }
        if ready.len() >= TOGETHER {
            if !wanted(&ready) {
                return Ok(());
            }
            ready.clear();
        }
    }
    if let Some((_, resampler)) = &mut resampler {
        resampler.flush(&mut ready);
    }
    if !any {
        return Err(fault("it is empty"));
    }
    wanted(&ready);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// A WAV file of 16 bits with these samples, interleaved.
    fn wav(rate: u32, channels: u16, samples: &[i16]) -> Vec<u8> {
        let data: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        let mut file = Vec::new();
        file.extend(b"RIFF");
        file.extend((36 + data.len() as u32).to_le_bytes());
        file.extend(b"WAVEfmt ");
        file.extend(16_u32.to_le_bytes());
        file.extend(1_u16.to_le_bytes());
        file.extend(channels.to_le_bytes());
        file.extend(rate.to_le_bytes());
        file.extend((rate * u32::from(channels) * 2).to_le_bytes());
        file.extend((channels * 2).to_le_bytes());
        file.extend(16_u16.to_le_bytes());
        file.extend(b"data");
        file.extend((data.len() as u32).to_le_bytes());
        file.extend(data);
        file
    }

    #[test]
    fn a_recording_is_as_long_as_it_was() {
        let sound = decoded(&testing::recorded()).expect("sound");
        assert_eq!(sound.len(), 11 * SAMPLE_RATE as usize);
        assert!(crate::vad::loudness(&sound) > 0.01, "and can be heard");
    }

    #[test]
    fn channels_are_mixed_and_rates_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("two.wav");
        let frames: Vec<i16> = (0..48_000).flat_map(|_| [16_384, 0]).collect();
        std::fs::write(&path, wav(48_000, 2, &frames)).expect("a file");
        let sound = decoded(&path).expect("sound");
        assert_eq!(sound.len(), 16_000);
        assert!(sound[500..15_500].iter().all(|sample| (sample - 0.25).abs() < 0.01), "half of both");
    }

    #[test]
    fn what_is_there_of_a_file_that_is_cut_off_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cut.wav");
        let whole = wav(16_000, 1, &[1_000; 32_000]);
        std::fs::write(&path, &whole[..whole.len() / 2]).expect("a file");
        let sound = decoded(&path).expect("sound");
        assert!((15_000..=16_000).contains(&sound.len()), "{}", sound.len());
    }

    #[test]
    fn what_holds_no_sound_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let cases: [(&str, Vec<u8>, Code); 5] = [
            ("letter.txt", b"Dear Sir or Madam".to_vec(), Code::Audio),
            ("letter.mp3", b"Dear Sir or Madam".to_vec(), Code::Audio),
            ("nothing.wav", Vec::new(), Code::Audio),
            ("empty.wav", wav(16_000, 1, &[]), Code::Audio),
            ("noise.ogg", (0..10_000_u64).map(|at| (testing::noise(at) * 127.0) as u8).collect(), Code::Audio),
        ];
        for (name, bytes, code) in cases {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).expect("a file");
            let fault = decoded(&path).expect_err("no sound");
            assert_eq!(fault.code, code, "{name}: {fault}");
            assert!(fault.message.contains(name), "{fault}");
        }
        let gone = decoded(&folder.path().join("gone.wav")).expect_err("no file");
        assert_eq!(gone.code, Code::UnreadableFile);
        assert_eq!(decoded(folder.path()).expect_err("a folder").code, Code::UnreadableFile);
    }

    /// A second of a tone of 440 Hz, half as loud as can be, packed in some way.
    fn packed(name: &str) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sound").join(name)
    }

    /// All that is promised, and both ways to pack sound into an M4A file.
    const PACKED: [&str; 5] = ["tone.flac", "tone.ogg", "tone.mp3", "tone.m4a", "lossless.m4a"];

    fn assert_is_the_tone(sound: &[f32], name: &str) {
        // Some ways to pack sound add a little silence at the ends.
        assert!((16_000..19_000).contains(&sound.len()), "{name}: {} samples", sound.len());
        let middle = &sound[4_000..12_000];
        let swings = middle.windows(2).filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0).count();
        assert!((218..=222).contains(&swings), "{name}: {swings} swings in half a second");
        let loud = crate::vad::loudness(middle);
        assert!((0.33..0.38).contains(&loud), "{name}: {loud}");
    }

    #[test]
    fn each_way_to_pack_sound_is_understood() {
        for name in PACKED {
            assert_is_the_tone(&decoded(&packed(name)).expect(name), name);
        }
    }

    #[test]
    fn a_name_that_lies_about_what_is_in_the_file_changes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = ["tone.mp3", "tone.wav", "tone.m4a", "tone.ogg", "tone"];
        for (name, lie) in PACKED.iter().zip(names) {
            let path = folder.path().join(lie);
            std::fs::copy(packed(name), &path).expect("a copy");
            assert_is_the_tone(&decoded(&path).expect(name), &format!("{name} named {lie}"));
        }
    }

    #[test]
    fn a_way_to_pack_sound_that_is_not_known_says_so() {
        let fault = decoded(&packed("tone.opus")).expect_err("Opus isn't among them");
        assert_eq!(fault.code, Code::Audio);
        assert!(fault.message.starts_with("tone.opus holds no sound that can be read"), "{fault}");
        assert!(fault.mend.contains("M4A"), "{fault}");
    }

    #[test]
    fn packed_files_that_are_cut_off_or_damaged_end_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in PACKED {
            let whole = std::fs::read(packed(name)).expect("the file");
            let path = folder.path().join(name);
            for part in 0..20 {
                std::fs::write(&path, &whole[..whole.len() * part / 20]).expect("a file");
                match decoded(&path) {
                    Ok(sound) => assert!(sound.len() < 19_000, "{name}: nothing is made up"),
                    Err(fault) => assert_eq!(fault.code, Code::Audio, "{name}: {fault}"),
                }
            }
            for at in 0..100_u64 {
                let mut bytes = whole.clone();
                // By turns at its beginning, where it says how it is packed, and anywhere.
                let within = if at % 2 == 0 { 200 } else { bytes.len() };
                for step in 0..8 {
                    let place = ((testing::noise(at * 16 + step) + 1.0) / 2.0 * within as f32) as usize;
                    bytes[place.min(whole.len() - 1)] = (testing::noise(at * 16 + step + 8) * 127.0) as u8;
                }
                std::fs::write(&path, bytes).expect("a file");
                if let Err(fault) = decoded(&path) {
                    assert_eq!(fault.code, Code::Audio, "{name}: {fault}");
                }
            }
        }
        // The Ogg file is one page, and an M4A file says at its end where everything is.
        for name in ["tone.flac", "tone.mp3"] {
            let whole = std::fs::read(packed(name)).expect("the file");
            let path = folder.path().join(name);
            std::fs::write(&path, &whole[..whole.len() * 3 / 4]).expect("a file");
            let sound = decoded(&path).expect(name);
            assert!(sound.len() > 4_000, "{name}: what is there of it is taken: {} samples", sound.len());
        }
    }

    #[test]
    fn damaged_files_end_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("damaged.wav");
        let whole = wav(44_100, 2, &[500; 2_000]);
        for at in 0..400_u64 {
            let mut bytes = whole.clone();
            for step in 0..4 {
                let place = ((testing::noise(at * 8 + step) + 1.0) * 30.0) as usize;
                bytes[place] = (testing::noise(at * 8 + step + 4) * 127.0) as u8;
            }
            std::fs::write(&path, bytes).expect("a file");
            let _ = decoded(&path);
        }
    }
}
