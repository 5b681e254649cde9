//! The link over real sockets in folders of each test's own, with gates that follow a script.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on should stop where it is")]

mod folders;
mod lineage;
mod relay_client;
mod relay_gate;
mod starting;
mod world;
