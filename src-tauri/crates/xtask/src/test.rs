//! `cargo xtask test`: every check, on two lanes beside each other, with times and a summary; and `campaign`, the long
//! runs of the same tests.
//!
//! Each step is a process of its own (`cargo xtask test --step NAME`), so that what it takes of the machine can be told
//! and its output kept apart.

mod campaign;
mod changed;
mod lanes;
mod steps;
mod times;
mod unchanged;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::process::run as run_command;
use crate::selection;
use crate::test::changed::{Changes, Plan};
use crate::test::lanes::{Ended, Row, Taken};
use crate::test::steps::{Done, Lane, STEPS, Step};
use crate::workspace::Workspace;
use crate::{models, setup};

/// Names the folder with the agents to the tests; empty where npm can't give them.
const AGENTS: &str = "REVIEW_GATE_TEST_AGENTS";
/// Whether errors bring a backtrace (std's). A test's error says what it waited for; fifty lines of the runtime's frames
/// below each hide that where only a part of the output is kept. Panics bring theirs as `RUST_BACKTRACE` says.
const BACKTRACES: &str = "RUST_LIB_BACKTRACE";
/// What a developer's shell sets and a bare machine doesn't: a test that needs one of them would fail there alone.
const OF_A_SHELL: [&str; 8] = ["SHELL", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "EDITOR", "VISUAL"];

#[derive(clap::Args, Default)]
#[command(after_help = "Examples:
  cargo xtask test                 everything that a change has to pass
  cargo xtask test --changed       what your branch and your uncommitted changes can have broken
  cargo xtask test --changed=HEAD  what your uncommitted changes alone can have broken
  cargo xtask test --changed=v0.1.0
  cargo xtask test --fast          for in between
  cargo xtask test snooze          the tests with `snooze` in their names
  cargo xtask test --step clippy   one step, as it is taken among the others")]
pub(crate) struct Options {
    /// Run what a change can have broken, and say what is left out: of the unit tests those of the changed crates and of
    /// all that depend on them, of the end-to-end tests those that look at the changed crates, and of the other steps
    /// those whose files changed. Formatting, rules, lints and the build are always whole.
    ///
    /// The change is all that differs from REVISION, committed or not. Without one that is the last commit which this
    /// branch has in common with main: main's upstream where it has one, else the main of this clone. CI takes everything.
    #[arg(long, value_name = "REVISION", num_args = 0..=1, require_equals = true)]
    #[arg(conflicts_with_all = ["fast", "step", "filter"])]
    changed: Option<Option<String>>,
    /// What of the step is taken, as `--changed` found it
    #[arg(long, hide = true, requires = "step")]
    part: Option<String>,
    /// Leave out the documentation and the end-to-end tests
    #[arg(long)]
    fast: bool,
    /// Go on after a step that failed
    #[arg(long)]
    keep_going: bool,
    /// Take only this step
    #[arg(long, value_name = "NAME", conflicts_with = "keep_going")]
    step: Option<String>,
    /// Put the times of this run, of a clean clone, on record in `.ci/times.tsv`
    #[arg(long, conflicts_with_all = ["fast", "step", "changed", "filter"])]
    keep_times: bool,
    /// Only build, and run the tests whose names contain this
    filter: Option<String>,
}

#[derive(clap::Args)]
#[command(
    after_help = "The tests that break things many times over, with all their rounds: hundreds of kills, floods of ten \
thousand, ten minutes of made-up input for each parser. `test` runs the same code with fewer rounds. Takes hours.

Examples:
  cargo xtask campaign
  cargo xtask campaign kills"
)]
pub(crate) struct CampaignOptions {
    /// Run only the tests whose names contain this
    filter: Option<String>,
}

#[derive(clap::Args)]
#[command(
    after_help = "Claude Code, Codex, Gemini CLI and opencode, installed below target/test-tools, each with a model on \
loopback that the tests script. docs/agents.md is the table of what reached the models; the tests compare it.

