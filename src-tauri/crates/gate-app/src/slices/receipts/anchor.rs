//! The record as what remembers how far the log went. It is written a moment after the log, with whatever came by
//! then; what it knows less than the log at a start is what a kill came before.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gate_core::{Digest, RequestId};
use gate_receipts::{Anchor, Head};
use gate_store::{ReceiptsKnown, Store, StoredAbout};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use uuid::Uuid;

/// How many lines it remembers: where the newest is damaged, the one before vouches for the rest.
const HEADS: usize = 3;
/// For how long lines are gathered before the record is written.
const GATHER: Duration = Duration::from_millis(250);

/// What the record is to remember.
#[derive(Debug)]
pub(super) struct Remembered {
    home: Uuid,
    state: Mutex<State>,
    wanted: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The newest first.
    heads: Vec<Head>,
    abouts: Vec<StoredAbout>,
    is_new: bool,
}

impl Remembered {
    /// What the record remembers of a home.
    pub(super) fn new(home: Uuid, known: &[(u64, Digest)]) -> Self {
        let heads = known.iter().map(|(seq, line)| Head { seq: *seq, line: *line }).collect();
        let state = State { heads, ..State::default() };
        Self { home, state: Mutex::new(state), wanted: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What of a receipt stays home.
    pub(super) fn add(&self, about: StoredAbout) {
        let mut state = self.lock();
        state.abouts.push(about);
        state.is_new = true;
        drop(state);
        self.wanted.notify_one();
    }

    /// The record knows nothing yet.
    pub(super) fn touch(&self) {
        self.lock().is_new = true;
    }

    /// Resolves a moment after there is something new.
    pub(super) async fn wanted(&self) {
        self.wanted.notified().await;
        tokio::time::sleep(GATHER).await;
    }

    /// What is new; absent where nothing is.
    pub(super) fn take(&self) -> Option<(ReceiptsKnown, Vec<StoredAbout>)> {
        let mut state = self.lock();
        if !std::mem::take(&mut state.is_new) {
            return None;
        }
        let heads = state.heads.iter().map(|head| (head.seq, head.line)).collect();
        let abouts = std::mem::take(&mut state.abouts);
        Some((ReceiptsKnown { home: self.home, heads }, abouts))
    }

    /// What was taken couldn't be written; it goes with what comes next.
    pub(super) fn give_back(&self, mut abouts: Vec<StoredAbout>) {
        let mut state = self.lock();
        abouts.append(&mut state.abouts);
        state.abouts = abouts;
        state.is_new = true;
    }
}

/// The anchor in the record.
#[derive(Debug)]
pub(super) struct OfRecord {
    pub(super) remembered: Arc<Remembered>,
    pub(super) store: Store,
    /// Of the runtime that the store is used on. Anchors are asked off its threads.
    pub(super) runtime: Handle,
}

impl Anchor for OfRecord {
    fn name(&self) -> &'static str {
        "database"
    }

    fn heads(&self) -> Result<Vec<Head>, String> {
        Ok(self.remembered.lock().heads.clone())
    }

    fn keep(&mut self, head: Head) -> Result<(), String> {
        let mut state = self.remembered.lock();
        state.heads.insert(0, head);
        state.heads.truncate(HEADS);
        state.is_new = true;
        drop(state);
        self.remembered.wanted.notify_one();
        Ok(())
    }

    fn undelivered(&self) -> Vec<RequestId> {
        self.runtime.block_on(self.store.all_undelivered()).unwrap_or_else(|error| {
            tracing::warn!(%error, "which replies weren't delivered can't be read");
            Vec::new()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_is_written_once_for_what_came_together() {
        let (home, line) = (Uuid::from_u128(1), Digest::of_bytes(b"a line"));
        let remembered = Remembered::new(home, &[(7, line)]);
        assert_eq!(remembered.take(), None, "nothing is new");
        let about = StoredAbout { about: line, request_id: RequestId(home), said: "{}".to_owned() };
        remembered.add(about.clone());
        let (known, abouts) = remembered.take().expect("it is new");
        assert_eq!((known.home, known.heads, abouts), (home, vec![(7, line)], vec![about.clone()]));
        assert_eq!(remembered.take(), None, "it was taken");
        remembered.give_back(vec![about.clone()]);
        assert_eq!(remembered.take().map(|(_, abouts)| abouts), Some(vec![about]), "what wasn't written isn't lost");
    }
}
