//! The controller: every way in or out of the record goes through here.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gate_api::{Event, RequestSummary};
use gate_core::clients::{Override, Transport};
use gate_core::{
    AnsweredFrom, Ask, Code, Draft, Fault, Outcome, RequestId, RequestStatus, ReviewRequest, SessionUuid, Timestamp,
    bounds,
};
use gate_mcp::{Agent, Asked, Call, Change};
use gate_store::{NewRequest, SearchIndex, Standing, Store};
use tokio::sync::{Notify, OnceCell, broadcast};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::access::Access;
use crate::board::{Arrived, Board, Question};
use crate::clock::now;
use crate::presence::Person;
use crate::record::relay_of;
use crate::relays::Relays;
use crate::sessions::Sessions;
use crate::settings::Configured;
use crate::settled::{Settled, is_settled};
use crate::turns::Turns;
use crate::workspace::Workspaces;

/// Events that a slow front end may fall behind before it has to look at the whole again.
const EVENTS: usize = 1024;
/// Changes of the record that a slow connection may fall behind before it takes all for changed.
const CHANGES: usize = 1024;

/// For how long a reply that nobody has fetched answers the same question asked anew.
const SAME_QUESTION_MILLIS: i64 = 10 * 60 * 1000;

/// How long an agent that asks for its task now and then counts as waiting, after it asked.
const LINGER: Duration = Duration::from_secs(10);

/// Questions up to this size are checked where they arrive.
const LARGE_BYTES: usize = 64 * 1024;

/// The running gate. Cheap to clone; every clone is the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) board: Board,
    pub(crate) relays: Relays,
    pub(crate) settled: Settled,
    pub(crate) sessions: Sessions,
    pub(crate) person: Person,
    pub(crate) turns: Turns,
    /// The files of the agents' workspaces, as they were a moment ago.
    pub(crate) workspaces: Workspaces,
    /// The search index, opened when it is first needed.
    pub(crate) index: OnceCell<SearchIndex>,
    /// Its file.
    pub(crate) index_file: PathBuf,
    /// Something was said that the index doesn't know yet.
    pub(crate) said: Notify,
    /// Conversations were deleted whose words the index still holds.
    pub(crate) deleted: AtomicBool,
    /// One session at a time begins for an agent that names none.
    pub(crate) beginning: tokio::sync::Mutex<()>,
    pub(crate) access: Arc<Access>,
    /// Held while tokens change, so that the door hears of the changes in their order.
    pub(crate) tokens: tokio::sync::Mutex<()>,
    /// Where HTTP is served; absent where it isn't.
    pub(crate) http: Option<String>,
    pub(crate) events: broadcast::Sender<Event>,
    pub(crate) changes: broadcast::Sender<Change>,
    pub(crate) settings: Configured,
    /// How long the clients wait that were connected to wait longer than usual.
    pub(crate) installed: Mutex<Vec<Override>>,
    pub(crate) warnings: Mutex<Vec<Fault>>,
    pub(crate) home: String,
    /// Where exports go that name no file.
    pub(crate) exports: PathBuf,
    pub(crate) backups: PathBuf,
    pub(crate) speech: crate::voice::Speech,
    pub(crate) prompts: crate::prompts::Prompts,
    pub(crate) command_path: String,
    pub(crate) window: bool,
    pub(crate) stop: CancellationToken,
}

impl Gate {
    /// Makes the controller and reads the pending requests.
    pub(crate) async fn new(inner: Inner) -> Result<Self, Fault> {
        let questions = inner.store.pending_questions().await?.into_iter();
        let mut questions: HashMap<_, _> =
            questions.filter_map(|stored| Some((stored.request_id, Question::restored(stored)?))).collect();
        let mut pending: HashMap<SessionUuid, u32> = HashMap::new();
        for request in inner.store.pending().await? {
            *pending.entry(request.session_uuid).or_default() += 1;
            inner.board.restore(&request, questions.remove(&request.request_id));
        }
        for stored in inner.store.active_sessions().await? {
            let open = pending.get(&stored.conversation.session_uuid).copied().unwrap_or(0);
            inner.sessions.take_in(&stored.conversation, stored.relay.map(Agent::Relay), open, now());
        }
        for (request, snooze) in inner.store.snoozed().await? {
            inner.board.snooze(request, Some(snooze));
        }
        let gate = Self { inner: Arc::new(inner) };
        gate.remember_presence().await?;
        gate.remember_notes().await?;
        Ok(gate)
    }

