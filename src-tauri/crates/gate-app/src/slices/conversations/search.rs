//! Conversations by their words. The index is made from the record, in the background and by a search that finds it
//! behind.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use gate_core::search::Words;
use gate_core::{ConversationQuery, Fault, Found, Page, Place};
use gate_store::{SearchIndex, Store};
use tokio::sync::{Notify, OnceCell};

/// Messages that a search brings into the index itself; more are left to the background.
const FEW: u64 = 500;

/// The search index of the record.
#[derive(Debug)]
pub(crate) struct Search {
    store: Store,
    file: PathBuf,
    /// Opened when it is first needed.
    index: OnceCell<SearchIndex>,
    /// Something was said that the index doesn't know yet.
    said: Notify,
    /// Conversations were deleted whose words the index still holds.
    deleted: AtomicBool,
}

impl Search {
    /// The index in this file.
    pub(super) fn new(store: Store, file: PathBuf) -> Self {
        Self { store, file, index: OnceCell::new(), said: Notify::new(), deleted: AtomicBool::default() }
    }

    /// Something was said.
    pub(crate) fn said(&self) {
        self.said.notify_one();
    }

    /// Conversations were deleted.
    pub(super) fn conversations_deleted(&self) {
        self.deleted.store(true, Ordering::Relaxed);
        self.said.notify_one();
    }

    /// Conversations that hold these words, by their newest such message; all of them where there are none.
    pub(super) async fn find(
        &self,
        text: &str,
        query: &ConversationQuery,
        after: Option<Place>,
    ) -> Result<Page<Found>, Fault> {
        let Some(words) = Words::parse(text)? else { return Ok(Page { items: Vec::new(), next: None }) };
        let index = self.index().await?;
        // What was just said is found at once.
        if (1..=FEW).contains(&index.missing().await?) {
            index.catch_up().await?;
        }
        let found = index.find(&words, query, after).await?;
        if index.missing().await? > 0 {
            self.said.notify_one();
        }
        Ok(found)
    }

    /// Messages that the index doesn't know yet.
    pub(crate) async fn missing(&self) -> Result<u64, Fault> {
        Ok(self.index().await?.missing().await?)
    }

    /// A message is no longer in the record: its words leave the index.
    pub(crate) async fn forget_message(&self, message: i64) {
        let Some(index) = self.index.get() else { return };
        if let Err(error) = index.forget(message).await {
            tracing::warn!(%error, "words of a message that was taken back stay in the index");
        }
    }

    /// Brings into the index what is said, without an end.
    ///
    /// # Errors
    /// When the index can't be opened.
    pub(crate) async fn keep(&self) -> Result<(), Fault> {
        let index = self.index().await?;
        loop {
            match index.catch_up().await {
                Ok(0) => {
                    if self.deleted.swap(false, Ordering::Relaxed) {
                        sweep(index).await;
                    }
                    self.said.notified().await;
                }
                // Others have their turn in between.
                Ok(_) => tokio::task::yield_now().await,
                Err(error) => {
                    tracing::warn!(%error, "the search index could not be brought up to date");
                    self.said.notified().await;
                }
            }
        }
    }

    /// Closes the index where it was opened.
    pub(crate) async fn close(&self) {
        if let Some(index) = self.index.get() {
            index.close().await;
        }
    }

    async fn index(&self) -> Result<&SearchIndex, Fault> {
        let open = || SearchIndex::open(&self.store, &self.file);
        self.index.get_or_try_init(open).await.map_err(|error| {
            let fault = Fault::from(error);
            Fault::new(fault.code, format!("Search doesn't work: {}", fault.message), fault.mend)
        })
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
