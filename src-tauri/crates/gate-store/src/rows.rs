//! Rows as their tables have them, where more than one place writes or reads them whole: questions that are
//! asked, imported, put back. A column stands once in the statement that writes its table and once in that
//! which reads it. Times are milliseconds since the Unix epoch.
//!
//! Knows no rules: what may be stored is its callers' to say.

mod attachment;
mod checkpoint;
mod conversation;
mod message;
mod reply;
mod request;

pub(crate) use attachment::{Attached, AttachmentRow, BlobRow};
pub(crate) use checkpoint::{CheckpointRow, RestoreRow};
pub(crate) use conversation::{Beginning, ConversationRow};
pub(crate) use message::MessageRow;
pub(crate) use reply::{Answer, ReplyRow, Stand};
pub(crate) use request::{Question, RequestRow, request_status};