    /// An empty channel of events; kept here so that its bound has one place.
    pub(crate) fn event_channel() -> broadcast::Sender<Event> {
        broadcast::Sender::new(EVENTS)
    }

    /// The same for the record's changes.
    pub(crate) fn change_channel() -> broadcast::Sender<Change> {
        broadcast::Sender::new(CHANGES)
    }

    /// Something that the person should know of, now and whenever a window opens.
    pub fn warn(&self, fault: Fault) {
        {
            let mut warnings = self.inner.warnings.lock().unwrap_or_else(PoisonError::into_inner);
            if warnings.contains(&fault) {
                return;
            }
            warnings.push(fault.clone());
        }
        tracing::warn!(%fault, "the person is told");
        self.emit(Event::Warning { fault });
    }

    /// These warnings no longer hold.
    pub(crate) fn take_back_warnings(&self, gone: &[&Fault]) {
        let mut warnings = self.inner.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.retain(|warning| !gone.contains(&warning));
    }

    /// What the person should know of.
    pub(crate) fn warnings(&self) -> Vec<Fault> {
        self.inner.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What happens from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.inner.events.subscribe()
    }

    /// Where HTTP is served, e.g. `http://127.0.0.1:8321`; absent where it isn't.
    #[must_use]
    pub fn http(&self) -> Option<&str> {
        self.inner.http.as_deref()
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
        let mut asked = match call.request_id {
            // Nothing is opened that others would have to hear of.
            Some(_) => self.ask_now(call).await,
            None => {
                let gate = self.clone();
                whole(async move { gate.ask_now(call).await }).await
            }
        }
        .inspect_err(|fault| self.notice(Some(fault)))?;
        asked.asides.extend(self.inner.sessions.take_asides(asked.session_uuid));
        Ok(asked)
    }

    async fn ask_now(&self, call: Call) -> Result<Asked, Fault> {
        let called_at = now();
        // A call that is sent again names the same request again.
        let known = match call.request_id {
            Some(request) => Some(request),
            None => self.store().request_of_call(&call.call_key).await?,
        };
        if let Some(request) = known {
            return self.attach(request, &call, called_at).await;
        }
        if let Some(session) = call.session_uuid {
            if !self.store().session_exists(session).await? {
                return Err(unknown_session(session));
            }
            if let Some(late) = self.late_reply(Late::Of(session), &call, called_at).await? {
                return Ok(late);
            }
        }
        let (ask, question) = checked(&call).await?;
        // A relay brings its calls back by itself; a client over HTTP can only ask anew.
        if call.session_uuid.is_none()
            && call.declared.transport == Some(Transport::Http)
            && let Some(late) = self.late_reply(Late::To(question.digest()), &call, called_at).await?
        {
            return Ok(late);
        }
        let until = called_at.plus_millis(call.patience_millis);
        if let Some((request, arrived)) =
            self.inner.board.adopt(&question, call.session_uuid, until, &self.inner.relays)
        {
            let attendance = self.attendance_of(request, arrived, None);
            let mut asked = self.attach(request, &call, called_at).await?;
            drop(attendance);
            asked.asides.push(
                "You asked this before; the person still sees that request, and it was not opened twice.".to_owned(),
            );
            return Ok(asked);
        }
        if self.inner.board.len() >= bounds::PENDING_REQUESTS {
            return Err(Fault::new(
                Code::TooMany,
                format!("{} requests are pending already.", bounds::PENDING_REQUESTS),
                "Wait until the person has answered some of them.",
            ));
        }
        self.open(call, ask, question, called_at, until).await
    }

