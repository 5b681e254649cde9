//! Voice: the program that listens, the microphone, and what makes text of what is heard. Replies can be
//! typed, so that nothing of it is a fault.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gate_api::{Finding, Phrase};
use gate_voice::models::{FOLDER, ModelFolder, RECOMMENDED, VAD};
use gate_voice::program::{PROGRAM, beside, microphones};

use crate::environment::Environment;
use crate::finding::{MICROPHONE, MODEL, Mending as _, VOICE};
use crate::run::{Said, said};
use crate::settings::Known;
use crate::words;

/// Sockets of the sound servers, below XDG_RUNTIME_DIR.
const SERVERS: [(&str, &str); 2] = [("pipewire-0", "PipeWire"), ("pulse/native", "PulseAudio")];
/// How long the program may take to say its version.
const LIMIT: Duration = Duration::from_secs(5);

pub(crate) async fn check(environment: &Environment, settings: &Known) -> Vec<Finding> {
    if !settings.voice {
        return vec![VOICE.skipped(words::voice_off())];
    }
    let (program, found) = program(environment).await;
    let microphone = match program {
        Some(program) => heard(environment, &program).await,
        None => MICROPHONE.skipped(words::microphone_unneeded()),
    };
    vec![found, microphone, model(&environment.home.data_folder().join(FOLDER), &settings.model)]
}

/// The program that listens, if it runs.
async fn program(environment: &Environment) -> (Option<PathBuf>, Finding) {
    let ours = gate_os::files::real_path(&environment.program).unwrap_or_else(|_| environment.program.clone());
    let Some(program) = beside(&ours) else {
        return (None, VOICE.warning(words::voice_missing(PROGRAM, ours.as_path()), words::mend_install_all()));
    };
    let shown = program.as_path();
    let broken = |cause: Phrase| VOICE.warning(cause, words::mend_install_all());
    let found = match said(&program, &["--version"], LIMIT).await {
        Ok(Some(Said { code: Some(0), output, .. })) => {
            let version = output.split_whitespace().nth(1).unwrap_or_default();
            match version == environment.version {
                true => VOICE.good(words::version(shown, version)),
                false => broken(words::voice_other_version(shown, version, environment.version)),
            }
        }
        Ok(Some(Said { errors, .. })) => {
            return (None, VOICE.warning(words::voice_ends(shown, errors.lines().next()), words::mend_voice()));
        }
        Ok(None) => return (None, broken(words::voice_hangs(shown))),
        Err(error) => return (None, broken(words::cant_start(shown, error.to_string()))),
    };
    (Some(program), found)
}

/// What the program hears with.
async fn heard(environment: &Environment, program: &Path) -> Finding {
    match microphones(program).await {
        Ok(found) => match found.iter().find(|microphone| microphone.default).or(found.first()) {
            Some(first) => MICROPHONE.good(words::microphones(first.name.as_str(), found.len() - 1)),
            None => no_microphone(environment),
        },
        Err(fault) => MICROPHONE.warning(words::as_it_is(fault.message), words::as_it_is(fault.mend)),
    }
}

/// Why there may be none.
fn no_microphone(environment: &Environment) -> Finding {
    if !cfg!(target_os = "linux") {
        return MICROPHONE.note(words::microphone_none()).mend(words::mend_plug());
    }
    let devices = fs::read_to_string(environment.sound_cards.join("pcm")).unwrap_or_default();
    let recording = devices.lines().filter(|line| line.contains(" capture ")).count();
    let folder = environment.variable("XDG_RUNTIME_DIR").map(Path::new);
    let server = SERVERS.iter().find(|(socket, _)| folder.is_some_and(|folder| folder.join(socket).exists()));
    match (recording, server) {
        (0, None) => MICROPHONE.note(words::microphone_no_device()).mend(words::mend_plug()),
        (0, Some((_, name))) => MICROPHONE.note(words::microphone_unplugged(*name)).mend(words::mend_plug()),
        (number, server) => {
            let cause = words::microphone_closed(number, server.map(|(_, name)| *name));
            MICROPHONE.warning(cause, words::mend_sound_server())
        }
    }
}

