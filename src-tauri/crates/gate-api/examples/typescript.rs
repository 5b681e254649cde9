//! Writes the TypeScript of the commands, their answers and the events into the folder given as the only argument.
//! Run by `cargo xtask codegen`.

use gate_api::Event;
use gate_api::typescript::{Answers, Command};
use ts_rs::{Config, TS};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name the folder to write to")?;
    let config = Config::new().with_out_dir(folder);
    Command::export_all(&config)?;
    Answers::export_all(&config)?;
    Event::export_all(&config)?;
    gate_core::Fault::export_all(&config)?;
    Ok(())
}
