//! Runs from outside: stand-ins for the programs, which crash, hang and get away, each in a folder of its own.

#![cfg(unix)]
#![expect(clippy::expect_used, reason = "in a test, what is missing ends it")]

mod ends;
mod installed;
mod outcomes;
#[cfg(target_os = "linux")]
mod sandbox;
mod scene;
