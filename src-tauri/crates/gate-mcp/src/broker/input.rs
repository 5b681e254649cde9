//! What the broker's tools take. What comes out is within its bounds; what it means is behind the port.
//!
//! Who somebody is follows from their connection: `role`, `reviewer_id` and `closer_role`, which clients of other brokers
//! pass, are read and say nothing.

mod review;

use std::collections::BTreeMap;

use gate_core::ask::{at_most_bytes, at_most_chars};
use gate_core::proposal::{Ending, PatchId, Priority, ReviewId, ReviewQuery, ReviewStatus, Verdict, bounds};
use gate_core::{Code, Fault, SessionUuid, Timestamp};
use serde_json::Value;

use super::port::{ProposedChange, SubmittedProposal};
use crate::answer::{SESSION_INPUT as SESSION, Takes, Wait, blank_to_none, filled, needed};
use crate::chat::NamedRepository;
use crate::input::{FLAG, Id, Kind, Object, TEXT, Unlisted, Whole, Word, fields};

pub(super) use review::{Claiming, Heard, Judging, Messages, Offering, Posting, Releasing};

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

/// Seconds that a call waits at most.
const SECONDS: Whole = Whole { least: 0, most: u64::MAX };
/// The number of a round.
const ROUND: Whole = Whole { least: 1, most: bounds::ROUNDS as u64 };
/// The number of a review's event.
const EVENT: Whole = Whole { least: 0, most: u64::MAX };
const PRIORITY: Word<Priority> = Word { all: Priority::ALL, name: Priority::as_str, read: Priority::parse };
const STATUS: Word<ReviewStatus> =
    Word { all: ReviewStatus::ALL, name: ReviewStatus::as_str, read: ReviewStatus::parse };
const VERDICT: Word<Verdict> = Word { all: Verdict::ALL, name: Verdict::as_str, read: Verdict::read };
const ENDING: Word<Ending> =
    Word { all: &[Ending::Applied, Ending::Abandoned], name: Ending::as_str, read: Ending::parse };
const REVIEW: Id<ReviewId> = Id::new();
const PATCH: Id<PatchId> = Id::new();

/// A moment, as a result tells it.
#[derive(Debug, Clone, Copy)]
struct Moment;

impl Kind for Moment {
    type Value = Timestamp;

    fn schema(&self) -> Value {
        TEXT.schema()
    }

    fn read(&self, path: &str, value: Value) -> Result<Timestamp, Fault> {
        let text = TEXT.read(path, value)?;
        serde_json::from_value(text.into()).map_err(|_| {
            Fault::new(
                Code::InvalidInput,
                format!("`{path}` is no moment."),
                "Pass the `updated_at` of an earlier result as it came.",
            )
        })
    }
}

fields! {
    /// What `submit_proposal` takes.
    pub(super) struct Proposing needs intent {
        /// What it does and why.
        intent: Option<String> = TEXT.at_least(1).at_most(bounds::INTENT_CHARS),
        /// Unified diff.
        diff: Option<String> = TEXT,
        /// In place of `diff`: the gate reads the change from git.
        repository: Option<Named> = Object::<Named>::new(),
        /// Markdown.
        description: Option<String> = TEXT,
        /// The commit that the diff fits; HEAD by default.
        base: Option<String> = TEXT,
        category: Option<String> = TEXT.at_most(bounds::CATEGORY_CHARS),
        priority: Option<Priority> = PRIORITY,
        agent_type: Option<String> = TEXT,
        phase: Option<String> = TEXT,
        plan: Option<String> = TEXT,
        task: Option<String> = TEXT,
        project: Option<String> = TEXT,
        /// Of yours: this is its next round.
        review_id: Option<ReviewId> = REVIEW,
        /// The round that this replaces.
        round: Option<u64> = ROUND,
        /// Of yours: this takes its place.
        parent_id: Option<ReviewId> = REVIEW,
        /// Your work tree has it already.
        applied: bool = FLAG,
        /// Return only when it is your turn.
        wait: bool = FLAG,
        wait_seconds: Option<u64> = SECONDS,
        /// Of an earlier result.
        session_uuid: Option<SessionUuid> = SESSION,
        role: Option<String> = Unlisted(TEXT),
    }
}

fields! {
    /// What of a repository is proposed.
    pub(super) struct Named needs path {
        path: String = TEXT.at_least(1),
        base: Option<String> = TEXT,
        /// worktree, staged, a commit or A..B
        what: Option<String> = TEXT,
    }
}

/// A proposal within its bounds.
pub(super) struct Proposed {
    pub(super) proposal: SubmittedProposal,
    pub(super) wait: Wait,
}

