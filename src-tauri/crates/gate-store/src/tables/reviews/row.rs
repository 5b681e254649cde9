//! A review as its row has it.

use gate_core::Timestamp;
use gate_core::ask::excerpt;
use gate_core::proposal::{Party, Priority, Review, ReviewSummary, StoredReview, bounds};

use crate::error::StoreError;
use crate::json::from_json;
use crate::tables::numbers::{digest, unsigned, word};

/// Reads rows of `proposals` with what their parties are: what follows the join, in parts, then its arguments.
macro_rules! review_rows {
    ($($part:literal)+; $($argument:expr),+) => {
        sqlx::query_as!(
            $crate::tables::reviews::row::ReviewRow,
            r#"SELECT p.review_id, p.session_uuid, p.party, p.place, p.workspace, p.intent, p.category, p.priority, p.labels,
                      p.parent_id, p.state, p.diff_sha256, p.base, p.stale AS "stale!: bool", p.request_id, p.created_at,
                      p.updated_at, p.event, a.facts,
                      (SELECT h.facts FROM parties h WHERE h.party = p.holder) AS holder_facts
               FROM proposals p JOIN parties a ON a.party = p.party "# $(+ $part)+,
            $($argument),+
        )
    };
}
pub(super) use review_rows;

/// A row of `proposals`, with what its parties are.
#[derive(Debug)]
pub(super) struct ReviewRow {
    pub(super) review_id: String,
    pub(super) session_uuid: String,
    pub(super) party: String,
    pub(super) place: String,
    pub(super) workspace: String,
    pub(super) intent: String,
    pub(super) category: Option<String>,
    pub(super) priority: String,
    pub(super) labels: String,
    pub(super) parent_id: Option<String>,
    pub(super) state: String,
    pub(super) diff_sha256: Option<String>,
    pub(super) base: Option<String>,
    pub(super) stale: bool,
    pub(super) request_id: Option<String>,
    pub(super) created_at: i64,
    pub(super) updated_at: i64,
    pub(super) event: i64,
    pub(super) facts: String,
    pub(super) holder_facts: Option<String>,
}

impl ReviewRow {
    /// The review, with all that its rules look at.
    ///
    /// # Errors
    /// Where something in the row can't be read.
    pub(super) fn stored(self) -> Result<StoredReview, StoreError> {
        let state: Review = from_json(&self.state)?;
        let proposer: Party = from_json(&self.facts)?;
        let holder = self.holder_facts.as_deref().map(from_json::<Party>).transpose()?;
        let summary = ReviewSummary {
            review_id: self.review_id.parse()?,
            session_uuid: self.session_uuid.parse()?,
            status: state.status,
            outcome: state.ending,
            turn: state.turn(),
            round: state.round,
            intent: excerpt(&self.intent, bounds::INTENT_SHOWN_CHARS),
            category: self.category,
            priority: word(Priority::parse(&self.priority), &self.priority)?,
            workspace: self.workspace,
            proposer: proposer.label(),
            party: self.party,
            holder: holder.map(|holder| holder.label()),
            lease_until: state.lease_until(),
            need: state.needs(),
            approvals: state.approvals,
            approved_by: state.approved_by,
            found: state.found,
            diff_sha256: self.diff_sha256.as_deref().map(digest).transpose()?,
            base: self.base,
            stale: self.stale,
            created_at: Timestamp(self.created_at),
            updated_at: Timestamp(self.updated_at),
            event: unsigned(self.event),
        };
        Ok(StoredReview {
            summary,
            state,
            proposer,
            place: self.place,
            intent: self.intent,
            labels: from_json(&self.labels)?,
            parent_id: self.parent_id.as_deref().map(str::parse).transpose()?,
            request_id: self.request_id.as_deref().map(str::parse).transpose()?,
        })
    }
}
