//! What is kept of reviews: what comes in, and what is read again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::act::Act;
use super::anchor::Anchor;
use super::follow::Followed;
use super::need::Need;
use super::party::Party;
use super::words::{AppliedAs, ApprovedBy, Ending, PatchStatus, Priority, ReviewRole, ReviewStatus, Turn, Verdict};
use super::{PatchId, ReviewId, ThreadId, ThreadMessageId};
use crate::assurance::Given;
use crate::digest::Digest;
use crate::ids::{RequestId, SessionUuid};
use crate::owner::Process;
use crate::timestamp::Timestamp;

/// What the gate has found out about a diff.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// How it fits what is there.
    pub fits: Fits,
    /// The repository: its common directory, so that all its work trees are one. Absent where the diff is of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The commit that it fits, or `worktree`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The tree that it leads to; absent where it was held against the work tree or against nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The files that it changes.
    #[serde(default)]
    pub files: Vec<ProposedFile>,
    /// What whoever decides should know of it besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// How a diff fits what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Fits {
    /// It was held against nothing: its bytes alone are what is approved.
    #[default]
    Unchecked,
    /// It applies on its base.
    Commit,
    /// It is what the base's last change was.
    Applied,
    /// It applies on the files as they lie in the work tree.
    Worktree,
}

/// A file that a diff changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ProposedFile {
    /// Its path from the top of the repository, after the change; before it where it goes.
    pub path: String,
    /// Its path before, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub old_path: Option<String>,
    /// Its mode before, as git writes it; absent where it is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub old_mode: Option<String>,
    /// Its mode after; absent where it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub new_mode: Option<String>,
    /// What it held; absent where it is new, or that isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub old: Option<String>,
    /// What it is to hold; absent where it goes, or that isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub new: Option<String>,
    /// Lines that are added.
    #[serde(default)]
    pub added: u32,
    /// Lines that are taken away.
    #[serde(default)]
    pub removed: u32,
}

/// A round as it is submitted, or a patch as it is offered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewDiff {
    /// The diff, byte for byte; empty where the proposal has none.
    pub diff: Vec<u8>,
    /// What it is to do, in Markdown.
    pub description: Option<String>,
    /// What the gate found out about it.
    pub checked: Checked,
}

/// A review as it is submitted.
#[derive(Debug, Clone, PartialEq)]
pub struct NewReview {
    /// Its identifier.
    pub review_id: ReviewId,
    /// The proposer's session.
    pub session_uuid: SessionUuid,
    /// What it is to do.
    pub intent: String,
    /// The proposer's word for its kind.
    pub category: Option<String>,
    /// How soon it wants its review.
    pub priority: Priority,
    /// What else the proposer says of it, by name.
    pub labels: BTreeMap<String, String>,
    /// The review whose place it takes.
    pub parent_id: Option<ReviewId>,
    /// The folder that the proposer works in.
    pub workspace: String,
    /// Its first round.
    pub first: NewDiff,
    /// What the rules ask for that.
    pub need: Need,
    /// Whether the rules alone let nobody decide it but the person, whatever they say.
    pub sticky: bool,
}

/// Who acts, as the store is told.
#[derive(Debug, Clone)]
pub enum Actor {
    /// An agent.
    Agent {
        /// Its party.
        party: Box<Party>,
        /// Whether a process is no more.
        has_ended: fn(&Process) -> bool,
    },
    /// The person, or whoever speaks for them: where, and how sure it is that it is them.
    Person(Given),
    /// The gate itself.
    Gate,
}

/// An act, with all that belongs to it.
#[derive(Debug, Clone)]
pub struct Acting {
    /// The review.
    pub review_id: ReviewId,
    /// Who acts.
    pub actor: Actor,
    /// What they do.
    pub act: Act,
    /// What comes with it.
    pub with: Brought,
    /// The question that the person's word answers: where another one stands by now, or none, nothing of it is done.
    /// Absent for what answers none.
    pub answers: Option<RequestId>,
    /// Names the call across reconnections: done twice, it counts once. Absent for the person and the gate.
    pub call_key: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// What comes with an act.
#[derive(Debug, Clone, Default)]
pub enum Brought {
    /// Nothing.
    #[default]
    Nothing,
    /// A sentence on why.
    Reason(String),
    /// With a verdict.
    Judged {
        /// Why; absent where the round is approved without a word.
        reason: Option<String>,
        /// Comments on its lines, each the beginning of a thread.
        comments: Vec<NewMessage>,
        /// What was approved besides the round: the holder's own patches that are open.
        results: Vec<PatchId>,
    },
    /// A message.
    Message(NewMessage),
    /// A round.
    Round(Box<NewDiff>),
    /// A patch.
    Patch {
        /// Its identifier.
        patch_id: PatchId,
        /// What it would make of the round's base.
        new: Box<NewDiff>,
        /// Whether accepting it is its author's approval.
        approves: bool,
    },
    /// Which patch is accepted or turned down; absent for the only open one.
    OfPatch(Option<PatchId>, Option<String>),
    /// What the close says.
    Closed {
        /// The commit that holds it.
        commit: Option<String>,
        /// What was found of what was approved; absent where it wasn't looked for.
        found: Option<Box<WasApplied>>,
    },
    /// The person's reply to a question: what settles it brings this, and what replies without a decision.
    Replied(Replied),
}

/// How what a review approved was found when its proposer said that it is applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WasApplied {
    /// Of the result that comes nearest.
    pub found: AppliedAs,
    /// The round that was approved.
    pub round: u32,
    /// The commit that it was looked for in; absent for the work tree, and where nothing could be looked at.
    pub commit: Option<String>,
    /// Each approved result: the round, then patches beside it.
    pub results: Vec<ResultApplied>,
}

