//! The same test once more, in a process of its own: what is killed, or has no room.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use gate_core::{Digest, Timestamp};
use gate_receipts::{Head, Log, Opened, Opening, Reading, ReceiptsError, Said};

use crate::world::{AT, HOME, approval};

/// Names the log's folder to the process that writes there.
const FOLDER: &str = "REVIEW_GATE_TEST_RECEIPTS";
/// What a line of its output begins with.
const SAYS: &str = "receipts: ";

/// In the other process, the folder of the log.
pub(crate) fn folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// Says a word to the process that started this one.
pub(crate) fn say(word: &str) {
    let mut out = std::io::stdout().lock();
    // Whoever listened may be gone.
    let _ = writeln!(out, "\n{SAYS}{word}").and_then(|()| out.flush());
}

/// Opens the log without an anchor.
pub(crate) fn open(folder: &Path) -> Result<Log, ReceiptsError> {
    let now = Reading { at: AT, steady: None };
    let opening = Opening { folder: folder.to_owned(), home: HOME, anchors: Vec::new(), upgrade: false, now };
    Log::open(opening).map(|Opened { log, .. }| log)
}

/// Approves a request, and says so once that is on disk.
pub(crate) fn approve(log: &mut Log, number: u128) -> Result<(), ReceiptsError> {
    let at = Timestamp(AT.0 + i64::try_from(number).unwrap_or_default());
    let now = Reading { at, steady: Some(Duration::from_millis(u64::try_from(number).unwrap_or_default())) };
    let head = log.append(Said::Decided(approval(number, at)), now)?.head;
    say(&format!("{} {}", head.seq, head.line));
    Ok(())
}

/// What [`approve`] said.
pub(crate) fn head(word: &str) -> Head {
    let (seq, line) = word.split_once(' ').expect("a number and a digest");
    Head { seq: seq.parse().expect("a number"), line: line.parse::<Digest>().expect("a digest") }
}

/// The other process.
#[derive(Debug)]
pub(crate) struct Other {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Other {
    /// Starts `test` once more on a folder, behind this command line.
    pub(crate) fn behind(before: &[&str], test: &str, folder: &Path) -> Self {
        Self::start(before, Stdio::null(), test, folder)
    }

    /// Starts it with an input.
    pub(crate) fn reading(input: impl Into<Stdio>, test: &str, folder: &Path) -> Self {
        Self::start(&[], input.into(), test, folder)
    }

    fn start(before: &[&str], input: Stdio, test: &str, folder: &Path) -> Self {
        let this = std::env::current_exe().expect("this program has a name");
        let mut command = match before {
            [] => Command::new(&this),
            [program, arguments @ ..] => {
                let mut command = Command::new(program);
                command.args(arguments).arg(&this);
                command
            }
        };
        command.args(["--exact", test, "--nocapture"]).env(FOLDER, folder).stdin(input);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it can be started");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        Self { child, lines }
    }

    pub(crate) fn new(test: &str, folder: &Path) -> Self {
        Self::behind(&[], test, folder)
    }

    /// Its next word; absent when it has ended.
    pub(crate) fn word(&mut self) -> Option<String> {
        let mut words = self.lines.by_ref().map_while(Result::ok);
        words.find_map(|line| line.strip_prefix(SAYS).map(str::to_owned))
    }

    /// Kills it, and gives what it had said.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
        std::iter::from_fn(|| self.word()).collect()
    }

    /// Waits for its end, and gives whether that was well.
    pub(crate) fn ends_well(mut self) -> bool {
        while self.word().is_some() {}
        self.child.wait().expect("it ends").success()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // Nobody writes on when a test fails.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
