//! What the gate does for its record by itself: it lets time pass over the sessions, writes what is only counted,
//! brings messages into the search index, makes backups, deletes what is too old, and looks for damage.

use std::path::PathBuf;
use std::time::Duration;

use gate_core::{Code, Fault, PermissionAsk, Timestamp};
use gate_link::Home;
use gate_store::{COMPARED_BYTES, Depth};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::slices::Gate;
use crate::slices::conversations::warn_of_damage;

/// How often time passes over the sessions.
const TICK: Duration = Duration::from_secs(1);
/// Milliseconds without a tick in which the machine must have slept, or this program was stopped.
const OFF_MILLIS: u64 = 30 * 1000;
/// How long a gate that has just started leaves its record to those who wait for it.
const SETTLE: Duration = Duration::from_secs(20);
/// How often it is looked whether a backup is due.
const POLL: Duration = Duration::from_secs(60);
/// How often what is too old is looked for, in looks.
const RETAIN_LOOKS: u32 = 60;

/// Starts what goes on while the gate runs.
pub(crate) fn start(gate: &Gate, home: &Home, tasks: &TaskTracker, stop: &CancellationToken) {
    tasks.spawn(until(stop.clone(), pass_time(gate.clone())));
    tasks.spawn(until(stop.clone(), keep_index(gate.clone())));
    tasks.spawn(until(stop.clone(), look_after(gate.clone(), home.database())));
}

async fn until(stop: CancellationToken, work: impl Future<Output = ()>) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = work => {}
    }
}

async fn pass_time(gate: Gate) {
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut before = gate.inner.bus.now();
    loop {
        tick.tick().await;
        let slices = &gate.inner;
        let now = slices.bus.now();
        if let Some(millis) = off(before, now) {
            slices.reviews.was_off(millis, now).await;
            slices.workflow.was_off(millis, now).await;
        }
        slices.conversations.pass_time(now).await;
        slices.person.pass_time(now).await;
        slices.requests.let_replies_go(now).await;
        slices.requests.settle_orphaned().await;
        slices.requests.take_back_all_unsent().await;
        slices.requests.end_permissions_unasked(PermissionAsk::Gone).await;
        // Whoever is to know that it can't be done has been told.
        let _ = slices.receipts.write_owed().await;
        slices.requests.wake_due(now).await;
        slices.reviews.pass_time(now).await;
        slices.workflow.pass_time(now).await;
        slices.prompts.pass_time().await;
        slices.settings.follow_file().await;
        before = slices.bus.now();
    }
}

/// For how many milliseconds nothing has gone on between two ticks, if that is longer than anything takes.
fn off(before: Timestamp, now: Timestamp) -> Option<u64> {
    u64::try_from(now.0.saturating_sub(before.0)).ok().filter(|millis| *millis > OFF_MILLIS)
}

/// Brings into the index what is said.
async fn keep_index(gate: Gate) {
    if let Err(fault) = gate.inner.conversations.search.keep().await {
        gate.inner.bus.warn(fault);
    }
}

async fn look_after(gate: Gate, database: PathBuf) {
    tokio::time::sleep(SETTLE).await;
    // Smaller ones were looked at as closely before they were opened.
    let unchecked = tokio::fs::metadata(&database).await.is_ok_and(|file| file.len() > COMPARED_BYTES);
    if unchecked && let Err(error) = gate.inner.store.check_soundness(Depth::Thorough).await {
        warn_of_damage(&gate.inner.bus, Fault::from(error).message);
    }
    let mut looks = 0_u32;
    loop {
        if looks.is_multiple_of(RETAIN_LOOKS) {
            retain(&gate).await;
        }
        looks = looks.wrapping_add(1);
        // The second copy of replies shrinks by backups only, so a long one wants one in any case.
        let wanted = gate.settings().storage.backups > 0;
        if gate.inner.store.wants_backup() || (wanted && gate.inner.conversations.backup_is_due().await) {
            match gate.inner.conversations.back_up().await {
                Ok(_) => tracing::info!("a backup was made"),
                Err(fault) => gate.inner.bus.warn(fault),
            }
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Deletes what the settings say is too old or too much.
async fn retain(gate: &Gate) {
    let storage = &gate.settings().storage;
    let max_bytes = storage.max_megabytes.map(|megabytes| u64::from(megabytes) * 1024 * 1024);
    let retained = match gate.inner.store.retain(storage.keep_days, max_bytes, gate.inner.bus.now()).await {
        Ok(retained) => retained,
        Err(error) => {
            gate.inner.bus.warn(Fault::new(
                Code::Database,
                format!("Old conversations could not be deleted: {error}."),
                "It is tried again in an hour.",
            ));
            return;
        }
    };
    for request in &retained.expired {
        gate.inner.requests.expired(*request);
    }
    gate.inner.conversations.forget(&retained.conversations);
    if let Err(fault) = gate.inner.requests.clean_repositories(gate.inner.bus.now()).await {
        gate.inner.bus.warn(fault);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_slept_is_known_by_the_ticks_that_lack() {
        let at = |seconds: i64| Timestamp(seconds * 1000);
        assert_eq!(off(at(0), at(1)), None);
        assert_eq!(off(at(0), at(30)), None, "a slow disk is no sleep");
        assert_eq!(off(at(0), at(3600)), Some(3_600_000));
        assert_eq!(off(at(3600), at(0)), None, "nor is a clock that was put back");
    }
}
