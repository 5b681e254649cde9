//! Identifiers. Each is a UUID v7, so that sorting by identifier sorts by time of creation.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

use crate::fault::{Code, Fault};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $field:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[serde(transparent)]
        pub struct $name(#[cfg_attr(feature = "typescript", ts(type = "string"))] pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = Fault;

            fn from_str(text: &str) -> Result<Self, Fault> {
                Uuid::parse_str(text).map(Self).map_err(|_| {
                    Fault::new(
                        Code::InvalidInput,
                        format!("`{}` must be a UUID, but it is {:?}", $field, crate::ask::excerpt(text, 60)),
                        concat!("Pass the `", $field, "` exactly as an earlier result gave it, or leave it out."),
                    )
                })
            }
        }
    };
}

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
    /// One template for replies.
    SnippetId,
    "snippet_id"
);
id!(
    /// One note to an agent that is still working.
    NoteId,
    "note_id"
);
id!(
    /// One change of one setting.
    SettingChangeId,
    "change_id"
);
id!(
    /// One version of one prompt's file.
    PromptVersionId,
    "version_id"
);
