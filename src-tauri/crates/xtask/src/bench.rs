//! `cargo xtask bench`: builds the release programs and the yardsticks, makes the records, and measures.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::generate::{State, Wanted};
use crate::process::{cargo, run as run_command};
use crate::workspace::Workspace;
use crate::{setup, ui};

#[derive(Args)]
#[command(after_help = "Prints a table and keeps the samples in target/bench/results.json. Takes about ten minutes \
after the builds. The records of the section `record` are made once, below target/bench/records/, and again when \
a migration has changed: some minutes and 4 GB for the one of a million messages, which --quick leaves out.

Examples:
  cargo xtask bench
  cargo xtask bench --only record
  cargo xtask bench --quick --only painted")]
pub(crate) struct Options {
    /// Fewer samples: for a first look, not for the record
    #[arg(long)]
    quick: bool,
    /// Measure only this: painted, reply, start, waiting, read, http, record, prompts or voice; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
}

/// The records that are measured: messages, conversations.
const RECORDS: [(u64, u64); 3] = [(10_000, 200), (100_000, 2000), (1_000_000, 20_000)];
/// The largest for a quick look, in messages.
const QUICK_RECORD: u64 = 100_000;
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
    let mut bench = Command::new(programs.join("gate-bench"));
    bench.arg("--programs").arg(programs).arg("--echo").arg(programs.join("echo-server"));
    bench.arg("--peer").arg(python.with_file_name("mcp-feedback-collector"));
    match everything {
        Ok(modules) => _ = bench.arg("--everything").arg(modules.join(setup::EVERYTHING)),
        // It is one of two yardsticks of one section.
        Err(error) => println!("warning: nothing is compared with server-everything: {error:#}"),
    }
    bench.arg("--json").arg(workspace.bench().join("results.json"));
    if options.only.is_empty() || options.only.iter().any(|section| section == "record") {
        bench.arg("--records").arg(records(workspace, programs, options.quick)?);
    }
    if let Some(models) = models(workspace) {
        bench.arg("--models").arg(models);
    }
    let mut command = "cargo xtask bench".to_owned();
    if options.quick {
        bench.arg("--quick");
        command.push_str(" --quick");
    }
    for section in &options.only {
        bench.args(["--only", section]);
        command.push_str(&format!(" --only {section}"));
    }
    bench.args(["--command", &command]);
    run_command(&mut bench, "the lines above say what could not be measured")
}

/// The folder of the speech models: where `REVIEW_GATE_TEST_MODELS` says, or beside the project.
fn models(workspace: &Workspace) -> Option<PathBuf> {
    let beside = workspace.root.parent().map(|folder| folder.join("shared/models"));
    let named = std::env::var_os("REVIEW_GATE_TEST_MODELS").map(PathBuf::from);
    named.or(beside).filter(|folder| folder.is_dir())
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