/// How one approved result was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ResultApplied {
    /// The patch; absent for the round itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<PatchId>,
    /// How it was found.
    pub found: AppliedAs,
    /// Files of it that are otherwise than approved or not there, or that can't be told; at most
    /// [`APPLIED_PATHS`](super::bounds::APPLIED_PATHS).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Files that came with it and weren't approved; at most as many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<String>,
}

/// The person's reply to a question about a review.
#[derive(Debug, Clone)]
pub struct Replied {
    /// Where it was given, and how sure that is.
    pub given: Given,
    /// What they said.
    pub text: Option<String>,
    /// The same as it is said in the review, with each of their comments. No bound of agents holds for it.
    pub said: Vec<NewMessage>,
    /// Names the reply in the record.
    pub reply: Map<String, Value>,
}

/// A message as it is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// Its identifier: said twice, it counts once.
    pub message_id: ThreadMessageId,
    /// Where it is said.
    pub place: MessagePlace,
    /// What is said, in Markdown; empty where a thread is only resolved.
    pub body: String,
    /// Whether its thread is resolved by it, or opened again.
    pub resolve: Option<bool>,
    /// The round whose lines a new thread is about; absent for the newest.
    pub round: Option<u32>,
}

/// Where a message is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessagePlace {
    /// On the review as a whole.
    Review,
    /// In a thread.
    Thread(ThreadId),
    /// In a new thread on a place of a round.
    Lines(ThreadId, Anchor),
}

/// What an act led to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Acted {
    /// The review from then on.
    pub review: ReviewSummary,
    /// Whether anything happened; not where the same had been done before.
    pub happened: bool,
    /// The claim token of whoever has claimed it by this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_token: Option<u64>,
    /// The thread that a message was said in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The patch that was offered, accepted or turned down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<PatchId>,
    /// The question to the person that is to be withdrawn.
    #[serde(skip)]
    pub withdraws: Option<RequestId>,
    /// Whether the person is to be asked.
    #[serde(skip)]
    pub asks: bool,
}

/// A review in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReviewSummary {
    /// Its identifier.
    pub review_id: ReviewId,
    /// The proposer's session.
    pub session_uuid: SessionUuid,
    /// Where it stands.
    pub status: ReviewStatus,
    /// How it ended; absent while it is open.
    pub outcome: Option<Ending>,
    /// Who has to do the next thing.
    pub turn: Turn,
    /// Its newest round.
    pub round: u32,
    /// What it is to do; cut.
    pub intent: String,
    /// The proposer's word for its kind.
    pub category: Option<String>,
    /// How soon it wants its review.
    pub priority: Priority,
    /// The folder that the proposer works in.
    pub workspace: String,
    /// Who proposed it, in a word.
    pub proposer: String,
    /// The proposer's party.
    pub party: String,
    /// Who has it, in a word.
    pub holder: Option<String>,
    /// Until when, without another act of theirs.
    pub lease_until: Option<Timestamp>,
    /// What its round needs.
    pub need: Need,
    /// Parties that have approved its round.
    pub approvals: u32,
    /// Who made it approved.
    pub approved_by: Option<ApprovedBy>,
    /// What became of what was approved, where it ended as applied and that was looked at.
    #[serde(default)]
    pub found: Option<AppliedAs>,
    /// SHA-256 of its round's diff.
    pub diff_sha256: Option<Digest>,
    /// What that was held against.
    pub base: Option<String>,
    /// Whether it doesn't apply any more.
    pub stale: bool,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// When something happened in it last.
    pub updated_at: Timestamp,
    /// The number of its last event.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub event: u64,
}

/// A review with all that its proposer said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredReview {
    /// In a few words.
    pub summary: ReviewSummary,
    /// What its rules look at.
    pub state: super::Review,
    /// Whoever proposed it.
    pub proposer: Party,
    /// Where it belongs: its repository's common directory, else the folder that its proposer works in; empty for none.
    pub place: String,
    /// What it is to do, whole.
    pub intent: String,
    /// What else the proposer says of it, by name.
    pub labels: BTreeMap<String, String>,
    /// The review whose place it took.
    pub parent_id: Option<ReviewId>,
    /// The question to the person about it that is open.
    pub request_id: Option<RequestId>,
}

