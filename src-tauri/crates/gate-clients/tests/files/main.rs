//! Connecting and disconnecting clients, on files as people have them.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop where it is")]

mod cases;
mod merging;
mod odd_files;
mod permission;
mod questions;
mod random;
mod rules;
mod taking_over;
mod toolsets;
mod world;
