//! What the gate does for its record by itself: it lets time pass over the sessions, brings messages
//! into the search index, makes backups, deletes what is too old, and looks for damage.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use gate_api::commands::conversations::BackedUp;
use gate_core::{Code, Fault};
use gate_link::Home;
use gate_store::{COMPARED_BYTES, Depth, SearchIndex, list_backups};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::now;
use crate::gate::Gate;

/// How often time passes over the sessions.
const TICK: Duration = Duration::from_secs(1);
/// How long a gate that has just started leaves its record to those who wait for it.
const SETTLE: Duration = Duration::from_secs(20);
/// How often it is looked whether a backup is due.
const POLL: Duration = Duration::from_secs(60);
/// How often what is too old is looked for, in looks.
const RETAIN_LOOKS: u32 = 60;

/// What mends a record that was found damaged while it was in use.
const RESTART: &str = "Quit and start Review Gate again: it then puts the record together from its backups.";

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
    loop {
        tick.tick().await;
        let now = now();
        gate.pass_time(now).await;
        gate.pass_presence(now).await;
        gate.let_replies_go(now);
        gate.wake_due(now).await;
        gate.follow_settings_file().await;
    }
}

/// Brings into the index what is said.
async fn keep_index(gate: Gate) {
    let index = match gate.index().await {
        Ok(index) => index,
        Err(fault) => return gate.warn(fault),
    };
    loop {
        match index.catch_up().await {
            Ok(0) => {
                if gate.inner.deleted.swap(false, Ordering::Relaxed) {
                    sweep(index).await;
                }
                gate.inner.said.notified().await;
            }
            // Others have their turn in between.
            Ok(_) => tokio::task::yield_now().await,
            Err(error) => {
                tracing::warn!(%error, "the search index could not be brought up to date");
                gate.inner.said.notified().await;
            }
        }
    }
}

async fn sweep(index: &SearchIndex) {
    let mut from = Some(0);
    while let Some(place) = from {
        from = index.forget_deleted(place).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "words of deleted messages stay in the index");
            None
        });
    }
}

async fn look_after(gate: Gate, database: PathBuf) {
    tokio::time::sleep(SETTLE).await;
    // Smaller ones were looked at as closely before they were opened.
    let unchecked = std::fs::metadata(&database).is_ok_and(|file| file.len() > COMPARED_BYTES);
    if unchecked && let Err(error) = gate.inner.store.check_soundness(Depth::Thorough).await {
        gate.warn_of_damage(Fault::from(error).message);
    }
    let mut looks = 0_u32;
    loop {
        if looks.is_multiple_of(RETAIN_LOOKS) {
            gate.retain().await;
        }
        looks = looks.wrapping_add(1);
        // The second copy of replies shrinks by backups only, so a long one wants one in any case.
        let wanted = gate.settings().storage.backups > 0;
        if gate.inner.store.wants_backup() || (wanted && gate.backup_is_due().await) {
            match gate.back_up().await {
                Ok(_) => tracing::info!("a backup was made"),
                Err(fault) => gate.warn(fault),
            }
        }
        tokio::time::sleep(POLL).await;
    }
}

impl Gate {
    /// Looks at what something ended with: a record that is found damaged while it is in use is put
    /// together again at the next start.
    pub(crate) fn notice(&self, fault: Option<&Fault>) {
        let Some(fault) = fault.filter(|fault| fault.code == Code::DatabaseDamaged) else { return };
        let (gate, detail) = (self.clone(), fault.message.clone());
        tokio::spawn(async move {
            if let Err(error) = gate.inner.store.mark_damaged(&detail).await {
                tracing::error!(%error, "the damage could not be noted");
            }
            gate.warn_of_damage(detail);
        });
    }

    fn warn_of_damage(&self, detail: String) {
        if self.warnings().iter().any(|known| known.mend == RESTART) {
            return;
        }
        self.warn(Fault::new(Code::DatabaseDamaged, detail, RESTART));
    }

    /// Makes a backup now.
    pub(crate) async fn back_up(&self) -> Result<BackedUp, Fault> {
        let keep = usize::try_from(self.settings().storage.backups).unwrap_or(usize::MAX);
        let made = self.inner.store.backup(&self.inner.backups, keep, now()).await?;
        Ok(BackedUp { path: made.path.display().to_string(), bytes: made.bytes })
    }

    /// Whether the newest backup is older than the settings allow, and there is something to keep.
    async fn backup_is_due(&self) -> bool {
        let between = Duration::from_secs(u64::from(self.settings().storage.backup_hours) * 60 * 60);
        let backups = match list_backups(&self.inner.backups).await {
            Ok(backups) => backups,
            Err(error) => {
                tracing::warn!(%error, "the backups can't be listed");
                return false;
            }
        };
        let modified = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified()).ok();
        let newest =
            backups.iter().filter(|backup| backup.before.is_none()).filter_map(|backup| modified(&backup.path));
        let Some(newest) = newest.max() else {
            return self.inner.store.sessions_after(None, 1).await.is_ok_and(|sessions| !sessions.is_empty());
        };
        SystemTime::now().duration_since(newest).is_ok_and(|age| age > between)
    }

    /// Deletes what the settings say is too old or too much.
    async fn retain(&self) {
        let storage = &self.settings().storage;
        let max_bytes = storage.max_megabytes.map(|megabytes| u64::from(megabytes) * 1024 * 1024);
        let retained = match self.inner.store.retain(storage.keep_days, max_bytes, now()).await {
            Ok(retained) => retained,
            Err(error) => {
                self.warn(Fault::new(
                    Code::Database,
                    format!("Old conversations could not be deleted: {error}."),
                    "It is tried again in an hour.",
                ));
                return;
            }
        };
        for request in &retained.expired {
            self.expired(*request);
        }
        for session in &retained.conversations {
            self.inner.sessions.notes.forget(*session);
            self.forgotten(*session);
        }
        if !retained.conversations.is_empty() {
            self.conversations_deleted();
        }
    }
}
