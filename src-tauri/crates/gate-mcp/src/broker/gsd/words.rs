//! The other broker's words: where a review stands, how soon it wants its review, what happened in it, what becomes of files.

use gate_core::proposal::{
    Checked, EventKind, PatchStatus, Priority, ProposedFile, ReviewEvent, ReviewStatus, Verdict,
};
use serde::Serialize;
use serde_json::Value;

/// Where a review stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Pending,
    Claimed,
    InReview,
    Approved,
    ChangesRequested,
    Closed,
}

impl Standing {
    pub(super) const ALL: &'static [Self] =
        &[Self::Pending, Self::Claimed, Self::InReview, Self::Approved, Self::ChangesRequested, Self::Closed];

    pub(super) fn of(status: ReviewStatus) -> Self {
        match status {
            ReviewStatus::Created => Self::Pending,
            ReviewStatus::Claimed => Self::Claimed,
            ReviewStatus::InDiscussion | ReviewStatus::AwaitingPerson => Self::InReview,
            ReviewStatus::Approved => Self::Approved,
            ReviewStatus::Rejected => Self::ChangesRequested,
            ReviewStatus::Closed => Self::Closed,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Claimed => "claimed",
            Self::InReview => "in_review",
            Self::Approved => "approved",
            Self::ChangesRequested => "changes_requested",
            Self::Closed => "closed",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|standing| standing.as_str() == text)
    }

    /// What it is here; several where the other broker tells them not apart.
    pub(super) fn statuses(self) -> impl Iterator<Item = ReviewStatus> {
        ReviewStatus::ALL.iter().copied().filter(move |status| Self::of(*status) == self)
    }
}

/// The word for where a review stands.
pub(super) fn standing(status: ReviewStatus) -> &'static str {
    Standing::of(status).as_str()
}

/// How soon a proposal wants its review, by who proposes it and in which phase: plans before all others, verification after
/// them.
pub(super) fn priority(agent_type: &str, phase: &str) -> Priority {
    if agent_type.to_lowercase().contains("planner") {
        Priority::Critical
    } else if phase.to_lowercase().contains("verify") {
        Priority::Low
    } else {
        Priority::Normal
    }
}

/// What became of a counter-patch; absent once a newer round took the place of what it was offered for.
pub(super) fn patch_word(status: PatchStatus) -> Option<&'static str> {
    match status {
        PatchStatus::Open => Some("pending"),
        PatchStatus::Accepted => Some("accepted"),
        PatchStatus::Rejected => Some("rejected"),
        PatchStatus::Superseded => None,
    }
}

/// What happened, by that broker's word where it has one.
pub(super) fn event_type(event: &ReviewEvent) -> &str {
    let says = |name: &str| event.data.get(name).and_then(Value::as_str);
    let words = [
        (EventKind::Submitted, "review_created"),
        (EventKind::Round, if says("patch_id").is_some() { "counter_patch_accepted" } else { "review_revised" }),
        (EventKind::Claimed, "review_claimed"),
        (EventKind::Released, "review_reclaimed"),
        (EventKind::ClaimLost, "review_reclaimed"),
        (
            EventKind::Verdict,
            if says("decision") == Some(Verdict::Comment.as_str()) { "verdict_comment" } else { "verdict_submitted" },
        ),
        (EventKind::Message, "message_sent"),
        (EventKind::PatchRejected, "counter_patch_rejected"),
        (EventKind::Unfit, "review_auto_rejected"),
        (EventKind::Closed, "review_closed"),
    ];
    words.iter().find(|(kind, _)| kind.as_str() == event.kind).map_or(event.kind.as_str(), |(_, word)| *word)
}

/// Where a review stands since an event; absent where that doesn't say it.
pub(super) fn since(event: &ReviewEvent) -> Option<&'static str> {
    event.data.get("status").and_then(Value::as_str).and_then(ReviewStatus::parse).map(standing)
}

/// What becomes of a file.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct AffectedFile<'a> {
    path: &'a str,
    operation: &'static str,
    added: u32,
    removed: u32,
}

/// What becomes of the files of a diff.
pub(super) fn affected(checked: &Checked) -> Vec<AffectedFile<'_>> {
    checked.files.iter().map(AffectedFile::of).collect()
}

