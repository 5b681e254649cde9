//! Agents that ask whether they may: a kind of request that somebody waits for. Only an act of the person allows; whatever else
//! happens, the agent is told to ask at its own prompt.
//!
//! A question is there as long as it is waited for: whoever asks and goes away takes it along.

mod answering;
mod asking;
mod commands;
mod files;
mod programs;
mod signs;
mod trial;

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gate_api::subjects::permissions::PermissionArrived;
use gate_core::{OwnerId, PermissionAsk, PermissionEnd, PermissionForm, RequestId, SessionUuid};
use gate_mcp::PermissionCall;
use serde_json::Value;
use tokio::time::Instant;

use super::Requests;

/// Changed inputs that are remembered until the agent has used them.
const EDITED: usize = 64;
/// Sessions of agents that are remembered with the conversations that their questions began.
const SESSIONS: usize = 1024;

/// The permission questions that are waited for.
#[derive(Debug, Default)]
pub(super) struct Permissions {
    known: Mutex<Known>,
    lookups: programs::Lookups,
}

#[derive(Debug, Default)]
struct Known {
    waiting: HashMap<RequestId, Waiting>,
    /// The conversation of an agent's session, by whose it is and the agent's own name of it.
    sessions: HashMap<String, SessionUuid>,
    /// What the person changed and allowed, the latest last.
    edited: VecDeque<Used>,
    /// Trials of the way here, the latest last.
    trials: VecDeque<Trial>,
}

/// A question that is waited for.
#[derive(Debug)]
struct Waiting {
    used: Used,
    asks_one_at_a_time: bool,
    /// Why it ends, once that is known.
    end: Option<End>,
}

/// A use of a tool, as an agent tells of it.
#[derive(Debug, Clone, PartialEq)]
struct Used {
    /// Whose it is. Hooks on the person's socket are all of one owner: nobody knows more of them.
    owner: OwnerId,
    form: PermissionForm,
    session: Option<String>,
    subagent: Option<String>,
    tool: String,
    input: Value,
    tool_use_id: Option<String>,
}

/// A trial of the way here that goes on.
#[derive(Debug)]
struct Trial {
    /// The session that its question is of.
    name: String,
    until: Instant,
    arrived: Option<PermissionArrived>,
}

/// How a question ends without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The agent is to ask at its own prompt.
    Ask(PermissionAsk),
    /// One of its files is another: it is asked anew.
    Anew,
}

impl End {
    /// As it stands in the record.
    fn recorded(self) -> PermissionEnd {
        match self {
            Self::Ask(why) => why.into(),
            Self::Anew => PermissionEnd::Anew,
        }
    }
}

impl Permissions {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A question is waited for from now on.
    fn begin(&self, request: RequestId, asking: &PermissionCall) {
        let question = &asking.question;
        let waiting = Waiting {
            used: Used::asked(asking),
            asks_one_at_a_time: question.form.asks_one_at_a_time() && question.session.is_some(),
            end: None,
        };
        self.lock().waiting.insert(request, waiting);
    }

    /// It isn't any more.
    fn over(&self, request: RequestId) {
        self.lock().waiting.remove(&request);
    }

    /// Why it is about to end: what was said first holds, and is given.
    fn end(&self, request: RequestId, end: End) -> End {
        self.lock().waiting.get_mut(&request).map_or(end, |waiting| *waiting.end.get_or_insert(end))
    }

    /// It goes on after all.
    fn goes_on(&self, request: RequestId) {
        if let Some(waiting) = self.lock().waiting.get_mut(&request) {
            waiting.end = None;
        }
    }

    /// Why it ended; put aside by the person where nothing else is known.
    fn ended(&self, request: RequestId) -> End {
        let end = self.lock().waiting.get(&request).and_then(|waiting| waiting.end);
        end.unwrap_or(End::Ask(PermissionAsk::PutAside))
    }

    /// The conversation that the questions of an agent's session stand in.
    fn session(&self, name: &str) -> Option<SessionUuid> {
        self.lock().sessions.get(name).copied()
    }

    fn keep_session(&self, name: String, session: SessionUuid) {
        let mut known = self.lock();
        if known.sessions.len() >= SESSIONS {
            known.sessions.clear();
        }
        known.sessions.insert(name, session);
    }

    /// The person changed an input and allowed it.
    fn keep_edited(&self, asking: &PermissionCall, input: &str) {
        let Ok(input) = serde_json::from_str(input) else { return };
        let mut known = self.lock();
        if known.edited.len() >= EDITED {
            known.edited.pop_front();
        }
        known.edited.push_back(Used { input, ..Used::asked(asking) });
    }
}

impl Used {
    fn asked(PermissionCall { question, owner, .. }: &PermissionCall) -> Self {
        Self {
            owner: owner.id.clone(),
            form: question.form,
            session: question.session.clone(),
            subagent: question.subagent.clone(),
            tool: question.tool.clone(),
            input: serde_json::from_str(&question.input).unwrap_or_default(),
            tool_use_id: question.tool_use_id.clone(),
        }
    }
}
