//! The speech models of this machine: the folder that they are in, which there are, which of them is used.
//! What is in a file and how it comes here is said by the modules below; loading one is for
//! `review-gate-voice`.
//!
//! What looks into files may take seconds, once for each file that is new: call it where waiting is allowed.

pub mod catalogue;
mod check;
mod download;
mod import;
#[cfg(test)]
mod testing;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use gate_api::{ModelState, SpeechModel, SpeechModels};
use gate_core::{Code, Fault};

pub use catalogue::{CATALOGUE, Published, RECOMMENDED, VAD};
pub use check::Condition;
pub use download::{Downloads, Progress};
pub use import::Imported;

/// The folder's name within the data folder.
pub const FOLDER: &str = "models";
/// What a file is called while it is being downloaded, after its own name.
pub const PART: &str = ".part";
/// What stays free on a disk beside a model, in bytes.
pub const SPARE_BYTES: u64 = 50_000_000;
/// How a model's file begins and ends.
const FILE: (&str, &str) = ("ggml-", ".bin");

/// A model that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledModel {
    /// Its name in the catalogue; of an imported one, its file's without the ending.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The size of its file in bytes.
    pub bytes: u64,
    /// Whether it knows English only.
    pub english_only: bool,
    /// Whether it isn't in the catalogue.
    pub imported: bool,
}

/// The folder of the speech models. Making one touches nothing.
#[derive(Debug, Clone)]
pub struct ModelFolder {
    folder: PathBuf,
    published: &'static [Published],
    detector: Published,
    free: fn(&Path) -> Option<u64>,
}

impl ModelFolder {
    /// The folder at this path; it need not exist.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, published: &CATALOGUE, detector: VAD, free: gate_os::files::free_bytes }
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The model to be loaded: the one of this name if it is there and sound. Of an empty name the
    /// recommended one, else the smallest for any language, else the smallest.
    #[must_use]
    pub fn choose(&self, wanted: &str) -> Option<InstalledModel> {
        if !wanted.is_empty() {
            return self.installed_one(wanted);
        }
        let recommended = self.installed_one(RECOMMENDED);
        recommended.or_else(|| self.installed().into_iter().min_by_key(|model| (model.english_only, model.bytes)))
    }

    /// The file of the model that tells speech from silence, if it is there and sound.
    #[must_use]
    pub fn vad(&self) -> Option<PathBuf> {
        let path = self.file(&self.detector);
        (self.condition(&self.detector) == Condition::Sound).then_some(path)
    }

    /// What is needed to transcribe: the model of this name, chosen as by [`ModelFolder::choose`], and the file of
    /// the one that tells speech from silence.
    ///
    /// # Errors
    /// `no_speech_model` with how one is got, `speech_model` where the one that is wanted is damaged.
    pub fn needed(&self, wanted: &str) -> Result<(InstalledModel, PathBuf), Fault> {
        let name = if wanted.is_empty() { RECOMMENDED } else { wanted };
        let get = |name: &str| format!("`review-gate voice download {name}` gets it; Settings > Voice does the same.");
        let model = self.choose(wanted).ok_or_else(|| match self.published(name).map(|model| self.condition(model)) {
            Ok(Condition::Absent) if wanted.is_empty() => {
                let mend = format!("`review-gate voice download` gets {name}; Settings > Voice does the same.");
                Fault::new(Code::NoSpeechModel, "There is no speech model yet.", mend)
            }
            Ok(Condition::Absent) => {
                Fault::new(Code::NoSpeechModel, format!("The speech model {name} isn't here yet."), get(name))
            }
            Ok(_) => Fault::new(
                Code::SpeechModel,
                format!("The file of the speech model {name} is damaged."),
                format!("`review-gate voice remove {name}` deletes it, and `review-gate voice download {name}` gets it anew."),
            ),
            Err(fault) => fault,
        })?;
        let detector = self.vad().ok_or_else(|| {
            Fault::new(
                Code::NoSpeechModel,
                "The small model that tells speech from silence is missing.",
                get(&model.name),
            )
        })?;
        Ok((model, detector))
    }

    /// The files of the catalogue that are there: each with its size in bytes and the size that it has to have.
    /// Looks into none of them.
    #[must_use]
    pub fn sizes(&self) -> Vec<(&'static str, u64, u64)> {
        let all = self.published.iter().chain([&self.detector]);
        all.filter_map(|model| Some((model.name, fs::metadata(self.file(model)).ok()?.len(), model.bytes))).collect()
    }

