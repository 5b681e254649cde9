//! The command line program. Never links GTK or WebKit: it starts in milliseconds, once per agent.

use std::process::ExitCode;

/// A gate runs in it, too.
#[global_allocator]
static MEMORY: gate_app::Memory = gate_app::Memory;

fn main() -> ExitCode {
    gate_cli::main()
}