Examples:
  cargo xtask agents
  cargo xtask agents codex
  cargo xtask agents --write       after a change that the table shows"
)]
pub(crate) struct AgentsOptions {
    /// Write docs/agents.md anew
    #[arg(long)]
    write: bool,
    /// Run only the tests whose names contain this
    filter: Option<String>,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if let Some(name) = &options.step {
        return take_here(workspace, options, name);
    }
    let clean = times::is_clean(workspace);
    if options.keep_times && !clean {
        bail!("the times on record are of a clean clone; this one has builds in {}", workspace.target.display());
    }
    let steps: Vec<&Step> = STEPS.iter().filter(|step| step.is_taken(options)).collect();
    let plan = match &options.changed {
        None => None,
        Some(revision) => match plan(workspace, revision.as_deref(), &steps)? {
            Some(plan) => Some(plan),
            None => return Ok(()),
        },
    };
    let is_left_out = |step: &&Step| plan.as_ref().is_some_and(|plan| plan.why_left_out(step.name).is_some());
    let (left_out, steps): (Vec<&Step>, Vec<&Step>) = steps.into_iter().partition(is_left_out);
    // Asked now: the step that builds everything puts another file in this one's place.
    let program = std::env::current_exe().context("can't find this program")?;
    let begin = Instant::now();
    let part = |step: &Step| plan.as_ref().and_then(|plan| plan.part(step.name));
    let take_one = |step: &Step| take_apart(workspace, options, &program, step, part(step).as_deref());
    let mut outcome = lanes::take(&steps, options.keep_going, &take_one);
    outcome.rows.extend(left_out.iter().map(|step| Row::left_out(step)));
    times::print(&outcome.rows, begin.elapsed());
    if outcome.rows.iter().any(|row| row.ended == Ended::NotTaken) && !options.keep_going {
        println!("`--keep-going` takes the other steps, too, after a failure");
    }
    if plan.is_some() {
        println!("That is what the change can have broken; `cargo xtask test` takes everything");
    }
    if clean {
        times::compare(workspace, &outcome.rows)?;
    }
    match outcome.error {
        Some(error) => Err(error),
        None if options.keep_times => times::keep(workspace, &outcome.rows),
        None => Ok(()),
    }
}

/// What is to run after a change since `revision`; none where nothing changed.
fn plan(workspace: &Workspace, revision: Option<&str>, steps: &[&Step]) -> Result<Option<Plan>> {
    if setup::everything_is_required() {
        bail!("`--changed` leaves tests out, and REVIEW_GATE_REQUIRE_E2E=all says that none may be");
    }
    let changes = Changes::find(workspace, revision)?;
    let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
    changes.plan(workspace, &names)
}

/// Takes a step in this process, and leaves a note of how it went for the one that asked for it.
fn take_here(workspace: &Workspace, options: &Options, name: &str) -> Result<()> {
    let Some(step) = STEPS.iter().find(|step| step.name == name) else {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        bail!("there is no step {name:?}; there are: {}", names.join(", "));
    };
    let done = step.take(workspace, options);
    let note = json!({
        "done": done.as_ref().ok().map(|done| done.word()),
        "processor_millis": times::own_processor_time().map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
    });
    let file = note_of(workspace, step, "json");
    write(&file, note.to_string().as_bytes())?;
    done.map(|_| ())
}

/// Takes a step in a process of its own.
fn take_apart(workspace: &Workspace, options: &Options, program: &Path, step: &Step, part: Option<&str>) -> Taken {
    let printed = note_of(workspace, step, "log");
    let mut command = Command::new(program);
    command.current_dir(&workspace.root).args(["test", "--step", step.name]);
    if options.fast {
        command.arg("--fast");
    }
    if let Some(part) = part {
        command.args(["--part", part]);
    }
    command.args(&options.filter);
    let result = ask(workspace, &mut command, step, &printed);
    let note = std::fs::read_to_string(note_of(workspace, step, "json")).ok();
    let note: Value = note.and_then(|note| serde_json::from_str(&note).ok()).unwrap_or_default();
    let done = note.get("done").and_then(Value::as_str).and_then(Done::of_word).unwrap_or(Done::Taken);
    Taken {
        result: result.map(|()| done),
        processor: note.get("processor_millis").and_then(Value::as_u64).map(Duration::from_millis),
        printed: if step.lane == Lane::Beside {
            std::fs::read_to_string(&printed).unwrap_or_default()
        } else {
            String::new()
        },
    }
}

fn ask(workspace: &Workspace, command: &mut Command, step: &Step, printed: &Path) -> Result<()> {
    let note = note_of(workspace, step, "json");
    // What an earlier run left there says nothing of this one.
    write(&note, b"")?;
    command.stdin(Stdio::null());
    if step.lane == Lane::Beside {
        let file = File::create(printed).with_context(|| format!("can't write {}", printed.display()))?;
        command.stderr(file.try_clone().context("can't share a file")?).stdout(file);
    }
    let status = command.status().with_context(|| format!("can't start the step {:?}", step.name))?;
    if status.success() { Ok(()) } else { bail!("its message is above ({status})") }
}

/// Where a step leaves what is told of it.
fn note_of(workspace: &Workspace, step: &Step, ending: &str) -> std::path::PathBuf {
    workspace.target.join("xtask/steps").join(format!("{}.{ending}", step.name.replace(' ', "-")))
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))
        .and_then(|()| std::fs::write(file, bytes))
        .with_context(|| format!("can't write {}", file.display()))
}

/// `cargo nextest run` on everything that is built.
/// `cargo nextest run` on everything, without what a shell adds to the environment.
pub(crate) fn nextest(workspace: &Workspace) -> Result<Command> {
    setup::nextest(workspace)?;
    let mut command = selection::everything(workspace, &["nextest", "run"], &[]);
    command.env("PATH", setup::path_with_nextest(workspace)?);
    for name in OF_A_SHELL {
        command.env_remove(name);
    }
    if std::env::var_os(BACKTRACES).is_none() {
        command.env(BACKTRACES, "0");
    }
    Ok(command)
}