    /// The models that can be loaded: those of the catalogue, small ones first, then imported ones by name.
    #[must_use]
    pub fn installed(&self) -> Vec<InstalledModel> {
        let known = self.published.iter().filter_map(|model| self.known(model));
        known.chain(self.imported()).collect()
    }

    /// All models. `going` says of some of them how their download is.
    #[must_use]
    pub fn list(&self, going: &BTreeMap<String, ModelState>) -> SpeechModels {
        let has_detector = self.vad().is_some();
        let there = |bytes: u64| match has_detector {
            true => ModelState::Installed,
            false => ModelState::Paused { done: bytes, fault: Some(no_detector()) },
        };
        let state_of = |model: &Published| match self.part_bytes(model) {
            _ if self.condition(model) == Condition::Sound => there(model.bytes),
            0 => ModelState::Absent,
            done => ModelState::Paused { done, fault: None },
        };
        let known = self.published.iter().map(|model| SpeechModel {
            name: model.name.to_owned(),
            english_only: model.english_only(),
            bytes: model.bytes,
            memory_bytes: model.memory_bytes(),
            recommended: model.name == RECOMMENDED,
            imported: false,
            state: going.get(model.name).cloned().unwrap_or_else(|| state_of(model)),
        });
        let imported = self.imported().into_iter().map(|model| SpeechModel {
            memory_bytes: model.bytes + model.bytes / 2,
            english_only: model.english_only,
            bytes: model.bytes,
            recommended: false,
            imported: true,
            state: going.get(&model.name).cloned().unwrap_or_else(|| there(model.bytes)),
            name: model.name,
        });
        SpeechModels {
            models: known.chain(imported).collect(),
            folder: shown(&self.folder),
            free_bytes: self.free_bytes(),
        }
    }

    /// Deletes a model, and what is there of it.
    ///
    /// # Errors
    /// `no_speech_model` where nothing is there of it, `read_only` where it can't be deleted.
    pub fn remove(&self, name: &str) -> Result<(), Fault> {
        let known = self.published.iter().find(|model| model.name == name);
        let files = match (known, self.imported().into_iter().find(|model| model.name == name)) {
            (Some(model), _) => vec![self.file(model), self.part(model)],
            (None, Some(model)) => vec![model.path],
            (None, None) => return Err(no_such_model(name)),
        };
        let mut deleted = false;
        for file in files {
            match fs::remove_file(&file) {
                Ok(()) => deleted = true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(Fault::new(
                        Code::ReadOnly,
                        format!("{} can't be deleted: {error}.", shown(&file)),
                        "Delete it by hand.",
                    ));
                }
            }
        }
        if deleted { Ok(()) } else { Err(no_such_model(name)) }
    }

    /// Free bytes on the folder's disk; absent when unknown.
    #[must_use]
    pub fn free_bytes(&self) -> Option<u64> {
        // Where it isn't made yet, the disk of what it will be in counts.
        let there = self.folder.ancestors().find(|folder| folder.exists())?;
        (self.free)(there)
    }

    /// The model of the catalogue of this name.
    ///
    /// # Errors
    /// `no_speech_model`.
    pub fn published(&self, name: &str) -> Result<&'static Published, Fault> {
        self.published.iter().find(|model| model.name == name).ok_or_else(|| no_such_model(name))
    }

    /// Whether there is room for so many more bytes.
    ///
    /// # Errors
    /// `disk_full` with how much is missing.
    fn ask_for_room(&self, what: &str, bytes: u64) -> Result<(), Fault> {
        let Some(free) = self.free_bytes() else { return Ok(()) };
        match (bytes + SPARE_BYTES).checked_sub(free) {
            None | Some(0) => Ok(()),
            Some(missing) => Err(Fault::new(
                Code::DiskFull,
                format!(
                    "{what} needs {} on the disk, and {} are free: {} are missing.",
                    megabytes(bytes),
                    megabytes(free),
                    megabytes(missing)
                ),
                "Delete something on that disk, or take a smaller model.",
            )),
        }
    }

    /// Makes the folder, for the user alone.
    fn create(&self) -> Result<(), Fault> {
        gate_os::files::create_folder(&self.folder).map_err(|error| {
            Fault::new(
                Code::ReadOnly,
                format!("The folder {} can't be made: {error}.", shown(&self.folder)),
                "Make it by hand, or make the folder around it writable.",
            )
        })
    }

    fn file(&self, model: &Published) -> PathBuf {
        self.folder.join(model.file())
    }

    fn part(&self, model: &Published) -> PathBuf {
        self.folder.join(format!("{}{PART}", model.file()))
    }

    fn part_bytes(&self, model: &Published) -> u64 {
        fs::metadata(self.part(model)).map_or(0, |part| part.len())
    }

    fn installed_one(&self, name: &str) -> Option<InstalledModel> {
        match self.published.iter().find(|model| model.name == name) {
            Some(model) => self.known(model),
            None => self.imported().into_iter().find(|model| model.name == name),
        }
    }

    fn known(&self, model: &Published) -> Option<InstalledModel> {
        (self.condition(model) == Condition::Sound).then(|| InstalledModel {
            name: model.name.to_owned(),
            path: self.file(model),
            bytes: model.bytes,
            english_only: model.english_only(),
            imported: false,
        })
    }

    /// The models in the folder that aren't of the catalogue, by name. Looks at how they begin only.
    #[must_use]
    pub fn imported(&self) -> Vec<InstalledModel> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut found: Vec<InstalledModel> =
            entries.filter_map(|entry| self.imported_one(&entry.ok()?.path())).collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found
    }

    fn imported_one(&self, path: &Path) -> Option<InstalledModel> {
        let file = path.file_name()?.to_str()?;
        let name = file.strip_suffix(FILE.1)?;
        let is_known = self.published.iter().chain([&self.detector]).any(|model| model.file() == file);
        if is_known || file.starts_with('.') {
            return None;
        }
        let header = check::header(path).ok()?;
        let bytes = fs::metadata(path).ok()?.len();
        let sound = header.is_model() && bytes >= header.least_bytes();
        sound.then(|| InstalledModel {
            name: name.strip_prefix(FILE.0).unwrap_or(name).to_owned(),
            path: path.to_owned(),
            bytes,
            english_only: header.is_english_only(),
            imported: true,
        })
    }
}

