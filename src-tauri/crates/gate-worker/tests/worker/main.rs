//! Runs from outside: stand-ins for the programs, which crash, hang and get away, each in a folder of its own. On Linux,
//! where nothing gets away.

#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, reason = "in a test, what is missing ends it")]

mod ends;
mod installed;
mod outcomes;
mod sandbox;
mod scene;
#[expect(unreachable_pub, reason = "the tests of the whole have it, too")]
#[path = "../../../../../tests/src/wait.rs"]
mod wait;
