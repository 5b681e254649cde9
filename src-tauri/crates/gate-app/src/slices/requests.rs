//! Requests: asked by agents, waited for, answered or closed. The pending request is a row; what waits only watches it.

mod abandoned;
mod applied;
mod approved;
mod at_terminal;
mod closing;
mod commands;
mod earlier;
mod hold;
mod notice;
mod permissions;
mod port;
mod proposed;
mod put_off;
mod read_again;
mod receipted;
mod repository;
mod rounds;
mod sure;
mod view;
mod workspace;

use std::sync::Arc;
use std::time::Duration;

use gate_api::subjects::requests::{Event, PendingRequest};
use gate_api::{ApprovalNeeds, RequestSummary};
use gate_core::clients::Transport;
use gate_core::{
    Ask, Asker, Attachment, AttachmentId, Code, Digest, Draft, Fault, Given, Outcome, RequestId, RequestKind,
    RequestStatus, ReviewRequest, SessionUuid, Timestamp, bounds,
};
use gate_mcp::{Asked, Call, Change};
use gate_store::{NewRequest, Standing, Store, Undelivered};

use crate::agents_log;
use crate::bus::Bus;
use crate::slices::connections::Connections;
use crate::slices::conversations::{Conversations, relay_of};
use crate::slices::queue::{Arrived, Held, QuestionKey, Queue, is_settled};
use crate::slices::receipts::Receipts;
use crate::slices::settings::Configured;
use crate::slices::signing::{Signing, Waiting};
use crate::unknown::{unknown_attachment, unknown_request};
use crate::work::{blocking, whole};
pub(crate) use at_terminal::no_decision;
use earlier::Unfetched;
pub use notice::{Notice, QuickReply};
pub(crate) use proposed::{HeldAgainst, Standing as StillFits, named_in};
use repository::Repositories;
use workspace::Workspaces;

/// For how long a reply that nobody has fetched answers the same question asked anew.
const SAME_QUESTION_MILLIS: i64 = 10 * 60 * 1000;

/// What an agent is told with such a reply.
const LATE: &str = "You asked exactly this a few minutes ago and had not received the person's reply. This is it; the \
                    question was not shown again.";

/// How long an agent that asks for its task now and then counts as waiting, after it asked.
const LINGER: Duration = Duration::from_secs(10);

/// When what isn't in the record yet is to be let go: never by itself.
const NEVER: Timestamp = Timestamp(i64::MAX);

/// Questions up to this size are checked where they arrive.
const LARGE_BYTES: usize = 64 * 1024;

/// The requests of a running gate.
#[derive(Debug)]
pub(crate) struct Requests {
    store: Store,
    bus: Bus,
    settings: Arc<Configured>,
    queue: Arc<Queue>,
    conversations: Arc<Conversations>,
    connections: Arc<Connections>,
    receipts: Arc<Receipts>,
    signing: Arc<Signing>,
    confirmations: at_terminal::Confirmations,
    permissions: permissions::Permissions,
    /// The files of the agents' workspaces, as they were a moment ago.
    workspaces: Workspaces,
    unfetched: Unfetched,
    repositories: Repositories,
    /// Held by whoever asks whether something is approved: each looks through the log that replies are written to.
    verifying: tokio::sync::Mutex<()>,
}

impl Requests {
    /// The requests of the record. The queue has those that are pending already.
    pub(crate) fn new(
        store: Store,
        bus: Bus,
        settings: Arc<Configured>,
        queue: Arc<Queue>,
        conversations: Arc<Conversations>,
        connections: Arc<Connections>,
        signing: Arc<Signing>,
    ) -> Self {
        let repositories = Repositories::of_process(connections.repositories_folder());
        Self {
            store,
            bus,
            settings,
            queue,
            conversations,
            connections,
            receipts: Arc::clone(signing.receipts()),
            signing,
            confirmations: at_terminal::Confirmations::default(),
            permissions: permissions::Permissions::default(),
            workspaces: Workspaces::default(),
            unfetched: Unfetched::default(),
            repositories,
            verifying: tokio::sync::Mutex::default(),
        }
    }

