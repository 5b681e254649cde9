//! The record in SQLite: the only crate with SQL.
//!
//! Every write returns after it is committed and synced (`synchronous=FULL`), so a caller may tell
//! others of it. Knows nothing of queues, windows or protocols.

mod attachments;
mod drafts;
mod error;
mod http_sessions;
mod open;
mod replies;
mod requests;
mod seen;
mod tokens;

pub use error::StoreError;
pub use open::{OpenOptions, Store};
pub use replies::Standing;
pub use requests::{NewRequest, PendingQuestion, RequestTimes};
pub use seen::SeenClient;
pub use tokens::StoredToken;