    /// Stores a new request and puts it on the board.
    async fn open(
        &self,
        call: Call,
        ask: Ask,
        question: Question,
        called_at: Timestamp,
        until: Timestamp,
    ) -> Result<Asked, Fault> {
        if let Some(session) = call.session_uuid {
            self.spoke(session, call.agent.as_ref()).await?;
        }
        let new = NewRequest {
            request_id: RequestId(Uuid::now_v7()),
            session_uuid: call.session_uuid.unwrap_or_else(|| SessionUuid(Uuid::now_v7())),
            ask,
            caller: call.caller.clone(),
            declared: call.declared.clone(),
            call_key: call.call_key.clone(),
            relay: relay_of(call.agent.as_ref()),
            question: question.digest().to_owned(),
            now: called_at,
        };
        if let Err(error) = self.store().ask(&new).await {
            // The same call on two connections at once: the other one was faster.
            return match self.store().request_of_call(&call.call_key).await? {
                Some(request) => self.attach(request, &call, called_at).await,
                None => Err(error.into()),
            };
        }
        if call.session_uuid.is_none() {
            self.inner.sessions.begin(new.session_uuid, &new.caller, call.agent.clone(), called_at);
        }
        self.inner.sessions.asked(new.session_uuid, &new.ask.headline());
        self.inner.said.notify_one();
        let request = ReviewRequest {
            request_id: new.request_id,
            session_uuid: new.session_uuid,
            ask: new.ask,
            caller: new.caller,
            status: RequestStatus::Pending,
            created_at: called_at,
        };
        let arrived = self.inner.board.add(&request, question, until);
        // A terminal may have answered the row before it was on the board.
        let pending = self.store().status(request.request_id).await? == Some(RequestStatus::Pending);
        if !pending && self.inner.board.close(request.request_id).is_some() {
            self.inner.sessions.closed(request.session_uuid, now());
        }
        let attendance = self.attendance_of(request.request_id, arrived, pending.then_some(&request));
        if call.session_uuid.is_none() {
            self.change(Change::Began(request.session_uuid));
        }
        self.session_changed(request.session_uuid);
        Ok(Asked {
            request_id: request.request_id,
            session_uuid: request.session_uuid,
            approval: request.ask.approval,
            until,
            asides: Vec::new(),
            outcome: None,
            attendance: Some(Box::new(attendance)),
        })
    }

    /// The oldest reply that this agent has missed, if there is one and no other call is just being
    /// given it.
    async fn late_reply(&self, late: Late<'_>, call: &Call, called_at: Timestamp) -> Result<Option<Asked>, Fault> {
        for request in self.missed(late, called_at).await? {
            if !self.inner.board.claim(request) {
                continue;
            }
            let claim = Attendance { gate: self.clone(), request, number: None };
            // It may have been delivered between the look and the claim.
            if !self.missed(late, called_at).await?.contains(&request) {
                continue;
            }
            let mut asked = self.attach(request, call, called_at).await?;
            drop(claim);
            asked.asides.push(late.note().to_owned());
            return Ok(Some(asked));
        }
        Ok(None)
    }

    async fn missed(&self, late: Late<'_>, now: Timestamp) -> Result<Vec<RequestId>, Fault> {
        let mut missed = match late {
            Late::Of(session) => self.store().undelivered(session).await?,
            Late::To(question) => {
                let since = Timestamp(now.0.saturating_sub(SAME_QUESTION_MILLIS));
                self.store().undelivered_to(question, since).await?
            }
        };
        missed.retain(|request| !self.inner.board.is_held(*request));
        Ok(missed)
    }

