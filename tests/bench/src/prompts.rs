//! Two thousand prompts from a git repository: listed, got, and got while the repository's next commits come in.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::gate::Desktop;
use crate::options::Options;
use crate::process::eventually;
use crate::report::{Goal, Report};
use crate::screen::Screen;
use crate::stats::Times;

const SECTION: &str = "prompts";
/// How many prompts the repository has.
const PROMPTS: usize = 2000;
/// How often all of them are listed, and how often one is got.
const LISTS: (u32, u32) = (50, 10);
const GETS: (u32, u32) = (2000, 300);
/// How many commits come in while prompts are got, and how many calls there are in each second.
const COMMITS: (u32, u32) = (10, 3);
const CALLS_A_SECOND: u32 = 200;
const GOAL_LIST: f64 = 20.0;
const GOAL_GET: f64 = 5.0;
const GOAL_UNCHANGED: f64 = 1000.0;

pub(crate) fn run(options: &Options, screen: &Screen, report: &mut Report) -> Result<()> {
    let upstream = TempDir::new()?;
    commit(upstream.path(), 0)?;
    let repository = format!("file://{}", upstream.path().display());
    let config = format!("prompts:\n  repository: {repository}\n  interval_seconds: 86400\n");
    let begin = Instant::now();
    let confirmed = json!({"prompts.repository": repository});
    let desktop = Desktop::start_with(&options.programs, screen, &config, &confirmed)?;
    let mut client = desktop.relay()?;
    eventually("the repository is served", || Ok((listed(&mut client)?.len() >= PROMPTS).then_some(())))?;
    report.figure(SECTION, "start of the app until 2,000 are fetched and served", millis(begin.elapsed()), "ms");

    let mut lists = Times::default();
    for _ in 0..options.pick(LISTS.0, LISTS.1) {
        let begin = Instant::now();
        listed(&mut client)?;
        lists.push(begin.elapsed());
    }
    report.samples(SECTION, "list", &lists);
    report.goal(SECTION, "prompts/list of 2,000, all pages, median", lists.median(), "ms", Goal::AtMost(GOAL_LIST));
    report.figure(SECTION, "prompts/list of 2,000, all pages, p95", lists.p95(), "ms");

    let wanted: Vec<_> = (0..options.pick(GETS.0, GETS.1)).map(|n| request(n as usize * 7)).collect();
    let gets = client.each("prompts/get", wanted.iter())?;
    report.samples(SECTION, "get", &gets);
    report.figure(SECTION, "prompts/get, median", gets.median(), "ms");
    report.goal(SECTION, "prompts/get, p99", gets.p99(), "ms", Goal::AtMost(GOAL_GET));

    let mut unchanged = Times::default();
    for _ in 0..5 {
        unchanged.push(synced(&desktop)?);
    }
    let median = unchanged.median();
    report.goal(SECTION, "synchronisation without a change, median", median, "ms", Goal::AtMost(GOAL_UNCHANGED));
    let long = told(&mut client)?;
    let mut bare = Bare { client: Client::start(Command::new(&options.echo))?, said: json!({"text": long}) };
    reloads(options, &desktop, (&mut client, &mut bare), upstream.path(), report)
}

/// A server that has nothing to do with the commits, and its call: what the machine alone makes of one meanwhile.
struct Bare {
    client: Client,
    said: Value,
}

impl Bare {
    /// How long it takes to answer.
    fn answers(&mut self) -> Result<Duration> {
        let asked = Instant::now();
        let id = self.client.call("echo", &self.said)?;
        self.client.result(id)?;
        Ok(asked.elapsed())
    }
}

/// A text as long as a prompt that is got.
fn told(client: &mut Client) -> Result<String> {
    let id = client.request("prompts/get", &request(0))?;
    let result = client.result(id)?;
    let text = result["messages"][0]["content"]["text"].as_str().context("a prompt has a text")?;
    Ok("x".repeat(text.len()))
}