impl<'a> AffectedFile<'a> {
    fn of(file: &'a ProposedFile) -> Self {
        let operation = match (&file.old_mode, &file.new_mode) {
            (None, Some(_)) => "create",
            (Some(_), None) => "delete",
            (Some(_), Some(_)) | (None, None) => "modify",
        };
        Self { path: &file.path, operation, added: file.added, removed: file.removed }
    }
}

#[cfg(test)]
mod tests {
    use gate_core::Timestamp;
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn each_status_has_one_word_and_each_word_means_those_statuses() {
        let words: Vec<_> = ReviewStatus::ALL.iter().map(|status| (status.as_str(), standing(*status))).collect();
        let expected = [
            ("created", "pending"),
            ("claimed", "claimed"),
            ("in_discussion", "in_review"),
            ("awaiting_person", "in_review"),
            ("approved", "approved"),
            ("rejected", "changes_requested"),
            ("closed", "closed"),
        ];
        assert_eq!(words, expected);
        for word in Standing::ALL {
            assert_eq!(Standing::parse(word.as_str()), Some(*word));
            assert!(word.statuses().count() > 0, "{word:?} is looked for as something");
        }
        assert_eq!(Standing::parse("created"), None, "it is none of that broker's words");
    }

    #[test]
    fn plans_come_first_and_verification_last() {
        for (agent, phase, expected) in [
            ("gsd-planner", "1", Priority::Critical),
            ("gsd-executor", "1", Priority::Normal),
            ("gsd-executor", "05-verify", Priority::Low),
            ("anything", "2", Priority::Normal),
            ("gsd-planner", "05-verify", Priority::Critical),
            ("GSD-PLANNER", "1", Priority::Critical),
            ("gsd-executor", "VERIFY", Priority::Low),
        ] {
            assert_eq!(priority(agent, phase), expected, "{agent} in {phase}");
        }
    }

    #[test]
    fn a_file_is_created_deleted_or_modified() {
        let mode = |there: bool| there.then(|| "100644".to_owned());
        let file = |old, new| ProposedFile { old_mode: mode(old), new_mode: mode(new), ..ProposedFile::default() };
        let checked = Checked {
            files: vec![file(false, true), file(true, false), file(true, true), file(false, false)],
            ..Checked::default()
        };
        let operations: Vec<_> = affected(&checked).into_iter().map(|file| file.operation).collect();
        assert_eq!(operations, ["create", "delete", "modify", "modify"], "the last one says nothing of its modes");
    }

    #[test]
    fn what_happened_has_that_brokers_word_where_it_has_one() {
        let event = |kind: &str, data: Value| ReviewEvent {
            review_id: "0190a6e4-7a10-7000-8000-000000000001".parse().expect("an identifier"),
            n: 1,
            at: Timestamp(0),
            party: None,
            role: None,
            kind: kind.to_owned(),
            data: data.as_object().cloned().unwrap_or_else(Map::new),
        };
        for (kind, data, expected) in [
            ("submitted", json!({}), "review_created"),
            ("round", json!({"round": 2}), "review_revised"),
            ("round", json!({"round": 2, "patch_id": "x"}), "counter_patch_accepted"),
            ("claimed", json!({}), "review_claimed"),
            ("released", json!({}), "review_reclaimed"),
            ("claim_lost", json!({}), "review_reclaimed"),
            ("verdict", json!({"decision": "comment"}), "verdict_comment"),
            ("verdict", json!({"decision": "approved"}), "verdict_submitted"),
            ("message", json!({}), "message_sent"),
            ("patch_rejected", json!({}), "counter_patch_rejected"),
            ("unfit", json!({}), "review_auto_rejected"),
            ("closed", json!({}), "review_closed"),
            ("person_took", json!({}), "person_took"),
        ] {
            assert_eq!(event_type(&event(kind, data.clone())), expected, "{kind} {data}");
        }
        assert_eq!(since(&event("claimed", json!({"status": "in_discussion"}))), Some("in_review"));
        assert_eq!(since(&event("claimed", json!({}))), None);
    }
}
