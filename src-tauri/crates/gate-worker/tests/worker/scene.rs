//! A person with one program, which is a script of the test's.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use gate_worker::{Ended, Installed, Limits, Program, Question, Run, Runs, Shelter, Stream, answer};
use serde::Deserialize;
use tempfile::TempDir;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::wait::{LIMIT, eventually};

#[derive(Debug, Deserialize, PartialEq, Eq, Clone)]
pub(crate) struct Verdict {
    pub(crate) decision: String,
}

pub(crate) struct Scene {
    pub(crate) folder: TempDir,
    pub(crate) limits: Limits,
    pub(crate) shelter: Shelter,
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// What prints an answer of opencode's, as a script says it.
pub(crate) const APPROVES: &str = r#"printf '%s\n' '{"type":"text","part":{"text":"{\"decision\":\"approved\"}"}}'"#;

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("rgw-").tempdir().expect("a folder");
        for name in ["person", "bin", "seen"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let path = std::env::var_os("PATH").expect("folders of programs");
        let environment = vec![
            ("PATH".into(), path),
            ("HOME".into(), folder.path().join("person").into()),
            ("REVIEW_GATE_TOKEN".into(), "secret".into()),
        ];
        Self { folder, limits: Limits::default(), shelter: Shelter::None, environment }
    }

    pub(crate) fn person(&self) -> PathBuf {
        self.folder.path().join("person")
    }

    /// A file for what a script has to tell.
    pub(crate) fn seen(&self, name: &str) -> PathBuf {
        self.folder.path().join("seen").join(name)
    }

    /// A program, of this script; `SEEN` in it is the folder for what it tells.
    pub(crate) fn script(&self, name: &str, script: &str) -> PathBuf {
        let file = self.folder.path().join("bin").join(name);
        let text = script.replace("SEEN", &self.folder.path().join("seen").display().to_string());
        // Written by another process, no thread of ours has it open for writing while another starts it.
        let copied = std::process::Command::new("/bin/sh")
            .args(["-c", "printf %s \"$1\" > \"$2\"; chmod 700 \"$2\"", "sh"])
            .arg(format!("#!/bin/sh\n{text}\n"))
            .arg(&file)
            .status();
        assert!(copied.expect("a shell").success());
        assert!(fs::metadata(&file).expect("it is there").permissions().mode() & 0o100 != 0);
        file
    }

    pub(crate) fn runs(&self) -> Runs {
        Runs::open(self.folder.path().join("runs")).expect("a folder for runs")
    }

    /// The folders of runs that are there.
    pub(crate) fn left(&self) -> usize {
        fs::read_dir(self.folder.path().join("runs")).map_or(0, Iterator::count)
    }

    /// Runs a script in the place of a program.
    pub(crate) async fn run(&self, program: Program, script: &str) -> Ended<Verdict> {
        self.run_until(program, script, &CancellationToken::new(), |_, _| ()).await
    }

    pub(crate) async fn run_until(
        &self,
        program: Program,
        script: &str,
        cancel: &CancellationToken,
        watch: impl FnMut(Stream, &str),
    ) -> Ended<Verdict> {
        let program = Installed { program, path: self.script("agent", script), version: None };
        let mut folder = self.runs().folder().expect("a folder");
        folder.put(Path::new("src/main.rs"), b"fn main() {}").expect("a file");
        let run = Run {
            program: &program,
            question: Question { words: "Review it.".to_owned(), ..Question::default() },
            folder,
            environment: &self.environment,
            limits: self.limits,
            shelter: self.shelter.clone(),
            starter: starter(),
        };
        timeout(LIMIT, run.ended(answer::object, watch, cancel)).await.expect("the run ends")
    }
}

/// The example, which is built with the tests.
pub(crate) fn starter() -> PathBuf {
    let this = std::env::current_exe().expect("this program");
    let built = this.parent().and_then(Path::parent).expect("the folder of what is built");
    built.join("examples/worker")
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let look = || std::future::ready(Ok(is_so().then_some(())));
    eventually(what, LIMIT, look).await.expect("it comes to be so");
}

/// The number of a process that a script has told of.
pub(crate) fn told(file: &Path) -> Option<u32> {
    let text = fs::read_to_string(file).ok()?;
    text.strip_suffix('\n')?.parse().ok()
}

/// Whether a process of this number runs.
pub(crate) fn runs(pid: u32) -> bool {
    gate_os::process::find(pid).is_some()
}
