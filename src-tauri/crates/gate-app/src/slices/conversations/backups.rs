//! Backups of the record, and what becomes of a record that is found damaged while it is in use.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use gate_api::subjects::conversations::BackedUp;
use gate_core::{Code, Fault};
use gate_store::list_backups;

use super::Conversations;
use crate::bus::Bus;
use crate::work::blocking;

/// What mends a record that was found damaged while it was in use.
const RESTART: &str = "Quit and start Review Gate again: it then puts the record together from its backups.";

impl Conversations {
    /// Looks at what something ended with: a record that is found damaged while it is in use is put
    /// together again at the next start.
    pub(crate) fn notice_damage(&self, fault: Option<&Fault>) {
        let Some(fault) = fault.filter(|fault| fault.code == Code::DatabaseDamaged) else { return };
        let (store, bus, detail) = (self.store.clone(), self.bus.clone(), fault.message.clone());
        tokio::spawn(async move {
            if let Err(error) = store.mark_damaged(&detail).await {
                tracing::error!(%error, "the damage could not be noted");
            }
            warn_of_damage(&bus, detail);
        });
    }

    /// Makes a backup now, and copies the receipts beside it: they are no part of the record, and are never put back.
    pub(crate) async fn back_up(&self) -> Result<BackedUp, Fault> {
        let keep = usize::try_from(self.settings.in_force().storage.backups).unwrap_or(usize::MAX);
        let made = self.store.backup(&self.folders.backups, keep, self.bus.now()).await?;
        if let Err(fault) = self.receipts.back_up(self.folders.backups.clone()).await {
            self.bus.warn(fault);
        }
        Ok(BackedUp { path: made.path.display().to_string(), bytes: made.bytes })
    }

    /// Whether the newest backup is older than the settings allow, and there is something to keep.
    pub(crate) async fn backup_is_due(&self) -> bool {
        let between = Duration::from_secs(u64::from(self.settings.in_force().storage.backup_hours) * 60 * 60);
        let backups = match list_backups(&self.folders.backups).await {
            Ok(backups) => backups,
            Err(error) => {
                tracing::warn!(%error, "the backups can't be listed");
                return false;
            }
        };
        let newest = blocking(move || {
            let modified = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified()).ok();
            let ours = backups.iter().filter(|backup| backup.before.is_none());
            Ok(ours.filter_map(|backup| modified(&backup.path)).max())
        });
        let Ok(Some(newest)) = newest.await else {
            return self.store.sessions_after(None, 1).await.is_ok_and(|sessions| !sessions.is_empty());
        };
        let Ok(made) = newest.duration_since(UNIX_EPOCH) else { return true };
        let now = Duration::from_millis(u64::try_from(self.bus.now().0).unwrap_or_default());
        now.checked_sub(made).is_some_and(|age| age > between)
    }
}

/// Tells the person once that the record is damaged.
pub(crate) fn warn_of_damage(bus: &Bus, detail: String) {
    if bus.warnings().iter().any(|known| known.mend == RESTART) {
        return;
    }
    bus.warn(Fault::new(Code::DatabaseDamaged, detail, RESTART));
}
