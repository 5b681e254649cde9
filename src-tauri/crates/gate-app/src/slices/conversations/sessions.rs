//! The sessions in memory: who speaks in which, how far they are, and what time makes of them. The
//! record is the truth; this knows what is alive.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gate_api::SessionSummary;
use gate_core::clients::display_name;
use gate_core::markdown::visible;
use gate_core::{
    Caller, Code, Conversation, Fault, Life, Progress, SessionStatus, SessionTimes, SessionUuid, Timestamp,
};
use gate_mcp::Agent;

use super::notes::Notes;
use crate::shown::{shown, workspace_name};

/// For how many milliseconds front ends aren't told again of a session that reports without pause.
const QUIET_MILLIS: i64 = 100;

/// The sessions in memory.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    live: Mutex<HashMap<SessionUuid, Live>>,
    /// What the person has sent their agents; also of sessions that are in the record only.
    pub(crate) notes: Notes,
}

#[derive(Debug)]
struct Live {
    title: String,
    client: String,
    workspace: String,
    created_at: Timestamp,
    life: Life,
    /// What [`Life::is_gone`] said when time last passed.
    gone: bool,
    agent: Option<Agent>,
    progress: Option<Progress>,
    /// Requests that wait for the person.
    pending: u32,
    /// What the agent is to be told with its next call.
    asides: Vec<String>,
    told_at: Timestamp,
    telling: bool,
}

/// What a session's speaking made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spoke {
    /// It wasn't active, and the record has to be told.
    pub(crate) woke: bool,
}

