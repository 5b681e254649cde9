//! Asking, and waiting for the answer. Whoever drops the waiting withdraws the question.

use std::sync::Arc;
use std::time::Duration;

use gate_api::subjects::permissions::Event;
use gate_core::permission::{Permission, PermissionShown};
use gate_core::permitting::not_a_permission;
use gate_core::{
    AnsweredFrom, Ask, Assurance, Draft, Fault, Outcome, PermissionAsk, PermissionVerdict, RequestId, RequestStatus,
};
use gate_mcp::{Asked, Call, PermissionCall};
use tokio::time::{Instant, timeout_at};

use super::answering::files_are_as_asked;
use super::files::looked_at;
use super::{End, Requests, programs};
use crate::slices::Gate;
use crate::slices::queue::QuestionKey;
use crate::unknown::unknown_request;
use crate::work::{blocking, whole};

/// When it is looked again whether a question is answered that couldn't be closed.
const AGAIN: Duration = Duration::from_millis(100);
/// How often a question is asked anew because its files change.
const ROUNDS: u32 = 100;
/// How long the files of an edit are looked at once more, after the person has allowed it.
const LOOK: Duration = Duration::from_secs(3);

impl Gate {
    /// Asks the person for an agent, and waits. It never allows by itself.
    ///
    /// # Errors
    /// Where the question can't be read or stored: the agent asks at its own prompt then, too.
    pub(crate) async fn ask_whether(&self, asking: PermissionCall) -> Result<PermissionVerdict, Fault> {
        let slices = &self.inner;
        if self.is_a_trial(&asking.question).await {
            return Ok(PermissionVerdict::Ask { why: PermissionAsk::Gone });
        }
        // A relay sends its call again to the next gate, and there it is another question: nothing that was answered, or
        // closed, stands for it.
        let asking = PermissionCall { call_key: format!("{}:{}", asking.call_key, slices.bus.new_id()), ..asking };
        if let Some(why) = self.unasked() {
            return Ok(PermissionVerdict::Ask { why });
        }
        let longest = self.settings().permissions.wait_seconds;
        let seconds = asking.question.wait_seconds.unwrap_or(longest).min(longest);
        let until = Instant::now() + Duration::from_secs(u64::from(seconds));
        slices.requests.end_the_one_before(&asking.question, &asking.owner.id).await?;
        let mut before: Option<RequestId> = None;
        for round in 0..ROUNDS {
            let left = until.saturating_duration_since(Instant::now());
            let opened = tokio::select! {
                biased;
                opened = slices.requests.open_permission(&asking, round, left) => opened?,
                // A file may be on a disk that doesn't answer.
                why = self.unanswered(until) => return Ok(PermissionVerdict::Ask { why }),
            };
            let (waiting, ask) = opened;
            if let Some(old) = before {
                slices.requests.replace_permission(old, waiting.request).await;
            }
            let ended = tokio::select! {
                biased;
                outcome = slices.requests.closed(waiting.request) => Ended::Closed(Box::new(outcome?)),
                why = self.unanswered(until) => Ended::Without(why),
            };
            let outcome = match ended {
                Ended::Closed(outcome) => outcome,
                Ended::Without(why) => match slices.requests.without_answer(waiting.request, why).await? {
                    Some(outcome) => outcome,
                    None => return Ok(PermissionVerdict::Ask { why }),
                },
            };
            if outcome.status == RequestStatus::Answered {
                let verdict = verdict_of(&ask, &outcome)?;
                if let PermissionVerdict::Allow { input, .. } = &verdict {
                    match slices.requests.kept_back(waiting.request, &outcome, until).await? {
                        None => {}
                        Some(End::Ask(why)) => return Ok(PermissionVerdict::Ask { why }),
                        Some(End::Anew) => {
                            before = None;
                            continue;
                        }
                    }
                    if let Some(input) = input {
                        slices.requests.permissions.keep_edited(&asking, input);
                    }
                }
                slices.requests.permission_delivered(&call_key(&asking, round)).await;
                return Ok(verdict);
            }
            match slices.requests.permissions.ended(waiting.request) {
                End::Ask(why) => return Ok(PermissionVerdict::Ask { why }),
                End::Anew => before = Some(waiting.request),
            }
        }
        Ok(PermissionVerdict::Ask { why: PermissionAsk::Unreadable })
    }

