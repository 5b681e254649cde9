//! `cargo xtask bench`: builds the release programs and the yardsticks, makes the records, and measures.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use clap::Args;
use serde::Deserialize;

use crate::generate::{State, Wanted};
use crate::process::{cargo, output, run as run_command};
use crate::workspace::Workspace;
use crate::{models, setup, ui};

#[derive(Args)]
#[command(after_help = "Prints a table and keeps the samples in target/bench/results.json. Takes about ten minutes \
after the builds. The records of the section `record` are made once, below target/bench/records/, and again when \
a migration has changed: some minutes and 4 GB for the one of a million messages, which --quick leaves out.

Examples:
  cargo xtask bench
  cargo xtask bench --only record
  cargo xtask bench --quick --only painted
  cargo xtask bench --only reply --beside ../before/target/release
  cargo xtask bench --keep         for a release, on a machine that does nothing else")]
pub(crate) struct Options {
    /// Fewer samples: for a first look, not for the record
    #[arg(long)]
    quick: bool,
    /// Measure only this; may be given several times
    #[arg(long, value_name = "NAME", value_parser = SECTIONS)]
    only: Vec<String>,
    /// Measure the release programs in this folder, too, section by section in turn, and say how the figures differ
    #[arg(long, value_name = "FOLDER")]
    beside: Option<PathBuf>,
    /// Put the figures into tests/bench/last-release.tsv, which later runs are told beside
    #[arg(long, conflicts_with_all = ["quick", "beside"])]
    keep: bool,
}

/// What is measured, each by itself.
const SECTIONS: [&str; 12] =
    ["painted", "reply", "receipt", "start", "waiting", "idle", "read", "http", "record", "broker", "prompts", "voice"];
/// The records that are measured: messages, conversations.
const RECORDS: [(u64, u64); 3] = [(10_000, 200), (100_000, 2000), (1_000_000, 20_000)];
/// The largest for a quick look, in messages.
const QUICK_RECORD: u64 = 100_000;
/// What the figures were at the last release.
const LAST_RELEASE: &str = "tests/bench/last-release.tsv";
/// What the records are made with.
const SEED: u64 = 1;

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    setup::packages(&[setup::BUILD, setup::TESTS, setup::BENCH])?;
    setup::node()?;
    ui::install(workspace)?;
    ui::build_if_stale(workspace)?;
    let root = &workspace.root;
    // One after the other: built together, the yardstick's features would end up in the product.
    for package in ["review-gate", "gate-bench"] {
        let build = ["build", "--release", "--package", package, "--bins"];
        run_command(&mut cargo(root, build), "mend what the compiler names above")?;
    }
    let python = setup::python_yardstick(workspace)?;
    let everything = setup::node_yardstick(workspace);
    let programs = workspace.binary("release", "gate-bench");
    let programs = programs.parent().unwrap_or(root);
    let mut words: Vec<OsString> = vec!["--echo".into(), programs.join("echo-server").into()];
    words.extend(["--peer".into(), python.with_file_name("mcp-feedback-collector").into()]);
    match everything {
        Ok(modules) => words.extend(["--everything".into(), modules.join(setup::EVERYTHING).into()]),
        // It is one of two yardsticks of one section.
        Err(error) => println!("warning: nothing is compared with server-everything: {error:#}"),
    }
    if options.only.is_empty() || options.only.iter().any(|section| section == "record") {
        words.extend(["--records".into(), records(workspace, programs, options.quick)?.into()]);
    }
    if options.only.is_empty() || options.only.iter().any(|section| section == "voice") {
        match models::folder(workspace, programs, models::FOR_BENCH) {
            Ok(models) => words.extend(["--models".into(), models.into()]),
            // The section says so, too; the others are measured.
            Err(error) => println!("warning: there are no speech models: {error:#}"),
        }
    }
    words.extend(["--last".into(), root.join(LAST_RELEASE).into()]);
    if options.keep {
        words.extend(["--keep".into(), version(workspace)?.into()]);
    }
    let mut command = "cargo xtask bench".to_owned();
    if options.quick {
        words.push("--quick".into());
        command.push_str(" --quick");
    }
    for section in &options.only {
        command.push_str(&format!(" --only {section}"));
    }
    words.extend(["--command".into(), command.into()]);
    let bench = Bench { program: programs.join("gate-bench"), words };
    match &options.beside {
        None => bench.measure(programs, &options.only, &workspace.bench().join("results.json")),
        Some(other) => bench.compare(workspace, programs, other, &options.only),
    }
}

