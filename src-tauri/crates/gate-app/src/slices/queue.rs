//! The requests in memory: those that are pending and who waits for each of them, the relays that are connected
//! and their agents, and the closed ones that agents read again. The record is the truth.

mod agents;
mod board;
mod relays;
mod settled;

use std::collections::HashMap;

use gate_core::Fault;
use gate_store::Store;

pub(crate) use agents::Agents;
pub(crate) use board::{Arrived, Board, Held, QuestionKey, summary};
pub(crate) use relays::Relays;
pub(crate) use settled::{Settled, is_settled};

/// The requests in memory.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    pub(crate) board: Board,
    pub(crate) relays: Relays,
    pub(crate) agents: Agents,
    pub(crate) settled: Settled,
}

impl Queue {
    /// Reads the pending requests.
    pub(crate) async fn open(store: &Store) -> Result<Self, Fault> {
        let queue = Self::default();
        let questions = store.pending_questions().await?.into_iter();
        let mut questions: HashMap<_, _> =
            questions.filter_map(|stored| Some((stored.request_id, QuestionKey::restored(stored)?))).collect();
        let files = store.pending_files().await?;
        for request in store.pending().await? {
            let id = request.request_id;
            queue.board.restore(&request, questions.remove(&id), files.get(&id).copied().unwrap_or(0));
        }
        for (request, snooze) in store.snoozed().await? {
            queue.board.snooze(request, Some(snooze));
        }
        Ok(queue)
    }
}
