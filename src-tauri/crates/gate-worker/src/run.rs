//! A run from its start to its outcome. Nothing but an answer that could be read counts as one: not a crash, not a time-out,
//! not words of another kind.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use gate_os::programs::{Group, lead};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::call::{Call, Question, may_set};
use crate::environment::of_run;
use crate::folder::Folder;
use crate::installed::Installed;
use crate::limits::Limits;
use crate::output::{Printed, Stream};
use crate::reading::{Said, Spent, said};
use crate::refusal::Refusal;
use crate::sandbox::{Shelter, Walls};
use crate::starter::{Errand, START, Told};

/// How much longer than a run's grace its starter may take to end it.
const SLOWER: Duration = Duration::from_secs(5);
/// How long what was printed last is waited for, once nothing runs any more.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The longest file with an answer that is read, in bytes.
const ANSWER: u64 = 1 << 20;

/// A run, not started yet.
#[derive(Debug)]
pub struct Run<'a> {
    /// Which program.
    pub program: &'a Installed,
    /// What it is asked.
    pub question: Question,
    /// Where it works. It goes with the run.
    pub folder: Folder,
    /// The person's environment, of which it gets what it needs.
    pub environment: &'a [(OsString, OsString)],
    /// Its bounds.
    pub limits: Limits,
    /// Whether it is in a sandbox.
    pub shelter: Shelter,
    /// The program that calls [`stage`](crate::stage): its starter.
    pub starter: PathBuf,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<T> {
    /// It answered.
    Answered(T),
    /// It ended by itself, and says that it failed.
    Crashed {
        /// Its exit code, or 128 and the number of the signal that ended it; absent where it has none of 0 to 255.
        code: Option<u8>,
        /// Why, where it says so.
        why: Option<String>,
    },
    /// It took too long, and was ended.
    TimedOut,
    /// It printed too much, and was ended.
    TooMuchOutput,
    /// It ended well, and what it said is no answer.
    Unusable {
        /// Why, in a sentence.
        why: String,
    },
    /// It wasn't started.
    Refused(Refusal),
    /// It was cancelled, and ended.
    Cancelled,
}

/// A run that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended<T> {
    /// What came of it.
    pub outcome: Outcome<T>,
    /// The last of what it printed, on both streams.
    pub tail: String,
    /// What it has used.
    pub spent: Spent,
    /// How long it took.
    pub took: Duration,
}

/// Why nothing is waited for any more.
enum Over {
    Itself,
    Time,
    Output,
    Cancelled,
}

