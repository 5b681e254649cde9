//! The faults for identifiers that nothing in the record has. What is another's has the same for an agent.

use gate_core::{AttachmentId, Code, Fault, SessionUuid};

/// No request has this identifier: the store says so, too.
pub(crate) use gate_core::ids::unknown_request;

/// No attachment has this identifier.
pub(crate) fn unknown_attachment(attachment: AttachmentId) -> Fault {
    Fault::new(Code::UnknownAttachment, format!("No attachment has the id {attachment}."), "Attach the file again.")
}

/// No session has this identifier.
pub(crate) fn unknown_session(session: SessionUuid) -> Fault {
    Fault::new(
        Code::UnknownSession,
        format!("No session has the uuid {session}."),
        "Leave `session_uuid` out; the result names the new session.",
    )
}