    /// Stores a question, or finds the request that the call stands for.
    pub(crate) async fn ask(self: &Arc<Self>, call: Call) -> Result<Asked, Fault> {
        let mut asked = match call.request_id {
            // Nothing is opened that others would have to hear of.
            Some(request) => self.ask_again(request, &call, self.bus.now()).await,
            None => {
                let requests = Arc::clone(self);
                // In a box of its own: what agents call again and again needs none of its memory.
                Box::pin(whole(async move { requests.ask_now(call).await })).await
            }
        }
        .inspect_err(|fault| self.conversations.notice_damage(Some(fault)))?;
        asked.asides.extend(self.conversations.sessions.take_asides(asked.session_uuid));
        Ok(asked)
    }

    /// The same for a call whose request is known.
    async fn ask_again(
        self: &Arc<Self>,
        request: RequestId,
        call: &Call,
        called_at: Timestamp,
    ) -> Result<Asked, Fault> {
        if !self.conversations.admits_to(request, &call.owner).await? {
            return Err(unknown_request(request));
        }
        self.attach(request, call, called_at).await
    }

    async fn ask_now(self: &Arc<Self>, call: Call) -> Result<Asked, Fault> {
        let called_at = self.bus.now();
        // A call that is sent again is for the same request again.
        if let Some(request) = self.store.request_of_call(&call.call_key).await? {
            return self.ask_again(request, &call, called_at).await;
        }
        if let Some(session) = call.session_uuid {
            self.conversations.admit(session, &call.owner).await?;
        }
        let (ask, question) = checked(&call).await?;
        if let Some(late) = self.late_reply(question.digest(), &call, called_at).await? {
            return Ok(late);
        }
        let until = called_at.plus_millis(call.patience_millis);
        for request in self.queue.board.asked_already(&question, call.session_uuid, &self.queue.relays) {
            if !self.conversations.admits_to(request, &call.owner).await? {
                continue;
            }
            let Some(arrived) = self.queue.board.adopt(request, until) else { continue };
            let attendance = self.attendance_of(request, arrived, None);
            let mut asked = self.attach(request, &call, called_at).await?;
            drop(attendance);
            asked.asides.push(
                "You asked this before; the person still sees that request, and it was not opened twice.".to_owned(),
            );
            return Ok(asked);
        }
        if self.queue.board.len() >= bounds::PENDING_REQUESTS {
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
        self: &Arc<Self>,
        call: Call,
        ask: Ask,
        question: QuestionKey,
        called_at: Timestamp,
        until: Timestamp,
    ) -> Result<Asked, Fault> {
        let own = call.session_uuid.or_else(|| self.conversations.sessions.unasked_of(call.agent.as_ref()));
        if let Some(session) = own {
            self.conversations.admit(session, &call.owner).await?;
            self.conversations.spoke(session, call.agent.as_ref()).await?;
        }
        let new = NewRequest {
            request_id: RequestId(self.bus.new_id()),
            session_uuid: own.unwrap_or_else(|| SessionUuid(self.bus.new_id())),
            ask,
            caller: call.caller.clone(),
            declared: call.declared.clone(),
            call_key: call.call_key.clone(),
            relay: relay_of(call.agent.as_ref()),
            owner: call.owner.clone(),
            question: question.digest().to_owned(),
            now: called_at,
        };
        if let Err(error) = self.store.ask(&new).await {
            // The same call on two connections at once: the other one was faster.
            return match self.store.request_of_call(&call.call_key).await? {
                Some(request) => self.attach(request, &call, called_at).await,
                None => Err(error.into()),
            };
        }
        if own.is_none() {
            self.conversations.sessions.begin(new.session_uuid, &new.caller, call.agent.clone(), called_at);
        }
        self.conversations.sessions.asked(new.session_uuid, &new.ask.headline());
        self.conversations.search.said();
        let request = ReviewRequest {
            request_id: new.request_id,
            session_uuid: new.session_uuid,
            ask: new.ask,
            caller: new.caller,
            status: RequestStatus::Pending,
            created_at: called_at,
        };
        let arrived = self.queue.board.add(&request, question, until);
        // A terminal may have answered the row before it was on the board.
        let pending = self.store.status(request.request_id).await? == Some(RequestStatus::Pending);
        if !pending && self.queue.board.close(request.request_id).is_some() {
            self.conversations.sessions.closed(request.session_uuid, self.bus.now());
        }
        let asker = new.declared.asker.as_ref();
        let attendance = self.attendance_of(request.request_id, arrived, pending.then_some((&request, asker)));
        if own.is_none() {
            self.bus.change(Change::Began(request.session_uuid));
        }
        self.conversations.session_changed(request.session_uuid);
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

    /// The oldest reply to this very question that its agent hasn't fetched, if there is one and no other call is just
    /// being given it.
    async fn late_reply(
        self: &Arc<Self>,
        question: &str,
        call: &Call,
        called_at: Timestamp,
    ) -> Result<Option<Asked>, Fault> {
        for request in self.missed(question, call, called_at).await? {
            if !self.conversations.admits_to(request, &call.owner).await? || !self.queue.board.claim(request) {
                continue;
            }
            let claim = Attendance { requests: Arc::clone(self), request, number: None };
            // It may have been delivered between the look and the claim.
            if !self.missed(question, call, called_at).await?.contains(&request) {
                continue;
            }
            let mut asked = self.attach(request, call, called_at).await?;
            drop(claim);
            // What wasn't given here is none: the call waits for the person.
            if asked.outcome.is_some() {
                asked.asides.push(LATE.to_owned());
            }
            return Ok(Some(asked));
        }
        Ok(None)
    }

    /// The requests that asked exactly this, whose replies nobody has, and which may be the caller's own: of the
    /// session that it names, else of the same relay or of one that is gone. An agent over HTTP that was told `pending`
    /// has the request's id; there, whoever asks the same and names no session is somebody else.
    async fn missed(&self, question: &str, call: &Call, now: Timestamp) -> Result<Vec<RequestId>, Fault> {
        let since = Timestamp(now.0.saturating_sub(SAME_QUESTION_MILLIS));
        let unknown = call.session_uuid.is_none() && call.declared.transport == Some(Transport::Http);
        let relay = relay_of(call.agent.as_ref());
        let own = |missed: &Undelivered| match (call.session_uuid, &missed.relay) {
            (Some(session), _) => session == missed.session_uuid,
            (None, Some(asked)) => relay.as_ref() == Some(asked) || !self.queue.relays.is_connected(asked),
            (None, None) => true,
        };
        let mut missed = self.store.undelivered_to(question, since).await?;
        missed.retain(|missed| {
            own(missed) && !(unknown && missed.told_pending) && !self.queue.board.is_held(missed.request_id)
        });
        Ok(missed.into_iter().map(|missed| missed.request_id).collect())
    }

    /// Lets a call wait for a request that exists already.
    async fn attach(self: &Arc<Self>, request: RequestId, call: &Call, called_at: Timestamp) -> Result<Asked, Fault> {
        let known = self.known_again(request).await?.ok_or_else(|| unknown_request(request))?;
        let standing = known.standing(request)?;
        if standing.kind != RequestKind::Chat {
            return Err(unknown_request(request));
        }
        let outcome = outcome_of(request, &standing)?;
        let (session_uuid, approval) = (standing.session_uuid, standing.approval);
        self.conversations.spoke(session_uuid, call.agent.as_ref()).await?;
        // A call that was found by its key has a row, which goes when its result has arrived.
        if is_settled(&standing) && call.request_id.is_some() {
            let (until, asides) = (called_at, Vec::new());
            return Ok(Asked { request_id: request, session_uuid, approval, until, asides, outcome, attendance: None });
        }
        let since = Box::pin(self.store.bind_call(&call.call_key, request, called_at)).await?;
        let until = since.plus_millis(call.patience_millis);
        let attendance = match self.queue.board.arrive(request, Some(until)) {
            Some(arrived) => self.attendance_of(request, arrived, None),
            None => {
                self.queue.board.attend(request);
                Attendance { requests: Arc::clone(self), request, number: None }
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
    /// of the request if that is `new`, with which program asked.
    fn attendance_of(
        self: &Arc<Self>,
        request: RequestId,
        (number, summary): Arrived,
        new: Option<(&ReviewRequest, Option<&Asker>)>,
    ) -> Attendance {
        self.queue.board.attend(request);
        match new {
            Some((new, asker)) => {
                let view = self.view_of_new(new, &summary, asker);
                self.bus.emit(Event::RequestAdded { request: summary, view, again: false });
            }
            None => self.callers_changed(summary),
        }
        Attendance { requests: Arc::clone(self), request, number: Some(number) }
    }

    /// Who waits for a request is other than before. One whose reply is held back is off the queue.
    fn callers_changed(&self, request: RequestSummary) {
        if !self.queue.board.is_held(request.request_id) {
            self.bus.emit(Event::RequestChanged { request });
        }
    }

    /// Whether a request waits for the person.
    pub(crate) async fn is_pending(&self, request: RequestId) -> Result<bool, Fault> {
        Ok(self.store.status(request).await? == Some(RequestStatus::Pending))
    }

    /// Waits until a request is no longer pending.
    pub(crate) async fn closed(&self, request: RequestId) -> Result<Outcome, Fault> {
        loop {
            // Watch first, read second: a reply that lands in between is seen either way.
            let watch = self.queue.board.watch(request);
            let stored = self.standing(request).await?.ok_or_else(|| unknown_request(request))?;
            if let Some(outcome) = outcome_of(request, &stored)? {
                return Ok(outcome);
            }
            let Some(mut watch) = watch else {
                // Its reply wasn't given here: it waits for the person again.
                if self.queue.board.watch(request).is_some() {
                    continue;
                }
                return Err(Fault::internal(format!("Request {request} is pending but not in the queue.")));
            };
            // An error means that the board dropped the request; the row says what became of it.
            let _ = watch.wait_for(|closed| *closed).await;
        }
    }

    /// Stores a reply to the question whose digest was `shown`; everyone who waits hears of it after it and its receipt
    /// are on disk.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        request: RequestId,
        shown: Digest,
        decision: Option<gate_core::Decision>,
        draft: &Draft,
        given: impl Into<Given>,
    ) -> Result<(), Fault> {
        let waiting = self.signing.waiting(request);
        self.answer_unless_cancelled(request, shown, decision, draft, given.into(), waiting).await
    }

    /// As [`Self::answer`], of an act that may have been cancelled since it was begun.
    async fn answer_unless_cancelled(
        self: &Arc<Self>,
        request: RequestId,
        shown: Digest,
        decision: Option<gate_core::Decision>,
        draft: &Draft,
        given: Given,
        waiting: Waiting,
    ) -> Result<(), Fault> {
        let (requests, draft) = (Arc::clone(self), draft.clone());
        whole(async move {
            requests.take_back_unsent(request).await?;
            let sure = requests.sure(request, decision, &draft, given, waiting).await?;
            // While somebody is waited for, agents and lists go on without it.
            let held = sure.signer.is_some() && requests.queue.board.hold(request, Held::new(draft.clone(), NEVER));
            let stored = requests.store_with_receipt(request, shown, decision, &draft, &sure, 0).await;
            if let Err(unsent) = stored {
                requests.not_sent(request, &unsent, held);
                return Err(unsent.fault);
            }
            requests.finish(request, RequestStatus::Answered, true);
            Ok(())
        })
        .await
    }

    /// Counts an agent that looks for its request now and then as waiting for some seconds.
    pub(crate) fn linger(self: &Arc<Self>, request: RequestId) {
        // One at a time is kept up, and the next one overlaps with it.
        if self.queue.board.callers(request) > 1 {
            return;
        }
        let Some(arrived) = self.queue.board.arrive(request, None) else { return };
        let attendance = self.attendance_of(request, arrived, None);
        let stop = self.bus.stop().clone();
        tokio::spawn(async move {
            let _ = tokio::time::timeout(LINGER, stop.cancelled()).await;
            drop(attendance);
        });
    }

    /// The retention settings have closed a request.
    pub(crate) fn expired(&self, request: RequestId) {
        self.finish(request, RequestStatus::Expired, true);
    }

    fn finish(&self, request: RequestId, status: RequestStatus, news: bool) {
        let waits = self.queue.board.callers(request) > 0;
        let session = self.queue.board.close(request);
        if status == RequestStatus::Answered {
            self.unfetched.replied(session);
        }
        self.bus.emit(Event::RequestClosed { request_id: request, status, undo_until: None });
        self.conversations.search.said();
        if let Some(session) = session {
            self.conversations.sessions.closed(session, self.bus.now());
            self.conversations.session_changed(session);
            if news && !waits {
                self.tell_agent(session, request, status);
            }
        }
    }

    /// Tells an agent that no longer waits for its request what became of it.
    fn tell_agent(&self, session: SessionUuid, request: RequestId, status: RequestStatus) {
        if let Some(agent) = self.conversations.sessions.agent(session) {
            self.bus.log(agents_log::closed(request, status, agent));
        }
    }

    /// An attachment with its bytes.
    pub(crate) async fn read_attachment(&self, id: AttachmentId) -> Result<(Attachment, Vec<u8>), Fault> {
        let attachment = self.store.attachment(id).await?;
        let bytes = self.store.attachment_bytes(id).await?;
        attachment.zip(bytes).ok_or_else(|| unknown_attachment(id))
    }

    /// What the queue shows of a pending request.
    pub(crate) fn summary(&self, request: RequestId) -> Option<RequestSummary> {
        self.queue.board.get(request)
    }

    /// A pending request of the record, and how it waits. One that is closed at this very moment is off the queue.
    pub(crate) fn as_it_waits(
        &self,
        request: ReviewRequest,
        digest: Digest,
        needs: Option<ApprovalNeeds>,
    ) -> PendingRequest {
        let summary = self.summary(request.request_id);
        PendingRequest {
            snoozed: summary.as_ref().and_then(|summary| summary.snoozed),
            caller_waiting: summary.as_ref().is_some_and(|summary| summary.caller_waiting),
            waits_until: summary.and_then(|summary| summary.waits_until),
            request,
            digest,
            needs,
        }
    }
}

/// Checks a question and makes its digest. A large one is a matter of milliseconds, off the async
/// threads.
async fn checked(call: &Call) -> Result<(Ask, QuestionKey), Fault> {
    let (ask, caller, declared, call_key) =
        (call.ask.clone(), call.caller.clone(), call.declared.clone(), call.call_key.clone());
    let large = ask.message.len() + ask.diff.as_ref().map_or(0, String::len) > LARGE_BYTES;
    let check = move || {
        let ask = ask.checked()?;
        let question = QuestionKey::new(&caller, &declared, &ask, &call_key)?;
        Ok((ask, question))
    };
    if !large {
        return check();
    }
    blocking(check).await
}

/// What became of a request; nothing while it is pending.
fn outcome_of(request: RequestId, standing: &Standing) -> Result<Option<Outcome>, Fault> {
    let session = standing.session_uuid;
    Ok(match (standing.status, &standing.reply) {
        (RequestStatus::Pending, _) => None,
        (RequestStatus::Answered, Some(reply)) if reply.imported_at.is_some() => {
            return Err(of_another_record(request));
        }
        (RequestStatus::Answered, Some(reply)) => {
            let (git, receipt) = (standing.git.clone(), standing.receipt);
            Some(Outcome { git, receipt, ..Outcome::answered(session, request, reply, standing.digest) })
        }
        (RequestStatus::Answered, None) => return Err(Fault::internal(format!("Request {request} lost its reply."))),
        (status @ (RequestStatus::Cancelled | RequestStatus::Expired), _) => {
            Some(Outcome::without_reply(status, session, request))
        }
    })
}

/// Why a reply that was imported or restored is no call's result.
fn of_another_record(request: RequestId) -> Fault {
    Fault::new(
        Code::UnknownRequest,
        format!("Request {request} and its reply came from another record: they are history, and answer nothing here."),
        "Ask the question again, without the request_id.",
    )
}

/// A waiting call, counted while this lives.
struct Attendance {
    requests: Arc<Requests>,
    request: RequestId,
    number: Option<u64>,
}

impl Drop for Attendance {
    fn drop(&mut self) {
        self.requests.queue.board.unattend(self.request);
        let left = self.number.and_then(|number| self.requests.queue.board.leave(self.request, number));
        if let Some(request) = left {
            self.requests.callers_changed(request);
        }
    }
}
