//! What a receipt costs beside a bare line that is brought to the disk, and how long `review-gate verify` takes.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};
use gate_core::{AnsweredFrom, Decision, Digest, RequestId, Timestamp};
use gate_receipts::{
    Anchor, Content, Decided, Git, Head, HomeId, Level, Line, Log, NAME, Noticed, Oid, Opening, Proof, RECEIPT_MILLIS,
    Reading, Said,
};
use tempfile::TempDir;
use uuid::Uuid;

use crate::gate::at_home;
use crate::options::Options;
use crate::report::{Goal, Report};
use crate::stats::Times;

const SECTION: &str = "receipt";
const HOME: HomeId = HomeId(Uuid::from_u128(1));
/// Receipts of the long log.
const MANY: u64 = 10_000;
/// How long ago they were given, in milliseconds.
const AGO: u64 = 60_000;
const GOAL_BESIDE: f64 = 2.0;
const GOAL_VERIFY: f64 = 50.0;
const GOAL_MANY: f64 = 1000.0;
const GOAL_OPENED: f64 = 5.0;

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    // Beside the figures: the system's folder for such things may be in memory.
    let below = options.json.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new().prefix("receipts-").tempdir_in(below)?;
    written(folder.path(), options.pick(500, 50), report)?;
    verified(options, &folder, report)?;
    opened(options, folder.path(), report)
}

/// What knows beside a log how far it went, as the record does.
#[derive(Debug)]
struct Knows(Head);

impl Anchor for Knows {
    fn name(&self) -> &'static str {
        "database"
    }

    fn heads(&self) -> Result<Vec<Head>, String> {
        Ok(vec![self.0])
    }

    fn keep(&mut self, head: Head) -> Result<(), String> {
        self.0 = head;
        Ok(())
    }
}

/// A start: the log of many receipts, whose end alone is read, beside one of few.
fn opened(options: &Options, folder: &Path, report: &mut Report) -> Result<()> {
    let mut medians = Vec::new();
    for (count, name) in [(1, "opening a log of one receipt, median"), (MANY, "the same of 10,000 receipts, median")] {
        let home = folder.join(format!("opened-{count}"));
        std::fs::create_dir(&home)?;
        let text = text(count - 1, &other(0)?, &other(1)?)?;
        std::fs::write(home.join(NAME), &text)?;
        let last = Digest::of_bytes(text.lines().next_back().context("it has lines")?.as_bytes());
        let mut times = Times::default();
        for _ in 0..options.pick(200, 20) {
            let anchors: Vec<Box<dyn Anchor>> = vec![Box::new(Knows(Head { seq: count, line: last }))];
            let opening = Opening { folder: home.clone(), home: HOME, anchors, upgrade: false, now: now()? };
            let begin = Instant::now();
            let opened = Log::open(opening)?;
            times.push(begin.elapsed());
            if opened.noticed != Noticed::default() {
                bail!("the log isn't as it has to be: {:?}", opened.noticed);
            }
        }
        report.figure(SECTION, name, times.median(), "ms");
        report.samples(SECTION, name, &times);
        medians.push(times.median());
    }
    let more = medians.iter().copied().fold(0.0, f64::max) - medians.first().copied().unwrap_or_default();
    report.goal(SECTION, "opening 10,000 receipts beside one, median", more, "ms", Goal::AtMost(GOAL_OPENED));
    Ok(())
}

/// Receipts and bare lines of the same length in turn, each on the disk before the next.
fn written(folder: &Path, count: u32, report: &mut Report) -> Result<()> {
    let mut log = open(folder)?;
    let mut bare = OpenOptions::new().create(true).append(true).open(folder.join("bare"))?;
    let (mut receipts, mut lines) = (Times::default(), Times::default());
    let mut length = 0;
    for number in 0..u64::from(count) {
        // Nothing is good before it was given.
        let at = now()?;
        let said = Said::Decided(receipt(number, at.at, other(0)?, other(number)?));
        let begin = Instant::now();
        log.append(said, at)?;
        receipts.push(begin.elapsed());
        let end = File::open(folder.join(NAME))?.metadata()?.len();
        let line = vec![b'x'; usize::try_from(end - length)?];
        length = end;
        let begin = Instant::now();
        bare.write_all(&line)?;
        bare.sync_data()?;
        lines.push(begin.elapsed());
    }
    let beside = receipts.median() - lines.median();
    report.figure(SECTION, "a line of the same length, on the disk, median", lines.median(), "ms");
    report.figure(SECTION, "a receipt, on the disk, median", receipts.median(), "ms");
    report.figure(SECTION, "a receipt, on the disk, p95", receipts.p95(), "ms");
    report.goal(SECTION, "a receipt beside such a line, median", beside, "ms", Goal::AtMost(GOAL_BESIDE));
    report.samples(SECTION, "a receipt", &receipts);
    report.samples(SECTION, "a line", &lines);
    Ok(())
}

