//! What is told of a review afterwards: one event for each act, numbered without a gap.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ReviewId;
use super::words::ReviewRole;
use crate::timestamp::Timestamp;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// It was submitted.
    Submitted,
    /// A next round was submitted, or a patch became one.
    Round,
    /// A reviewer claimed it.
    Claimed,
    /// The claim was given back.
    Released,
    /// The claim was lost.
    ClaimLost,
    /// A reviewer said something of its round.
    Verdict,
    /// A verdict came too late, or from nobody who may give one.
    VerdictRefused,
    /// Somebody said something.
    Message,
    /// A thread was resolved.
    Resolved,
    /// A patch was offered.
    Patch,
    /// A patch was turned down.
    PatchRejected,
    /// The person is asked.
    PersonAsked,
    /// The person has taken it.
    PersonTook,
    /// The person gave it back.
    PersonGaveBack,
    /// The person decided; they may yet take it back.
    PersonDecides,
    /// They took it back.
    PersonUndid,
    /// The person's decision is good.
    PersonDecided,
    /// The person answered without a decision.
    PersonReplied,
    /// It doesn't apply any more.
    Unfit,
    /// Its round needs more than before.
    NeedRaised,
    /// It is over.
    Closed,
}

impl EventKind {
    /// The word as it stands on the wire and in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Round => "round",
            Self::Claimed => "claimed",
            Self::Released => "released",
            Self::ClaimLost => "claim_lost",
            Self::Verdict => "verdict",
            Self::VerdictRefused => "verdict_refused",
            Self::Message => "message",
            Self::Resolved => "resolved",
            Self::Patch => "patch",
            Self::PatchRejected => "patch_rejected",
            Self::PersonAsked => "person_asked",
            Self::PersonTook => "person_took",
            Self::PersonGaveBack => "person_gave_back",
            Self::PersonDecides => "person_decides",
            Self::PersonUndid => "person_undid",
            Self::PersonDecided => "person_decided",
            Self::PersonReplied => "person_replied",
            Self::Unfit => "unfit",
            Self::NeedRaised => "need_raised",
            Self::Closed => "closed",
        }
    }
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewEvent {
    /// The review.
    pub review_id: ReviewId,
    /// Its number in the review, from 1.
    pub n: u64,
    /// When it happened.
    pub at: Timestamp,
    /// Whose act it was: a party's key; absent for the person and the gate.
    pub party: Option<String>,
    /// What they are to the review; absent for the gate.
    pub role: Option<ReviewRole>,
    /// What happened, by its word.
    pub kind: String,
    /// What there is to say of it.
    pub data: Map<String, Value>,
}