/// The model that is used.
fn model(folder: &Path, wanted: &str) -> Finding {
    let models = ModelFolder::new(folder.to_owned());
    let sizes = models.sizes();
    if let Some((name, there, of)) = sizes.iter().find(|(_, there, of)| there != of) {
        let found = MODEL.warning(words::model_cut(*name, *there, *of), words::mend_get_again());
        // What tells speech from silence comes with any of them.
        let name = if *name == VAD.name { RECOMMENDED } else { name };
        return found.command(format!("review-gate voice download {name}"));
    }
    let has_detector = sizes.iter().any(|(name, ..)| *name == VAD.name);
    let known = sizes.iter().map(|(name, ..)| (*name).to_owned()).filter(|name| name != VAD.name);
    let there: Vec<String> = known.chain(models.imported().into_iter().map(|model| model.name)).collect();
    let get = |name: &str| format!("review-gate voice download {name}");
    match there.as_slice() {
        [] if wanted.is_empty() => {
            MODEL.note(words::model_none()).mend(words::mend_model_none()).command(get(RECOMMENDED))
        }
        _ if !wanted.is_empty() && !there.iter().any(|name| name == wanted) => {
            MODEL.warning(words::model_missing(wanted), words::mend_model_missing()).command(get(wanted))
        }
        [first, ..] if !has_detector => MODEL
            .warning(words::model_no_detector(), words::mend_get())
            .command(get(if wanted.is_empty() { first } else { wanted })),
        names => MODEL.good(words::as_it_is(names.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use gate_api::Level;
    use gate_link::Home;
    use tempfile::TempDir;

    use super::*;

    /// An environment whose voice program does so; none where that is empty.
    fn environment(does: &str) -> (TempDir, Environment) {
        let folder = tempfile::tempdir().expect("a folder for tests");
        let mut environment = Environment::of_process(Home::at(folder.path())).expect("this test's own file");
        environment = environment.with_variables([("HOME", "/nonexistent")]);
        environment.program = folder.path().join("review-gate");
        environment.sound_cards = folder.path().to_owned();
        let program = folder.path().join(PROGRAM);
        if !does.is_empty() {
            fs::write(&program, format!("#!/bin/sh\n{does}\n")).expect("a folder for tests");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("a folder for tests");
        }
        (folder, environment)
    }

    fn settings(voice: bool) -> Known {
        Known { confirmed: false, http: true, port: 0, backups: 0, backup_hours: 1, voice, model: String::new() }
    }

    async fn levels(does: &str) -> Vec<(String, Level)> {
        let (_folder, environment) = environment(does);
        let found = check(&environment, &settings(true)).await;
        found.into_iter().map(|finding| (finding.check, finding.level)).collect()
    }

    fn expected(voice: Level, microphone: Level) -> Vec<(String, Level)> {
        let all = [("voice", voice), ("microphone", microphone), ("model", Level::Note)];
        all.map(|(check, level)| (check.to_owned(), level)).to_vec()
    }

    #[tokio::test]
    async fn the_program_is_there_and_runs_or_that_is_said() {
        let version = env!("CARGO_PKG_VERSION");
        let good = |lists: &str| format!("case $1 in --version) echo {PROGRAM} {version};; devices) {lists};; esac");
        let one = r#"echo '[{"id": "a", "name": "Desk", "default": true}]'"#;
        assert_eq!(levels(&good(one)).await, expected(Level::Good, Level::Good));
        assert_eq!(levels(&good("echo '[]'")).await, expected(Level::Good, Level::Note), "none is plugged in");
        assert_eq!(levels(&good("exit 1")).await, expected(Level::Good, Level::Warning), "they can't be listed");
        assert_eq!(levels("").await, expected(Level::Warning, Level::Skipped), "it isn't there");
        assert_eq!(levels("echo no library >&2; exit 127").await, expected(Level::Warning, Level::Skipped));
        assert_eq!(levels(&format!("echo {PROGRAM} 0.0.1")).await[0].1, Level::Warning, "an older one");
    }

    #[tokio::test]
    async fn what_is_switched_off_is_not_looked_at() {
        let (_folder, environment) = environment("echo never >&2; exit 1");
        let found = check(&environment, &settings(false)).await;
        assert_eq!(found.iter().map(|finding| finding.level).collect::<Vec<_>>(), [Level::Skipped]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_device_that_records_is_told_from_one_that_plays() -> std::io::Result<()> {
        let (folder, environment) = environment("");
        let pcm = folder.path().join("pcm");
        assert_eq!(no_microphone(&environment).level, Level::Note, "no card at all");
        fs::write(&pcm, "00-03: HDMI 0 : HDMI 0 : playback 1\n")?;
        assert_eq!(no_microphone(&environment).level, Level::Note, "a card that plays hears nothing");
        fs::write(&pcm, "00-00: ALC : ALC : playback 1 : capture 1\n")?;
        assert_eq!(no_microphone(&environment).level, Level::Warning, "one that records, and can't be opened");
        Ok(())
    }

    #[test]
    fn a_model_is_there_whole_or_the_command_is_named_that_gets_it() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let sized = |name: &str, bytes: u64| -> std::io::Result<()> {
            fs::File::create(folder.path().join(format!("ggml-{name}.bin")))?.set_len(bytes)
        };
        let found = |wanted: &str| {
            let found = model(folder.path(), wanted);
            (found.level, found.command.unwrap_or_default())
        };
        let get = |name: &str| format!("review-gate voice download {name}");
        assert_eq!(found(""), (Level::Note, get("base-q8_0")), "a newcomer has none");
        sized("tiny.en-q8_0", 43_550_795)?;
        assert_eq!(found(""), (Level::Warning, get("tiny.en-q8_0")), "without what tells speech from silence");
        sized(VAD.name, VAD.bytes)?;
        assert_eq!(found(""), (Level::Good, String::new()));
        assert_eq!(found("small"), (Level::Warning, get("small")), "the settings name another one");
        sized("tiny.en-q8_0", 43_550_794)?;
        assert_eq!(found(""), (Level::Warning, get("tiny.en-q8_0")), "a byte is missing");
        Ok(())
    }
}
