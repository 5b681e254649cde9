//! Requests that an agent reads again: closed ones whose reply was delivered. Nothing about them
//! changes any more, so the ones read last are kept in memory.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gate_core::{RequestId, RequestStatus};
use gate_store::Standing;

/// Most requests that are kept; the one that came first goes first.
const REQUESTS: usize = 64;
/// Largest reply that is kept, in bytes of its texts.
const REPLY_BYTES: usize = 16 * 1024;

/// The requests that were read last.
#[derive(Debug, Default)]
pub(crate) struct Settled(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    requests: VecDeque<(RequestId, Standing)>,
    /// How often all of them were dropped.
    cleared: u64,
}

/// A moment before something is read: what is cleared since makes it old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Since(u64);

impl Settled {
    /// A request that is kept.
    pub(crate) fn get(&self, request: RequestId) -> Option<Standing> {
        self.lock().requests.iter().find(|(kept, _)| *kept == request).map(|(_, standing)| standing.clone())
    }

    /// Before a request is read that is to be kept.
    pub(crate) fn before_reading(&self) -> Since {
        Since(self.lock().cleared)
    }

    /// Keeps a request if nothing about it can change any more, and nothing was cleared since it was read.
    pub(crate) fn keep(&self, request: RequestId, standing: &Standing, since: Since) {
        if !is_settled(standing) || bytes(standing) > REPLY_BYTES {
            return;
        }
        let mut kept = self.lock();
        if Since(kept.cleared) != since || kept.requests.iter().any(|(other, _)| *other == request) {
            return;
        }
        if kept.requests.len() >= REQUESTS {
            kept.requests.pop_front();
        }
        kept.requests.push_back((request, standing.clone()));
    }

    /// Keeps none of them any longer, nor what is just being read.
    pub(crate) fn clear(&self) {
        let mut kept = self.lock();
        kept.requests.clear();
        kept.cleared += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a request is closed and, if it was answered, an agent has the reply.
pub(crate) fn is_settled(standing: &Standing) -> bool {
    match standing.status {
        RequestStatus::Pending => false,
        RequestStatus::Answered => standing.delivered,
        RequestStatus::Cancelled | RequestStatus::Expired => true,
    }
}

fn bytes(standing: &Standing) -> usize {
    let Some(reply) = &standing.reply else { return 0 };
    let selected: usize = reply.selected.iter().map(String::len).sum();
    let comments: usize = reply.comments.iter().map(|comment| comment.file.len() + comment.body.len()).sum();
    let remarks: usize = reply.remarks.iter().map(|remark| remark.quote.len() + remark.body.len()).sum();
    reply.text.len() + selected + comments + remarks
}

#[cfg(test)]
mod tests {
    use gate_core::{AnsweredFrom, Assurance, Reply, SessionUuid, Timestamp};
    use uuid::Uuid;

    use super::*;

    fn answered(text: &str, delivered: bool) -> Standing {
        let reply = Reply {
            decision: None,
            text: text.to_owned(),
            selected: Vec::new(),
            comments: Vec::new(),
            remarks: Vec::new(),
            attachments: Vec::new(),
            answered_at: Timestamp(1),
            answered_from: AnsweredFrom::Desktop,
            assurance: Assurance::L1,
            imported_at: None,
        };
        let (session_uuid, status) = (SessionUuid(Uuid::now_v7()), RequestStatus::Answered);
        Standing {
            session_uuid,
            status,
            approval: false,
            delivered,
            reply: Some(reply),
            digest: None,
            git: None,
            receipt: None,
        }
    }

    #[test]
    fn only_what_can_no_longer_change_is_kept() {
        let settled = Settled::default();
        let id = RequestId(Uuid::now_v7());
        settled.keep(id, &answered("yes", false), settled.before_reading());
        assert_eq!(settled.get(id), None, "its reply is still to be delivered");
        let done = answered("yes", true);
        settled.keep(id, &done, settled.before_reading());
        assert_eq!(settled.get(id), Some(done), "now it stays as it is");
    }

    #[test]
    fn what_was_read_before_it_was_revoked_is_not_kept_after() {
        let settled = Settled::default();
        let id = RequestId(Uuid::now_v7());
        let since = settled.before_reading();
        settled.clear();
        settled.keep(id, &answered("yes", true), since);
        assert_eq!(settled.get(id), None, "it may be what was revoked");
        settled.keep(id, &answered("yes", true), settled.before_reading());
        assert!(settled.get(id).is_some(), "what is read behind it is as it stands");
    }

    #[test]
    fn many_and_large_ones_do_not_stay() {
        let settled = Settled::default();
        let ids: Vec<RequestId> = (0..=REQUESTS).map(|_| RequestId(Uuid::now_v7())).collect();
        for id in &ids {
            settled.keep(*id, &answered("yes", true), settled.before_reading());
        }
        assert_eq!(settled.get(ids[0]), None, "the first one has made room");
        assert!(settled.get(ids[1]).is_some(), "for one");
        let large = RequestId(Uuid::now_v7());
        settled.keep(large, &answered(&"x".repeat(REPLY_BYTES + 1), true), settled.before_reading());
        assert_eq!(settled.get(large), None, "a large reply is read from the record");
    }
}
