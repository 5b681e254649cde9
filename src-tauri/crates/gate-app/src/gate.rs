//! The controller: every way in or out of the record goes through here.

use std::sync::Arc;

use gate_api::{Event, RequestSummary};
use gate_core::{AnsweredFrom, Code, Draft, Fault, Outcome, RequestId, RequestStatus, SessionUuid, Timestamp, bounds};
use gate_mcp::{Asked, Call};
use gate_store::{NewRequest, Store};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::board::{Board, Fingerprint};
use crate::clock::now;
use crate::settings::Settings;

/// Events that a slow front end may fall behind before it has to look at the whole again.
const EVENTS: usize = 1024;

/// The running gate. Cheap to clone; every clone is the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) board: Board,
    pub(crate) events: broadcast::Sender<Event>,
    pub(crate) settings: Settings,
    pub(crate) warnings: Vec<Fault>,
    pub(crate) home: String,
    pub(crate) command_path: String,
    pub(crate) window: bool,
    pub(crate) stop: CancellationToken,
}

impl Gate {
    /// Makes the controller and reads the pending requests.
    pub(crate) async fn new(inner: Inner) -> Result<Self, Fault> {
        for request in inner.store.pending().await? {
            inner.board.add(&request);
        }
        Ok(Self { inner: Arc::new(inner) })
    }

    /// An empty channel of events; kept here so that its bound has one place.
    pub(crate) fn event_channel() -> broadcast::Sender<Event> {
        broadcast::Sender::new(EVENTS)
    }

