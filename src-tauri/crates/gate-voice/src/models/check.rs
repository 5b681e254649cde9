//! What is in a model's file, and whether it is what was published. A file is hashed once: the folder
//! remembers its size, its time and its hash, and looks again when one of the first two is another.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{ModelFolder, Published};

/// Where the folder remembers what was hashed.
const REMEMBERED: &str = "checked.json";
/// How a file of ggml begins: the letters `ggml` as a little-endian number.
const MAGIC: &[u8; 4] = b"lmgg";
/// The numbers that follow, by their place.
const NUMBERS: usize = 11;
/// A version of the numbers' kind is counted in thousands of it.
const KIND_VERSIONS: u32 = 1000;
/// Words that a Whisper of English only knows; others know more.
const ENGLISH_WORDS: u32 = 51_864;
/// The most words that any Whisper knows, and some more.
const MOST_WORDS: u32 = 60_000;
/// The most of what else is counted.
const MOST: u32 = 16_384;

/// How a file of the catalogue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// It isn't there.
    Absent,
    /// It has another size: its bytes.
    Size(u64),
    /// It has another content, or can't be read.
    Content,
    /// It is what was published.
    Sound,
}

/// What a file says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Words, then sizes, then the kind of its numbers; absent where it begins as no file of ggml.
    numbers: Option<[u32; NUMBERS]>,
}

/// Reads the beginning of a file.
pub(super) fn header(path: &Path) -> io::Result<Header> {
    let mut begin = Vec::new();
    File::open(path)?.take((MAGIC.len() + NUMBERS * 4) as u64).read_to_end(&mut begin)?;
    let Some(rest) = begin.strip_prefix(MAGIC) else { return Ok(Header { numbers: None }) };
    let mut numbers = [0; NUMBERS];
    for (number, bytes) in numbers.iter_mut().zip(rest.chunks_exact(4)) {
        *number = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    Ok(Header { numbers: Some(numbers) })
}

impl Header {
    /// Whether it begins as any file of ggml does.
    pub(super) fn is_ggml(&self) -> bool {
        self.numbers.is_some()
    }

    /// Whether it is a Whisper.
    pub(super) fn is_model(&self) -> bool {
        let Some([words, sizes @ .., _]) = self.numbers else { return false };
        (ENGLISH_WORDS..=MOST_WORDS).contains(&words) && sizes.iter().all(|size| (1..=MOST).contains(size))
    }

    /// Whether it knows English only.
    pub(super) fn is_english_only(&self) -> bool {
        self.numbers.is_some_and(|[words, ..]| words == ENGLISH_WORDS)
    }

    /// Fewest bytes that a whole file has: those of its great matrices.
    pub(super) fn least_bytes(&self) -> u64 {
        let Some([words, _, sound, _, hearing, _, text, _, writing, _, kind]) = self.numbers else { return u64::MAX };
        let [words, sound, hearing, text, writing] = [words, sound, hearing, text, writing].map(u64::from);
        let numbers = words * text + hearing * 12 * sound * sound + writing * 16 * text * text;
        // Bytes of 32 numbers.
        let block = match kind % KIND_VERSIONS {
            0 => 128,
            1 => 64,
            7 => 34,
            8 => 22,
            9 => 24,
            3 => 20,
            2 => 18,
            _ => 10,
        };
        numbers / 32 * block
    }
}

/// A hash that was made, and of what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Made {
    bytes: u64,
    /// When the file was changed last, in nanoseconds since the Unix epoch.
    changed: u64,
    sha256: String,
}

type Remembered = BTreeMap<String, Made>;

impl ModelFolder {
    /// How a file of the catalogue is.
    #[must_use]
    pub fn condition(&self, model: &Published) -> Condition {
        match fs::metadata(self.file(model)) {
            Err(_) => Condition::Absent,
            Ok(there) if there.len() != model.bytes => Condition::Size(there.len()),
            Ok(_) => match self.sha256(&model.file()) {
                Ok(sha256) if sha256 == model.sha256 => Condition::Sound,
                Ok(_) | Err(_) => Condition::Content,
            },
        }
    }

    /// The hash of a file in the folder.
    fn sha256(&self, file: &str) -> io::Result<String> {
        let path = self.folder.join(file);
        let (bytes, changed) = stamp(&path)?;
        if let Some(made) = self.remembered().remove(file).filter(|made| (made.bytes, made.changed) == (bytes, changed))
        {
            return Ok(made.sha256);
        }
        let sha256 = hashed(&path)?;
        // One that is being written meanwhile is looked at again.
        if stamp(&path)? == (bytes, changed) {
            self.remember(file, Made { bytes, changed, sha256: sha256.clone() });
        }
        Ok(sha256)
    }

    /// Takes a file's hash as made by whoever has just written it.
    pub(super) fn take_as_hashed(&self, file: &str, sha256: &str) {
        if let Ok((bytes, changed)) = stamp(&self.folder.join(file)) {
            self.remember(file, Made { bytes, changed, sha256: sha256.to_owned() });
        }
    }

