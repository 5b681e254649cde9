//! Requests that an agent reads again: closed ones whose reply was delivered. Nothing about them
//! changes any more, so the ones read last are kept in memory.

use gate_core::{RequestId, RequestStatus};
use gate_store::Standing;

use crate::recent::{Recent, Since};

/// Most requests that are kept.
const REQUESTS: usize = 64;
/// Largest reply that is kept, in bytes of its texts.
const REPLY_BYTES: usize = 16 * 1024;

/// The requests that were read last.
#[derive(Debug)]
pub(crate) struct Settled(Recent<Standing>);

impl Default for Settled {
    fn default() -> Self {
        Self(Recent::of(REQUESTS))
    }
}

impl Settled {
    /// A request that is kept.
    pub(crate) fn get(&self, request: RequestId) -> Option<Standing> {
        self.0.get(request)
    }

    /// As [`Recent::before_reading`].
    pub(crate) fn before_reading(&self) -> Since {
        self.0.before_reading()
    }

    /// Keeps a request if nothing about it can change any more, and nothing was cleared since it was read.
    pub(crate) fn keep(&self, request: RequestId, standing: &Standing, since: Since) {
        if is_settled(standing) && bytes(standing) <= REPLY_BYTES {
            self.0.keep(request, standing, since);
        }
    }

    /// As [`Recent::clear`].
    pub(crate) fn clear(&self) {
        self.0.clear();
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
            kind: gate_core::RequestKind::Chat,
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
    fn large_ones_do_not_stay() {
        let settled = Settled::default();
        let large = RequestId(Uuid::now_v7());
        settled.keep(large, &answered(&"x".repeat(REPLY_BYTES + 1), true), settled.before_reading());
        assert_eq!(settled.get(large), None, "a large reply is read from the record");
    }
}
