//! A request as windows show it: in the queue and in full.

use gate_core::diff::{self, DiffView};
use gate_core::markdown::{self, Document};
use gate_core::proposal::{AskedRound, ReviewId};
use gate_core::{
    Asker, Assurance, Attachment, Choice, Digest, Draft, Fault, GitKind, Oid, QuestionGit, RequestId, RequestStatus,
    ReviewRequest, SessionUuid, Snooze, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::permissions::{PermissionSummary, PermissionView};
use crate::phrase::Phrase;

/// A request in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RequestSummary {
    /// Its identifier.
    pub request_id: RequestId,
    /// The conversation that it belongs to.
    pub session_uuid: SessionUuid,
    /// The headline: the agent's title or the message's first line.
    pub title: String,
    /// The agent's name as a person reads it, e.g. `Claude Code`; empty where it says none.
    pub client: String,
    /// The folder that the agent works in; empty when unknown.
    pub workspace: String,
    /// The last part of that folder.
    pub workspace_name: String,
    /// Whether it comes before everything else.
    pub urgent: bool,
    /// Whether the agent asks for a decision.
    pub approval: bool,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When the last waiting call will be answered `pending`; absent while no call waits, and where
    /// the agent waits without an end.
    pub waits_until: Option<Timestamp>,
    /// Whether a call waits for it right now. A late reply still arrives with the agent's next call.
    pub caller_waiting: bool,
    /// How the message goes on after the headline: one line, up to 160 characters; may be empty.
    pub excerpt: String,
    /// How many options it offers.
    pub options: usize,
    /// How many files its diff changes; 0 without one.
    pub files: usize,
    /// Whether the person has put it off; then it stands behind all others and isn't counted.
    pub snoozed: Option<Snooze>,
    /// What kind of permission it asks for; absent for any other question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub permission: Option<PermissionSummary>,
    /// Which round of a review it is about; absent for any other question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub round: Option<RoundSummary>,
}

/// A round of a review that the person is to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RoundSummary {
    /// The review.
    pub review_id: ReviewId,
    /// The number of the round.
    pub round: u32,
}

impl RoundSummary {
    /// Of what is asked.
    #[must_use]
    pub fn of(asked: &AskedRound) -> Self {
        Self { review_id: asked.review_id, round: asked.round }
    }
}

/// What of a repository a request shows, as the gate itself read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GitView {
    /// What of it is shown.
    pub kind: GitKind,
    /// The same in the agent's words: a commit or a range.
    pub what: String,
    /// The repository's name: the last part of its path.
    pub name: String,
    /// The repository's folder.
    pub repository: String,
    /// The commit that it is shown on; absent for a first commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub base: Option<Oid>,
    /// The commit that is shown, or the last one of a range; absent for what isn't committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub commit: Option<Oid>,
    /// The tree that an approval is for.
    pub tree: Oid,
}

impl GitView {
    /// As it is shown: what would hide or turn a name is made visible.
    #[must_use]
    pub fn of(git: &QuestionGit) -> Self {
        Self {
            kind: git.kind(),
            what: markdown::visible(&git.what),
            name: markdown::visible(git.name()),
            repository: markdown::visible(&git.repository),
            base: git.base.clone(),
            commit: git.commit.clone(),
            tree: git.tree.clone(),
        }
    }
}

/// What an approval takes besides the act, where it has to be surer than that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ApprovalNeeds {
    /// How sure it has to be.
    pub level: Assurance,
    /// Why that can't be had now, and what to do; absent where it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub missing: Option<Phrase>,
    /// Whether on the gate's page in a browser a key that was made there is touched instead: there nothing is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub page_key: bool,
}

/// A request in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RequestView {
    /// What the queue shows of it.
    pub summary: RequestSummary,
    /// The program that asks and the folder that it works in, as the system says; absent where it doesn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub asked_by: Option<String>,
    /// Where it stands.
    pub status: RequestStatus,
    /// The digest of the question that this shows, which an answer to it names.
    pub digest: Digest,
    /// The agent's message.
    pub message: Document,
    /// What the agent is doing; shown folded.
    pub context: Option<Document>,
    /// The quick replies.
    pub options: Vec<Choice>,
    /// Whether several may be chosen.
    pub allow_multiple: bool,
    /// The diff.
    pub diff: Option<DiffView>,
    /// What of a repository the diff is, where the gate made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub git: Option<GitView>,
    /// What an approval takes besides the act; absent where it takes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub needs: Option<ApprovalNeeds>,
    /// What an agent asks to be allowed: then `answer_permission` answers it, and no reply does. Absent for any other
    /// question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub permission: Option<Box<PermissionView>>,
    /// The reply so far.
    pub draft: Draft,
    /// The draft's attachments.
    pub attachments: Vec<Attachment>,
}

impl RequestView {
    /// A request with its message, context and diff parsed, which takes a while where they are long. `diff_before` is
    /// the diff that the person answered last in its conversation; `asker` is which program asked. What an
    /// approval takes is for the caller to add.
    ///
    /// # Errors
    /// [`diff::view_since`]'s and [`Digest::of_question`]'s.
    pub fn of(
        request: &ReviewRequest,
        summary: RequestSummary,
        draft: Draft,
        attachments: Vec<Attachment>,
        diff_before: Option<&str>,
        asker: Option<&Asker>,
    ) -> Result<Self, Fault> {
        let ask = &request.ask;
        Ok(Self {
            summary,
            asked_by: asker.map(|Asker { program, folder }| markdown::visible(&format!("{program} · {folder}"))),
            status: request.status,
            digest: Digest::of_question(ask)?,
            message: markdown::parse(&ask.message),
            context: ask.context.as_deref().map(markdown::parse),
            options: ask.options.clone(),
            allow_multiple: ask.allow_multiple,
            diff: ask.diff.as_deref().map(|diff| diff::view_since(diff, diff_before)).transpose()?,
            git: ask.git.as_deref().map(GitView::of),
            needs: None,
            permission: ask.permission.as_deref().map(|asked| Box::new(PermissionView::of(asked))),
            draft,
            attachments,
        })
    }
}
