//! Sessions as they live: who speaks for them, what time makes of them, and who is told. The record is written along.

use std::sync::Arc;
use std::time::Duration;

use gate_api::subjects::conversations::Event;
use gate_core::{Code, Fault, SessionStatus, SessionUuid, Timestamp};
use gate_mcp::{Agent, Change, Whose};
use gate_store::NewSession;

use super::sessions::{Sessions, Telling};
use super::{Conversations, relay_of};
use crate::bus::Bus;
use crate::unknown::unknown_session;

impl Conversations {
    /// A session's work is done, or isn't after all.
    pub(crate) async fn complete(&self, session: SessionUuid, completed: bool) -> Result<(), Fault> {
        let status = if completed { SessionStatus::Completed } else { SessionStatus::Active };
        let stored = self.store.session(session).await?.ok_or_else(|| unknown_session(session))?;
        let pending = self.store.pending_of(session).await?.len();
        if completed && pending > 0 {
            return Err(still_pending());
        }
        if !self.sessions.complete(session, completed, self.bus.now()) && !completed {
            let agent = stored.relay.map(Agent::Relay);
            self.sessions.take_in(&stored.conversation, agent, counted(pending), self.bus.now());
        }
        self.write_status(session, status, None).await?;
        if completed {
            self.drop_copies(&[session]);
        }
        self.session_changed(session);
        Ok(())
    }

    /// Stores where a session stands in memory at the moment of writing, `status` where it isn't there:
    /// whatever happens at the same time, the record ends up with what memory has.
    async fn write_status(
        &self,
        session: SessionUuid,
        status: SessionStatus,
        relay: Option<&str>,
    ) -> Result<(), Fault> {
        let turn = self.turns.of(session);
        let _turn = turn.lock().await;
        let status = self.sessions.status(session).unwrap_or(status);
        Ok(self.store.set_session_status(session, status, relay).await?)
    }

    /// The session that a call is about; a new one where its agent has none.
    pub(super) async fn session_or_new(&self, whose: &Whose) -> Result<SessionUuid, Fault> {
        // Two first calls at once are of one session.
        let _alone = match whose.session_uuid {
            Some(_) => None,
            None => Some(self.beginning.lock().await),
        };
        let known = match whose.session_uuid {
            Some(session) => Some(session),
            None => self.sessions.only_one_of(whose.agent.as_ref(), true)?,
        };
        if let Some(session) = known {
            self.admit(session, &whose.owner).await?;
            self.spoke(session, whose.agent.as_ref()).await?;
            return Ok(session);
        }
        self.begin_for(whose).await
    }

    /// Begins a session for a call.
    async fn begin_for(&self, whose: &Whose) -> Result<SessionUuid, Fault> {
        let session = SessionUuid(self.bus.new_id());
        let new = NewSession {
            session_uuid: session,
            caller: whose.caller.clone(),
            declared: whose.declared.clone(),
            relay: relay_of(whose.agent.as_ref()),
            owner: whose.owner.clone(),
            now: self.bus.now(),
        };
        self.store.begin_session(&new).await?;
        self.sessions.begin(session, &whose.caller, whose.agent.clone(), new.now);
        self.bus.change(Change::Began(session));
        Ok(session)
    }

    /// The session that a call is about: the one that it names, else the only active one of its agent. Where there is none,
    /// or there are several, it `begins` one or goes without.
    pub(crate) async fn session_for(&self, whose: &Whose, begins: bool) -> Result<Option<SessionUuid>, Fault> {
        // Two first calls at once are of one session.
        let _alone = match whose.session_uuid {
            None if begins => Some(self.beginning.lock().await),
            _ => None,
        };
        let known = match whose.session_uuid {
            Some(session) => Some(session),
            None => self.sessions.only_one_of(whose.agent.as_ref(), begins).ok().flatten(),
        };
        match known {
            Some(session) => {
                self.admit(session, &whose.owner).await?;
                self.spoke(session, whose.agent.as_ref()).await?;
                Ok(Some(session))
            }
            None if begins => self.begin_for(whose).await.map(Some),
            None => Ok(None),
        }
    }

