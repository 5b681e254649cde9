//! Whether a file is a whole speech model, before the speech engine reads it: the engine trusts lengths in
//! the file, and ends the program over one that is damaged. Looks at the structure, not at the weights.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use gate_core::{Code, Fault};

/// `ggml`, as a number of 32 bits.
const MAGIC: u32 = 0x6767_6d6c;
/// More than any model has of anything that is counted.
const MANY: u32 = 1 << 20;
/// More tensors than any model has.
const TENSORS: usize = 10_000;
/// What the model is called that tells speech from silence.
const VAD: &[u8] = b"silero-16k";

/// The files there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What transcribes.
    Speech,
    /// What tells speech from silence.
    Vad,
}

/// Checks a file.
///
/// # Errors
/// `speech_model` where it isn't there, is none, or a part of it is missing.
pub(crate) fn check(path: &Path, kind: Kind) -> Result<(), Fault> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let mend = "Remove it under Settings, Voice, and download or import it again.";
    let what = match kind {
        Kind::Speech => "speech model",
        Kind::Vad => "model that tells speech from silence",
    };
    let fault = |message: String| Fault::new(Code::SpeechModel, message, mend);
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => fault(format!("The {what} {name} isn't there any more.")),
        _ => fault(format!("The {what} {name} can't be read: {error}.")),
    })?;
    let length = file.metadata().map_err(|error| fault(format!("{name} can't be read: {error}.")))?.len();
    let mut reader = Reader { file: BufReader::new(file), length, at: 0 };
    let walked = match kind {
        Kind::Speech => reader.speech(),
        Kind::Vad => reader.vad(),
    };
    walked.map_err(|wrong| match wrong {
        Wrong::Other => fault(format!("{name} is no {what}.")),
        Wrong::Cut => fault(format!("A part of the {what} {name} is missing or damaged.")),
        Wrong::Io(error) => fault(format!("The {what} {name} can't be read: {error}.")),
    })
}

enum Wrong {
    /// Something else altogether.
    Other,
    /// It begins well.
    Cut,
    Io(io::Error),
}

impl From<io::Error> for Wrong {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof { Self::Cut } else { Self::Io(error) }
    }
}

struct Reader {
    file: BufReader<File>,
    length: u64,
    at: u64,
}

impl Reader {
    fn number(&mut self) -> Result<u32, Wrong> {
        let mut bytes = [0; 4];
        self.file.read_exact(&mut bytes)?;
        self.at += 4;
        Ok(u32::from_le_bytes(bytes))
    }

    /// A number of something, within reason.
    fn count(&mut self) -> Result<u32, Wrong> {
        let count = self.number()?;
        if count > MANY { Err(Wrong::Cut) } else { Ok(count) }
    }

    fn skip(&mut self, bytes: u64) -> Result<(), Wrong> {
        if bytes > self.length - self.at {
            return Err(Wrong::Cut);
        }
        self.at += bytes;
        let forward = i64::try_from(bytes).map_err(|_| Wrong::Cut)?;
        // Within what is buffered where it can be.
        self.file.seek_relative(forward).or_else(|_| self.file.seek(SeekFrom::Start(self.at)).map(drop))?;
        Ok(())
    }

    fn magic(&mut self) -> Result<(), Wrong> {
        match self.number() {
            Ok(MAGIC) => Ok(()),
            Ok(_) | Err(Wrong::Cut) => Err(Wrong::Other),
            Err(error) => Err(error),
        }
    }

    fn speech(&mut self) -> Result<(), Wrong> {
        self.magic()?;
        let vocabulary = self.count()?;
        // The context, the sizes of the layers, and how the weights are kept.
        let mut sizes = [0; 10];
        for size in &mut sizes {
            *size = self.count()?;
        }
        let [audio_context, .., mels, _] = sizes;
        if !(50_000..100_000).contains(&vocabulary) || !(1..=10_000).contains(&audio_context) {
            return Err(Wrong::Other);
        }
        if !(80..=128).contains(&mels) {
            return Err(Wrong::Other);
        }
        let filters = u64::from(self.count()?) * u64::from(self.count()?);
        self.skip(filters * 4)?;
        for _ in 0..self.count()? {
            let length = self.count()?;
            self.skip(u64::from(length))?;
        }
        self.tensors()
    }

