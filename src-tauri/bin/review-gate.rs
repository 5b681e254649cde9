//! The command line program. Never links GTK or WebKit: it starts in milliseconds, once per agent.

use std::process::ExitCode;

fn main() -> ExitCode {
    gate_cli::main()
}