/// That no model is called so.
#[must_use]
pub fn no_such_model(name: &str) -> Fault {
    Fault::new(
        Code::NoSpeechModel,
        format!("There is no speech model named {name:?} here."),
        "Settings > Voice and `review-gate voice models` name all of them.",
    )
}

fn no_detector() -> Fault {
    Fault::new(
        Code::NoSpeechModel,
        "The small model that tells speech from silence is missing.",
        format!("Go on with the download, or import {}.", VAD.file()),
    )
}

/// Bytes for a person.
fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

/// A path for a person: the home folder is `~`.
fn shown(path: &Path) -> String {
    let home = std::env::home_dir().filter(|home| home.parent().is_some());
    match home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(below) => Path::new("~").join(below).display().to_string(),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{TestModels, header_of};
    use super::*;

    #[test]
    fn an_empty_folder_offers_the_catalogue() {
        let folder = ModelFolder::new(PathBuf::from("/nonexistent/of/nobody"));
        let listed = folder.list(&BTreeMap::new());
        assert_eq!(listed.models.len(), CATALOGUE.len());
        assert!(listed.models.iter().all(|model| model.state == ModelState::Absent));
        let recommended: Vec<_> = listed.models.iter().filter(|model| model.recommended).collect();
        assert_eq!(recommended.len(), 1, "a newcomer is told what to take");
        assert_eq!((folder.choose(""), folder.vad()), (None, None));
        assert!(listed.free_bytes.is_some(), "the disk of what it would be in");
    }

    #[test]
    fn a_sound_file_is_installed_and_chosen() {
        let test = TestModels::new();
        test.put_all(&["tiny.en-q8_0", "small-q8_0"]);
        let named = |wanted: &str| test.folder.choose(wanted).map(|model| model.name);
        assert_eq!(named("").as_deref(), Some("small-q8_0"), "for any language before English only");
        assert_eq!(named("tiny.en-q8_0").as_deref(), Some("tiny.en-q8_0"), "what the person has chosen");
        assert_eq!(named("base-q8_0"), None, "and not another one in its stead");
        test.put_all(&["base-q8_0"]);
        assert_eq!(named("").as_deref(), Some("base-q8_0"), "the recommended one");
        assert!(test.folder.vad().is_some());
        let states: Vec<_> = test.folder.list(&BTreeMap::new()).models.into_iter().map(|model| model.state).collect();
        assert_eq!(states, [ModelState::Installed, ModelState::Installed, ModelState::Installed, ModelState::Absent]);
    }

    #[test]
    fn a_model_without_its_detector_is_not_ready() {
        let test = TestModels::new();
        test.put("base-q8_0");
        let listed = test.folder.list(&BTreeMap::new());
        let base = listed.models.iter().find(|model| model.recommended).expect("it is listed");
        assert_eq!(base.state, ModelState::Paused { done: base.bytes, fault: Some(no_detector()) });
    }

    #[test]
    fn another_model_is_listed_last_by_its_own_name() {
        let test = TestModels::new();
        test.put_all(&[]);
        test.sparse("ggml-mine.bin", &header_of(51_864, 64), 5_000_000);
        test.sparse("half.bin", &header_of(51_864, 512), 5_000_000);
        test.sparse("other.bin", b"nothing", 5_000_000);
        let mine = test.folder.installed();
        assert_eq!(mine.len(), 1, "neither half a model nor another file: {mine:?}");
        let mine = test.folder.list(&BTreeMap::new()).models.pop().expect("it is listed");
        assert_eq!((mine.name.as_str(), mine.imported, mine.english_only), ("mine", true, true));
        assert_eq!(test.folder.choose("mine").map(|model| model.path), Some(test.file("ggml-mine.bin")));
        test.folder.remove("mine").expect("it is there");
        assert_eq!(test.folder.choose(""), None, "it is gone");
    }

    #[test]
    fn what_is_missing_is_said_with_the_command_that_gets_it() {
        let test = TestModels::new();
        let needed = |wanted: &str| {
            let fault = test.folder.needed(wanted).expect_err("something is missing");
            assert!(fault.mend.contains("review-gate voice"), "{}", fault.mend);
            (fault.code, fault.message)
        };
        assert_eq!(needed(""), (Code::NoSpeechModel, "There is no speech model yet.".to_owned()));
        assert_eq!(needed("small-q8_0").1, "The speech model small-q8_0 isn't here yet.");
        assert_eq!(needed("huge"), (Code::NoSpeechModel, no_such_model("huge").message));
        test.put("base-q8_0");
        assert_eq!(needed(""), (Code::NoSpeechModel, no_detector().message));
        test.put_all(&[]);
        let (model, detector) = test.folder.needed("").expect("both are there");
        assert_eq!((model.path, detector), (test.file("ggml-base-q8_0.bin"), test.file("ggml-silero-v6.2.0.bin")));
        fs::write(test.file("ggml-base-q8_0.bin"), "lmgg").expect("a folder for tests");
        assert_eq!(needed(""), (Code::SpeechModel, "The file of the speech model base-q8_0 is damaged.".to_owned()));
        let sizes = test.folder.sizes();
        assert_eq!(
            sizes.iter().filter(|(_, there, of)| there != of).map(|(name, ..)| *name).collect::<Vec<_>>(),
            ["base-q8_0"]
        );
    }

    #[test]
    fn what_is_removed_is_gone_with_its_parts() {
        let test = TestModels::new();
        test.put_all(&["base-q8_0"]);
        fs::write(test.file("ggml-small-q8_0.bin.part"), "a part").expect("a folder for tests");
        let small = |listed: SpeechModels| listed.models.into_iter().find(|model| model.name == "small-q8_0");
        let paused = small(test.folder.list(&BTreeMap::new())).map(|model| model.state);
        assert_eq!(paused, Some(ModelState::Paused { done: 6, fault: None }));
        for name in ["base-q8_0", "small-q8_0"] {
            test.folder.remove(name).expect("something is there of it");
            let code = test.folder.remove(name).expect_err("nothing is left").code;
            assert_eq!(code, Code::NoSpeechModel, "{name}");
        }
        let refused = test.folder.remove("../token").expect_err("no file is named by its path");
        assert_eq!(refused.code, Code::NoSpeechModel);
    }

    #[test]
    fn room_is_asked_for_with_what_is_missing() {
        let mut test = TestModels::new();
        test.folder.free = |_| Some(SPARE_BYTES + 2_000_000);
        assert_eq!(test.folder.ask_for_room("It", 2_000_000), Ok(()));
        let fault = test.folder.ask_for_room("It", 12_000_000).expect_err("too little");
        assert_eq!(fault.code, Code::DiskFull);
        assert_eq!(fault.message, "It needs 12 MB on the disk, and 52 MB are free: 10 MB are missing.");
    }
}
