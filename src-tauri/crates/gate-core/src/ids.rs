//! Identifiers. Each is a UUID v7, so that sorting by identifier sorts by time of creation.
//!
//! Those that several subjects name stand here; one that is a single subject's stands with that subject.

use crate::fault::{Code, Fault};

/// The fault of an identifier that no request has.
#[must_use]
pub fn unknown_request(request: RequestId) -> Fault {
    Fault::new(
        Code::UnknownRequest,
        format!("No review request has the id {request}."),
        "List the pending ones with `review-gate requests`; an agent asks anew without `request_id`.",
    )
}

/// Declares an identifier: its type, and the name of the field that has it.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $field:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[serde(transparent)]
        pub struct $name(#[cfg_attr(feature = "typescript", ts(type = "string"))] pub uuid::Uuid);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::fault::Fault;

            fn from_str(text: &str) -> Result<Self, $crate::fault::Fault> {
                uuid::Uuid::parse_str(text).map(Self).map_err(|_| {
                    $crate::fault::Fault::new(
                        $crate::fault::Code::InvalidInput,
                        format!("`{}` must be a UUID, but it is {:?}.", $field, $crate::ask::excerpt(text, 60)),
                        concat!("Pass the `", $field, "` exactly as an earlier result gave it, or leave it out."),
                    )
                })
            }
        }
    };
}
pub(crate) use id;

id!(
    /// One agent's conversation with the gate.
    SessionUuid,
    "session_uuid"
);
id!(
    /// One review request.
    RequestId,
    "request_id"
);
id!(
    /// One proposal and what becomes of it.
    ReviewId,
    "review_id"
);
id!(
    /// One attachment of a reply or of a draft.
    AttachmentId,
    "attachment_id"
);
id!(
    /// One checkpoint of a conversation.
    CheckpointId,
    "checkpoint_id"
);
id!(
    /// One time that a conversation was taken back to a checkpoint.
    RestoreId,
    "restore_id"
);
id!(
    /// One change of one setting.
    SettingChangeId,
    "change_id"
);
