//! Downloads with a program of a few lines instead of the real one.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::super::testing::{TestModels, content};
use super::super::{PART, SPARE_BYTES};
use super::*;

/// How long a test waits for what has to come.
const LONG: Duration = Duration::from_secs(20);
/// What each of the programs begins with: reads its arguments.
const ARGUMENTS: &str = r#"#!/bin/sh
[ "$1" = download ] || exit 9
url=$2; file=$3; bytes=$5; sha256=$7
name=$(basename "$file")
"#;
/// Fetches the file from the folder of the test, in two pieces.
const FETCH: &str = r#"
echo "$url" >> "$FROM/asked"
echo "{\"done\": 4, \"total\": $bytes}"
head -c 4 "$FROM/$name" > "$file.part"
cat "$FROM/$name" > "$file.part"
echo "{\"done\": $bytes, \"total\": $bytes}"
mv "$file.part" "$file"
"#;
/// Says how far it is, and goes on until it is told to end.
const HANG: &str = r#"
head -c 4 "$FROM/$name" > "$file.part"
echo "{\"done\": 4, \"total\": $bytes}"
cat > /dev/null
"#;

struct Trial {
    test: TestModels,
    downloads: Downloads,
    told: mpsc::UnboundedReceiver<SpeechModels>,
}

impl Trial {
    /// Downloads by a program that does so.
    fn new(does: &str) -> Self {
        Self::at(TestModels::new(), does, None)
    }

    fn at(test: TestModels, does: &str, mirror: Option<&str>) -> Self {
        for name in ["base-q8_0", "small-q8_0", "silero-v6.2.0"] {
            fs::write(test.elsewhere(&format!("ggml-{name}.bin")), content(name)).expect("a folder for tests");
        }
        let program = test.elsewhere("voice.sh");
        let from = format!("FROM='{}'\n", test.elsewhere("").display());
        fs::write(&program, format!("{ARGUMENTS}{from}{does}")).expect("a folder for tests");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("a folder for tests");
        let (tell, told) = mpsc::unbounded_channel();
        let downloads = Downloads::begin(test.folder.clone(), program, mirror.map(str::to_owned), move |models| {
            let _ = tell.send(models);
        });
        Self { test, downloads, told }
    }

    /// Waits until a model is so.
    async fn until(&mut self, name: &str, wanted: impl Fn(&ModelState) -> bool) -> ModelState {
        let waiting = async {
            loop {
                let models = self.told.recv().await.expect("the actor lives");
                let state = state_of(&models, name);
                if wanted(&state) {
                    return state;
                }
            }
        };
        tokio::time::timeout(LONG, waiting).await.unwrap_or_else(|_| panic!("{name} never came to be so"))
    }
}

fn state_of(models: &SpeechModels, name: &str) -> ModelState {
    models.models.iter().find(|model| model.name == name).expect("it is listed").state.clone()
}

#[tokio::test]
async fn a_model_comes_with_what_tells_speech_from_silence() {
    let mut trial = Trial::at(TestModels::new(), FETCH, Some("http://127.0.0.1:1/w/"));
    let begun = trial.downloads.download("base-q8_0").await.expect("it begins");
    assert!(matches!(state_of(&begun, "base-q8_0"), ModelState::Downloading { .. }));
    trial.until("base-q8_0", |state| *state == ModelState::Installed).await;
    assert!(trial.test.folder.vad().is_some());
    let asked = fs::read_to_string(trial.test.elsewhere("asked")).expect("it was asked");
    let expected = ["http://127.0.0.1:1/w/ggml-silero-v6.2.0.bin", "http://127.0.0.1:1/w/ggml-base-q8_0.bin"];
    assert_eq!(asked.lines().collect::<Vec<_>>(), expected, "from the mirror, each once");
    let again = trial.downloads.download("base-q8_0").await.expect("there is nothing to do");
    assert_eq!(state_of(&again, "base-q8_0"), ModelState::Installed);
}

