//! How things are at a glance: what the tray shows, in no language yet.

use gate_api::{RequestSummary, SessionSummary};
use gate_core::ask::{excerpt, plain_line};
use gate_core::{Presence, RequestId, SessionStatus, SessionUuid};

use super::Person;

/// Requests that are named.
const REQUESTS: usize = 9;
/// Sessions that are named.
const SESSIONS: usize = 5;
/// The longest title of a request and the longest word on a session, in characters.
const LINE_CHARS: usize = 60;

/// How things are at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glance {
    /// How many requests wait, without those that are put off.
    pub pending: usize,
    /// How many of them ask for a permission.
    pub permissions: usize,
    /// The first of them, in their order.
    pub waiting: Vec<WaitingRequest>,
    /// The first of the agents that report progress, in the order in which they began: whoever reports keeps its place.
    pub working: Vec<Working>,
    /// How many more of them there are.
    pub more_working: usize,
    /// How the person is there.
    pub presence: Presence,
}

/// A request that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingRequest {
    /// Its identifier.
    pub request_id: RequestId,
    /// Its headline.
    pub title: String,
    /// The last part of the folder that its agent works in, else the agent's name; empty when both are
    /// unknown.
    pub workspace: String,
}

/// What an agent is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Working {
    /// Its session.
    pub session_uuid: SessionUuid,
    /// Its name, e.g. `Claude Code`; empty where it says none.
    pub agent: String,
    /// The last part of the folder that it works in; empty when unknown.
    pub workspace: String,
    /// Its status message or its step; empty where it says only how far it is.
    pub doing: String,
    /// How far it is, 0 to 100.
    pub percent: Option<u8>,
}

impl Person {
    /// How things are at a glance.
    pub(crate) fn at_a_glance(&self) -> Glance {
        let requests = self.queue.board.all();
        let waiting: Vec<_> = requests.iter().filter(|request| request.snoozed.is_none()).collect();
        let mut sessions = self.conversations.sessions.all();
        sessions.sort_by_key(|session| session.session_uuid);
        let active = sessions.iter().filter(|session| session.status == SessionStatus::Active);
        let mut working: Vec<_> = active.filter_map(working).collect();
        let more_working = working.len().saturating_sub(SESSIONS);
        working.truncate(SESSIONS);
        Glance {
            pending: waiting.len(),
            permissions: waiting.iter().filter(|request| request.permission.is_some()).count(),
            waiting: waiting.into_iter().take(REQUESTS).map(waiting_request).collect(),
            working,
            more_working,
            presence: self.presence(),
        }
    }
}

fn waiting_request(request: &RequestSummary) -> WaitingRequest {
    WaitingRequest {
        request_id: request.request_id,
        title: plain_line(&request.title, LINE_CHARS),
        workspace: excerpt(name(&request.workspace_name, &request.client), LINE_CHARS),
    }
}

/// What a session is at; absent while it reports nothing.
fn working(session: &SessionSummary) -> Option<Working> {
    let progress = session.progress.as_ref()?;
    let doing = progress.status_message.as_deref().or(progress.current_step()).unwrap_or_default();
    if doing.is_empty() && progress.progress_percent.is_none() {
        return None;
    }
    Some(Working {
        session_uuid: session.session_uuid,
        agent: excerpt(&session.client, LINE_CHARS),
        workspace: excerpt(&session.workspace_name, LINE_CHARS),
        doing: plain_line(doing, LINE_CHARS),
        percent: progress.progress_percent,
    })
}

fn name<'a>(workspace: &'a str, client: &'a str) -> &'a str {
    if workspace.is_empty() { client } else { workspace }
}
