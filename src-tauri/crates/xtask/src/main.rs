//! The developer's commands: `cargo xtask run`, `test`, `campaign`, `agents`, `tidy`, `codegen`, `bench`, `cross`, `generate`, `icons`.
//!
//! One module a command; `setup` knows what a machine has to have, `workspace` where things are,
//! `selection` what cargo builds, `process` how another program is run and how its failure is told.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the commands talk to the developer at the terminal")]

mod bench;
mod codegen;
mod conformance;
mod cross;
mod digest;
mod generate;
mod icons;
mod models;
mod process;
mod run;
mod sample;
mod selection;
mod setup;
mod sql;
mod test;
mod tidy;
mod ui;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// Builds, runs and checks Review Gate.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Installs what is missing, builds everything and starts the app
    Run(run::Options),
    /// Runs every check and every test
    Test(test::Options),
    /// Runs the tests that break things many times over, with all their rounds
    Campaign(test::CampaignOptions),
    /// Runs the agents that people use against the built gate, and tells what reached their models
    Agents(test::AgentsOptions),
    /// Checks the architecture's rules
    Tidy,
    /// Measures the release build beside other programs
    Bench(bench::Options),
    /// Builds the programs for Windows and checks the libraries for macOS
    Cross(cross::Options),
    /// Makes a home folder with a large record
    Generate(generate::Options),
    /// Regenerates the UI's types and the checked SQL
    Codegen(codegen::Options),
    /// Draws every size of the app's and the tray's icon from `icons/*.svg`
    Icons,
    /// Runs the official MCP conformance suite against the built gate
    Conformance,
}

fn main() -> ExitCode {
    let task = Arguments::parse().command;
    let result = Workspace::find().and_then(|workspace| match task {
        Task::Run(options) => run::run(&workspace, &options),
        Task::Test(options) => test::run(&workspace, &options),
        Task::Campaign(options) => test::campaign(&workspace, &options),
        Task::Agents(options) => test::agents(&workspace, &options),
        Task::Tidy => tidy::run(&workspace),
        Task::Bench(options) => bench::run(&workspace, &options),
        Task::Cross(options) => cross::run(&workspace, &options),
        Task::Generate(options) => generate::run(&workspace, &options),
        Task::Codegen(options) => codegen::run(&workspace, &options),
        Task::Icons => icons::run(&workspace),
        Task::Conformance => conformance::run(&workspace),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            process::exit_code(&error)
        }
    }
}
