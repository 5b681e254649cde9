//! `cargo xtask bench`: builds the release programs and the yardsticks, and measures.

use std::process::Command;

use anyhow::Result;
use clap::Args;

use crate::process::{cargo, run as run_command};
use crate::workspace::Workspace;
use crate::{setup, ui};

#[derive(Args)]
#[command(after_help = "Prints a table and keeps the samples in target/bench/results.json. Takes about four minutes \
after the builds.

Examples:
  cargo xtask bench
  cargo xtask bench --quick --only painted")]
pub(crate) struct Options {
    /// Fewer samples: for a first look, not for the record
    #[arg(long)]
    quick: bool,
    /// Measure only this: painted, reply, start, waiting, read or http; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
}

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