impl Run<'_> {
    /// Starts it and waits for its end: that of its program, and of all that this has started. `read` makes the answer of
    /// what it said ([`answer::object`](crate::answer::object), [`answer::text`](crate::answer::text)); `watch` is given what it prints,
    /// line by line. Cancelled or dropped, it is asked to end, and made to a little later; dropped, nobody waits for that.
    ///
    /// To be awaited in a runtime of tokio's.
    pub async fn ended<T>(
        self,
        read: impl FnOnce(&str) -> Result<T, String>,
        watch: impl FnMut(Stream, &str),
        cancel: &CancellationToken,
    ) -> Ended<T> {
        let begun = Instant::now();
        let mut printed = Printed::new(self.limits.output, watch);
        let (outcome, spent) = match self.course(&mut printed, cancel).await {
            Ok((outcome, said)) => (outcome.read(&said, read), said.spent),
            Err(refusal) => (Outcome::Refused(refusal), Spent::default()),
        };
        Ended { outcome, tail: printed.tail(), spent, took: begun.elapsed() }
    }

    async fn course<W: FnMut(Stream, &str)>(
        self,
        printed: &mut Printed<W>,
        cancel: &CancellationToken,
    ) -> Result<(Outcome<()>, Said), Refusal> {
        let (program, limits) = (self.program.program, self.limits);
        let (mut started, answer) = self.start().await?;
        let over = started.over(printed, limits, cancel).await;
        let told = started.told();
        let file = answer.and_then(|file| text_of(&file));
        let said = said(program, &printed.output(), file);
        let outcome = match (over, told) {
            (Over::Time, _) => Outcome::TimedOut,
            (Over::Output, _) => Outcome::TooMuchOutput,
            (Over::Cancelled, _) => Outcome::Cancelled,
            (Over::Itself, Some(Told::Refused(refusal))) => Outcome::Refused(refusal),
            (Over::Itself, Some(Told::Ended(Some(0)))) => Outcome::Answered(()),
            (Over::Itself, Some(Told::Ended(code))) => Outcome::Crashed { code, why: said.failure.clone() },
            (Over::Itself, None) => Outcome::Crashed { code: None, why: Some("Its starter was ended.".to_owned()) },
        };
        Ok((outcome, said))
    }

    /// Starts it; with the file that its answer will be in, where there is one.
    async fn start(self) -> Result<(Started, Option<PathBuf>), Refusal> {
        let (folder, row) = (self.folder, self.program.program.row());
        let (work, own) = (folder.work(), folder.own());
        let mut environment = of_run(row, self.environment, &folder.temporary());
        let may_set = may_set(self.program.program, self.shelter != Shelter::None);
        let call = Call::of(self.program, &self.question, &work, &own, &environment, may_set)?;
        environment.extend(call.variables);
        environment.push(("PWD".into(), work.clone().into()));
        let input = own.join("question");
        for (file, text) in call.files.iter().map(|(file, text)| (file, text)).chain([(&input, &call.input)]) {
            write(file, text).map_err(|error| Refusal::of_file("write", file, &error))?;
        }
        let walls = match &self.shelter {
            Shelter::Sandbox(shut) => Some(Walls::around(shut, self.program, &folder, &environment)?),
            Shelter::None => None,
        };
        let errand = Errand {
            program: self.program.path.clone().into(),
            arguments: call.arguments,
            folder: work.into(),
            input: input.into(),
            told: folder.told().into(),
            grace: self.limits.grace,
            walls,
        };
        let mut command = Command::new(&self.starter);
        command.arg(START).env_clear().envs(environment).current_dir(&own);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        lead(&mut command);
        let cannot = |error: &dyn fmt::Display| {
            let message = format!("{} can't be started by {}: {error}.", row.name, self.starter.display());
            Refusal::new(message, "Restart the gate.")
        };
        let mut child = command.spawn().map_err(|error| cannot(&error))?;
        let lifeline = child.stdin.take();
        let mut started = Started {
            group: Some(Group::of(&child)),
            child: Some(child),
            lifeline,
            folder: Some(folder),
            grace: self.limits.grace,
        };
        let mut line = serde_json::to_vec(&errand).map_err(|error| cannot(&error))?;
        line.push(b'\n');
        if let Some(lifeline) = &mut started.lifeline {
            lifeline.write_all(&line).await.map_err(|error| cannot(&error))?;
        }
        Ok((started, call.answer))
    }
}

impl Outcome<()> {
    /// With the answer that was read, where there is to be one.
    fn read<T>(self, said: &Said, read: impl FnOnce(&str) -> Result<T, String>) -> Outcome<T> {
        match self {
            Self::Answered(()) => match (&said.answer, &said.failure) {
                (Some(answer), None) => read(answer).map_or_else(|why| Outcome::Unusable { why }, Outcome::Answered),
                (_, Some(why)) => Outcome::Crashed { code: Some(0), why: Some(why.clone()) },
                (None, None) => Outcome::Unusable { why: "It ended without an answer.".to_owned() },
            },
            Self::Crashed { code, why } => Outcome::Crashed { code, why },
            Self::TimedOut => Outcome::TimedOut,
            Self::TooMuchOutput => Outcome::TooMuchOutput,
            Self::Unusable { why } => Outcome::Unusable { why },
            Self::Refused(refusal) => Outcome::Refused(refusal),
            Self::Cancelled => Outcome::Cancelled,
        }
    }
}

