//! What the tools give: the other broker's fields, with null for what there isn't. What is said besides has a name of its
//! own, so that nothing is told by a field that means something else.

use std::collections::BTreeMap;

use gate_core::Timestamp;
use gate_core::proposal::{
    Anchor, ApprovedBy, Ending, ListedReview, Priority, ReviewEvent, ReviewId, ReviewRole, StoredMessage, StoredReview,
    StoredThread, ThreadMessageId, Turn,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::words::{self, AffectedFile};
use crate::broker::port::ReviewLook;

/// What a proposer says of a proposal.
type Labels = BTreeMap<String, String>;

fn label<'a>(labels: &'a Labels, name: &str) -> Option<&'a str> {
    labels.get(name).map(String::as_str)
}

/// The project of a review.
pub(super) fn project(labels: &Labels) -> Option<&str> {
    label(labels, "project")
}

/// What `create_review` gives.
#[derive(Serialize)]
pub(super) struct CreatedView<'a> {
    pub(super) review_id: ReviewId,
    pub(super) status: &'static str,
    /// Of a next round; false where the newest one has these very bytes already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) revised: Option<bool>,
    pub(super) project: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) warnings: &'a [String],
}

/// A review in a list.
#[derive(Serialize)]
pub(super) struct Listed<'a> {
    id: ReviewId,
    status: &'static str,
    intent: &'a str,
    agent_type: Option<&'a str>,
    phase: Option<&'a str>,
    priority: Priority,
    project: Option<&'a str>,
    category: Option<&'a str>,
    created_at: Timestamp,
}

impl<'a> Listed<'a> {
    pub(super) fn of(review: &'a StoredReview) -> Self {
        let StoredReview { summary, intent, labels, .. } = review;
        Self {
            id: summary.review_id,
            status: words::standing(summary.status),
            intent,
            agent_type: label(labels, "agent_type"),
            phase: label(labels, "phase"),
            priority: summary.priority,
            project: project(labels),
            category: summary.category.as_deref(),
            created_at: summary.created_at,
        }
    }
}

/// A review in the list of what is going on.
#[derive(Serialize)]
pub(super) struct Fed<'a> {
    #[serde(flatten)]
    listed: Listed<'a>,
    plan: Option<&'a str>,
    task: Option<&'a str>,
    claimed_by: Option<&'a str>,
    verdict_reason: Option<&'a str>,
    updated_at: Timestamp,
    message_count: u64,
    last_message_at: Option<Timestamp>,
    last_message_preview: Option<&'a str>,
}

impl<'a> Fed<'a> {
    pub(super) fn of(listed: &'a ListedReview) -> Self {
        let ListedReview { review, messages, last_message, reason } = listed;
        Self {
            listed: Listed::of(review),
            plan: label(&review.labels, "plan"),
            task: label(&review.labels, "task"),
            claimed_by: review.summary.holder.as_deref(),
            verdict_reason: reason.as_deref(),
            updated_at: review.summary.updated_at,
            message_count: *messages,
            last_message_at: last_message.as_ref().map(|(at, _)| *at),
            last_message_preview: last_message.as_ref().map(|(_, begins)| begins.as_str()),
        }
    }
}

/// What `get_review_status` gives.
#[derive(Serialize)]
pub(super) struct StatusView<'a> {
    id: ReviewId,
    status: &'static str,
    intent: &'a str,
    agent_type: Option<&'a str>,
    agent_role: Option<&'a str>,
    phase: Option<&'a str>,
    plan: Option<&'a str>,
    task: Option<&'a str>,
    project: Option<&'a str>,
    claimed_by: Option<&'a str>,
    verdict_reason: Option<&'a str>,
    priority: Priority,
    current_round: u32,
    category: Option<&'a str>,
    updated_at: Timestamp,
    /// Who has to do the next thing: `in_review` may be the person's turn.
    turn: Turn,
    /// An agent's approval is never the person's.
    approved_by: Option<ApprovedBy>,
}

impl<'a> StatusView<'a> {
    pub(super) fn of(look: &'a ReviewLook) -> Self {
        let ReviewLook { review, intent, labels, verdict, .. } = look;
        Self {
            id: review.review_id,
            status: words::standing(review.status),
            intent,
            agent_type: label(labels, "agent_type"),
            agent_role: label(labels, "agent_role"),
            phase: label(labels, "phase"),
            plan: label(labels, "plan"),
            task: label(labels, "task"),
            project: project(labels),
            claimed_by: review.holder.as_deref(),
            verdict_reason: verdict.as_ref().and_then(|verdict| verdict.reason.as_deref()),
            priority: review.priority,
            current_round: review.round,
            category: review.category.as_deref(),
            updated_at: review.updated_at,
            turn: review.turn,
            approved_by: review.approved_by,
        }
    }
}

