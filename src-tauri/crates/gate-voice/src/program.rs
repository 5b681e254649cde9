//! The program `review-gate-voice`: where it is, what it says when something is wrong, and what it is asked
//! in one go. What is spoken with it for longer is in [`crate::link`].

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use gate_api::Microphone;
use gate_core::{Code, Fault};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

/// The program that listens, recognises and downloads.
pub const PROGRAM: &str = "review-gate-voice";
/// How long it may take to name the microphones: sound systems look for devices that sleep.
const LOOKING: Duration = Duration::from_secs(20);
/// How much of what it says is read, in bytes.
const SAID_BYTES: u64 = 256 * 1024;

/// Its file: beside the running program, or in the folder above it, where tests are.
///
/// # Errors
/// `voice_unavailable` where it isn't there.
pub fn voice_program() -> Result<PathBuf, Fault> {
    let ours = gate_os::programs::this().and_then(|program| gate_os::files::real_path(&program)).ok();
    ours.as_deref().and_then(beside).ok_or_else(|| {
        Fault::new(
            Code::VoiceUnavailable,
            format!("The program {PROGRAM} isn't beside this one."),
            "Install Review Gate again, with all of its programs in one folder.",
        )
    })
}

/// Its file beside another program, or in the folder above.
#[must_use]
pub fn beside(program: &Path) -> Option<PathBuf> {
    let file = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    program.ancestors().skip(1).take(2).map(|folder| folder.join(&file)).find(|program| program.is_file())
}

/// That it can't be started.
#[must_use]
pub fn not_started(error: &std::io::Error) -> Fault {
    Fault::new(
        Code::VoiceUnavailable,
        format!("{PROGRAM} can't be started: {error}."),
        "Install Review Gate again; on Linux it also needs the package libasound2.",
    )
}

/// The fault that it says on its standard error, as a line of JSON; absent where it says none.
pub async fn fault_of(errors: impl AsyncRead + Unpin) -> Option<Fault> {
    let mut said = Vec::new();
    // What can't be read to its end may still hold it.
    let _ = errors.take(SAID_BYTES).read_to_end(&mut said).await;
    let mut lines = said.split(|byte| *byte == b'\n');
    lines.find_map(|line| serde_json::from_slice(line).ok())
}

/// The microphones that there are, the system's default first.
///
/// # Errors
/// `voice_unavailable` where the program can't be started, or doesn't answer; what it says itself.
pub async fn microphones(program: &Path) -> Result<Vec<Microphone>, Fault> {
    let mut command = Command::new(program);
    command.arg("devices").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| not_started(&error))?;
    let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(Fault::internal("A child program has no pipes."));
    };
    let asked = async {
        let mut said = Vec::new();
        let mut output = output.take(SAID_BYTES);
        let (_, fault) = tokio::join!(output.read_to_end(&mut said), fault_of(errors));
        let _ = child.wait().await;
        match (fault, serde_json::from_slice(&said)) {
            (_, Ok(microphones)) => Ok(microphones),
            (Some(fault), Err(_)) => Err(fault),
            (None, Err(_)) => Err(no_answer("ended without an answer")),
        }
    };
    tokio::time::timeout(LOOKING, asked).await.unwrap_or_else(|_| Err(no_answer("doesn't answer")))
}

fn no_answer(what: &str) -> Fault {
    Fault::new(
        Code::VoiceUnavailable,
        format!("{PROGRAM} {what} when it is asked for the microphones."),
        "Look whether the sound system runs; `review-gate doctor` says more.",
    )
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn program(folder: &Path, does: &str) -> PathBuf {
        let file = folder.join(PROGRAM);
        fs::write(&file, format!("#!/bin/sh\n{does}\n")).expect("a folder for tests");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).expect("a folder for tests");
        file
    }

    #[test]
    fn it_is_found_beside_the_others_and_beside_tests() {
        let folder = tempfile::tempdir().expect("a folder for tests");
        let others = [folder.path().join("review-gate"), folder.path().join("deps/test-1")];
        assert_eq!(others.each_ref().map(|other| beside(other)), [None, None]);
        let file = program(folder.path(), "");
        assert_eq!(others.each_ref().map(|other| beside(other)), [Some(file.clone()), Some(file)]);
        assert_eq!(beside(&folder.path().join("a/b/c")), None, "no farther");
    }

    #[tokio::test]
    async fn it_names_the_microphones_or_says_why_not() {
        let folder = tempfile::tempdir().expect("a folder for tests");
        let one = r#"[{"id": "alsa:default", "name": "System default", "default": true}]"#;
        let microphone = Microphone { id: "alsa:default".into(), name: "System default".into(), default: true };
        let named = program(folder.path(), &format!("[ $1 = devices ] && echo '{one}'"));
        assert_eq!(microphones(&named).await, Ok(vec![microphone]));

        let fault = Fault::new(Code::MicrophoneDenied, "It may not.", "Allow it.");
        let line = serde_json::to_string(&fault).expect("JSON");
        let failing = program(folder.path(), &format!("echo 'a warning' >&2; echo '{line}' >&2; exit 1"));
        assert_eq!(microphones(&failing).await, Err(fault), "what it says itself");

        for does in ["exit 1", "echo nonsense", "kill -9 $$"] {
            let refused = microphones(&program(folder.path(), does)).await.expect_err("no answer");
            assert_eq!(refused.code, Code::VoiceUnavailable, "{does}");
        }
        let nowhere = microphones(Path::new("/nonexistent/program")).await.expect_err("it isn't there");
        assert_eq!(nowhere.code, Code::VoiceUnavailable);
    }
}
