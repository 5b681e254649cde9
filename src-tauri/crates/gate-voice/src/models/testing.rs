//! A folder of models of a few bytes, for tests.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;

use tempfile::TempDir;

use super::check::hashed;
use super::{ModelFolder, Published};

/// What the small catalogue holds.
const NAMES: [&str; 4] = ["tiny.en-q8_0", "base-q8_0", "small-q8_0", "medium-q8_0"];

/// A folder whose catalogue is of small files.
pub(super) struct TestModels {
    home: TempDir,
    pub(super) folder: ModelFolder,
}

impl TestModels {
    pub(super) fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder for tests");
        let path = home.path().join("models");
        fs::create_dir(&path).expect("a folder for tests");
        let published = |name: &'static str| {
            let file = home.path().join(name);
            let bytes = content(name);
            fs::write(&file, &bytes).expect("a folder for tests");
            let sha256 = hashed(&file).expect("it was just written");
            Published { name, bytes: bytes.len() as u64, sha256: sha256.leak() }
        };
        let all: Vec<Published> = NAMES.into_iter().map(published).collect();
        let mut folder = ModelFolder::new(path);
        folder.detector = published("silero-v6.2.0");
        folder.published = all.leak();
        Self { home, folder }
    }

    /// A file in the folder.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.folder.join(name)
    }

    /// A file outside of the folder.
    pub(super) fn elsewhere(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(super) fn published(&self, name: &str) -> Published {
        let all = self.folder.published.iter().chain([&self.folder.detector]);
        *all.into_iter().find(|model| model.name == name).expect("it is in the small catalogue")
    }

    /// Puts a model into the folder.
    pub(super) fn put(&self, name: &str) {
        let model = self.published(name);
        fs::write(self.file(&model.file()), content(model.name)).expect("a folder for tests");
    }

    /// Puts models into the folder, and the detector.
    pub(super) fn put_all(&self, names: &[&str]) {
        self.put("silero-v6.2.0");
        names.iter().for_each(|name| self.put(name));
    }

    /// A file of that size that begins so, in the folder.
    pub(super) fn sparse(&self, name: &str, begin: &[u8], bytes: u64) {
        let mut file = File::create(self.file(name)).expect("a folder for tests");
        file.write_all(begin).expect("a folder for tests");
        file.set_len(bytes).expect("a folder for tests");
    }
}

/// What a small model of this name is.
pub(super) fn content(name: &str) -> Vec<u8> {
    format!("lmgg{}", name.repeat(100)).into_bytes()
}

/// How a Whisper of so many words and this width begins.
pub(super) fn header_of(words: u32, width: u32) -> Vec<u8> {
    let numbers = [words, 1500, width, 8, 4, 448, width, 8, 4, 80, 2007];
    let mut header = b"lmgg".to_vec();
    header.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
    header
}