impl Takes for Proposing {
    type Checked = Proposed;

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Proposed, Fault> {
        let intent = filled("intent", self.intent)?;
        at_most_chars("intent", &intent, bounds::INTENT_CHARS)?;
        at_most_bytes("description", self.description.as_deref().unwrap_or_default(), bounds::DESCRIPTION_BYTES)?;
        at_most_chars("base", self.base.as_deref().unwrap_or_default(), gate_core::bounds::REVISION_CHARS)?;
        at_most_chars("category", self.category.as_deref().unwrap_or_default(), bounds::CATEGORY_CHARS)?;
        if self.review_id.is_some() && self.parent_id.is_some() {
            return Err(Fault::new(
                Code::InvalidInput,
                "`review_id` and `parent_id` both say which review this goes on from.",
                "Pass `review_id` for its next round, or `parent_id` for a new review in its place.",
            ));
        }
        let labels = [
            ("agent_type", self.agent_type),
            ("phase", self.phase),
            ("plan", self.plan),
            ("task", self.task),
            ("project", self.project),
        ];
        let mut named = BTreeMap::new();
        for (name, value) in labels {
            let Some(value) = blank_to_none(value) else { continue };
            at_most_chars(name, &value, bounds::LABEL_CHARS)?;
            named.insert(name.to_owned(), value);
        }
        let change = match (diff("diff", self.diff)?, self.repository) {
            (Some(_), Some(_)) => {
                return Err(Fault::new(
                    Code::InvalidInput,
                    "`diff` and `repository` both say what changes.",
                    "Pass `repository` to have the gate make the diff, or `diff` with one that you made.",
                ));
            }
            (Some(diff), None) => ProposedChange::Diff(diff),
            (None, Some(named)) => ProposedChange::Repository(named.checked()?),
            (None, None) => ProposedChange::Nothing,
        };
        let proposal = SubmittedProposal {
            intent,
            change,
            description: blank_to_none(self.description),
            base: blank_to_none(self.base),
            category: blank_to_none(self.category),
            priority: self.priority,
            labels: named,
            review_id: self.review_id,
            round: round(self.round),
            parent_id: self.parent_id,
            applied: self.applied,
        };
        Ok(Proposed { proposal, wait: Wait { is_on: self.wait, seconds: self.wait_seconds } })
    }
}

impl Named {
    /// Where the caller works is filled in later.
    fn checked(self) -> Result<NamedRepository, Fault> {
        at_most_chars("repository.path", &self.path, gate_core::bounds::REPOSITORY_PATH_CHARS)?;
        for (field, text) in [("repository.what", &self.what), ("repository.base", &self.base)] {
            at_most_chars(field, text.as_deref().unwrap_or_default(), gate_core::bounds::REVISION_CHARS)?;
        }
        Ok(NamedRepository { path: self.path, what: self.what, base: self.base, folder: None })
    }
}

fields! {
    /// What `get_proposal` takes.
    pub(super) struct Reading needs review_id {
        review_id: Option<ReviewId> = REVIEW,
        /// The newest by default.
        round: Option<u64> = ROUND,
        /// Only hunks that this round hadn't.
        since_round: Option<u64> = ROUND,
        /// A file or folder.
        path: Option<String> = TEXT,
        cursor: Option<String> = TEXT,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

/// Which page of which round is read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) review: ReviewId,
    pub(super) round: Option<u32>,
    pub(super) since_round: Option<u32>,
    pub(super) path: Option<String>,
    pub(super) cursor: Option<String>,
}

impl Takes for Reading {
    type Checked = Read;

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Read, Fault> {
        at_most_chars("path", self.path.as_deref().unwrap_or_default(), gate_core::bounds::REPOSITORY_PATH_CHARS)?;
        Ok(Read {
            review: needed("review_id", self.review_id)?,
            round: round(self.round),
            since_round: round(self.since_round),
            path: blank_to_none(self.path),
            cursor: blank_to_none(self.cursor),
        })
    }
}

fields! {
    /// What `list_reviews` takes.
    pub(super) struct Listing {
        status: Option<ReviewStatus> = STATUS,
        category: Option<String> = TEXT,
        priority: Option<Priority> = PRIORITY,
        /// Of this folder's repository.
        workspace: Option<String> = TEXT,
        /// That change this file or folder.
        path: Option<String> = TEXT,
        /// That you proposed.
        mine: bool = FLAG,
        /// Changed after this `updated_at`.
        since: Option<Timestamp> = Moment,
        cursor: Option<String> = TEXT,
        limit: Option<u64> = Whole { least: 1, most: bounds::LIST_ITEMS as u64 },
        /// For the first one where there is none.
        wait: bool = FLAG,
        wait_seconds: Option<u64> = SECONDS,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
        role: Option<String> = Unlisted(TEXT),
    }
}

/// Which page of which list is asked for.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) query: ReviewQuery,
    pub(super) workspace: Option<String>,
    pub(super) mine: bool,
    pub(super) cursor: Option<String>,
    pub(super) limit: usize,
    pub(super) wait: Wait,
}