    fn remembered(&self) -> Remembered {
        let text = fs::read(self.folder.join(REMEMBERED)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Without it the file is hashed again the next time, and so nothing is said when it can't be written.
    fn remember(&self, file: &str, made: Made) {
        let mut remembered = self.remembered();
        remembered.retain(|file, _| self.folder.join(file).exists());
        remembered.insert(file.to_owned(), made);
        let written = || -> io::Result<()> {
            let new = self.folder.join(format!(".{REMEMBERED}.{}", std::process::id()));
            File::create(&new)?.write_all(&serde_json::to_vec(&remembered)?)?;
            fs::rename(new, self.folder.join(REMEMBERED))
        };
        if let Err(error) = written() {
            tracing::debug!(%error, "what was checked of the speech models can't be remembered");
        }
    }
}

fn stamp(path: &Path) -> io::Result<(u64, u64)> {
    let there = fs::metadata(path)?;
    let changed = there.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok((there.len(), u64::try_from(changed.as_nanos()).unwrap_or(u64::MAX)))
}

/// The SHA-256 of a file, in small hexadecimal digits.
pub(super) fn hashed(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            got => hash.update(&piece[..got]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::super::CATALOGUE;
    use super::super::testing::{TestModels, header_of};
    use super::*;

    #[test]
    fn a_file_is_what_was_published_or_it_is_not() {
        let test = TestModels::new();
        let base = test.published("base-q8_0");
        assert_eq!(test.folder.condition(&base), Condition::Absent);
        test.put("base-q8_0");
        assert_eq!(test.folder.condition(&base), Condition::Sound);
        fs::write(test.file(&base.file()), "lmgg short").expect("a folder for tests");
        assert_eq!(test.folder.condition(&base), Condition::Size(10));
    }

    #[test]
    fn a_file_that_was_replaced_is_looked_at_again() {
        let test = TestModels::new();
        test.put("base-q8_0");
        let base = test.published("base-q8_0");
        assert_eq!(test.folder.condition(&base), Condition::Sound, "and remembered");
        let other = vec![b'x'; usize::try_from(base.bytes).expect("a small file")];
        fs::write(test.file(&base.file()), &other).expect("a folder for tests");
        let file = File::options().write(true).open(test.file(&base.file())).expect("it is there");
        file.set_modified(SystemTime::now() + Duration::from_secs(60)).expect("its time can be set");
        assert_eq!(test.folder.condition(&base), Condition::Content, "of the same size");
        test.put("base-q8_0");
        assert_eq!(test.folder.condition(&base), Condition::Sound, "mended");
    }

    #[test]
    fn what_is_remembered_is_not_hashed_again() {
        let test = TestModels::new();
        test.put("base-q8_0");
        let base = test.published("base-q8_0");
        test.folder.take_as_hashed(&base.file(), "another");
        assert_eq!(test.folder.condition(&base), Condition::Content, "what was remembered counts");
        fs::write(test.file(REMEMBERED), "broken").expect("a folder for tests");
        assert_eq!(test.folder.condition(&base), Condition::Sound, "what can't be read isn't remembered");
    }

    #[test]
    fn a_folder_that_remembers_nothing_works() {
        let test = TestModels::new();
        test.put("base-q8_0");
        fs::create_dir(test.file(REMEMBERED)).expect("a folder for tests");
        assert_eq!(test.folder.condition(&test.published("base-q8_0")), Condition::Sound);
    }

    #[test]
    fn a_file_says_what_it_is() {
        let test = TestModels::new();
        let look = |bytes: &[u8]| {
            fs::write(test.file("it"), bytes).expect("a folder for tests");
            header(&test.file("it")).expect("it is there")
        };
        assert!(!look(b"").is_ggml() && !look(b"ggml, no").is_ggml());
        assert!(look(b"lmgg").is_ggml() && !look(b"lmgg").is_model(), "one that is cut off is no model");
        let (english, other) = (look(&header_of(51_864, 512)), look(&header_of(51_865, 512)));
        assert!(english.is_model() && english.is_english_only());
        assert!(other.is_model() && !other.is_english_only());
        assert!(!look(&header_of(7, 512)).is_model() && !look(&header_of(51_865, 0)).is_model());
    }

    #[test]
    fn no_published_model_is_smaller_than_it_has_to_be() {
        // Width, layers that hear and write, of each kind.
        let kinds = [
            ("tiny", 384, 4, 4),
            ("base", 512, 6, 6),
            ("small", 768, 12, 12),
            ("medium", 1024, 24, 24),
            ("large-v3-turbo", 1280, 32, 4),
        ];
        for model in CATALOGUE {
            let (_, width, hearing, writing) =
                kinds.into_iter().find(|(kind, ..)| model.name.starts_with(kind)).expect("every kind is known");
            let number = match model.name.rsplit_once("-q") {
                Some((_, "8_0")) => 7,
                Some((_, "5_1")) => 9,
                Some((_, "5_0")) => 8,
                _ => 1,
            };
            let numbers = [51_865, 1500, width, 8, hearing, 448, width, 8, writing, 80, 2 * KIND_VERSIONS + number];
            let least = Header { numbers: Some(numbers) }.least_bytes();
            assert!(least <= model.bytes, "{}: {least} of {}", model.name, model.bytes);
            assert!(least > model.bytes * 84 / 100, "{}: a great part that is missing shows", model.name);
        }
    }
}
