//! The record on real files: what is stored is found again, faults change nothing; damage, lost and full
//! disks, old schemas, backups, deletion.

#![expect(clippy::expect_used, reason = "in a test, what is missing ends it")]

mod backup;
mod check;
mod damage;
mod filters;
mod fixture;
mod flips;
mod migration;
mod owners;
mod parties;
mod prompt_uses;
mod receipts;
mod record;
mod replies;
mod retention;
mod reviews;
#[path = "../../../../../tests/corpus/campaign.rs"]
mod shared_campaign;
mod withdrawn;
mod workflow;