/// Hands the end-to-end tests the programs and clients that they talk through.
fn hand_tools(workspace: &Workspace, command: &mut Command) -> Result<()> {
    command
        .env("REVIEW_GATE_TEST_PYTHON", setup::python_client(workspace)?)
        .env("REVIEW_GATE_TEST_NODE_MODULES", setup::node_clients(workspace)?)
        .env("REVIEW_GATE_TEST_SUITE_MODULES", setup::conformance_suite(workspace)?)
        .env("REVIEW_GATE_TEST_BIN", workspace.target.join("debug"))
        .env("REVIEW_GATE_REQUIRE_E2E", if setup::everything_is_required() { "all" } else { "1" });
    command.env(AGENTS, setup::agents_if_any(workspace)?.unwrap_or_default());
    command.env(models::NAMED, models::for_tests_if_any(workspace)?.unwrap_or_default());
    Ok(())
}

/// Runs the tests of `command`, and names those that were left out.
fn run_tests(workspace: &Workspace, command: &mut Command, mend: &str) -> Result<()> {
    let file = workspace.target.join("xtask/left-out.txt");
    write(&file, b"")?;
    let ran = run_command(command.env("REVIEW_GATE_TEST_LEFT_OUT", &file), mend);
    let told = std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
    let left_out: BTreeSet<&str> = told.lines().collect();
    if !left_out.is_empty() {
        println!("\nTests that were left out on this machine, or a part of them:");
        left_out.iter().for_each(|line| println!("  {line}"));
    }
    ran
}

/// Runs the tests with real agents, and prints their table.
pub(crate) fn agents(workspace: &Workspace, options: &AgentsOptions) -> Result<()> {
    build_for_tests(workspace)?;
    let mut command = nextest(workspace)?;
    command.args(["--filterset", "package(gate-tests) & test(/^real_agents/)"]).args(&options.filter);
    setup::agents(workspace)?;
    hand_tools(workspace, &mut command)?;
    if options.write {
        command.env("REVIEW_GATE_WRITE_SAMPLES", "1");
    }
    run_tests(workspace, &mut command, "what the model was sent is printed above")?;
    let table = workspace.root.join("docs/agents.md");
    let text = std::fs::read_to_string(&table).with_context(|| format!("can't read {}", table.display()))?;
    text.lines().filter(|line| line.starts_with('|')).for_each(|line| println!("{line}"));
    Ok(())
}

/// Builds all that tests run, and what they talk through.
pub(crate) fn build_for_tests(workspace: &Workspace) -> Result<()> {
    let whole = Options { filter: Some(String::new()), ..Options::default() };
    for step in STEPS.iter().filter(|step| step.is_taken(&whole) && !step.name.ends_with("tests")) {
        step.take(workspace, &whole)?;
    }
    Ok(())
}

/// Runs the campaigns, and prints what each of their tests did.
pub(crate) fn campaign(workspace: &Workspace, options: &CampaignOptions) -> Result<()> {
    build_for_tests(workspace)?;
    let mut command = nextest(workspace)?;
    command.args(["--profile", "campaign"]).env("REVIEW_GATE_CAMPAIGN", "1").args(&options.filter);
    hand_tools(workspace, &mut command)?;
    campaign::told_by(workspace, &mut command)?;
    let ran = run_tests(workspace, &mut command, "what broke it was made small, and is printed above");
    campaign::print(workspace)?;
    ran
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

    /// The files of these folders of tests, each with its package.
    fn files() -> Vec<(String, PathBuf)> {
        let entries =
            |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let root = Path::new(ROOT);
        let mut folders = vec![("gate-tests".to_owned(), root.join("tests/tests/e2e"))];
        for member in entries(root.join("src-tauri/crates")) {
            let package = member.file_name().unwrap_or_default().to_string_lossy().into_owned();
            folders.extend(entries(member.join("tests")).map(|folder| (package.clone(), folder)));
        }
        let of = |(package, folder): (String, PathBuf)| entries(folder).map(move |file| (package.clone(), file));
        folders.into_iter().flat_map(of).collect()
    }

    #[test]
    fn a_campaign_has_every_test_that_does_more_in_one() {
        let profiles =
            std::fs::read_to_string(Path::new(ROOT).join(".config/nextest.toml")).expect("nextest's profiles");
        let listed = |package: &str, module: &str| {
            let package = format!("package({package})");
            profiles.lines().any(|line| line.starts_with("| (") && line.contains(&package) && line.contains(module))
        };
        let mut found = 0;
        for (package, file) in files() {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let is_test = text.contains("#[test]") || text.contains("#[tokio::test");
            if !is_test || !(text.contains("campaign(") || text.contains("campaign::is_on")) {
                continue;
            }
            found += 1;
            let module = file.file_stem().unwrap_or_default().to_string_lossy();
            assert!(listed(&package, &module), "{} is in the profile `campaign`", file.display());
        }
        assert!(found > 5, "they are found: {found}");
    }
}
