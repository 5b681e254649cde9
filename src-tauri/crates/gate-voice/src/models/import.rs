//! Models that come from a file or a folder of the person's.

use std::path::{Path, PathBuf};
use std::{fs, io};

use gate_core::{Code, Fault};

use super::check::{hashed, header};
use super::{FILE, ModelFolder, PART, Published, megabytes, shown};

/// What a copy is called until it has been checked, after its own name.
const COPYING: &str = ".importing";
/// Longest name of an imported file, in bytes.
const NAME_BYTES: usize = 100;
/// Most files of a folder that are looked at.
const FILES: usize = 1000;

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The models that are there now, by their names. The detector is none.
    pub names: Vec<String>,
    /// Files of the folder that are models by their names and were refused.
    pub refused: Vec<Fault>,
}

impl ModelFolder {
    /// Copies a model's file, or all in a folder, after checking it; and what tells speech from silence where
    /// it lies beside it. A file that is known by its hash gets its name of the catalogue. Takes as long as
    /// the copy.
    ///
    /// # Errors
    /// `unreadable_file`; `speech_model` where it is none, damaged, or cut off; `disk_full`; `read_only`.
    pub fn import(&self, path: &Path) -> Result<Imported, Fault> {
        let there = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        self.create()?;
        if there.is_dir() {
            return self.import_folder(path);
        }
        let names = self.import_file(path)?.into_iter().collect();
        let detector = path.with_file_name(self.detector.file());
        if self.vad().is_none() && detector.is_file() {
            // The model is there whatever becomes of it; without it the list says what is missing.
            if let Err(fault) = self.import_file(&detector) {
                tracing::warn!(%fault, "what lies beside a model");
            }
        }
        Ok(Imported { names, refused: Vec::new() })
    }

    fn import_folder(&self, folder: &Path) -> Result<Imported, Fault> {
        let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
        let mut files: Vec<PathBuf> = entries.take(FILES).filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| is_model_by_name(file) && file.is_file());
        files.sort();
        let mut imported = Imported { names: Vec::new(), refused: Vec::new() };
        let mut any = false;
        for file in files {
            match self.import_file(&file) {
                Ok(name) => {
                    any = true;
                    imported.names.extend(name);
                }
                // The next one hasn't the room either.
                Err(fault) if fault.code == Code::DiskFull => return Err(fault),
                Err(fault) => imported.refused.push(fault),
            }
        }
        match imported.refused.first() {
            _ if any => Ok(imported),
            Some(fault) => Err(fault.clone()),
            None => Err(Fault::new(
                Code::SpeechModel,
                format!("{} holds no speech model.", shown(folder)),
                "Choose a folder with files such as ggml-base-q8_0.bin.",
            )),
        }
    }

    /// Copies one file; gives the model's name, none for the detector.
    fn import_file(&self, path: &Path) -> Result<Option<String>, Fault> {
        let bytes = fs::metadata(path).map_err(|error| unreadable(path, &error))?.len();
        let begin = header(path).map_err(|error| unreadable(path, &error))?;
        if !begin.is_ggml() {
            return Err(refused(path, "isn't a speech model of whisper.cpp"));
        }
        let file = safe_name(path);
        let mut known = self.published.iter().chain([&self.detector]);
        let named = known.clone().find(|model| model.file() == file);
        let sized = known.find(|model| model.bytes == bytes);
        match (named, sized) {
            (Some(named), None) if bytes < named.bytes => {
                let of = format!("is cut off: it has {} of {}", megabytes(bytes), megabytes(named.bytes));
                return Err(refused(path, &of));
            }
            (None, None) if !begin.is_model() => return Err(refused(path, "isn't a speech model of whisper.cpp")),
            (None, None) if bytes < begin.least_bytes() => {
                let of =
                    format!("is cut off: it has {}, and needs {}", megabytes(bytes), megabytes(begin.least_bytes()));
                return Err(refused(path, &of));
            }
            _ => {}
        }
        if self.holds(path) {
            return self.checked(path, path, &file, named, sized);
        }
        self.ask_for_room(&shown(path), bytes)?;
        let copy = self.folder.join(format!(".{file}{COPYING}"));
        let copied = fs::copy(path, &copy).map_err(|error| self.not_written(&error));
        let checked = copied.and_then(|_| self.checked(path, &copy, &file, named, sized));
        if checked.is_err() {
            // Nothing of it is left behind, and it may not have been begun.
            let _ = fs::remove_file(&copy);
        }
        checked
    }

    /// Checks what was copied, and gives it its name.
    fn checked(
        &self,
        path: &Path,
        copy: &Path,
        file: &str,
        named: Option<&Published>,
        sized: Option<&Published>,
    ) -> Result<Option<String>, Fault> {
        let sha256 = if named.or(sized).is_some() {
            Some(hashed(copy).map_err(|error| unreadable(copy, &error))?)
        } else {
            None
        };
        let known = sized.filter(|model| Some(model.sha256) == sha256.as_deref());
        if known.is_none() && named.is_some() {
            return Err(refused(path, "isn't what its name says: it is damaged, or another model"));
        }
        let to = known.map_or_else(|| file.to_owned(), Published::file);
        fs::rename(copy, self.folder.join(&to)).map_err(|error| self.not_written(&error))?;
        if let (Some(known), Some(sha256)) = (known, sha256) {
            self.take_as_hashed(&to, &sha256);
            // What was there of its download is of no use any more.
            let _ = fs::remove_file(self.part(known));
            return Ok((*known != self.detector).then(|| known.name.to_owned()));
        }
        let name = to.strip_suffix(FILE.1).unwrap_or(&to);
        Ok(Some(name.strip_prefix(FILE.0).unwrap_or(name).to_owned()))
    }

    /// Whether a file is in the folder already.
    fn holds(&self, path: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        path.parent().and_then(real).is_some_and(|parent| real(&self.folder) == Some(parent))
    }

    fn not_written(&self, error: &io::Error) -> Fault {
        if matches!(
            error.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
        ) {
            return Fault::new(
                Code::DiskFull,
                "The disk became full while the model was copied.",
                "Delete something on that disk, or take a smaller model.",
            );
        }
        Fault::new(
            Code::ReadOnly,
            format!("The model can't be put into {}: {error}.", shown(&self.folder)),
            "Make the folder writable.",
        )
    }
}

