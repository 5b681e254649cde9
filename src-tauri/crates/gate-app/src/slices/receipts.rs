//! Receipts: whatever a person gives has a line in `receipts.log`, on disk before anybody is told of it, and an agent
//! gets a reply only where its line fits. What a line is stands in gate-receipts. Knows no queue, no window and no
//! setting; whoever calls says where something was given and for how long it is held.

mod anchor;
mod beginning;
mod beside;
mod coming;
mod commands;
mod fits;
mod journal;
mod lines;
mod owed;
mod seats;
mod shown;
mod signed;
mod told;
mod views;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use gate_core::{Code, Digest, Fault, RequestId, Seat, Timestamp};
use gate_receipts::{Appended, Chain, Fingerprint, Log, Noticed, Reading, Said};
use gate_store::{Store, StoredAbout};

use crate::bus::Bus;
use crate::slices::system::System;
use crate::work::blocking;
use anchor::Remembered;
pub(crate) use beginning::Before;
use coming::{Coming, Mark};
pub(crate) use fits::{Fit, Receipt, Why, level_of, voucher};
use journal::Journal;
pub(crate) use journal::JournalAt;
pub(crate) use lines::{Giving, Receipted, given};
use owed::Owed;
pub(crate) use signed::Drawn;
pub(crate) use told::{changed_since, not_given, planted_browsers, planted_guards, unsent};
pub(crate) use views::copy_sound_log;

/// The receipts of a running gate.
#[derive(Debug)]
pub(crate) struct Receipts {
    store: Store,
    bus: Bus,
    folder: PathBuf,
    /// Where the window is shown, as far as the system tells.
    seat: Option<Seat>,
    /// Waits for the disk: locked off the async threads only.
    log: Arc<Mutex<Option<Log>>>,
    remembered: Arc<Remembered>,
    /// Says which key of a service's is this machine's own.
    system: Arc<System>,
    /// The system's journal, where it has one.
    journal: Option<Arc<Journal>>,
    coming: Coming,
    /// What the counters of security keys were with the last signatures that they gave here.
    counters: Arc<Mutex<HashMap<Fingerprint, u32>>>,
    owed: Owed,
    /// Requests whose replies weren't delivered when the chain broke: they are to become drafts.
    orphaned: Mutex<Vec<RequestId>>,
}

