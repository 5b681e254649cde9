//! `review-gate-desktop [--hidden]`: the desktop app.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    review_gate_shell::main()
}
