//! The chain of receipts from outside: files, processes, other programs.
#![expect(clippy::expect_used, reason = "a test that can't go on should stop where it is")]

mod appending;
#[path = "../../../../../tests/corpus/campaign.rs"]
mod campaign;
mod child;
mod damage;
mod disk_full;
mod kills;
mod looking;
mod opening;
mod second;
mod signatures;
mod signer;
mod skip;
mod ssh_keygen;
#[cfg(target_os = "linux")]
mod syncs;
mod vectors;
mod world;
mod writers;
