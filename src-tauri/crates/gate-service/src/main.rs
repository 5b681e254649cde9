//! The program that systemd starts, as a user of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    gate_service::main(std::env::args().skip(1))
}