    /// Lets a call wait for a request that exists already.
    async fn attach(&self, request: RequestId, call: &Call, called_at: Timestamp) -> Result<Asked, Fault> {
        let standing = match self.inner.settled.get(request) {
            Some(standing) => standing,
            None => self.standing(request).await?.ok_or_else(|| unknown_request(request))?,
        };
        self.inner.settled.keep(request, &standing);
        let outcome = outcome_of(request, &standing)?;
        let (session_uuid, approval) = (standing.session_uuid, standing.approval);
        self.spoke(session_uuid, call.agent.as_ref()).await?;
        // A call that was found by its key has a row, which goes when its result has arrived.
        if is_settled(&standing) && call.request_id.is_some() {
            let (until, asides) = (called_at, Vec::new());
            return Ok(Asked { request_id: request, session_uuid, approval, until, asides, outcome, attendance: None });
        }
        let since = self.store().bind_call(&call.call_key, request, called_at).await?;
        let until = since.plus_millis(call.patience_millis);
        let attendance = match self.inner.board.arrive(request, Some(until)) {
            Some(arrived) => self.attendance_of(request, arrived, None),
            None => {
                self.inner.board.attend(request);
                Attendance { gate: self.clone(), request, number: None }
            }
        };
        Ok(Asked {
            request_id: request,
            session_uuid,
            approval,
            until,
            asides: Vec::new(),
            outcome,
            attendance: Some(Box::new(attendance)),
        })
    }

    /// Keeps a waiting call counted until the result is dropped, and tells the front ends of it, and
    /// of the request if that is `new`.
    fn attendance_of(&self, request: RequestId, (number, summary): Arrived, new: Option<&ReviewRequest>) -> Attendance {
        self.inner.board.attend(request);
        match new {
            Some(new) => {
                let view = self.view_of_new(new, &summary);
                self.emit(Event::RequestAdded { request: summary, view, again: false });
            }
            None => self.callers_changed(summary),
        }
        Attendance { gate: self.clone(), request, number: Some(number) }
    }

    /// Who waits for a request is other than before. One whose reply is held back is off the queue.
    fn callers_changed(&self, request: RequestSummary) {
        if !self.inner.board.is_held(request.request_id) {
            self.emit(Event::RequestChanged { request });
        }
    }