impl Takes for Listing {
    type Checked = Listed;

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Listed, Fault> {
        at_most_chars("category", self.category.as_deref().unwrap_or_default(), bounds::CATEGORY_CHARS)?;
        for (field, text) in [("workspace", &self.workspace), ("path", &self.path)] {
            at_most_chars(field, text.as_deref().unwrap_or_default(), gate_core::bounds::REPOSITORY_PATH_CHARS)?;
        }
        let query = ReviewQuery {
            status: self.status,
            category: blank_to_none(self.category),
            priority: self.priority,
            path: blank_to_none(self.path),
            since: self.since,
            ..ReviewQuery::default()
        };
        Ok(Listed {
            query,
            workspace: blank_to_none(self.workspace),
            mine: self.mine,
            cursor: blank_to_none(self.cursor),
            limit: self.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(bounds::LIST_ITEMS),
            wait: Wait { is_on: self.wait, seconds: self.wait_seconds },
        })
    }
}

fields! {
    /// What `get_review_status` takes.
    pub(super) struct Looking needs review_id {
        review_id: Option<ReviewId> = REVIEW,
        /// An earlier result's `event`: only what came after it.
        since: Option<u64> = EVENT,
        /// Until something new happens.
        wait: bool = FLAG,
        wait_seconds: Option<u64> = SECONDS,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
        role: Option<String> = Unlisted(TEXT),
    }
}

/// What is looked at, and since when.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) review: ReviewId,
    pub(super) since: Option<u64>,
    pub(super) wait: Wait,
}

impl Takes for Looking {
    type Checked = Looked;

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Looked, Fault> {
        let wait = Wait { is_on: self.wait, seconds: self.wait_seconds };
        Ok(Looked { review: needed("review_id", self.review_id)?, since: self.since, wait })
    }
}

fields! {
    /// What `get_patch` takes.
    pub(super) struct Patching needs review_id {
        review_id: Option<ReviewId> = REVIEW,
        /// This one alone.
        patch_id: Option<PatchId> = PATCH,
        cursor: Option<String> = TEXT,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
    }
}

impl Takes for Patching {
    type Checked = (ReviewId, Option<PatchId>, Option<String>);

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Self::Checked, Fault> {
        Ok((needed("review_id", self.review_id)?, self.patch_id, blank_to_none(self.cursor)))
    }
}

fields! {
    /// What `accept_counter_patch` and `reject_counter_patch` take.
    pub(super) struct Answering needs review_id {
        review_id: Option<ReviewId> = REVIEW,
        /// May be left out where one is open.
        patch_id: Option<PatchId> = PATCH,
        reason: Option<String> = TEXT,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
        role: Option<String> = Unlisted(TEXT),
    }
}

impl Takes for Answering {
    type Checked = (ReviewId, Option<PatchId>, Option<String>);

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Self::Checked, Fault> {
        let review = needed("review_id", self.review_id)?;
        at_most_bytes("reason", self.reason.as_deref().unwrap_or_default(), bounds::BODY_BYTES)?;
        Ok((review, self.patch_id, blank_to_none(self.reason)))
    }
}

fields! {
    /// What `close_review` takes.
    pub(super) struct Closing needs review_id {
        review_id: Option<ReviewId> = REVIEW,
        outcome: Option<Ending> = ENDING,
        /// That holds it.
        commit: Option<String> = TEXT,
        session_uuid: Option<SessionUuid> = Unlisted(SESSION),
        closer_role: Option<String> = Unlisted(TEXT),
        role: Option<String> = Unlisted(TEXT),
    }
}

impl Takes for Closing {
    type Checked = (ReviewId, Option<Ending>, Option<String>);

    fn session(&self) -> Option<SessionUuid> {
        self.session_uuid
    }

    fn checked(self) -> Result<Self::Checked, Fault> {
        let review = needed("review_id", self.review_id)?;
        at_most_chars("commit", self.commit.as_deref().unwrap_or_default(), gate_core::bounds::REVISION_CHARS)?;
        Ok((review, self.outcome, blank_to_none(self.commit)))
    }
}

/// A diff, byte for byte; absent where there is none.
pub(super) fn diff(field: &str, diff: Option<String>) -> Result<Option<String>, Fault> {
    let diff = blank_to_none(diff);
    at_most_bytes(field, diff.as_deref().unwrap_or_default(), gate_core::bounds::DIFF_BYTES)?;
    Ok(diff)
}

/// A number that its kind has held against its bound.
fn round(number: Option<u64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok())
}