/// A review as a list that says all of it has it, with what was said in it last.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedReview {
    /// The review.
    pub review: StoredReview,
    /// How many messages it has.
    pub messages: u64,
    /// When the last one was said, and how it begins, in at most [`MESSAGE_SHOWN_CHARS`](super::bounds::MESSAGE_SHOWN_CHARS)
    /// characters; absent where it has none.
    pub last_message: Option<(Timestamp, String)>,
    /// Why the newest verdict on its newest round is what it is.
    pub reason: Option<String>,
}

/// A round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRound {
    /// Its number, from 1.
    pub round: u32,
    /// SHA-256 of its diff; absent where it has none.
    pub diff_sha256: Option<Digest>,
    /// What it is to do.
    pub description: Option<String>,
    /// What the gate found out about it.
    pub checked: Checked,
    /// The patch that it was, where it was one.
    pub patch_id: Option<PatchId>,
    /// The round whose approvals by agents hold for it, too: it is the same patch on another base.
    pub carried_from: Option<u32>,
    /// Who submitted it, in a word.
    pub author: String,
    /// When.
    pub created_at: Timestamp,
}

/// A verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVerdict {
    /// The round that it is of.
    pub round: u32,
    /// What was said.
    pub decision: Verdict,
    /// Why.
    pub reason: Option<String>,
    /// Whose it is: an agent's or the person's.
    pub by: ApprovedBy,
    /// Who, in a word.
    pub author: String,
    /// When.
    pub created_at: Timestamp,
}

/// A patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPatch {
    /// Its identifier.
    pub patch_id: PatchId,
    /// The round that it was offered for.
    pub round: u32,
    /// SHA-256 of its diff.
    pub diff_sha256: Digest,
    /// What it is to do.
    pub description: Option<String>,
    /// Whether accepting it is its author's approval.
    pub approves: bool,
    /// What became of it.
    pub status: PatchStatus,
    /// Who offered it, in a word.
    pub author: String,
    /// What the gate found out about it.
    pub checked: Checked,
    /// When.
    pub created_at: Timestamp,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredThread {
    /// Its identifier.
    pub thread_id: ThreadId,
    /// The round on which it began.
    pub round: u32,
    /// The place.
    pub anchor: Anchor,
    /// Whether it is settled.
    pub resolved: bool,
    /// Where it stands in a later round that is looked at; absent where nobody has found out. It isn't kept.
    pub follows: Option<Followed>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMessage {
    /// Its identifier.
    pub message_id: ThreadMessageId,
    /// The thread that it is in; absent where it is about the review as a whole.
    pub thread_id: Option<ThreadId>,
    /// What its author is to the review.
    pub role: ReviewRole,
    /// Who, in a word.
    pub author: String,
    /// What was said.
    pub body: String,
    /// When.
    pub created_at: Timestamp,
    /// The number of the event with which it was told.
    pub event: u64,
}

/// Something that a review has approved and stands by: its newest round, or a patch in its place. What it needed has
/// approved it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedResult {
    /// The review.
    pub review_id: ReviewId,
    /// What it is to do; cut.
    pub intent: String,
    /// The round.
    pub round: u32,
    /// The patch, where it is one.
    pub patch_id: Option<PatchId>,
    /// What the round needs.
    pub need: Need,
    /// Who made it approved.
    pub approved_by: ApprovedBy,
    /// The receipt of the person's approval, where it is theirs.
    pub receipt: Option<Digest>,
    /// What they were shown, as a [`Manifest`](super::Manifest).
    pub manifest: Option<String>,
    /// SHA-256 of its diff.
    pub diff_sha256: Digest,
    /// What the gate found out about that.
    pub checked: Checked,
    /// When something happened in the review last.
    pub updated_at: Timestamp,
}

/// Which reviews are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewQuery {
    /// Where they stand.
    pub status: Option<ReviewStatus>,
    /// Their category.
    pub category: Option<String>,
    /// Their priority.
    pub priority: Option<Priority>,
    /// A file that the newest round changes, or a folder that one is in.
    pub path: Option<String>,
    /// The party that proposed them.
    pub party: Option<String>,
    /// Where they belong, of which one is enough; absent for anywhere.
    pub places: Option<Vec<String>>,
    /// A party that sees its own beside those.
    pub own: Option<String>,
    /// Something happened in them after this.
    pub since: Option<Timestamp>,
}

/// Where a list of reviews goes on: they are ordered by when something happened last, the newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewPlace {
    /// When something happened in the last one.
    pub updated_at: Timestamp,
    /// The last one.
    pub review_id: ReviewId,
}

/// Which review is claimed next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NextReview {
    /// Where it belongs, of which one is enough.
    pub places: Vec<String>,
    /// Its category, of which one is enough; empty for any.
    pub categories: Vec<String>,
}

/// Something that is due of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueReview {
    /// The review.
    pub review_id: ReviewId,
    /// What is due.
    pub due: Due,
    /// When it was, or is.
    pub at: Timestamp,
}

/// What is due of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// Its claim's time is over.
    Lease,
    /// Nobody claims its round.
    Unreviewed,
    /// Nothing happens in it.
    Quiet,
    /// The person's decision is good.
    Decision,
}
