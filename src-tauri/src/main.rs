//! `review-gate-desktop [--hidden]`: the desktop app.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

#[global_allocator]
static MEMORY: gate_app::Memory = gate_app::Memory;

fn main() -> ExitCode {
    review_gate_shell::main()
}