    /// Waits until a request is no longer pending.
    pub(crate) async fn closed(&self, request: RequestId) -> Result<Outcome, Fault> {
        loop {
            // Watch first, read second: a reply that lands in between is seen either way.
            let watch = self.inner.board.watch(request);
            let stored = self.standing(request).await?.ok_or_else(|| unknown_request(request))?;
            if let Some(outcome) = outcome_of(request, &stored)? {
                return Ok(outcome);
            }
            let Some(mut watch) = watch else {
                return Err(Fault::internal(format!("Request {request} is pending but not in the queue.")));
            };
            // An error means that the board dropped the request; the row says what became of it.
            let _ = watch.wait_for(|closed| *closed).await;
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
        let (gate, draft) = (self.clone(), draft.clone());
        whole(async move {
            gate.store().answer(request, decision, &draft, from, now()).await?;
            gate.finish(request, RequestStatus::Answered);
            Ok(())
        })
        .await
    }

    /// Closes a request without an answer.
    pub(crate) async fn cancel(&self, request: RequestId) -> Result<(), Fault> {
        let gate = self.clone();
        let closing = whole(async move {
            let closed = gate.store().close_request(request, RequestStatus::Cancelled, now()).await?;
            if closed {
                gate.finish(request, RequestStatus::Cancelled);
            }
            Ok(closed)
        });
        if closing.await? {
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

    /// Counts an agent that looks for its request now and then as waiting for some seconds.
    pub(crate) fn linger(&self, request: RequestId) {
        // One at a time is kept up, and the next one overlaps with it.
        if self.inner.board.callers(request) > 1 {
            return;
        }
        let Some(arrived) = self.inner.board.arrive(request, None) else { return };
        let attendance = self.attendance_of(request, arrived, None);
        let stop = self.inner.stop.clone();
        tokio::spawn(async move {
            let _ = tokio::time::timeout(LINGER, stop.cancelled()).await;
            drop(attendance);
        });
    }

    /// The client took its call back, which is no longer counted. Withdraws the request unless
    /// another call waits for it.
    pub(crate) async fn withdraw(&self, request: RequestId) -> Result<(), Fault> {
        if self.inner.board.callers(request) > 0 {
            return Ok(());
        }
        match self.cancel(request).await {
            Err(fault) if fault.code == Code::NotPending => Ok(()),
            other => other,
        }
    }

    /// The retention settings have closed a request.
    pub(crate) fn expired(&self, request: RequestId) {
        self.finish(request, RequestStatus::Expired);
    }

    fn finish(&self, request: RequestId, status: RequestStatus) {
        let session = self.inner.board.close(request);
        self.emit(Event::RequestClosed { request_id: request, status, undo_until: None });
        self.inner.said.notify_one();
        if let Some(session) = session {
            self.inner.sessions.closed(session, now());
            self.session_changed(session);
        }
    }

    /// What the queue shows of a pending request.
    pub(crate) fn summary(&self, request: RequestId) -> Option<RequestSummary> {
        self.inner.board.get(request)
    }
}

/// Checks a question and makes its digest. A large one is a matter of milliseconds, off the async
/// threads.
async fn checked(call: &Call) -> Result<(Ask, Question), Fault> {
    let (ask, caller, declared, call_key) =
        (call.ask.clone(), call.caller.clone(), call.declared.clone(), call.call_key.clone());
    let large = ask.message.len() + ask.diff.as_ref().map_or(0, String::len) > LARGE_BYTES;
    let check = move || {
        let ask = ask.checked()?;
        let question = Question::new(&caller, &declared, &ask, &call_key);
        Ok((ask, question))
    };
    if !large {
        return check();
    }
    tokio::task::spawn_blocking(check).await.map_err(|error| Fault::internal(error.to_string()))?
}

/// Does something to its end, even when whoever waits for it goes away: what is committed must also
/// be told to those who wait.
pub(crate) async fn whole<T: Send + 'static>(
    work: impl Future<Output = Result<T, Fault>> + Send + 'static,
) -> Result<T, Fault> {
    tokio::spawn(work).await.map_err(|error| Fault::internal(error.to_string()))?
}

/// What became of a request; nothing while it is pending.
fn outcome_of(request: RequestId, standing: &Standing) -> Result<Option<Outcome>, Fault> {
    let session = standing.session_uuid;
    Ok(match (standing.status, &standing.reply) {
        (RequestStatus::Pending, _) => None,
        (RequestStatus::Answered, Some(reply)) => Some(Outcome::answered(session, request, reply)),
        (RequestStatus::Answered, None) => return Err(Fault::internal(format!("Request {request} lost its reply."))),
        (status @ (RequestStatus::Cancelled | RequestStatus::Expired), _) => {
            Some(Outcome::without_reply(status, session, request))
        }
    })
}

/// Which replies an agent may have missed.
#[derive(Debug, Clone, Copy)]
enum Late<'a> {
    /// Those of its session.
    Of(SessionUuid),
    /// Those to this very question, asked without a session.
    To(&'a str),
}

impl Late<'_> {
    fn note(self) -> &'static str {
        match self {
            Self::Of(_) => {
                "This is the reply to an earlier request of yours, which you had not received. Your new message was \
                 not shown to the person; call again if you still need an answer to it."
            }
            Self::To(_) => {
                "You asked exactly this a few minutes ago and had not received the person's reply. This is it; the \
                 question was not shown again."
            }
        }
    }
}

/// A waiting call, counted while this lives.
struct Attendance {
    gate: Gate,
    request: RequestId,
    number: Option<u64>,
}

impl Drop for Attendance {
    fn drop(&mut self) {
        self.gate.inner.board.unattend(self.request);
        let left = self.number.and_then(|number| self.gate.inner.board.leave(self.request, number));
        if let Some(request) = left {
            self.gate.callers_changed(request);
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

pub(crate) fn unknown_session(session: SessionUuid) -> Fault {
    Fault::new(
        Code::UnknownSession,
        format!("No session has the uuid {session}."),
        "Leave `session_uuid` out; the result names the new session.",
    )
}
