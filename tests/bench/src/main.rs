//! Measures Review Gate's built programs from outside, as an agent's client and a person at a
//! screen meet them, beside other programs in the same run. Knows nothing of their insides.
//!
//! One module for each thing that is measured; `screen`, `client`, `wire`, `gate` and `process` are
//! the instruments.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it talks to the developer at the terminal")]

mod broker;
mod calls;
mod client;
mod cold;
mod gate;
mod http;
mod idle;
mod last_release;
mod machine;
mod options;
mod painted;
mod process;
mod prompts;
mod receipt;
mod record;
mod report;
mod screen;
mod served;
mod stats;
mod voice;
mod waiting;
mod wire;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Parser as _;

use crate::last_release::LastRelease;
use crate::machine::Machine;
use crate::options::{Options, Section};
use crate::report::Report;
use crate::screen::Screen;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let machine = Machine::look();
    let screen = Screen::open().context("no screen; `cargo xtask bench` installs Xvfb and openbox")?;
    let last = options.last.as_deref();
    let mut report = Report::beside(last.map(LastRelease::read).transpose()?.unwrap_or_default());
    let mut failed = Ok(());
    for section in options.sections() {
        let begin = Instant::now();
        let measured = match section {
            Section::Painted => painted::run(options, &screen, &mut report),
            Section::Reply => calls::reply(options, &screen, &mut report),
            Section::Receipt => receipt::run(options, &mut report),
            Section::Start => {
                calls::start(options, &screen, &mut report).and_then(|()| cold::start(options, &screen, &mut report))
            }
            Section::Waiting => waiting::run(options, &screen, &mut report),
            Section::Idle => idle::run(options, &screen, &mut report),
            Section::Read => calls::read(options, &screen, &mut report),
            Section::Http => http::run(options, &screen, &mut report),
            Section::Record => record::run(options, &mut report),
            Section::Broker => broker::run(options, &mut report),
            Section::Prompts => prompts::run(options, &screen, &mut report),
            Section::Voice => voice::run(options, &mut report),
        };
        println!("{section:?}: {:.1} s", begin.elapsed().as_secs_f64());
        // What the others measured is told even so.
        if let Err(error) = measured {
            eprintln!("{section:?} could not be measured: {error:#}");
            failed = failed.and(Err(error.context(format!("{section:?}"))));
        }
    }
    println!("\n{}\n\n{}", machine.line(), report.table());
    report.write(&options.json, &machine, &options.command)?;
    println!("All figures and samples: {}", options.json.display());
    failed?;
    if let (Some(file), Some(at)) = (last, &options.keep) {
        report.keep(file, at)?;
        println!("Kept as those of {at}: {}", file.display());
    }
    Ok(())
}
