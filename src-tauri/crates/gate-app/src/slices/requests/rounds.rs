//! Questions that ask the person to decide a round of a review. The gate asks them itself: no call stands for one, and
//! none is withdrawn by an agent.

use std::sync::Arc;

use gate_core::clients::Transport;
use gate_core::{
    Ask, Caller, Code, Decision, Declared, Fault, Given, OwnerId, RequestId, RequestStatus, SessionUuid, bounds,
};
use gate_mcp::Call;

use super::{Requests, checked};
use crate::unknown::unknown_session;
use crate::work::whole;

/// A reply that the person may yet take back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeldReply {
    /// What they decided.
    pub(crate) decision: Option<Decision>,
    /// How they gave it.
    pub(crate) given: Given,
}

impl Requests {
    /// Asks the person to decide a round, in the session of whoever proposed it. With the same key, it is asked once.
    ///
    /// # Errors
    /// `too_many` where as many requests are pending as may, and what the record says.
    pub(crate) async fn ask_round(
        self: &Arc<Self>,
        session: SessionUuid,
        caller: Caller,
        ask: Ask,
        call_key: String,
    ) -> Result<RequestId, Fault> {
        if let Some(request) = self.store.request_of_call(&call_key).await? {
            return Ok(request);
        }
        if self.queue.board.len() >= bounds::PENDING_REQUESTS {
            return Err(Fault::new(
                Code::TooMany,
                format!("{} requests are pending already.", bounds::PENDING_REQUESTS),
                "Answer some of them.",
            ));
        }
        let owned = self.store.owner_of_session(session).await?.ok_or_else(|| unknown_session(session))?;
        let now = self.bus.now();
        let call = Call {
            ask,
            session_uuid: Some(session),
            request_id: None,
            caller,
            declared: Declared { transport: None::<Transport>, ..Declared::default() },
            call_key: call_key.clone(),
            agent: self.conversations.sessions.agent(session),
            owner: owned.owner.unwrap_or_else(|| OwnerId::Holder.into()),
            patience_millis: 0,
        };
        let requests = Arc::clone(self);
        whole(async move {
            let (ask, question) = checked(&call).await?;
            let asked = requests.open(call, ask, question, now, now).await?;
            // Nobody waits for it by a call.
            requests.store.gives_no_reply(&call_key).await?;
            Ok(asked.request_id)
        })
        .await
    }

    /// Withdraws such a question. One that is answered stays.
    pub(crate) async fn withdraw_round(self: &Arc<Self>, request: RequestId) -> Result<(), Fault> {
        match self.close(request, None, true).await {
            Err(fault) if fault.code == Code::NotPending => Ok(()),
            other => other,
        }
    }

    /// What the person has replied and may yet take back; absent where no reply is held.
    pub(crate) async fn held_reply(&self, request: RequestId) -> Result<Option<HeldReply>, Fault> {
        if !self.queue.board.is_held(request) {
            return Ok(None);
        }
        let standing = self.store.standing(request).await?;
        let reply = standing.filter(|standing| standing.status == RequestStatus::Answered).and_then(|held| held.reply);
        Ok(reply.map(|reply| HeldReply {
            decision: reply.decision,
            given: Given { from: reply.answered_from, assurance: reply.assurance },
        }))
    }
}