    /// Why nobody would be asked now; absent where somebody would.
    pub(super) fn unasked(&self) -> Option<PermissionAsk> {
        let slices = &self.inner;
        if !self.settings().permissions.enabled {
            return Some(PermissionAsk::Off);
        }
        if slices.person.is_away() {
            return Some(PermissionAsk::Away);
        }
        (!slices.connections.may_be_seen() && self.may_decide().is_err()).then_some(PermissionAsk::Nobody)
    }

    /// Waits until a question ends without an answer, and says why.
    async fn unanswered(&self, until: Instant) -> PermissionAsk {
        let slices = &self.inner;
        tokio::select! {
            biased;
            () = slices.bus.stop().cancelled() => PermissionAsk::Stopping,
            () = slices.person.away() => PermissionAsk::Away,
            () = tokio::time::sleep_until(until) => PermissionAsk::TimeOver,
        }
    }
}

enum Ended {
    Closed(Box<Outcome>),
    Without(PermissionAsk),
}

impl Requests {
    /// Stores a question, and puts it on the board.
    async fn open_permission(
        self: &Arc<Self>,
        asking: &PermissionCall,
        round: u32,
        left: Duration,
    ) -> Result<(Waiting, Ask), Fault> {
        let call_key = call_key(asking, round);
        let asked = asking.question.clone();
        let read = move || asked.permission().map(|permission| (permission.shown(), permission));
        let (shown, mut permission) = blocking(read).await?;
        if let PermissionShown::Command { text, .. } = shown {
            let (folder, path) = (permission.folder.clone(), asking.question.path.clone());
            let look = move || programs::found(&text, &folder, &path);
            permission.programs = self.permissions.lookups.in_time(look).await;
        }
        let (asked, key) = (asking.clone(), call_key.clone());
        let (ask, question) = blocking(move || {
            let ask = prepared(permission)?;
            let question = QuestionKey::new(&asked.caller, &asked.declared, &ask, &key)?;
            Ok((ask, question))
        })
        .await?;
        let name = session_name(asking);
        let session_uuid = self.permissions.session(&name).filter(|session| {
            // One that is completed or gone begins anew.
            self.conversations.sessions.get(*session).is_some()
        });
        let now = self.bus.now();
        let until = now.plus_millis(u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        let call = Call {
            ask: ask.clone(),
            session_uuid,
            request_id: None,
            caller: asking.caller.clone(),
            declared: asking.declared.clone(),
            call_key,
            agent: asking.agent.clone(),
            owner: asking.owner.clone(),
            patience_millis: u64::try_from(left.as_millis()).unwrap_or(u64::MAX),
        };
        let (requests, stored, asked_by) = (Arc::clone(self), ask.clone(), asking.clone());
        // Where nobody takes it up any more, it is withdrawn as soon as it is there.
        let opened = whole(async move {
            let asked = requests.open(call, stored, question, now, until).await?;
            requests.permissions.keep_session(name, asked.session_uuid);
            Ok(Waiting::new(&requests, &asked_by, asked))
        });
        let waiting = opened.await.inspect_err(|fault| self.conversations.notice_damage(Some(fault)))?;
        Ok((waiting, ask))
    }

    /// What keeps an allow from its agent, where anything does: it isn't as sure as it has to be, or a file of its edit has
    /// changed while it was given.
    async fn kept_back(&self, request: RequestId, outcome: &Outcome, until: Instant) -> Result<Option<End>, Fault> {
        let asked = self.store.request(request).await?.ok_or_else(|| unknown_request(request))?;
        let required = self.required_of_answer(&asked, &outcome.text, &outcome.selected).await?;
        if outcome.assurance < Some(required.max(Assurance::L1)) {
            let required = required.as_str();
            tracing::warn!(%request, %required, "an allow isn't as sure as it has to be: its agent asks itself");
            return Ok(Some(End::Ask(PermissionAsk::Nobody)));
        }
        let looked = timeout_at(until.max(Instant::now() + LOOK), files_are_as_asked(&asked)).await;
        match looked.ok().transpose()? {
            Some(true) => Ok(None),
            Some(false) => {
                tracing::warn!(%request, "a file of an edit has changed while it was allowed: it is asked anew");
                Ok(Some(End::Anew))
            }
            None => {
                tracing::warn!(%request, "the files of an edit can't be looked at in time: its agent asks itself");
                Ok(Some(End::Ask(PermissionAsk::TimeOver)))
            }
        }
    }

    /// What becomes of a question that is to end without an answer: the answer nevertheless, where it came first.
    async fn without_answer(
        self: &Arc<Self>,
        request: RequestId,
        why: PermissionAsk,
    ) -> Result<Option<Box<Outcome>>, Fault> {
        loop {
            if self.end_permission(request, why).await? {
                return Ok(None);
            }
            // An approval that is just being signed is neither there nor not.
            tokio::select! {
                outcome = self.closed(request) => return Ok(Some(Box::new(outcome?))),
                () = tokio::time::sleep(AGAIN) => {}
            }
        }
    }

    /// Tells of a question that asks anew in another's place, and takes what was written along.
    async fn replace_permission(&self, old: RequestId, by: RequestId) {
        let draft = match self.store.draft(old).await {
            Ok(draft) if draft != Draft::default() => self.store.save_draft(by, &draft, self.bus.now()).await,
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = draft {
            tracing::warn!(%old, %by, %error, "the draft of a permission question can't be taken along");
        }
        self.bus.emit(Event::PermissionReplaced { request_id: old, by });
    }

    async fn permission_delivered(&self, call_key: &str) {
        if let Err(error) = self.store.mark_delivered(call_key, self.bus.now()).await {
            tracing::warn!(%error, "a delivered answer could not be marked");
        }
    }
}

/// A question that is waited for: withdrawn when this is dropped, if it is still there.
struct Waiting {
    requests: Arc<Requests>,
    request: RequestId,
    /// Dropped when nobody waits any more.
    asked: Option<Asked>,
}

impl Waiting {
    fn new(requests: &Arc<Requests>, asking: &PermissionCall, asked: Asked) -> Self {
        requests.permissions.begin(asked.request_id, asking);
        Self { requests: Arc::clone(requests), request: asked.request_id, asked: Some(asked) }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.asked = None;
        let (requests, request) = (Arc::clone(&self.requests), self.request);
        let still_waits = requests.queue.board.is_permission(request);
        // What isn't closed here is closed within a second, as nobody waits for it.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if still_waits => {
                runtime.spawn(async move {
                    if let Err(fault) = requests.end_permission(request, PermissionAsk::Gone).await {
                        tracing::debug!(%request, %fault, "a question that was given up is closed already");
                    }
                    requests.permissions.over(request);
                });
            }
            _ => requests.permissions.over(request),
        }
    }
}