    fn vad(&mut self) -> Result<(), Wrong> {
        self.magic()?;
        let length = self.number()? as usize;
        if length != VAD.len() {
            return Err(Wrong::Other);
        }
        let mut name = vec![0; length];
        self.file.read_exact(&mut name)?;
        self.at += length as u64;
        if name != VAD {
            return Err(Wrong::Other);
        }
        // Its version, and how long a window and what is before it are.
        self.skip(5 * 4)?;
        let layers = self.count()?;
        self.skip(u64::from(layers) * 3 * 4 + 4 * 4)?;
        self.tensors()
    }

    /// All the rest of the file.
    fn tensors(&mut self) -> Result<(), Wrong> {
        let mut tensors = 0;
        while self.at < self.length {
            let (dimensions, name, kind) = (self.number()?, self.count()?, self.number()?);
            if dimensions > 4 || tensors > TENSORS {
                return Err(Wrong::Cut);
            }
            let mut elements: u64 = 1;
            for _ in 0..dimensions {
                elements = elements.saturating_mul(u64::from(self.count()?));
            }
            let (block, bytes) = weights(kind).ok_or(Wrong::Cut)?;
            self.skip(u64::from(name))?;
            self.skip(elements.div_ceil(block).saturating_mul(bytes))?;
            tensors += 1;
        }
        if tensors == 0 { Err(Wrong::Cut) } else { Ok(()) }
    }
}

/// How many weights make a block, and its bytes, by the number that stands for a way to keep them.
fn weights(kind: u32) -> Option<(u64, u64)> {
    Some(match kind {
        0 => (1, 4),
        1 | 30 => (1, 2),
        2 => (32, 18),
        3 => (32, 20),
        6 => (32, 22),
        7 => (32, 24),
        8 => (32, 34),
        9 => (32, 36),
        10 => (256, 84),
        11 => (256, 110),
        12 => (256, 144),
        13 => (256, 176),
        14 => (256, 210),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, SPEECH, VAD};

    fn code(path: &Path, kind: Kind) -> Option<String> {
        let fault = check(path, kind).err()?;
        assert_eq!(fault.code, Code::SpeechModel);
        Some(fault.message)
    }

    #[test]
    fn whole_models_are_taken() {
        let Some(models) = testing::models() else { return };
        assert_eq!(code(&models.join(SPEECH), Kind::Speech), None);
        assert_eq!(code(&models.join(VAD), Kind::Vad), None);
        let other = code(&models.join(SPEECH), Kind::Vad).expect("one isn't the other");
        assert!(other.contains("is no model that tells"), "{other}");
        assert!(check(&models.join(VAD), Kind::Speech).is_err(), "nor the other one");
    }

    #[test]
    fn a_part_of_a_model_is_refused_wherever_it_ends() {
        let Some(models) = testing::models() else { return };
        let whole = std::fs::read(models.join(SPEECH)).expect("the model");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("part.bin");
        for length in [0, 3, 4, 30, 1_000, 70_000, 600_000, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).expect("a file");
            assert!(check(&path, Kind::Speech).is_err(), "the first {length} bytes are no model");
        }
        let mut longer = whole;
        longer.extend([1; 100]);
        std::fs::write(&path, longer).expect("a file");
        assert!(check(&path, Kind::Speech).is_err(), "neither is one with something behind it");
    }

    #[test]
    fn what_is_no_model_is_said_to_be_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("letter.txt");
        for bytes in [&b""[..], b"lm", b"Dear Sir or Madam", &[0xff; 5_000], b"lmgg\xff\xff\xff\xff"] {
            std::fs::write(&path, bytes).expect("a file");
            assert!(code(&path, Kind::Speech).is_some(), "{bytes:?}");
            assert!(code(&path, Kind::Vad).is_some(), "{bytes:?}");
        }
        let gone = code(&folder.path().join("gone.bin"), Kind::Speech).expect("a fault");
        assert_eq!(gone, "The speech model gone.bin isn't there any more.");
    }
}