    /// The session that a call is about, which has to be there.
    pub(super) async fn own_session(&self, whose: &Whose) -> Result<SessionUuid, Fault> {
        let known = match whose.session_uuid {
            Some(session) => Some(session),
            None => self.sessions.only_one_of(whose.agent.as_ref(), false)?,
        };
        let session = known.ok_or_else(|| {
            Fault::new(
                Code::UnknownSession,
                "This call names no `session_uuid`, and no session of yours is known by this connection.",
                "Pass the `session_uuid` of an earlier result; review_gate_chat and review_gate_update_progress begin one.",
            )
        })?;
        self.admit(session, &whose.owner).await?;
        self.spoke(session, whose.agent.as_ref()).await?;
        Ok(session)
    }

    /// A session of the record speaks: it is active from now on.
    pub(crate) async fn spoke(&self, session: SessionUuid, agent: Option<&Agent>) -> Result<(), Fault> {
        let woke = match self.sessions.speak(session, agent, self.bus.now()) {
            Some(spoke) => spoke.woke,
            None => {
                let stored = Box::pin(self.store.session(session)).await?.ok_or_else(|| unknown_session(session))?;
                let agent = agent.cloned().or(stored.relay.map(Agent::Relay));
                // The board is looked at and the session taken in at once, so that no answer comes in
                // between.
                let pending = self.queue.board.pending_of(session);
                self.sessions.take_in(&stored.conversation, agent, counted(pending), self.bus.now());
                stored.conversation.status != SessionStatus::Active
            }
        };
        if woke {
            let relay = relay_of(agent);
            Box::pin(self.write_status(session, SessionStatus::Active, relay.as_deref())).await?;
        }
        Ok(())
    }

    /// A relay's heart beats.
    pub(crate) fn relay_beats(self: &Arc<Self>, relay: &str) {
        let woken = self.sessions.beat(relay, self.bus.now());
        if woken.is_empty() {
            return;
        }
        let conversations = Arc::clone(self);
        tokio::spawn(async move {
            for session in woken {
                conversations.store_status(session, SessionStatus::Active).await;
            }
        });
    }

    /// Lets time pass over the sessions.
    pub(crate) async fn pass_time(&self, now: Timestamp) {
        let (changed, over) = self.sessions.pass(now, &self.settings.in_force().session_times());
        for (session, status) in changed {
            self.store_status(session, status).await;
        }
        for session in over {
            self.turns.forget(session);
            self.bus.emit(Event::SessionForgotten { session_uuid: session });
        }
    }

    async fn store_status(&self, session: SessionUuid, status: SessionStatus) {
        if let Err(error) = self.write_status(session, status, None).await {
            tracing::warn!(%error, %session, "a session's status could not be stored");
        }
        self.session_changed(session);
    }

    /// Tells whoever reads the record that a conversation is other than before, and front ends of its
    /// session, though not more often than they can show it.
    pub(crate) fn session_changed(&self, session: SessionUuid) {
        self.bus.change(Change::Conversation(session));
        match self.sessions.telling(session, self.bus.now()) {
            Telling::Now => tell(&self.sessions, &self.bus, session),
            Telling::Already => {}
            Telling::Later(millis) => {
                let (sessions, bus) = (Arc::clone(&self.sessions), self.bus.clone());
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(millis)).await;
                    sessions.told(session, bus.now());
                    tell(&sessions, &bus, session);
                });
            }
        }
    }
}

fn tell(sessions: &Sessions, bus: &Bus, session: SessionUuid) {
    if let Some(session) = sessions.get(session) {
        bus.emit(Event::SessionChanged { session });
    }
}

pub(super) fn counted(pending: usize) -> u32 {
    u32::try_from(pending).unwrap_or(u32::MAX)
}

pub(super) fn still_pending() -> Fault {
    Fault::new(
        Code::StillPending,
        "This session still has open questions.",
        "Answer or dismiss them first; nothing was changed.",
    )
}
