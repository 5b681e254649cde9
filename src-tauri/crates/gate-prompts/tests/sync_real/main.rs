//! The synchronisation of prompts against real git: by files, by `git http-backend` behind a small server,
//! and by `git daemon`, on loopback only. As Unix has it.

#![cfg(unix)]
#![expect(clippy::expect_used, reason = "in a test, what is missing ends it")]

mod bench;
mod hostile;
mod repositories;
mod server;
mod servers;
mod states;
mod upstream;
