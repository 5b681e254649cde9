//! How things are at a glance: what the tray shows.

use gate_api::SessionSummary;
use gate_core::ask::excerpt;
use gate_core::{RequestId, SessionStatus};

use crate::gate::Gate;

/// Sessions that are named.
const SESSIONS: usize = 4;
/// Longest line on a session, in characters.
const LINE_CHARS: usize = 80;

/// How things are at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glance {
    /// How many requests wait.
    pub pending: usize,
    /// The same in words.
    pub waiting: String,
    /// That, and a line for each agent that reports progress.
    pub tooltip: String,
}

impl Gate {
    /// How things are at a glance.
    #[must_use]
    pub fn at_a_glance(&self) -> Glance {
        let pending = self.pending();
        let waiting = match pending {
            0 => "Review Gate: nothing is waiting".to_owned(),
            1 => "Review Gate: 1 request is waiting".to_owned(),
            many => format!("Review Gate: {many} requests are waiting"),
        };
        let sessions = self.inner.sessions.all();
        let working: Vec<_> = sessions.iter().filter(|session| session.status == SessionStatus::Active).collect();
        let lines: Vec<_> = working.iter().filter_map(|session| line(session)).collect();
        let mut tooltip = waiting.clone();
        for line in lines.iter().take(SESSIONS) {
            tooltip = format!("{tooltip}\n{line}");
        }
        if lines.len() > SESSIONS {
            tooltip = format!("{tooltip}\nand {} more", lines.len() - SESSIONS);
        }
        Glance { pending, waiting, tooltip }
    }

    /// Brings the review window to the front where there is one.
    pub fn raise(&self, request_id: Option<RequestId>) {
        self.emit(gate_api::Event::Raise { request_id });
    }
}

/// What a session is at, e.g. `payments: Running tests, 64 %`; absent while it reports nothing.
fn line(session: &SessionSummary) -> Option<String> {
    let progress = session.progress.as_ref()?;
    let who = [&session.workspace_name, &session.client].into_iter().find(|name| !name.is_empty());
    let doing = progress.status_message.as_deref().or(progress.current_step()).map(str::to_owned);
    let percent = progress.progress_percent.map(|percent| format!("{percent} %"));
    let said: Vec<_> = [doing, percent].into_iter().flatten().collect();
    if said.is_empty() {
        return None;
    }
    Some(excerpt(&format!("{}: {}", who.map_or("agent", String::as_str), said.join(", ")), LINE_CHARS))
}
