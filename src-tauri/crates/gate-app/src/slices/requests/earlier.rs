//! Replies that their agent hasn't fetched. A result of another question never holds one: beside it, the agent is told
//! which requests were answered, and fetches a reply by naming its request.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gate_core::outcome::Earlier;
use gate_core::{Fault, RequestId, RequestStatus, SessionUuid};

use super::Requests;

/// How often an agent is told of one reply, while this gate runs.
const TOLD_TIMES: u8 = 10;
/// Most replies that one result tells of.
const TOLD_AT_ONCE: usize = 20;

/// What is known of the replies that wait for their agents.
#[derive(Debug, Default)]
pub(crate) struct Unfetched(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Sessions that have none: nothing need be read for them.
    none: HashSet<SessionUuid>,
    /// How many replies came so far. What was read before the last one says nothing of it.
    replies: u64,
    /// How often each was told of.
    told: HashMap<SessionUuid, HashMap<RequestId, u8>>,
}

impl Unfetched {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A reply is in the record; of an unknown session where it isn't named.
    pub(super) fn replied(&self, session: Option<SessionUuid>) {
        let mut known = self.lock();
        known.replies += 1;
        match session {
            Some(session) => {
                known.none.remove(&session);
            }
            None => known.none.clear(),
        }
    }

    /// How many replies came before the record is read for this session; absent where it need not be.
    fn before_reading(&self, session: SessionUuid) -> Option<u64> {
        let known = self.lock();
        (!known.none.contains(&session)).then_some(known.replies)
    }

    /// What the record says of a session, and how many replies came before it was read.
    fn read(&self, session: SessionUuid, replies: u64, waiting: &[RequestId]) {
        let mut known = self.lock();
        if waiting.is_empty() {
            known.told.remove(&session);
            if known.replies == replies {
                known.none.insert(session);
            }
        } else if let Some(told) = known.told.get_mut(&session) {
            told.retain(|request, _| waiting.contains(request));
        }
    }

    /// Counts that an agent is told of a reply. False where it was told often enough.
    fn tell(&self, session: SessionUuid, request: RequestId) -> bool {
        let mut known = self.lock();
        let times = known.told.entry(session).or_default().entry(request).or_default();
        let tells = *times < TOLD_TIMES;
        *times += u8::from(tells);
        tells
    }
}

impl Requests {
    /// The replies to earlier requests of a session that its agent hasn't fetched and that are on their way with no other
    /// call, the oldest first. Each is told of ten times at most.
    pub(crate) async fn earlier(&self, session: SessionUuid) -> Vec<Earlier> {
        let Some(replies) = self.unfetched.before_reading(session) else { return Vec::new() };
        Box::pin(self.unfetched_of(session, replies)).await.unwrap_or_else(|fault| {
            tracing::warn!(%fault, "replies that wait for their agent can't be looked for");
            Vec::new()
        })
    }

    async fn unfetched_of(&self, session: SessionUuid, replies: u64) -> Result<Vec<Earlier>, Fault> {
        let waiting = self.store.undelivered(session).await?;
        let requests: Vec<RequestId> = waiting.iter().map(|(request, _)| *request).collect();
        self.unfetched.read(session, replies, &requests);
        let free = |request| !self.queue.board.is_held(request) && !self.queue.board.is_attended(request);
        let mut earlier = Vec::new();
        for (request_id, answered_at) in waiting.into_iter().filter(|(request, _)| free(*request)) {
            if earlier.len() == TOLD_AT_ONCE {
                break;
            }
            // What wasn't given here is nothing to fetch.
            let standing = self.standing(request_id).await;
            let is_given = matches!(standing, Ok(Some(standing)) if standing.status == RequestStatus::Answered);
            if is_given
                && let Some(request) = self.store.request(request_id).await?
                && self.unfetched.tell(session, request_id)
            {
                earlier.push(Earlier { request_id, title: request.ask.headline(), answered_at });
            }
        }
        Ok(earlier)
    }
}
