//! The service as it runs: the built program as a user of its own, the system's polkit on a system bus, an agent in the
//! person's place that has `polkit-agent-helper-1` check their password with PAM, and a gate that is the person's process.
//!
//! All of it is real but for the agent's window and for the files that a trial machine has its own of: users and their
//! passwords, PAM's file for polkit, polkit's actions and rules, `/run`. These are put over the machine's in a mount
//! namespace, so nothing of the machine is changed. systemd isn't part of it: the test hands over the socket itself. What
//! systemd makes of the units is looked at by themselves (`units.rs`).
#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, reason = "a test that can't go on should stop where it is")]

mod agent;
mod gate;
mod machine;
mod prompts;
mod skip;
mod units;