/// Gets prompts at a steady pace while commits come in, and looks at every answer: whether it came, and whether it
/// is of one commit. The bare server is called between them.
fn reloads(
    options: &Options,
    desktop: &Desktop,
    (client, bare): (&mut Client, &mut Bare),
    upstream: &Path,
    report: &mut Report,
) -> Result<()> {
    let (mut calls, mut times, mut lost, mut mixed, mut syncs) =
        (0_usize, Times::default(), 0_u32, 0_u32, Times::default());
    let mut floor = Times::default();
    for number in 1..=options.pick(COMMITS.0, COMMITS.1) {
        commit(upstream, number)?;
        // The pace begins with each commit: what would have come while that was made doesn't come all at once.
        let (begin, before) = (Instant::now(), calls);
        let syncing = sync_command(desktop).stdout(Stdio::null()).spawn()?;
        let (mut syncing, from) = (syncing, Instant::now());
        let mut done = false;
        while !done {
            done = syncing.try_wait()?.is_some();
            let due = begin + Duration::from_secs(1) / CALLS_A_SECOND * u32::try_from(calls - before)?;
            while let Some(left) = due.checked_duration_since(Instant::now()) {
                std::thread::park_timeout(left);
            }
            // Each is the first one as often: it comes after a pause, the other one finds the cores awake.
            if calls % 2 == 1 {
                floor.push(bare.answers()?);
            }
            let asked = Instant::now();
            let id = client.request("prompts/get", &request(calls * 13))?;
            let result = client.result(id).ok();
            match result.as_ref().and_then(marks) {
                Some((one, other)) if one == other => {}
                Some(_) => mixed += 1,
                None => lost += 1,
            }
            times.push(asked.elapsed());
            if calls % 2 == 0 {
                floor.push(bare.answers()?);
            }
            calls += 1;
        }
        syncs.push(from.elapsed());
    }
    #[expect(clippy::cast_precision_loss, reason = "the count is far below 2^52")]
    let count = calls as f64;
    report.figure(SECTION, "calls while commits came in", count, "");
    report.goal(SECTION, "of these, lost", lost.into(), "", Goal::AtMost(0.0));
    report.goal(SECTION, "of these, of two commits", mixed.into(), "", Goal::AtMost(0.0));
    report.goal(SECTION, "prompts/get meanwhile, p99", times.p99(), "ms", Goal::AtMost(GOAL_GET));
    report.figure(SECTION, "a bare rmcp server's call meanwhile, p99", floor.p99(), "ms");
    report.figure(SECTION, "prompts/get meanwhile, median", times.median(), "ms");
    report.figure(SECTION, "a bare rmcp server's call meanwhile, median", floor.median(), "ms");
    report.figure(SECTION, "synchronisation of a commit that changes all, median", syncs.median(), "ms");
    Ok(())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn name(number: usize) -> String {
    format!("team{}/prompt{}", number % 20, number % PROMPTS)
}

fn request(number: usize) -> Value {
    let number = number % PROMPTS;
    json!({"name": name(number), "arguments": {"path": "src/main.rs", "depth": "deep"}})
}

/// All pages of the list.
fn listed(client: &mut Client) -> Result<Vec<Value>> {
    let (mut all, mut params) = (Vec::new(), json!({}));
    loop {
        let id = client.request("prompts/list", &params)?;
        let mut result = client.result(id)?;
        let Some(Value::Array(page)) = result.get_mut("prompts").map(Value::take) else { bail!("no list: {result}") };
        all.extend(page);
        match result["nextCursor"].as_str() {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return Ok(all),
        }
    }
}

/// The commits that the two parts of a prompt are of.
fn marks(result: &Value) -> Option<(&str, &str)> {
    let text = result["messages"][0]["content"]["text"].as_str()?;
    let (_, own) = text.split_once("own=")?;
    let (_, shared) = text.split_once("shared=")?;
    Some((own.split_whitespace().next()?, shared.split_whitespace().next()?))
}

/// Writes every prompt of the repository anew, and commits.
fn commit(folder: &Path, number: u32) -> Result<()> {
    if number == 0 {
        git(folder, &["init", "--quiet", "--initial-branch=main"])?;
    }
    let mut files: HashMap<String, String> = (0..PROMPTS)
        .map(|index| {
            let text = format!(
                "title: Prompt {index}\ndescription: Looks at one thing of a change and says what it found.\n\
                 category: team\narguments:\n  - name: path\n    required: true\n  - name: depth\n    type: enum\n    \
                 values: [quick, deep]\n    default: quick\ntemplate: |\n  own={number} {{{{> mark}}}}\n  Read {{{{path}}}}, \
                 {{{{depth}}}}, and report each finding with its file, its line and what to do about it.\n"
            );
            (format!("{}.yaml", name(index)), text)
        })
        .collect();
    files.insert("_partials/mark.md".to_owned(), format!("shared={number} "));
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        std::fs::write(path, text)?;
    }
    git(folder, &["add", "--all"])?;
    git(folder, &["commit", "--quiet", "--message", &format!("Commit {number}")])
}

fn git(folder: &Path, words: &[&str]) -> Result<()> {
    let mut command = Command::new("git");
    command.args(words).current_dir(folder).stdout(Stdio::null());
    for name in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{name}_NAME"), "bench").env(format!("GIT_{name}_EMAIL"), "bench@example.invalid");
    }
    let status = command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").status()?;
    ensure!(status.success(), "git {words:?} ended with {status}");
    Ok(())
}

fn sync_command(desktop: &Desktop) -> Command {
    let mut command = desktop.command();
    command.args(["prompts", "sync"]);
    command
}

/// How long `review-gate prompts sync` takes.
fn synced(desktop: &Desktop) -> Result<Duration> {
    let begin = Instant::now();
    let ran = sync_command(desktop).output()?;
    ensure!(ran.status.success(), "no synchronisation: {}", String::from_utf8_lossy(&ran.stderr));
    Ok(begin.elapsed())
}