/// What `get_proposal` gives.
#[derive(Serialize)]
pub(super) struct ProposalView<'a> {
    pub(super) id: ReviewId,
    pub(super) status: &'static str,
    pub(super) intent: &'a str,
    pub(super) description: Option<&'a str>,
    pub(super) diff: Option<&'a str>,
    pub(super) affected_files: Option<Vec<AffectedFile<'a>>>,
    pub(super) project: Option<&'a str>,
    pub(super) category: Option<&'a str>,
    pub(super) counter_patch: Option<&'a str>,
    pub(super) counter_patch_affected_files: Option<Vec<AffectedFile<'a>>>,
    pub(super) counter_patch_status: Option<&'static str>,
}

/// What `claim_review` gives.
#[derive(Serialize)]
pub(super) struct ClaimView<'a> {
    pub(super) review_id: ReviewId,
    pub(super) status: &'static str,
    pub(super) claimed_by: Option<&'a str>,
    pub(super) claim_generation: u64,
    pub(super) intent: &'a str,
    pub(super) project: Option<&'a str>,
    pub(super) category: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) affected_files: Option<Vec<AffectedFile<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) has_diff: Option<bool>,
}

/// What `claim_review` gives of what doesn't apply any more.
#[derive(Serialize)]
pub(super) struct UnfitView<'a> {
    pub(super) review_id: ReviewId,
    pub(super) status: &'static str,
    pub(super) auto_rejected: bool,
    pub(super) validation_error: &'a str,
    pub(super) project: Option<&'a str>,
    pub(super) category: Option<&'a str>,
}

/// What `submit_verdict` gives.
#[derive(Serialize)]
pub(super) struct JudgedView<'a> {
    pub(super) review_id: ReviewId,
    pub(super) status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verdict: Option<&'static str>,
    pub(super) verdict_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) has_counter_patch: Option<bool>,
}

/// What `close_review` gives.
#[derive(Serialize)]
pub(super) struct ClosedView {
    pub(super) review_id: ReviewId,
    pub(super) status: &'static str,
    pub(super) closed_by: ReviewRole,
    /// What that means: `applied` alone is of what was approved.
    pub(super) outcome: Option<Ending>,
}

/// What `accept_counter_patch` and `reject_counter_patch` give.
#[derive(Serialize)]
pub(super) struct PatchView {
    pub(super) review_id: ReviewId,
    pub(super) counter_patch_status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

/// A message.
#[derive(Serialize)]
pub(super) struct MessageView<'a> {
    id: ThreadMessageId,
    sender_role: ReviewRole,
    round: u32,
    body: &'a str,
    /// The place that it is about, where it is about one.
    metadata: Option<&'a Anchor>,
    created_at: Timestamp,
}

impl<'a> MessageView<'a> {
    pub(super) fn of(message: &'a StoredMessage, round: u32, threads: &'a [StoredThread]) -> Self {
        let thread = threads.iter().find(|thread| Some(thread.thread_id) == message.thread_id);
        Self {
            id: message.message_id,
            sender_role: message.role,
            round,
            body: &message.body,
            metadata: thread.map(|thread| &thread.anchor),
            created_at: message.created_at,
        }
    }
}

/// What happened, as `get_audit_log` tells it.
#[derive(Serialize)]
pub(super) struct EventView<'a> {
    id: u64,
    review_id: ReviewId,
    event_type: &'a str,
    actor: &'static str,
    old_status: Option<&'static str>,
    new_status: Option<&'static str>,
    metadata: Option<&'a Map<String, Value>>,
    created_at: Timestamp,
}

impl<'a> EventView<'a> {
    /// An event, and where the review stood before it.
    pub(super) fn of(event: &'a ReviewEvent, old_status: Option<&'static str>) -> Self {
        Self {
            id: event.n,
            review_id: event.review_id,
            event_type: words::event_type(event),
            actor: event.role.map_or("gate", ReviewRole::as_str),
            old_status,
            new_status: words::since(event),
            metadata: Some(&event.data).filter(|data| !data.is_empty()),
            created_at: event.at,
        }
    }
}

/// What happened, as `get_review_timeline` tells it.
#[derive(Serialize)]
pub(super) struct MomentView<'a> {
    event_type: &'a str,
    actor: &'static str,
    timestamp: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a Map<String, Value>>,
}

impl<'a> From<EventView<'a>> for MomentView<'a> {
    fn from(event: EventView<'a>) -> Self {
        let EventView { event_type, actor, old_status, new_status, metadata, created_at: timestamp, .. } = event;
        Self { event_type, actor, timestamp, old_status, new_status, metadata }
    }
}
