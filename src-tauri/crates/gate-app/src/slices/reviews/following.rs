//! Threads that began on earlier rounds, at the round that is looked at. Where their lines are is gate-core's
//! (`proposal/follow.rs`); here is which diffs are read for that.

use std::collections::HashMap;

use gate_core::Fault;
use gate_core::diff::{self, DiffView};
use gate_core::proposal::{Anchor, Followed, ReviewId, ReviewStore as _, StoredRound, StoredThread, ThreadId, follow};

use super::Reviews;
use crate::work::blocking;

/// Bytes of earlier rounds' diffs that are read for one look, the latest first. What began before stays where it began.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// An earlier round's diff, with the open threads that began on it.
pub(super) struct Earlier {
    diff: String,
    threads: Vec<(ThreadId, Anchor)>,
}

impl Reviews {
    /// The threads of a review, the open ones with where they stand in its newest round.
    pub(super) async fn threads_now(&self, review: ReviewId) -> Result<Vec<StoredThread>, Fault> {
        let mut threads = self.store.threads(review).await?;
        let Some(first) = threads.iter().filter(|thread| !thread.resolved).map(|thread| thread.round).min() else {
            return Ok(threads);
        };
        let rounds = self.store.rounds(review, first).await?;
        let Some(newest) = rounds.last() else { return Ok(threads) };
        let earlier = self.earlier(&threads, &rounds, newest.round).await?;
        if earlier.is_empty() {
            return Ok(threads);
        }
        let text = self.text_of(newest.diff_sha256).await?;
        let read = move || Ok(diff::parse(&text).map(|later| followed(&earlier, &later)).unwrap_or_default());
        let mut places = blocking(read).await?;
        for thread in &mut threads {
            thread.follows = places.remove(&thread.thread_id);
        }
        Ok(threads)
    }

    /// The rounds before this one on which threads began that are open.
    pub(super) async fn earlier(
        &self,
        threads: &[StoredThread],
        rounds: &[StoredRound],
        round: u32,
    ) -> Result<Vec<Earlier>, Fault> {
        let (mut found, mut bytes) = (Vec::new(), 0_usize);
        for before in rounds.iter().rev().filter(|before| before.round < round) {
            let open = threads.iter().filter(|thread| thread.round == before.round && !thread.resolved);
            let threads: Vec<_> = open.map(|thread| (thread.thread_id, thread.anchor.clone())).collect();
            if threads.is_empty() {
                continue;
            }
            let diff = self.text_of(before.diff_sha256).await?;
            bytes = bytes.saturating_add(diff.len());
            if bytes > MOST_BYTES {
                break;
            }
            found.push(Earlier { diff, threads });
        }
        Ok(found)
    }
}

/// Where they stand in a later round's diff.
pub(super) fn followed(earlier: &[Earlier], later: &DiffView) -> HashMap<ThreadId, Followed> {
    let mut found = HashMap::new();
    for Earlier { diff, threads } in earlier {
        let before = diff::parse(diff).unwrap_or_default();
        let places = follow(threads.iter().map(|(_, place)| place), &before, later);
        found.extend(threads.iter().map(|(thread, _)| *thread).zip(places));
    }
    found
}
