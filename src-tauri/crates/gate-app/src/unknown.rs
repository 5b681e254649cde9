//! The faults for identifiers that nothing in the record has.

use gate_core::{Code, Fault, RequestId, SessionUuid};

/// No request has this identifier.
pub(crate) fn unknown_request(request: RequestId) -> Fault {
    Fault::new(
        Code::UnknownRequest,
        format!("No review request has the id {request}."),
        "List the pending ones with `review-gate requests`; an agent asks anew without `request_id`.",
    )
}

/// No session has this identifier.
pub(crate) fn unknown_session(session: SessionUuid) -> Fault {
    Fault::new(
        Code::UnknownSession,
        format!("No session has the uuid {session}."),
        "Leave `session_uuid` out; the result names the new session.",
    )
}
