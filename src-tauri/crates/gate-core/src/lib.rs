//! The domain of Review Gate: what a review request, a reply and a waiting client are, and the
//! rules that hold for them.
//!
//! Pure: no files, sockets, clock, environment or async runtime. Time and identifiers are passed
//! in by the caller, so every rule here can be tested without a fixture.

pub mod ask;
pub mod bounds;
pub mod clients;
pub mod diff;
pub mod fault;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
pub mod ids;
pub mod markdown;
pub mod outcome;
pub mod reply;
pub mod request;
pub mod timestamp;

pub use ask::{Ask, Choice};
pub use fault::{Code, Fault};
pub use ids::{AttachmentId, RequestId, SessionUuid};
pub use outcome::Outcome;
pub use reply::{AnsweredFrom, Attachment, Decision, Draft, LineComment, Reply, Side};
pub use request::{Caller, Declared, RequestStatus, ReviewRequest};
pub use timestamp::Timestamp;