/// The version that is measured, with its commit.
fn version(workspace: &Workspace) -> Result<String> {
    let package = workspace.packages.iter().find(|package| package.name.as_str() == "review-gate");
    let version = &package.context("the workspace has the package review-gate")?.version;
    let commit = output(Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(&workspace.root))?;
    Ok(format!("{version} {}", commit.trim()))
}

/// The program that measures, with what it is given besides the programs that it measures.
struct Bench {
    program: PathBuf,
    words: Vec<OsString>,
}

impl Bench {
    fn measure(&self, programs: &Path, only: &[String], json: &Path) -> Result<()> {
        let mut bench = Command::new(&self.program);
        bench.args(&self.words).arg("--programs").arg(programs).arg("--json").arg(json);
        for section in only {
            bench.args(["--only", section]);
        }
        run_command(&mut bench, "the lines above say what could not be measured")
    }

    /// Measures the programs of two folders, each section of both before the next, since a machine's pace changes.
    fn compare(&self, workspace: &Workspace, programs: &Path, other: &Path, only: &[String]) -> Result<()> {
        let mut table = vec!["| what | beside | now | now / beside |".to_owned(), "|---|---:|---:|---:|".to_owned()];
        let mut failed = Ok(());
        for section in SECTIONS.into_iter().filter(|name| only.is_empty() || only.iter().any(|word| word == name)) {
            let file = |which: &str| workspace.bench().join(format!("{section}-{which}.json"));
            let (beside, now) = (file("beside"), file("now"));
            let one = [section.to_owned()];
            let both = self.measure(other, &one, &beside).and_then(|()| self.measure(programs, &one, &now));
            match both.and_then(|()| compared(&beside, &now)) {
                Ok(rows) => table.extend(rows),
                // What the others measured is told even so.
                Err(error) => failed = failed.and(Err(error.context(section))),
            }
        }
        println!("\n{}", table.join("\n"));
        failed
    }
}

/// A line for each figure that both files have.
fn compared(beside: &Path, now: &Path) -> Result<Vec<String>> {
    let beside = figures(beside)?;
    let mut lines = Vec::new();
    for figure in figures(now)? {
        let is_it = |other: &&Figure| other.section == figure.section && other.name == figure.name;
        if let Some(before) = beside.iter().find(is_it) {
            let (value, ratio) = (figure.value, figure.value / before.value);
            let Figure { section, name, unit, .. } = figure;
            lines.push(format!("| {section}: {name} | {:.2} {unit} | {value:.2} {unit} | {ratio:.2} |", before.value));
        }
    }
    Ok(lines)
}

#[derive(Deserialize)]
struct Figure {
    section: String,
    name: String,
    value: f64,
    unit: String,
}

fn figures(file: &Path) -> Result<Vec<Figure>> {
    #[derive(Deserialize)]
    struct Results {
        figures: Vec<Figure>,
    }
    let shown = || format!("can't read {}", file.display());
    let text = std::fs::read_to_string(file).with_context(shown)?;
    serde_json::from_str::<Results>(&text).map(|results| results.figures).with_context(shown)
}

/// The folder of the records, with all that are wanted in it.
fn records(workspace: &Workspace, programs: &Path, quick: bool) -> Result<PathBuf> {
    let folder = workspace.bench().join("records");
    for (messages, conversations) in RECORDS.into_iter().filter(|(messages, _)| !quick || *messages <= QUICK_RECORD) {
        let home = folder.join(messages.to_string());
        let wanted = Wanted { programs, home: &home, conversations, messages, seed: SEED };
        let state = wanted.state(workspace)?;
        if state == State::Other {
            // It was made from other migrations, or its making broke off.
            std::fs::remove_dir_all(&home).with_context(|| format!("can't remove {}", home.display()))?;
        }
        if state != State::Ready {
            wanted.make(workspace)?;
        }
    }
    Ok(folder)
}