/// One commit, with a log of one receipt and with a long one.
fn verified(options: &Options, folder: &TempDir, report: &mut Report) -> Result<()> {
    let repository = folder.path().join("repository");
    std::fs::create_dir(&repository)?;
    git(&repository, &["init", "--quiet"])?;
    for text in ["one", "two"] {
        std::fs::write(repository.join("a.txt"), text)?;
        git(&repository, &["add", "--all"])?;
        git(&repository, &["commit", "--quiet", "--no-verify", "--message", text])?;
    }
    let tree = |of: &str| oid(git(&repository, &["rev-parse", of])?);
    let (base, approved) = (tree("HEAD~1^{tree}")?, tree("HEAD^{tree}")?);
    for (before, name, goal) in [
        (0, "verify of one commit, median", GOAL_VERIFY),
        (MANY - 1, "the same among 10,000 receipts, median", GOAL_MANY),
    ] {
        let home = folder.path().join(format!("home-{before}"));
        std::fs::create_dir(&home)?;
        std::fs::write(home.join(NAME), text(before, &base, &approved)?)?;
        let mut times = Times::default();
        for _ in 0..options.pick(50, 10) {
            times.push(verify(&options.programs, &home, &repository)?);
        }
        report.goal(SECTION, name, times.median(), "ms", Goal::AtMost(goal));
        report.samples(SECTION, name, &times);
    }
    Ok(())
}

fn verify(programs: &Path, home: &Path, repository: &Path) -> Result<std::time::Duration> {
    let mut command = Command::new(programs.join("review-gate"));
    at_home(&mut command, home);
    command.arg("verify").current_dir(repository).stdin(Stdio::null());
    let begin = Instant::now();
    let ran = command.output().context("review-gate can't be started")?;
    let took = begin.elapsed();
    if !ran.status.success() {
        bail!("the commit isn't approved: {}", String::from_utf8_lossy(&ran.stderr));
    }
    Ok(took)
}

/// A log with so many receipts of other trees, and then the one.
fn text(before: u64, base: &Oid, approved: &Oid) -> Result<String> {
    let (mut text, mut prev, at) = (String::new(), None, given()?);
    for number in 0..=before {
        let (from, to) = match number == before {
            true => (base.clone(), approved.clone()),
            false => (other(0)?, other(number)?),
        };
        let said = Said::Decided(receipt(number, at, from, to));
        let line = Line { home: HOME, seq: number + 1, prev, at, step: None, said, proof: Proof::None {} };
        let written = line.canonical()?;
        prev = Some(Digest::of_bytes(written.as_bytes()));
        text.push_str(&written);
        text.push('\n');
    }
    Ok(text)
}

fn open(folder: &Path) -> Result<Log> {
    let folder: PathBuf = folder.to_owned();
    Ok(Log::open(Opening { folder, home: HOME, anchors: Vec::new(), upgrade: false, now: now()? })?.log)
}

/// Good from the moment on.
fn receipt(number: u64, from: Timestamp, base: Oid, tree: Oid) -> Decided {
    let digest = Digest::of_bytes(b"what was given");
    Decided {
        from,
        expires: Some(from.plus_millis(RECEIPT_MILLIS)),
        request: RequestId(Uuid::from_u128(u128::from(number))),
        decision: Some(Decision::Approved),
        reply: digest,
        about: digest,
        level: Level::L1,
        given: AnsweredFrom::Desktop,
        content: Content { ask: Some(digest), diff: Some(digest), manifest: None, git: Some(Git { base, tree }) },
    }
}

fn other(number: u64) -> Result<Oid> {
    oid(Digest::of_bytes(&number.to_be_bytes()).to_string())
}

fn oid(name: String) -> Result<Oid> {
    Oid::try_from(name).map_err(anyhow::Error::msg)
}

fn now() -> Result<Reading> {
    let millis = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    Ok(Reading { at: Timestamp(i64::try_from(millis)?), steady: None })
}

fn given() -> Result<Timestamp> {
    Ok(Timestamp(now()?.at.0 - i64::try_from(AGO)?))
}

fn git(folder: &Path, words: &[&str]) -> Result<String> {
    let mut command = Command::new("git");
    command.args(words).current_dir(folder);
    for who in ["GIT_AUTHOR", "GIT_COMMITTER"] {
        command.env(format!("{who}_NAME"), "t").env(format!("{who}_EMAIL"), "t@example.invalid");
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let ran = command.output().context("git can't be started")?;
    if !ran.status.success() {
        bail!("git {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    Ok(String::from_utf8(ran.stdout)?.trim().to_owned())
}
