//! The receipt of a reply, as front ends show it. Knows no log and no signature.

use gate_core::{Assurance, Digest, Timestamp};
use serde::{Deserialize, Serialize};

/// What a reply is good for, for how long, and how that stands. Whoever has its `id` can ask `review-gate verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReceiptView {
    /// The digest that it is named by.
    pub id: Digest,
    /// How sure it is that the person gave the reply.
    pub level: Assurance,
    /// When its hold ends: it is good for nothing before.
    pub from: Timestamp,
    /// When it stops being good; absent where it doesn't, as of what is no approval.
    pub expires: Option<Timestamp>,
    /// Where it stands, at the moment that it was asked for.
    pub standing: ReceiptStanding,
    /// When it was taken back or revoked; absent while it wasn't.
    pub withdrawn_at: Option<Timestamp>,
    /// The tree of git's that was approved, in hexadecimal; absent where git held nothing of what was shown.
    pub tree: Option<String>,
    /// The tree that the first one was shown on: that of its parent. Absent as `tree` is.
    pub base: Option<String>,
}

/// Where a receipt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ReceiptStanding {
    /// Not good yet: the reply may still be taken back.
    Held,
    /// Good.
    Good,
    /// Taken back or revoked.
    Withdrawn,
    /// Its time is over.
    Expired,
    /// It counts, but stands in a log that was set aside or is damaged: a line that revoked it may have been lost.
    SetAside,
}