impl Receipts {
    /// The service by which approvals are confirmed to the system.
    pub(crate) fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// Does something with the log, off the async threads.
    async fn with_log<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Log) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let log = Arc::clone(&self.log);
        blocking(move || {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            let gone =
                || Fault::new(Code::ShuttingDown, "The gate is being stopped.", "Start it again, then try again.");
            work(log.as_mut().ok_or_else(gone)?)
        })
        .await
    }

    /// Lets go of the log, after the record knows how far it went.
    pub(crate) async fn close(&self) {
        self.flush().await;
        if let Some(journal) = &self.journal {
            journal.tell();
        }
        let log = Arc::clone(&self.log);
        let closed = blocking(move || {
            log.lock().unwrap_or_else(PoisonError::into_inner).take();
            Ok(())
        });
        // What can't be let go goes with the process.
        let _ = closed.await;
    }

    /// Looks things up in all lines. The first time, and whenever somebody else touched the file, that reads all of it;
    /// one in which something is wrong is set aside before.
    ///
    /// # Errors
    /// When the log can't be used, and those of `look`.
    pub(crate) async fn chain<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Chain) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let now = self.reading();
        let (found, noticed) = self
            .with_log(move |log| {
                if !log.chain()?.report().is_whole() {
                    log.check(now)?;
                }
                let found = look(log.chain()?)?;
                Ok((found, log.noticed()))
            })
            .await?;
        self.notice(noticed);
        Ok(found)
    }

    /// Writes a line, and gives its digest once it is on disk.
    ///
    /// # Errors
    /// When it can't be written: it isn't there then.
    pub(crate) async fn append(&self, said: Said) -> Result<Digest, Fault> {
        self.append_at(said, self.reading()).await
    }

    /// As [`Self::append`], of a moment that the line speaks of.
    async fn append_at(&self, said: Said, now: Reading) -> Result<Digest, Fault> {
        let appended = self.with_log(move |log| Ok(log.append(said, now)?)).await?;
        Ok(self.appended(appended))
    }

    /// Tells what was noticed with a line that was written, and gives its digest.
    fn appended(&self, appended: Appended) -> Digest {
        let Appended { line, head, noticed, untold } = appended;
        self.notice(noticed);
        if let Some(millis) = line.step {
            self.bus.warn(told::clock_was_set(millis));
        }
        for silent in untold {
            tracing::warn!(by = silent.by, why = silent.why, "how far the receipts went can't be remembered");
        }
        head.line
    }

    /// What the clocks say.
    fn reading(&self) -> Reading {
        Reading { at: self.bus.now(), steady: self.bus.steady() }
    }

    /// Tells the person what was noticed of the log while the gate runs.
    fn notice(&self, noticed: Noticed) {
        let Noticed { broken, cut, unknown, silent } = noticed;
        for silent in silent {
            tracing::warn!(by = silent.by, why = silent.why, "how far the receipts went can't be asked");
        }
        if cut > 0 {
            tracing::warn!(bytes = cut, "the last line of the receipts was never whole and was cut off");
        }
        if !unknown.is_empty() {
            self.bus.warn(told::foreign_lines(unknown.len()));
        }
        if let Some(broken) = broken {
            self.bus.warn(told::broken(&broken));
            let mut orphaned = self.orphaned.lock().unwrap_or_else(PoisonError::into_inner);
            orphaned.extend(broken.undelivered.into_iter().map(|left| left.request));
        }
    }

    /// The requests whose replies weren't delivered when the chain broke, and that nobody has taken care of yet.
    pub(crate) fn take_orphaned(&self) -> Vec<RequestId> {
        std::mem::take(&mut *self.orphaned.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes that a reply is about to be stored, until the result is dropped: nobody is told of it before.
    pub(crate) fn coming(&self, request: RequestId) -> Mark<'_> {
        self.coming.mark(request)
    }

    /// Whether a reply to a request is just being stored.
    pub(crate) fn is_coming(&self, request: RequestId) -> bool {
        self.coming.is_marked(request)
    }

    /// Resolves when no reply to a request is just being stored.
    pub(crate) async fn landed(&self, request: RequestId) {
        self.coming.landed(request).await;
    }

    /// When the first log began.
    pub(crate) fn began(&self) -> Timestamp {
        self.remembered.began()
    }

    /// What is remembered of a receipt in the record, soon.
    fn remember(&self, about: StoredAbout) {
        self.remembered.add(about);
    }

    /// Says how far the log went, whenever it went further: to the record, and to the system's journal. Holds the log
    /// against what is known beside it, once that is.
    pub(crate) async fn keep(&self) {
        let journal = async {
            if let Some(journal) = &self.journal {
                journal.keep().await;
            }
        };
        tokio::join!(self.keep_record(), journal, self.look_beside());
    }

    async fn keep_record(&self) {
        loop {
            self.remembered.wanted().await;
            self.flush().await;
        }
    }

    /// Writes into the record what it doesn't know yet.
    pub(crate) async fn flush(&self) {
        let Some((known, abouts)) = self.remembered.take() else { return };
        if let Err(error) = self.store.remember_receipts(&known, &abouts).await {
            tracing::warn!(%error, "how far the receipts went can't be remembered");
            self.remembered.give_back(abouts);
        }
    }
}

/// A reply without its receipt, which was taken back.
pub(crate) fn not_receipted(fault: &Fault) -> Fault {
    if fault.code == Code::NotSigned {
        return Fault::new(fault.code, fault.message.clone(), format!("What you wrote is still there. {}", fault.mend));
    }
    Fault::new(
        if fault.code == Code::DiskFull { Code::DiskFull } else { Code::Receipts },
        format!("The reply wasn't sent, since its receipt can't be written. {}", fault.message),
        format!("What you wrote is a draft again. {}", fault.mend),
    )
}
