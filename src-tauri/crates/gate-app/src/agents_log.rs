//! What agents' clients hear of the gate's own course, each in a sentence of its own: never words of a person or of an
//! agent, no setting's value, no path.

use gate_core::{Code, Fault, RequestId, RequestStatus};
use gate_mcp::{Agent, LogEntry, Severity};

/// Something that the person is warned of. Its own words stay with them: they may name settings and folders.
pub(crate) fn warning(fault: &Fault) -> LogEntry {
    let (severity, message) = match fault.code {
        Code::InvalidSetting => (Severity::Warning, "A setting can't be used; another value holds in its place."),
        Code::SettingsFile => (Severity::Warning, "The settings file can't be read; what held before it still does."),
        Code::DatabaseDamaged => (Severity::Error, "The record was found damaged. Replies are kept in a second copy."),
        Code::Database | Code::DiskFull | Code::ReadOnly => (Severity::Error, "The gate can't write what it should."),
        _ => (Severity::Warning, "Something isn't as it should be; the person is told what."),
    };
    entry(severity, fault.code.as_str(), message, None)
}

/// The gate has no window; `hint` is what an agent should tell its person then.
pub(crate) fn no_window(hint: String) -> LogEntry {
    LogEntry { severity: Severity::Notice, code: "no_window", message: hint, agent: None }
}

/// The person has gone, or come back.
pub(crate) fn presence(away: bool) -> LogEntry {
    match away {
        true => entry(Severity::Info, "away", "The person is away: calls are answered `pending` at once.", None),
        false => entry(Severity::Info, "there", "The person is there again.", None),
    }
}

/// A request of an agent's was closed while none of its calls waited for it.
pub(crate) fn closed(request: RequestId, status: RequestStatus, agent: Agent) -> LogEntry {
    let (code, message) = match status {
        RequestStatus::Answered => (
            "request_answered",
            format!("Request {request} was answered. Call review_gate_chat with this request_id to get the reply."),
        ),
        RequestStatus::Expired => ("request_expired", format!("Request {request} expired without an answer.")),
        RequestStatus::Cancelled | RequestStatus::Pending => {
            ("request_cancelled", format!("Request {request} was closed without an answer."))
        }
    };
    entry(Severity::Notice, code, &message, Some(agent))
}

fn entry(severity: Severity, code: &'static str, message: &str, agent: Option<Agent>) -> LogEntry {
    LogEntry { severity, code, message: message.to_owned(), agent }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_keeps_to_itself_what_the_person_reads() {
        for code in [Code::InvalidSetting, Code::SettingsFile, Code::DatabaseDamaged, Code::DiskFull, Code::Download] {
            let told = warning(&Fault::new(code, "`network.token` is hunter2.", "Look into the file."));
            assert_eq!(told.code, code.as_str(), "programs tell warnings apart");
            assert!(!told.message.contains("hunter2") && !told.message.contains("token"), "{}", told.message);
        }
    }
}