/// A run that goes on. All of it ends when this is dropped, a little later, and its folder goes then.
struct Started {
    child: Option<Child>,
    group: Option<Group>,
    /// The starter's standard input: what ends the run once it is closed.
    lifeline: Option<ChildStdin>,
    folder: Option<Folder>,
    grace: Duration,
}

impl Started {
    /// Waits until it has ended, and says why.
    async fn over<W: FnMut(Stream, &str)>(
        &mut self,
        printed: &mut Printed<W>,
        limits: Limits,
        cancel: &CancellationToken,
    ) -> Over {
        let latest = tokio::time::Instant::now() + limits.time;
        let Some(child) = &mut self.child else { return Over::Itself };
        let (Some(mut output), Some(mut errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Over::Itself;
        };
        let mut over = {
            let reading = printed.read(&mut output, &mut errors);
            tokio::pin!(reading);
            tokio::select! {
                // What was printed before all others: too much of it is never taken for an answer.
                biased;
                is_too_much = &mut reading => if is_too_much { Over::Output } else { Over::Itself },
                () = cancel.cancelled() => Over::Cancelled,
                () = sleep_until(latest) => Over::Time,
                // Where what got away has its output still.
                _ = child.wait() => match timeout(LAST_WORDS, &mut reading).await {
                    Ok(true) => Over::Output,
                    Ok(false) | Err(_) => Over::Itself,
                },
            }
        };
        if matches!(over, Over::Itself) {
            // Whoever has closed its output may go on for as long as its time lasts.
            tokio::select! {
                biased;
                _ = child.wait() => {}
                () = cancel.cancelled() => over = Over::Cancelled,
                () = sleep_until(latest) => over = Over::Time,
            }
        }
        self.lifeline = None;
        // What is asked to end may have something to say, and is read until it has.
        let reading = printed.read(&mut output, &mut errors);
        let ending = end(child, self.group.as_ref(), self.grace);
        tokio::pin!(reading, ending);
        tokio::select! {
            () = &mut ending => drop(timeout(LAST_WORDS, &mut reading).await),
            _ = &mut reading => ending.await,
        }
        over
    }

    /// How it ended, as its starter says.
    fn told(&self) -> Option<Told> {
        let text = text_of(&self.folder.as_ref()?.told())?;
        serde_json::from_str(&text).ok()
    }
}

/// Waits for a starter that has been told to end its run, and ends it where it doesn't.
async fn end(child: &mut Child, group: Option<&Group>, grace: Duration) {
    if timeout(grace + SLOWER, child.wait()).await.is_err() {
        if let Some(group) = group {
            group.end(child);
        }
        let _ = child.wait().await;
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.lifeline = None;
        let (child, group, folder, grace) = (self.child.take(), self.group.take(), self.folder.take(), self.grace);
        let Some(mut child) = child.filter(|child| child.id().is_some()) else { return };
        // Its folder goes once nothing is left that could write there.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(async move {
                end(&mut child, group.as_ref(), grace).await;
                drop((group, folder));
            })),
            Err(_) => drop((child, group, folder)),
        }
    }
}

fn write(file: &Path, text: &str) -> io::Result<()> {
    gate_os::files::private().write(true).create_new(true).open(file)?.write_all(text.as_bytes())
}

/// A file's text; absent where it is none, or longer than any answer.
fn text_of(file: &Path) -> Option<String> {
    // Whatever a run has put in its place: reading another thing might never end.
    if !fs::symlink_metadata(file).is_ok_and(|found| found.is_file()) {
        return None;
    }
    let mut text = String::new();
    let read = File::open(file).ok()?.take(ANSWER + 1).read_to_string(&mut text).ok()?;
    (read as u64 <= ANSWER).then_some(text)
}
