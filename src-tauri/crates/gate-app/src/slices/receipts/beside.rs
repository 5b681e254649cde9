//! What is found out beside the record once the gate runs: how far the log went by the word of the system's service, where
//! that couldn't be asked at the start, and of the system's journal. The log is held against it as soon as it is known.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::Duration;

use gate_core::Digest;
use gate_receipts::{Head, NAME};

use super::journal::{Unread, longer};
use super::{Receipts, told};
use crate::work::blocking;

/// In the home where the person was told that the service, which has signed there, is gone.
const MISSED: &str = "service.missed";
/// How much of a log's end is looked through for lines that somebody knows, in bytes.
const WINDOW: u64 = 512 * 1024;
/// Stands in each line that enrols or removes a key, and in no other.
const OF_A_KEY: &str = r#""kind":"key""#;

impl Receipts {
    /// Asks the service and the journal, and holds the log against what they say.
    pub(crate) async fn look_beside(&self) {
        tokio::join!(self.hear_service(), self.hear_journal());
    }

    /// Waits for the service where it couldn't be asked how far the log went. The person is told that long.
    async fn hear_service(&self) {
        if self.system.is_absent() {
            return self.miss_service().await;
        }
        self.note_missed(false).await;
        let unheard = told::unheard();
        // Somebody else may have heard it since the start.
        if self.system.unheard().is_none() && !self.bus.warnings().contains(&unheard) {
            return;
        }
        self.bus.warn(unheard.clone());
        self.system.heard().await;
        self.hold_against_others().await;
        self.bus.take_back_warnings(&[&unheard]);
    }

    /// Where a service has signed that isn't installed here any more, the person is told once, and nobody asks for it. Where
    /// it is installed again, whoever asks it for something hears what it remembers.
    async fn miss_service(&self) {
        if !self.was_signed_by_a_service().await {
            return;
        }
        let gone = told::service_is_gone();
        if self.note_missed(true).await {
            self.bus.warn(gone.clone());
        }
        self.system.learned().await;
        self.note_missed(false).await;
        self.hold_against_others().await;
        self.bus.take_back_warnings(&[&gone]);
    }

    /// Remembers in the home whether the person was told that the service is gone. Gives whether that is new.
    async fn note_missed(&self, is_missed: bool) -> bool {
        let file = self.folder.join(MISSED);
        let note = move || {
            let is_new = file.exists() != is_missed;
            // Where it can't be noted, it is told again.
            let noted = match is_missed {
                _ if !is_new => Ok(()),
                true => std::fs::write(&file, ""),
                false => std::fs::remove_file(&file),
            };
            if let Err(error) = noted {
                tracing::debug!(%error, "whether the service is missed can't be noted");
            }
            Ok(is_new)
        };
        blocking(note).await.unwrap_or(true)
    }

    /// Whether such a service ever signed for this home. The log is gone through for a key's line, and its chain is read
    /// only where there is one.
    async fn was_signed_by_a_service(&self) -> bool {
        let path = self.folder.join(NAME);
        let has_key = move || {
            let read = std::fs::read(path).unwrap_or_default();
            Ok(String::from_utf8_lossy(&read).contains(OF_A_KEY))
        };
        if !blocking(has_key).await.unwrap_or(false) {
            return false;
        }
        let signed = self.chain(|chain| Ok(chain.keys().of_services().next().is_some())).await;
        signed.unwrap_or_else(|fault| {
            tracing::warn!(%fault, "whether a service signed here can't be read");
            false
        })
    }

    /// Reads what the journal remembers, again and again where that fails, each time with more patience.
    async fn hear_journal(&self) {
        let Some(journal) = &self.journal else { return };
        let mut patience = journal.patience();
        while !self.read_journal(patience).await {
            tokio::time::sleep(patience).await;
            patience = longer(patience);
        }
    }

    /// Reads what the journal remembers, and gives whether that is done. One that is slow is nobody's fault.
    pub(super) async fn read_journal(&self, patience: Duration) -> bool {
        let Some(journal) = &self.journal else { return true };
        let unread = told::unread_journal(&Unread::TooMuch.to_string());
        match journal.read(self.bus.now(), patience).await {
            Ok(heads) => {
                let folder = self.folder.clone();
                let has_all = blocking(move || Ok(has_all(&folder, &heads))).await;
                if !has_all.unwrap_or(false) {
                    self.hold_against_others().await;
                }
                self.bus.take_back_warnings(&[&unread]);
                return true;
            }
            Err(Unread::TooMuch) => self.bus.warn(unread),
            Err(Unread::Slow) => tracing::debug!(?patience, "the journal isn't read in time"),
        }
        false
    }

    /// Holds the whole log against what is known beside it.
    async fn hold_against_others(&self) {
        let now = self.reading();
        match self.with_log(move |log| Ok(log.check(now)?.1)).await {
            Ok(noticed) => self.notice(noticed),
            Err(fault) => tracing::warn!(%fault, "the receipts can't be held against what is known of them"),
        }
    }
}

/// Whether the end of a folder's log has all of these lines. Where one stands before that, it isn't known.
fn has_all(folder: &Path, heads: &[Head]) -> bool {
    if heads.is_empty() {
        return true;
    }
    let read = || {
        let mut file = File::open(folder.join(NAME))?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(WINDOW)))?;
        let mut end = Vec::new();
        file.take(WINDOW).read_to_end(&mut end).map(|_| end)
    };
    let end: std::io::Result<Vec<u8>> = read();
    let end = end.unwrap_or_default();
    let lines: HashSet<Digest> = end.split(|byte| *byte == b'\n').map(Digest::of_bytes).collect();
    heads.iter().all(|head| lines.contains(&head.line))
}
