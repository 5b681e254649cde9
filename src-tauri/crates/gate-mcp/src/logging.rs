//! What a client of the initialize-era hears of the gate's own course: `logging/setLevel` and
//! `notifications/message`. Later revisions have neither, and their clients hear nothing.

#![expect(deprecated, reason = "MCP's own logging, which the clients of the initialize-era have")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, SetLevelRequestParams};
use rmcp::service::ServiceError;
use rmcp::{Peer, RoleServer};
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::kept::Kept;
use crate::port::{Agent, ConnectionPort, LogEntry, Severity};

/// What `logging/setLevel` asks for.
pub(crate) type SetLevel = SetLevelRequestParams;

/// What an HTTP session keeps its level as.
const FIELD: &str = "log_level";
/// Who says it.
const LOGGER: &str = "review-gate";
/// The least severe entries that a client hears which has asked for none.
const UNASKED: LoggingLevel = LoggingLevel::Warning;

/// What one connection hears. When it is dropped, the connection hears no more.
pub(crate) struct Log {
    level: watch::Sender<LoggingLevel>,
    kept: Arc<Kept>,
    is_forwarding: AtomicBool,
    over: CancellationToken,
    _over: DropGuard,
}

impl Log {
    pub(crate) fn new(kept: Arc<Kept>) -> Self {
        let over = CancellationToken::new();
        Self {
            level: watch::Sender::new(UNASKED),
            kept,
            is_forwarding: AtomicBool::new(false),
            _over: over.clone().drop_guard(),
            over,
        }
    }

    /// The client is ready: it hears what it should know of the gate by now, and what comes. One that was here before
    /// (`came_back`) hears that, too, and over HTTP as much as it had asked for.
    pub(crate) async fn initialized(
        &self,
        gate: &dyn ConnectionPort,
        agent: Option<Agent>,
        came_back: bool,
        peer: &Peer<RoleServer>,
    ) {
        if let (true, Some(Agent::Http(session))) = (came_back, &agent) {
            let level = self.kept.load(gate, session, FIELD).await;
            if let Some(level) = level.and_then(|level| serde_json::from_value(level).ok()) {
                self.level.send_replace(level);
            }
        }
        if self.is_forwarding.swap(true, Ordering::Relaxed) {
            return;
        }
        // In this order nothing is missed; what happens at this very moment may be told twice.
        let log = gate.log();
        let mut untold = gate.log_so_far();
        untold.extend(came_back.then(back));
        let forwarding = forward(log, untold, self.level.subscribe(), agent, peer.clone());
        tokio::spawn(self.over.clone().run_until_cancelled_owned(forwarding));
    }

    /// `logging/setLevel`.
    pub(crate) async fn set_level(&self, gate: &dyn ConnectionPort, session: Option<&str>, request: SetLevel) {
        self.level.send_replace(request.level);
        if let Some(session) = session {
            self.kept.save(gate, session, FIELD, json!(request.level)).await;
        }
    }
}

/// Hands entries on until the connection is gone. What was before it is told once its level asks for it.
async fn forward(
    mut log: broadcast::Receiver<LogEntry>,
    mut untold: Vec<LogEntry>,
    mut level: watch::Receiver<LoggingLevel>,
    agent: Option<Agent>,
    peer: Peer<RoleServer>,
) {
    loop {
        let least = *level.borrow_and_update();
        let (mut heard, not_yet): (Vec<_>, Vec<_>) = untold.into_iter().partition(|entry| is_heard(entry, least));
        untold = not_yet;
        if heard.is_empty() {
            let entry = tokio::select! {
                changed = level.changed() => match changed {
                    Ok(()) => continue,
                    Err(_) => return,
                },
                entry = log.recv() => entry,
            };
            match entry {
                Ok(entry) if entry.agent.is_none() || entry.agent == agent => {
                    let least = *level.borrow();
                    heard.extend(is_heard(&entry, least).then_some(entry));
                }
                // What was missed is no news any more.
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            }
        }
        for entry in heard {
            if let Err(error) = tell(entry, &peer).await {
                tracing::debug!(%error, "who hears of the gate is gone");
                return;
            }
        }
    }
}

async fn tell(entry: LogEntry, peer: &Peer<RoleServer>) -> Result<(), ServiceError> {
    let data = json!({ "code": entry.code, "message": entry.message });
    let told = LoggingMessageNotificationParam::new(level_of(entry.severity), data).with_logger(LOGGER);
    peer.notify_logging_message(told).await
}

/// Whether a client that asked for `least` hears an entry. MCP's levels stand in the order of their gravity.
fn is_heard(entry: &LogEntry, least: LoggingLevel) -> bool {
    level_of(entry.severity) as u8 >= least as u8
}

fn level_of(severity: Severity) -> LoggingLevel {
    match severity {
        Severity::Info => LoggingLevel::Info,
        Severity::Notice => LoggingLevel::Notice,
        Severity::Warning => LoggingLevel::Warning,
        Severity::Error => LoggingLevel::Error,
    }
}

fn back() -> LogEntry {
    LogEntry {
        severity: Severity::Notice,
        code: "reconnected",
        message: "The gate was restarted, or the connection to it broke. What was asked before is still open."
            .to_owned(),
        agent: None,
    }
}

#[cfg(test)]
mod over_http;
#[cfg(test)]
mod tests;
