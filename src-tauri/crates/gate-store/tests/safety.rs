//! The safety of the data on real files: damage, lost and full disks, old schemas, backups, deletion.

#[path = "safety/backup.rs"]
mod backup;
#[path = "safety/check.rs"]
mod check;
#[path = "safety/damage.rs"]
mod damage;
#[path = "safety/fixture.rs"]
mod fixture;
#[path = "safety/flips.rs"]
mod flips;
#[path = "safety/migration.rs"]
mod migration;
#[path = "safety/replies.rs"]
mod replies;
#[path = "safety/retention.rs"]
mod retention;
#[path = "safety/withdrawn.rs"]
mod withdrawn;