/// The request of a question, with what its files say now.
pub(super) fn prepared(mut permission: Permission) -> Result<Ask, Fault> {
    let diff = looked_at(&mut permission);
    permission.into_ask(diff)
}

/// What the agent is told of an answer. Only what a person gave in a place of ours allows.
fn verdict_of(ask: &Ask, outcome: &Outcome) -> Result<PermissionVerdict, Fault> {
    if ask.permission.is_none() {
        return Err(not_a_permission());
    }
    let verdict = PermissionVerdict::of_answer(ask, outcome.decision, &outcome.text, &outcome.selected)?;
    let is_persons =
        matches!(outcome.answered_from, Some(AnsweredFrom::Desktop | AnsweredFrom::Browser | AnsweredFrom::Terminal));
    match verdict {
        PermissionVerdict::Allow { .. } if !is_persons => {
            Err(Fault::internal("A permission was allowed from where nobody allows."))
        }
        verdict => Ok(verdict),
    }
}

fn call_key(asking: &PermissionCall, round: u32) -> String {
    format!("{}:permission:{round}", asking.call_key)
}

/// The name of the agent's session: its owner's and its own, else that of its connection.
fn session_name(asking: &PermissionCall) -> String {
    let PermissionCall { question, agent, owner, call_key, .. } = asking;
    match (&question.session, agent) {
        (Some(session), _) => format!("{:?}", (&owner.id, question.client(), session)),
        (None, Some(agent)) => format!("{agent:?}"),
        (None, None) => call_key.clone(),
    }
}