#[tokio::test]
async fn they_come_one_after_the_other() {
    let mut trial = Trial::new(FETCH);
    trial.downloads.download("small-q8_0").await.expect("it begins");
    trial.downloads.download("base-q8_0").await.expect("it waits");
    trial.until("base-q8_0", |state| *state == ModelState::Installed).await;
    assert_eq!(state_of(&trial.downloads.models().await.expect("it lives"), "small-q8_0"), ModelState::Installed);
}

#[tokio::test]
async fn one_that_is_paused_keeps_what_is_there() {
    let test = TestModels::new();
    test.put_all(&[]);
    let mut trial = Trial::at(test, HANG, None);
    trial.downloads.download("base-q8_0").await.expect("it begins");
    trial.downloads.download("small-q8_0").await.expect("it waits");
    trial.until("base-q8_0", |state| matches!(state, ModelState::Downloading { done: 4, .. })).await;
    let paused = trial.downloads.pause("base-q8_0").await.expect("it stops");
    assert_eq!(state_of(&paused, "base-q8_0"), ModelState::Paused { done: 4, fault: None });
    trial.until("small-q8_0", |state| matches!(state, ModelState::Downloading { done: 4, .. })).await;
    let removed = trial.downloads.remove("small-q8_0").await.expect("what is there of it goes");
    assert_eq!(state_of(&removed, "small-q8_0"), ModelState::Absent);
    assert!(!trial.test.file(&format!("ggml-small-q8_0.bin{PART}")).exists());
}

#[tokio::test]
async fn what_is_wrong_is_told_and_can_be_tried_again() {
    let says = r#"echo '{"code": "download", "message": "No network.", "mend": "Mend it."}' >&2; exit 1"#;
    let mut trial = Trial::new(says);
    trial.downloads.download("base-q8_0").await.expect("it begins");
    let state = trial.until("base-q8_0", |state| matches!(state, ModelState::Paused { .. })).await;
    let fault = Fault::new(Code::Download, "No network.", "Mend it.");
    assert_eq!(state, ModelState::Paused { done: 0, fault: Some(fault) });
    let again = trial.downloads.download("base-q8_0").await.expect("it begins again");
    assert!(matches!(state_of(&again, "base-q8_0"), ModelState::Downloading { .. }));
}

#[tokio::test]
async fn a_program_that_dies_costs_the_download_only() {
    let mut trial = Trial::new("kill -9 $$");
    trial.downloads.download("base-q8_0").await.expect("it begins");
    let state = trial.until("base-q8_0", |state| matches!(state, ModelState::Paused { .. })).await;
    let ModelState::Paused { fault: Some(fault), .. } = state else { panic!("it has a fault: {state:?}") };
    assert_eq!(fault.code, Code::Download);
}

#[tokio::test]
async fn what_cant_be_is_refused_at_once() {
    let mut test = TestModels::new();
    test.folder.free = |_| Some(SPARE_BYTES);
    let trial = Trial::at(test, FETCH, None);
    let code = |answer: Result<SpeechModels, Fault>| answer.expect_err("it is refused").code;
    assert_eq!(code(trial.downloads.download("base-q8_0").await), Code::DiskFull);
    assert_eq!(code(trial.downloads.download("huge").await), Code::NoSpeechModel);
    assert_eq!(code(trial.downloads.remove("base-q8_0").await), Code::NoSpeechModel);
    let nowhere = Downloads::begin(TestModels::new().folder.clone(), PathBuf::from("/nonexistent"), None, |_| {});
    assert_eq!(code(nowhere.download("base-q8_0").await), Code::VoiceUnavailable);
}

#[tokio::test]
async fn an_import_is_listed_at_once() {
    let trial = Trial::new(FETCH);
    let models = trial.downloads.import(&trial.test.elsewhere("ggml-base-q8_0.bin")).await.expect("it is a model");
    assert_eq!(state_of(&models, "base-q8_0"), ModelState::Installed, "with what lies beside it");
    let refused = trial.downloads.import(&trial.test.elsewhere("voice.sh")).await.expect_err("it is none");
    assert_eq!(refused.code, Code::SpeechModel);
}