    /// What happens from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.inner.events.subscribe()
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// Number of pending requests.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.inner.board.len()
    }

    /// Asks the gate to stop; [`crate::Running::stopped`] resolves.
    pub fn stop(&self) {
        self.inner.stop.cancel();
    }

    pub(crate) fn emit(&self, event: Event) {
        // Nobody listening is fine: a gate without front ends still keeps the record.
        let _ = self.inner.events.send(event);
    }

    fn store(&self) -> &Store {
        &self.inner.store
    }

    /// Stores a question, or finds the request that the call stands for.
    pub(crate) async fn ask(&self, call: Call) -> Result<Asked, Fault> {
        let called_at = now();
        if let Some(request) = self.store().request_of_call(&call.call_key).await? {
            return self.attach(request, &call, called_at, Vec::new()).await;
        }
        if let Some(request) = call.request_id {
            return self.attach(request, &call, called_at, Vec::new()).await;
        }
        if let Some(session) = call.session_uuid {
            if !self.store().session_exists(session).await? {
                return Err(unknown_session(session));
            }
            // Looked at before the record is: a reply that an agent gets in between is in neither.
            let on_the_way = self.inner.board.attended();
            let undelivered = self.store().undelivered(session).await?;
            if let Some(request) = undelivered.into_iter().find(|request| !on_the_way.contains(request)) {
                let note = "This is the reply to an earlier request of yours, which you had not received. Your new \
                            message was not shown to the person; call again if you still need an answer to it.";
                return self.attach(request, &call, called_at, vec![note.to_owned()]).await;
            }
        }
        let ask = call.ask.clone().checked()?;
        let fingerprint = Fingerprint::new(&call.caller, &ask);
        if let Some(request) = self.inner.board.abandoned(&fingerprint) {
            let note = "You asked this before; the person still sees that request, and it was not opened twice.";
            return self.attach(request, &call, called_at, vec![note.to_owned()]).await;
        }
        if self.inner.board.len() >= bounds::PENDING_REQUESTS {
            return Err(Fault::new(
                Code::TooMany,
                format!("{} requests are pending already.", bounds::PENDING_REQUESTS),
                "Wait until the person has answered some of them.",
            ));
        }
        let new = NewRequest {
            request_id: RequestId(Uuid::now_v7()),
            session_uuid: call.session_uuid.unwrap_or_else(|| SessionUuid(Uuid::now_v7())),
            ask,
            caller: call.caller.clone(),
            call_key: call.call_key.clone(),
            now: called_at,
        };
        self.store().ask(&new).await?;
        let request = gate_core::ReviewRequest {
            request_id: new.request_id,
            session_uuid: new.session_uuid,
            ask: new.ask,
            caller: new.caller,
            status: RequestStatus::Pending,
            created_at: called_at,
        };
        self.inner.board.add(&request);
        // A terminal may have answered the row before it was on the board.
        if self.store().status(request.request_id).await? != Some(RequestStatus::Pending) {
            self.inner.board.close(request.request_id);
        }
        let until = called_at.plus_millis(call.patience_millis);
        let presence = self.presence(request.request_id, until, true);
        Ok(Asked {
            request_id: request.request_id,
            session_uuid: request.session_uuid,
            approval: request.ask.approval,
            until,
            notes: Vec::new(),
            presence: Box::new(presence),
        })
    }

    /// Lets a call wait for a request that exists already.
    async fn attach(
        &self,
        request: RequestId,
        call: &Call,
        called_at: Timestamp,
        notes: Vec<String>,
    ) -> Result<Asked, Fault> {
        let stored = self.store().request(request).await?.ok_or_else(|| unknown_request(request))?;
        let since = self.store().bind_call(&call.call_key, request, called_at).await?;
        let until = since.plus_millis(call.patience_millis);
        let presence = self.presence(request, until, false);
        Ok(Asked {
            request_id: request,
            session_uuid: stored.session_uuid,
            approval: stored.ask.approval,
            until,
            notes,
            presence: Box::new(presence),
        })
    }

    /// Counts a waiting call and tells the front ends, until the result is dropped.
    fn presence(&self, request: RequestId, until: Timestamp, new: bool) -> Presence {
        self.inner.board.attend(request);
        let arrived = self.inner.board.arrive(request, until);
        let number = arrived.map(|(number, summary)| {
            self.emit(if new {
                Event::RequestAdded { request: summary }
            } else {
                Event::RequestChanged { request: summary }
            });
            number
        });
        Presence { gate: self.clone(), request, number }
    }

    /// Waits until a request is no longer pending.
    pub(crate) async fn closed(&self, request: RequestId) -> Result<Outcome, Fault> {
        loop {
            // Watch first, read second: a reply that lands in between is seen either way.
            let watch = self.inner.board.watch(request);
            let stored = self.store().request(request).await?.ok_or_else(|| unknown_request(request))?;
            match (stored.status, watch) {
                (RequestStatus::Pending, Some(mut watch)) => {
                    // An error means that the board dropped the request; the row says what became of it.
                    let _ = watch.wait_for(|closed| *closed).await;
                }
                (RequestStatus::Pending, None) => {
                    return Err(Fault::internal(format!("Request {request} is pending but not in the queue.")));
                }
                (RequestStatus::Answered, _) => {
                    let reply = self.store().reply(request).await?;
                    let reply = reply.ok_or_else(|| Fault::internal(format!("Request {request} lost its reply.")))?;
                    return Ok(Outcome::answered(stored.session_uuid, request, &reply));
                }
                (status @ (RequestStatus::Cancelled | RequestStatus::Expired), _) => {
                    return Ok(Outcome::without_reply(status, stored.session_uuid, request));
                }
            }
        }
    }

    /// Stores a reply; everyone who waits hears of it after it is on disk.
    pub(crate) async fn answer(
        &self,
        request: RequestId,
        decision: Option<gate_core::Decision>,
        draft: &Draft,
        from: AnsweredFrom,
    ) -> Result<(), Fault> {
        self.store().answer(request, decision, draft, from, now()).await?;
        self.finish(request, RequestStatus::Answered);
        Ok(())
    }

    /// Closes a request without an answer.
    pub(crate) async fn cancel(&self, request: RequestId) -> Result<(), Fault> {
        if self.store().close_request(request, RequestStatus::Cancelled, now()).await? {
            self.finish(request, RequestStatus::Cancelled);
            return Ok(());
        }
        match self.store().status(request).await? {
            None => Err(unknown_request(request)),
            Some(status) => Err(Fault::new(
                Code::NotPending,
                format!("Request {request} is {} already.", status.as_str()),
                "Nothing was changed.",
            )),
        }
    }

    /// The client took its call back. Withdraws the request unless another call waits for it.
    pub(crate) async fn withdraw(&self, request: RequestId) -> Result<(), Fault> {
        if self.inner.board.callers(request) > 1 {
            return Ok(());
        }
        match self.cancel(request).await {
            Err(fault) if fault.code == Code::NotPending => Ok(()),
            other => other,
        }
    }

    fn finish(&self, request: RequestId, status: RequestStatus) {
        self.inner.board.close(request);
        self.emit(Event::RequestClosed { request_id: request, status });
    }

    /// What the queue shows of a pending request.
    pub(crate) fn summary(&self, request: RequestId) -> Option<RequestSummary> {
        self.inner.board.get(request)
    }
}

/// A waiting call, counted while this lives.
struct Presence {
    gate: Gate,
    request: RequestId,
    number: Option<u64>,
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.gate.inner.board.unattend(self.request);
        let left = self.number.and_then(|number| self.gate.inner.board.leave(self.request, number));
        if let Some(request) = left {
            self.gate.emit(Event::RequestChanged { request });
        }
    }
}

pub(crate) fn unknown_request(request: RequestId) -> Fault {
    Fault::new(
        Code::UnknownRequest,
        format!("No review request has the id {request}."),
        "List the pending ones with `review-gate requests`; an agent asks anew without `request_id`.",
    )
}

fn unknown_session(session: SessionUuid) -> Fault {
    Fault::new(
        Code::UnknownSession,
        format!("No session has the uuid {session}."),
        "Leave `session_uuid` out; the result names the new session.",
    )
}
