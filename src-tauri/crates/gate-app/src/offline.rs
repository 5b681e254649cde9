//! What is done to the record without a running gate: looking at it, backing it up, putting a backup
//! in its place.

use std::path::Path;

use gate_core::{Code, Fault};
use gate_link::{GateLock, Home};
use gate_receipts::{Head, PublicKey};
use gate_service::Client;
pub use gate_service::{Reached, Refused};
use gate_settings::{Held, Overlay, Settings, SettingsFile, Values};
pub use gate_store::{BackupMade, CheckReport, CheckedBackup, FileSystem, JournalMode, RestoreMade, SchemaStanding};
use gate_store::{OpenOptions, Store};

use crate::ambient::{Ambient as _, System};
use crate::slices::receipts::{copy_sound_log, voucher};
use crate::slices::settings::journal;
use crate::slices::system::soon;
use crate::work::blocking;

/// Looks at the record and its backups. Reads only; a gate may run meanwhile.
///
/// # Errors
/// When there is no record, or it can't be read.
pub async fn check(home: &Home) -> Result<CheckReport, Fault> {
    let database = home.database();
    if !database.exists() {
        return Err(Fault::new(
            Code::UnreadableFile,
            format!("There is no record yet: {} doesn't exist.", database.display()),
            "It is made when the gate first starts.",
        ));
    }
    Ok(gate_store::check(&database, &home.backups_folder()).await?)
}

/// The last lines of the log of receipts that the record knows; none where there is no record, or it can't be read, as in
/// a sandbox. Reads only; a gate may run meanwhile.
pub async fn known_receipts(home: &Home) -> Vec<Head> {
    let known = gate_store::receipts_known_in(&home.database()).await.ok().flatten();
    let heads = known.into_iter().flat_map(|known| known.heads);
    heads.map(|(seq, line)| Head { seq, line }).collect()
}

/// The key by which this machine's service signs what a person confirms to the system, by that service's own word.
///
/// # Errors
/// Where there is no such service, or it doesn't answer.
pub async fn service_key() -> Result<PublicKey, Refused> {
    soon(Client::default().known(None)).await.map(|known| known.key)
}

/// Whether this machine's service would have a process of this user's confirm something.
///
/// # Errors
/// Why it wouldn't, and what helps.
pub async fn service() -> Result<Reached, Refused> {
    soon(Client::default().reachable(None)).await
}

/// Makes a backup where no gate runs; absent where one does, which has to be asked for it.
///
/// # Errors
/// When the record can't be opened or the backup can't be written.
pub async fn back_up(home: &Home) -> Result<Option<BackupMade>, Fault> {
    let Some(_lock) = GateLock::try_acquire(home).map_err(|error| error.fault())? else { return Ok(None) };
    back_up_locked(home, None).await.map(Some)
}

/// Puts a backup in the record's place; what was there is set aside.
///
/// # Errors
/// When a gate runs, or the file is no sound backup of this or an earlier schema. Nothing is changed
/// then.
pub async fn restore(home: &Home, backup: &Path) -> Result<RestoreMade, Fault> {
    let Some(_lock) = GateLock::try_acquire(home).map_err(|error| error.fault())? else {
        return Err(Fault::new(
            Code::InvalidInput,
            "A gate is running and uses the record.",
            "Stop it with `review-gate stop`, then restore; what is pending stays pending.",
        ));
    };
    let made = gate_store::restore_backup(&home.database(), backup, System.now()).await?;
    // Should it be damaged one day, it must not be put together from what it has replaced. No other
    // backup goes for it: the person may be trying one after the other.
    if let Err(fault) = back_up_locked(home, Some(0)).await {
        tracing::warn!(%fault, "the restored record could not be backed up");
    }
    Ok(made)
}

/// The settings of a home where no gate runs.
fn settings_of(home: &Home) -> Settings {
    let file = SettingsFile::at(home.config_file()).holding(Held::of_home(home.window_mark().exists()));
    file.load(&Overlay::of_process(Values::new())).settings
}

/// Makes a backup and keeps so many; as many as the settings say where none is given.
async fn back_up_locked(home: &Home, keep: Option<usize>) -> Result<BackupMade, Fault> {
    let settings = settings_of(home);
    let backups = home.backups_folder();
    let options = OpenOptions {
        path: home.database(),
        max_pages: None,
        journal: journal(&settings),
        backups: Some(backups.clone()),
        voucher: Some(voucher(home.data_folder().to_owned())),
        now: System.now(),
    };
    let store = Store::open(&options).await?.store;
    let keep = keep.unwrap_or(usize::try_from(settings.storage.backups).unwrap_or(usize::MAX));
    let made = store.backup(&backups, keep, System.now()).await;
    store.close().await;
    let (from, to) = (home.data_folder().to_owned(), backups);
    blocking(move || copy_sound_log(&from, &to)).await?;
    Ok(made?)
}