fn is_model_by_name(file: &Path) -> bool {
    file.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(FILE.1) && !name.starts_with('.'))
}

/// A file's name with what any system and any terminal takes.
fn safe_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(FILE.1).or(name.strip_suffix(PART)).unwrap_or(&name).trim_start_matches('.');
    let safe =
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '-' });
    let safe: String = safe.take(NAME_BYTES).collect();
    format!("{}{}", if safe.is_empty() { "model" } else { &safe }, FILE.1)
}

fn refused(path: &Path, what: &str) -> Fault {
    Fault::new(
        Code::SpeechModel,
        format!("{} {what}.", shown(path)),
        "Download it again, or choose another file such as ggml-base-q8_0.bin.",
    )
}

fn unreadable(path: &Path, error: &io::Error) -> Fault {
    Fault::new(
        Code::UnreadableFile,
        format!("{} can't be read: {error}.", shown(path)),
        "Name a file or a folder that exists and that you may read.",
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestModels, content, header_of};
    use super::super::{Condition, SPARE_BYTES};
    use super::*;

    fn code(imported: Result<Imported, Fault>) -> Code {
        imported.expect_err("it is refused").code
    }

    /// What is in the folder, without what it remembers.
    fn files(test: &TestModels) -> Vec<String> {
        let entries = fs::read_dir(test.folder.path()).expect("a folder for tests");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("a folder for tests").file_name().to_string_lossy().into_owned())
            .collect();
        names.retain(|name| name != "checked.json");
        names.sort();
        names
    }

    #[test]
    fn a_file_is_known_by_its_content_whatever_it_is_called() {
        let test = TestModels::new();
        let file = test.elsewhere("download (1).bin");
        fs::write(&file, content("base-q8_0")).expect("a folder for tests");
        fs::write(test.elsewhere("ggml-silero-v6.2.0.bin"), content("silero-v6.2.0")).expect("a folder for tests");
        let imported = test.folder.import(&file).expect("it is a model");
        assert_eq!(imported, Imported { names: vec!["base-q8_0".to_owned()], refused: Vec::new() });
        assert_eq!(files(&test), ["ggml-base-q8_0.bin", "ggml-silero-v6.2.0.bin"], "and what lies beside it");
        assert_eq!(test.folder.choose("").map(|model| model.name).as_deref(), Some("base-q8_0"));
        assert!(file.exists(), "the person's own file stays");
    }

    #[test]
    fn a_file_that_is_none_is_refused_and_leaves_nothing() {
        let test = TestModels::new();
        let short = &content("base-q8_0")[..200];
        let damaged: Vec<u8> = content("base-q8_0").iter().rev().copied().collect();
        let damaged = [b"lmgg", &damaged[4..]].concat();
        let cases: [(&str, &[u8], &str); 6] = [
            ("notes.bin", b"some text", "isn't a speech model"),
            ("empty.bin", b"", "isn't a speech model"),
            ("ggml-base-q8_0.bin", short, "is cut off: it has 1 MB of 1 MB"),
            ("ggml-base-q8_0.bin", &damaged, "it is damaged, or another model"),
            ("ggml-mine.bin", &header_of(51_865, 512), "is cut off"),
            ("other.bin", b"lmgg of another program", "isn't a speech model"),
        ];
        for (name, bytes, says) in cases {
            let file = test.elsewhere(name);
            fs::write(&file, bytes).expect("a folder for tests");
            let fault = test.folder.import(&file).expect_err("it is refused");
            assert_eq!(fault.code, Code::SpeechModel, "{name}");
            assert!(fault.message.contains(says), "{name}: {}", fault.message);
            assert_eq!(files(&test), Vec::<String>::new(), "{name}: nothing is left behind");
        }
        assert_eq!(code(test.folder.import(&test.elsewhere("none"))), Code::UnreadableFile);
    }

    #[test]
    fn a_model_of_ones_own_keeps_its_name() {
        let test = TestModels::new();
        test.put_all(&[]);
        let file = test.elsewhere("ggml-my model.bin");
        fs::write(&file, header_of(51_865, 64)).expect("a folder for tests");
        fs::File::options().write(true).open(&file).and_then(|file| file.set_len(5_000_000)).expect("a sparse file");
        assert_eq!(test.folder.import(&file).expect("it is a model").names, ["my-model"]);
        assert!(test.folder.choose("my-model").is_some_and(|model| model.imported));
    }

    #[test]
    fn a_folder_gives_all_that_are_sound() {
        let test = TestModels::new();
        let from = test.elsewhere("from");
        fs::create_dir(&from).expect("a folder for tests");
        assert_eq!(code(test.folder.import(&from)), Code::SpeechModel, "an empty one");
        for name in ["base-q8_0", "silero-v6.2.0"] {
            fs::write(from.join(format!("ggml-{name}.bin")), content(name)).expect("a folder for tests");
        }
        fs::write(from.join("ggml-small-q8_0.bin"), "lmgg short").expect("a folder for tests");
        fs::write(from.join("README.md"), "no model").expect("a folder for tests");
        let imported = test.folder.import(&from).expect("some are sound");
        assert_eq!(imported.names, ["base-q8_0"]);
        assert_eq!(imported.refused.len(), 1, "and one is named: {:?}", imported.refused);
        assert_eq!(files(&test), ["ggml-base-q8_0.bin", "ggml-silero-v6.2.0.bin"]);
    }

    #[test]
    fn what_is_in_the_folder_is_checked_in_its_place() {
        let test = TestModels::new();
        fs::write(test.file("copied.bin"), content("base-q8_0")).expect("a folder for tests");
        assert_eq!(test.folder.import(&test.file("copied.bin")).expect("it is a model").names, ["base-q8_0"]);
        assert_eq!(files(&test), ["ggml-base-q8_0.bin"], "it got its name");
        assert_eq!(test.folder.condition(&test.published("base-q8_0")), Condition::Sound);
        test.folder.import(&test.file("ggml-base-q8_0.bin")).expect("and keeps it");
        assert_eq!(files(&test), ["ggml-base-q8_0.bin"]);
    }

    #[test]
    fn without_room_nothing_is_copied() {
        let mut test = TestModels::new();
        test.folder.free = |_| Some(SPARE_BYTES);
        let file = test.elsewhere("ggml-base-q8_0.bin");
        fs::write(&file, content("base-q8_0")).expect("a folder for tests");
        assert_eq!(code(test.folder.import(&file)), Code::DiskFull);
        assert_eq!(files(&test), Vec::<String>::new());
    }
}