/// Whether front ends are to be told of a session now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// At once.
    Now,
    /// In so many milliseconds, once for all that happens until then.
    Later(u64),
    /// Somebody will.
    Already,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionUuid, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a session of the record into memory, as one that speaks now.
    pub(crate) fn take_in(&self, conversation: &Conversation, agent: Option<Agent>, pending: u32, now: Timestamp) {
        let live = Live {
            title: conversation.title.clone(),
            client: conversation.client.clone(),
            workspace: conversation.workspace.clone(),
            created_at: conversation.created_at,
            life: Life::new(now, is_relay(agent.as_ref())),
            gone: false,
            agent,
            progress: conversation.progress.clone(),
            pending,
            asides: Vec::new(),
            told_at: Timestamp(0),
            telling: false,
        };
        self.lock().entry(conversation.session_uuid).or_insert(live);
    }

    /// A session that is new begins to speak.
    pub(crate) fn begin(&self, session: SessionUuid, caller: &Caller, agent: Option<Agent>, now: Timestamp) {
        let conversation = Conversation {
            session_uuid: session,
            title: String::new(),
            status: SessionStatus::Active,
            client: caller.client.clone(),
            client_version: caller.client_version.clone(),
            workspace: caller.workspace.clone(),
            created_at: now,
            updated_at: now,
            messages: 0,
            progress: None,
        };
        self.take_in(&conversation, agent, 0, now);
    }

    /// A session that is in memory speaks; absent when it isn't.
    pub(crate) fn speak(&self, session: SessionUuid, agent: Option<&Agent>, now: Timestamp) -> Option<Spoke> {
        let mut live = self.lock();
        let live = live.get_mut(&session)?;
        let woke = live.life.status() != SessionStatus::Active;
        if let Some(agent) = agent {
            live.agent = Some(agent.clone());
        }
        live.life.speak(now, is_relay(live.agent.as_ref()));
        live.gone = false;
        Some(Spoke { woke })
    }

    /// A session has asked something: its headline, if it is its first question.
    pub(crate) fn asked(&self, session: SessionUuid, headline: &str) {
        if let Some(live) = self.lock().get_mut(&session) {
            live.pending += 1;
            if live.title.is_empty() {
                headline.clone_into(&mut live.title);
            }
        }
    }

    /// A question of a session was answered or closed.
    pub(crate) fn closed(&self, session: SessionUuid, now: Timestamp) {
        if let Some(live) = self.lock().get_mut(&session) {
            live.pending = live.pending.saturating_sub(1);
            live.life.touch(now);
        }
    }

    /// The answer to a question of a session was taken back.
    pub(crate) fn reopened(&self, session: SessionUuid) {
        if let Some(live) = self.lock().get_mut(&session) {
            live.pending += 1;
        }
    }

    /// The progress of a session that is in memory.
    pub(crate) fn progress(&self, session: SessionUuid) -> Option<Progress> {
        self.lock().get(&session)?.progress.clone()
    }

    /// Keeps the progress of a session.
    pub(crate) fn set_progress(&self, session: SessionUuid, progress: Option<Progress>) {
        if let Some(live) = self.lock().get_mut(&session) {
            live.progress = progress;
        }
    }

    /// A session's work is done, or isn't after all. False when it isn't in memory.
    pub(crate) fn complete(&self, session: SessionUuid, completed: bool, now: Timestamp) -> bool {
        let mut live = self.lock();
        let Some(live) = live.get_mut(&session) else { return false };
        if completed {
            live.life.complete(now);
        } else {
            let relay = is_relay(live.agent.as_ref());
            live.life.speak(now, relay);
        }
        true
    }

    /// What the agent is to be told with its next call.
    pub(crate) fn tell(&self, session: SessionUuid, aside: String) {
        if let Some(live) = self.lock().get_mut(&session) {
            live.asides.push(aside);
        }
    }

    /// Takes what a session's agent is to be told.
    pub(crate) fn take_asides(&self, session: SessionUuid) -> Vec<String> {
        self.lock().get_mut(&session).map(|live| std::mem::take(&mut live.asides)).unwrap_or_default()
    }

    /// The session of an agent that names none and asks something: one that it has begun by reporting, and has asked
    /// nothing in yet. Absent where there are several of them, or none.
    pub(crate) fn unasked_of(&self, agent: Option<&Agent>) -> Option<SessionUuid> {
        let agent = agent?;
        let live = self.lock();
        let mut unasked = live.iter().filter(|(_, live)| {
            live.agent.as_ref() == Some(agent)
                && live.title.is_empty()
                && live.pending == 0
                && live.life.status() == SessionStatus::Active
        });
        let (session, _) = unasked.next()?;
        unasked.next().is_none().then_some(*session)
    }

    /// The session of an agent that names none: its only active one; where none is active, the one that
    /// was heard last, unless that is completed and the agent wants to begin something.
    pub(crate) fn only_one_of(&self, agent: Option<&Agent>, begins: bool) -> Result<Option<SessionUuid>, Fault> {
        let Some(agent) = agent else { return Ok(None) };
        let live = self.lock();
        let own = || live.iter().filter(|(_, live)| live.agent.as_ref() == Some(agent));
        let active: Vec<SessionUuid> = own()
            .filter(|(_, live)| live.life.status() == SessionStatus::Active)
            .map(|(session, _)| *session)
            .collect();
        match active.as_slice() {
            [] => {
                let ended = own().filter(|(_, live)| !begins || live.life.status() != SessionStatus::Completed);
                Ok(ended.max_by_key(|(session, live)| (live.life.spoke_at(), **session)).map(|(session, _)| *session))
            }
            [only] => Ok(Some(*only)),
            several => {
                let mut all = several.to_vec();
                all.sort_unstable();
                let named: Vec<_> = all.iter().rev().take(5).map(ToString::to_string).collect();
                Err(Fault::new(
                    Code::AmbiguousSession,
                    format!("{} sessions speak through this connection: {}.", all.len(), named.join(", ")),
                    "Pass the `session_uuid` that your own first result named.",
                ))
            }
        }
    }

    /// A relay's heart beats. Returns the sessions that it wakes.
    pub(crate) fn beat(&self, relay: &str, now: Timestamp) -> Vec<SessionUuid> {
        let mut woken = Vec::new();
        for (session, live) in self.lock().iter_mut() {
            if live.agent.as_ref().is_some_and(|agent| matches!(agent, Agent::Relay(name) if name == relay)) {
                let before = live.life.status();
                live.life.beat(now);
                if live.life.status() != before {
                    live.gone = false;
                    woken.push(*session);
                }
            }
        }
        woken
    }

    /// What time alone makes of the sessions: those with another status or without their agent, and those that are
    /// dropped from memory.
    pub(crate) fn pass(
        &self,
        now: Timestamp,
        times: &SessionTimes,
    ) -> (Vec<(SessionUuid, SessionStatus)>, Vec<SessionUuid>) {
        let mut live = self.lock();
        let mut changed = Vec::new();
        for (session, live) in live.iter_mut() {
            let passed = live.life.pass(now, live.pending > 0, times);
            let gone = live.life.is_gone(now, times);
            if passed || gone != live.gone {
                live.gone = gone;
                changed.push((*session, live.life.status()));
            }
        }
        let over: Vec<_> =
            live.iter().filter(|(_, live)| live.life.is_over(now, times)).map(|(session, _)| *session).collect();
        live.retain(|session, _| !over.contains(session));
        (changed, over)
    }

    /// Nobody speaks for a session until somebody does again.
    pub(crate) fn leave(&self, session: SessionUuid) {
        if let Some(live) = self.lock().get_mut(&session) {
            live.agent = None;
        }
    }

    /// Drops a session from memory.
    pub(crate) fn forget(&self, session: SessionUuid) -> bool {
        self.lock().remove(&session).is_some()
    }

    /// Whether front ends are to be told of a session, so that they aren't flooded.
    pub(crate) fn telling(&self, session: SessionUuid, now: Timestamp) -> Telling {
        let mut live = self.lock();
        let Some(live) = live.get_mut(&session) else { return Telling::Already };
        if live.telling {
            return Telling::Already;
        }
        let since = now.0 - live.told_at.0;
        if since >= QUIET_MILLIS {
            live.told_at = now;
            return Telling::Now;
        }
        live.telling = true;
        Telling::Later(u64::try_from(QUIET_MILLIS - since).unwrap_or(0))
    }

    /// What was put off is told now.
    pub(crate) fn told(&self, session: SessionUuid, now: Timestamp) {
        if let Some(live) = self.lock().get_mut(&session) {
            (live.telling, live.told_at) = (false, now);
        }
    }

    /// Who speaks for a session in memory.
    pub(crate) fn agent(&self, session: SessionUuid) -> Option<Agent> {
        self.lock().get(&session)?.agent.clone()
    }

    /// Where a session in memory stands.
    pub(crate) fn status(&self, session: SessionUuid) -> Option<SessionStatus> {
        self.lock().get(&session).map(|live| live.life.status())
    }

    /// Whether a session's agent is gone; that of one that isn't in memory is.
    pub(crate) fn is_gone(&self, session: SessionUuid) -> bool {
        self.lock().get(&session).is_none_or(|live| live.gone)
    }

    /// When a session in memory was last heard, or answered.
    pub(crate) fn spoke_at(&self, session: SessionUuid) -> Option<Timestamp> {
        self.lock().get(&session).map(|live| live.life.spoke_at())
    }

    /// One session in memory.
    pub(crate) fn get(&self, session: SessionUuid) -> Option<SessionSummary> {
        self.lock().get(&session).map(|live| live.summary(session, &self.notes))
    }

    /// The sessions in memory: active ones first, then the latest heard.
    pub(crate) fn all(&self) -> Vec<SessionSummary> {
        let mut all: Vec<_> = self.lock().iter().map(|(session, live)| live.summary(*session, &self.notes)).collect();
        all.sort_by_key(|session| {
            (session.status != SessionStatus::Active, std::cmp::Reverse((session.spoke_at, session.session_uuid)))
        });
        all
    }
}

impl Live {
    fn summary(&self, session_uuid: SessionUuid, notes: &Notes) -> SessionSummary {
        SessionSummary {
            session_uuid,
            title: self.title.clone(),
            client: visible(&display_name(&self.client)),
            workspace: visible(&self.workspace),
            workspace_name: workspace_name(&self.workspace),
            status: self.life.status(),
            gone: self.gone,
            progress: self.progress.as_ref().map(shown),
            pending: self.pending,
            created_at: self.created_at,
            spoke_at: self.life.spoke_at(),
            notes: notes.of(session_uuid),
        }
    }
}

fn is_relay(agent: Option<&Agent>) -> bool {
    matches!(agent, Some(Agent::Relay(_)))
}
