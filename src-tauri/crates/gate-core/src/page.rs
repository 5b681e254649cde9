//! Reading the record in pages: what is looked for, and the place where the next page begins.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::conversation::{Conversation, Role};
use crate::fault::{Code, Fault};
use crate::ids::SessionUuid;
use crate::owner::OwnerId;
use crate::permitting::PermissionSaid;
use crate::reply::Decision;
use crate::request::RequestStatus;
use crate::session::SessionStatus;
use crate::timestamp::Timestamp;

/// Where a page ends, as text that its receiver hands back for the next one. It holds what the order
/// is by, so that it means the same after a restart and while entries come and go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// After the conversation that was last touched then.
    Conversation {
        /// When it was touched.
        updated_at: Timestamp,
        /// Which one it was.
        session_uuid: SessionUuid,
    },
    /// Before this message.
    Message(i64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conversation { updated_at, session_uuid } => write!(f, "c.{}.{session_uuid}", updated_at.0),
            Self::Message(message) => write!(f, "m.{message}"),
        }
    }
}

impl FromStr for Place {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let mut parts = text.split('.');
        let place = match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some("m"), Some(message), None, None) => message.parse().ok().map(Self::Message),
            (Some("c"), Some(updated_at), Some(session_uuid), None) => {
                updated_at.parse().ok().zip(session_uuid.parse().ok()).map(|(updated_at, session_uuid)| {
                    Self::Conversation { updated_at: Timestamp(updated_at), session_uuid }
                })
            }
            _ => None,
        };
        place.ok_or_else(bad_cursor)
    }
}

/// The fault of a cursor that no page has given.
#[must_use]
pub fn bad_cursor() -> Fault {
    Fault::new(
        Code::InvalidCursor,
        "`cursor` is none that this list has given.",
        "Pass the cursor of the page before exactly as it came, with the same query, or leave it out for the first page.",
    )
}

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What stands on it.
    pub items: Vec<T>,
    /// Where the next one begins; absent on the last.
    pub next: Option<Place>,
}

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Became {
    /// The person approved.
    Approved,
    /// The person asked for changes.
    ChangesRequested,
    /// The person replied without a decision.
    Answered,
    /// It still waits.
    Pending,
    /// It was withdrawn or dismissed.
    Cancelled,
    /// It was open for so long that it was closed.
    Expired,
}

impl Became {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Approved, Self::ChangesRequested, Self::Answered, Self::Pending, Self::Cancelled, Self::Expired];

    /// The word on the wire: a decision's in the record, else a request's status.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => Decision::Approved.as_str(),
            Self::ChangesRequested => Decision::ChangesRequested.as_str(),
            Self::Answered => RequestStatus::Answered.as_str(),
            Self::Pending => RequestStatus::Pending.as_str(),
            Self::Cancelled => RequestStatus::Cancelled.as_str(),
            Self::Expired => RequestStatus::Expired.as_str(),
        }
    }
}

/// Which conversations are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct ConversationQuery {
    /// Words that one of its messages or titles holds; the last one may be a beginning. Quotes hold
    /// words together. Up to [`crate::bounds::SEARCH_CHARS`].
    pub text: Option<String>,
    /// Where its session stands.
    pub status: Option<SessionStatus>,
    /// Its workspace folder.
    pub workspace: Option<String>,
    /// The client's own name.
    pub client: Option<String>,
    /// What became of one of its questions, within the time that is looked for.
    pub became: Option<Became>,
    /// Something happened in it at this moment or later.
    pub from: Option<Timestamp>,
    /// It began before this moment.
    pub until: Option<Timestamp>,
    /// Whose it is; no front end asks by that.
    #[serde(skip)]
    pub owner: Option<OwnerId>,
}

/// A conversation that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The conversation.
    pub conversation: Conversation,
    /// Its newest message that holds the words; absent where none were looked for.
    pub hit: Option<Hit>,
}

/// Where words were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hit {
    /// The message.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub message_id: i64,
    /// Who said it.
    pub role: Role,
    /// Of a permission question: what it says of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub permission: Option<PermissionSaid>,
    /// A piece of it around the words.
    pub pieces: Vec<Piece>,
}

/// A run of text, in or beside the words that were looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Piece {
    /// The text.
    pub text: String,
    /// Whether it is one of the words.
    pub hit: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn what_became_of_a_question_is_the_same_word_on_the_wire_and_in_the_record() {
        for became in Became::ALL {
            assert_eq!(serde_json::to_value(became).ok(), Some(became.as_str().into()), "{became:?}");
        }
    }

    #[test]
    fn a_place_is_read_as_it_was_written_and_nothing_else_is_one() {
        let session_uuid = SessionUuid(Uuid::from_u128(7));
        for place in [Place::Message(42), Place::Conversation { updated_at: Timestamp(-3), session_uuid }] {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for forged in ["", "m", "m.x", "m.1.2", "c.1", "c.1.nonsense", "x.1", "c.1.2.3.4", "m.99999999999999999999"] {
            let fault = forged.parse::<Place>().err();
            assert!(fault.is_some_and(|fault| fault.code == Code::InvalidCursor), "{forged:?} is refused");
        }
    }
}
