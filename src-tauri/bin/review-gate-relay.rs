//! The relay by itself: what `review-gate mcp` becomes where this program stands beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    gate_cli::relay()
}
