//! The synchronisation of prompts against real git: by files, by `git http-backend` behind a small server,
//! and by `git daemon`, on loopback only.

#![expect(clippy::expect_used, reason = "in a test, what is missing ends it")]

#[path = "sync_real/bench.rs"]
mod bench;
#[path = "sync_real/hostile.rs"]
mod hostile;
#[path = "sync_real/repositories.rs"]
mod repositories;
#[path = "sync_real/server.rs"]
mod server;
#[path = "sync_real/servers.rs"]
mod servers;
#[path = "sync_real/states.rs"]
mod states;
#[path = "sync_real/upstream.rs"]
mod upstream;
