//! What the broker's tools and resources give: a review in a few words, and what stands beside it.

use gate_core::proposal::{
    Anchor, AppliedAs, ApprovedBy, Ending, Followed, Need, PatchId, PatchStatus, Priority, ProposedFile, ResultApplied,
    ReviewEvent, ReviewId, ReviewRole, ReviewStatus, ReviewSummary, StoredMessage, StoredThread, StoredVerdict,
    ThreadId, ThreadMessageId, Turn, Verdict, WasApplied,
};
use gate_core::reply::Side;
use gate_core::{Digest, Timestamp};
use serde_json::{Map, Value};

use crate::output::{ids, output, words};

words!(ReviewStatus: Created, Claimed, InDiscussion, AwaitingPerson, Approved, Rejected, Closed);
words!(Turn: Reviewer, Proposer, Person, Nobody);
words!(Ending: Applied, NotApplied, Abandoned, Withdrawn, Superseded, Expired);
words!(AppliedAs: Exact, Equivalent, Differs, Missing, Unchecked);
words!(Verdict: Approved, Rejected, Comment, Escalate);
words!(Priority: Low, Normal, High, Critical);
words!(ApprovedBy: Agent, Person);
words!(ReviewRole: Proposer, Reviewer, Person);
words!(PatchStatus: Open, Accepted, Rejected, Superseded);

ids!(ReviewId, PatchId, ThreadId, ThreadMessageId);

output! {
    of Need {
        agents: u32,
        person: bool,
    }
}

output! {
    /// A review in a few words.
    pub(super) struct Summary<'a> {
        review_id: ReviewId,
        status: ReviewStatus,
        outcome: Option<Ending>,
        turn: Turn,
        round: u32,
        intent: &'a str,
        category: Option<&'a str>,
        priority: Priority,
        workspace: &'a str,
        proposer: &'a str,
        holder: Option<&'a str>,
        lease_until: Option<Timestamp>,
        need: Need,
        /// Agents' approval is never the person's.
        approved_by: Option<ApprovedBy>,
        diff_sha256: Option<Digest>,
        base: Option<&'a str>,
        stale: bool,
        created_at: Timestamp,
        updated_at: Timestamp,
        /// The number of its last event.
        event: u64,
    }
}

impl<'a> Summary<'a> {
    pub(super) fn of(review: &'a ReviewSummary) -> Self {
        Self {
            review_id: review.review_id,
            status: review.status,
            outcome: review.outcome,
            turn: review.turn,
            round: review.round,
            intent: &review.intent,
            category: review.category.as_deref(),
            priority: review.priority,
            workspace: &review.workspace,
            proposer: &review.proposer,
            holder: review.holder.as_deref(),
            lease_until: review.lease_until,
            need: review.need,
            approved_by: review.approved_by,
            diff_sha256: review.diff_sha256,
            base: review.base.as_deref(),
            stale: review.stale,
            created_at: review.created_at,
            updated_at: review.updated_at,
            event: review.event,
        }
    }

    /// With all that its proposer said it does.
    pub(super) fn meant(self, intent: &'a str) -> Self {
        Self { intent, ..self }
    }
}

output! {
    /// A file that a round changes.
    pub(super) struct FileView<'a> {
        path: &'a str,
        old_path ?: Option<&'a str>,
        old_mode ?: Option<&'a str>,
        new_mode ?: Option<&'a str>,
        added: u32,
        removed: u32,
    }
}

impl<'a> FileView<'a> {
    pub(super) fn of(file: &'a ProposedFile) -> Self {
        let changed = file.old_mode != file.new_mode;
        let mode = |mode: &'a Option<String>| mode.as_deref().filter(|_| changed);
        Self {
            path: &file.path,
            old_path: file.old_path.as_deref(),
            old_mode: mode(&file.old_mode),
            new_mode: mode(&file.new_mode),
            added: file.added,
            removed: file.removed,
        }
    }

    /// About how many bytes it takes.
    pub(super) fn size(&self) -> usize {
        const FIELDS: usize = 120;
        FIELDS + self.path.len() + self.old_path.map_or(0, str::len)
    }
}

/// Bytes of all reasons of verdicts in one result.
pub(super) const REASONS: usize = 12 * 1024;

output! {
    /// What somebody said of a round.
    pub(super) struct VerdictView<'a> {
        round: u32,
        decision: Verdict,
        reason: Option<&'a str>,
        /// There is more of it in the resource of its round.
        reason_cut ?: bool,
        by: ApprovedBy,
        author: &'a str,
        created_at: Timestamp,
    }
}

impl<'a> VerdictView<'a> {
    pub(super) fn of(verdict: &'a StoredVerdict) -> Self {
        Self {
            round: verdict.round,
            decision: verdict.decision,
            reason: verdict.reason.as_deref(),
            reason_cut: false,
            by: verdict.by,
            author: &verdict.author,
            created_at: verdict.created_at,
        }
    }

    /// The one verdict of a result.
    pub(super) fn shown(verdict: &'a StoredVerdict) -> Self {
        Self::of(verdict).within(REASONS)
    }

    /// With at most so many bytes of its reason.
    pub(super) fn within(self, bytes: usize) -> Self {
        let Some(reason) = self.reason.filter(|reason| reason.len() > bytes) else { return self };
        Self { reason: Some(&reason[..reason.floor_char_boundary(bytes)]), reason_cut: true, ..self }
    }

    /// The bytes that its reason takes.
    pub(super) fn size(&self) -> usize {
        self.reason.map_or(0, str::len)
    }
}

output! {
    /// A message.
    pub(super) struct MessageView<'a> {
        message_id: ThreadMessageId,
        thread_id: Option<ThreadId>,
        role: ReviewRole,
        author: &'a str,
        body: &'a str,
        created_at: Timestamp,
    }
}

impl<'a> MessageView<'a> {
    pub(super) fn of(message: &'a StoredMessage) -> Self {
        Self {
            message_id: message.message_id,
            thread_id: message.thread_id,
            role: message.role,
            author: &message.author,
            body: &message.body,
            created_at: message.created_at,
        }
    }
}

output! {
    /// A thread, and the place that it is about.
    pub(super) struct ThreadView<'a> {
        thread_id: ThreadId,
        round: u32,
        file: &'a str,
        line: Option<u32>,
        start_line ?: Option<u32>,
        side: Side,
        resolved: bool,
        /// Where it is in the newest round, of one that began earlier; line is null where its lines are gone.
        stands ?: Option<StandsView<'a>>,
    }
}

output! {
    /// A thread's place in another round than its own.
    pub(super) struct StandsView<'a> {
        file: &'a str,
        line: Option<u32>,
        start_line ?: Option<u32>,
    }
}

impl<'a> ThreadView<'a> {
    pub(super) fn of(thread: &'a StoredThread) -> Self {
        let StoredThread { thread_id, round, anchor: Anchor { file, line, start_line, side }, resolved, follows } =
            thread;
        Self {
            thread_id: *thread_id,
            round: *round,
            file,
            line: *line,
            start_line: *start_line,
            side: *side,
            resolved: *resolved,
            stands: follows.as_ref().map(|Followed { place, .. }| StandsView {
                file: &place.file,
                line: place.line,
                start_line: place.start_line,
            }),
        }
    }
}

output! {
    /// Something that happened in a review.
    pub(super) struct EventView<'a> {
        n: u64,
        at: Timestamp,
        kind: &'a str,
        /// Absent for the gate.
        role ?: Option<ReviewRole>,
        data ?: &'a Map<String, Value>,
    }
}

impl<'a> EventView<'a> {
    pub(super) fn of(event: &'a ReviewEvent) -> Self {
        Self { n: event.n, at: event.at, kind: &event.kind, role: event.role, data: &event.data }
    }
}

output! {
    /// A page of a round: what it is to do, and a part of its diff.
    pub(super) struct RoundPage<'a> {
        /// Of the round that is shown; on the first page.
        description ?: Option<&'a str>,
        /// There is more of it in the resource of the round.
        description_cut ?: bool,
        /// Whether git was asked; else the diff's bytes alone are what is approved.
        checked: bool,
        /// The same patch on another base: agents' approvals of that round hold for it.
        carried_from ?: Option<u32>,
        warnings ?: &'a [String],
        /// On the first page; the first ones where there are many.
        files ?: Vec<FileView<'a>>,
        file_count: usize,
        /// Whole hunks; the pages one after the other are the diff.
        diff: &'a str,
        /// The file that the page begins in the middle of.
        continues ?: Option<String>,
        /// It ends within a hunk that is larger than a page.
        cut ?: bool,
        /// Pass it to get_proposal for the next page.
        next_cursor: Option<String>,
    }
}

output! {
    /// What `get_proposal` gives beside the summary, whose `intent` is whole here.
    pub(super) struct ProposalView<'a> {
        shown_round: u32,
        /// The caller's.
        role: ReviewRole,
        labels ?: Map<String, Value>,
        parent_id ?: Option<ReviewId>,
        verdicts ?: Vec<VerdictView<'a>>,
        /// Files that the earlier round changed and this one doesn't.
        no_longer ?: Vec<String>,
    }
}

output! {
    /// What `submit_proposal` gives beside the summary.
    pub(super) struct SubmittedView<'a> {
        /// The newest round has these very bytes already; nothing was submitted.
        unchanged: bool,
        /// Other reviews that change one of its files.
        overlaps: &'a [ReviewId],
        warnings: &'a [String],
        reviewers: Reviewers<'a>,
        /// Whether it is your turn since you waited.
        changed ?: Option<bool>,
        verdict ?: Option<VerdictView<'a>>,
    }
}

output! {
    /// Who may look at it soon.
    pub(super) struct Reviewers<'a> {
        /// Calls that wait for a review.
        waiting: u32,
        /// Programs of the pool.
        pool: &'a [String],
    }
}

output! {
    /// What `get_review_status` gives beside the summary.
    pub(super) struct StatusView<'a> {
        changed: bool,
        events: Vec<EventView<'a>>,
        /// More happened: pass the last one's `n` as `since`.
        more ?: bool,
        /// The newest one on this round.
        verdict ?: Option<VerdictView<'a>>,
    }
}

output! {
    /// What `list_reviews` gives.
    pub(super) struct ListView<'a> {
        reviews: Vec<Summary<'a>>,
        next_cursor: Option<String>,
        changed ?: Option<bool>,
    }
}

output! {
    /// What `claim_review` gives beside the summary.
    pub(super) struct ClaimView<'a> {
        /// False: there is none.
        claimed: bool,
        /// Pass it on with what you do.
        claim_token ?: Option<u64>,
        threads ?: Vec<ThreadView<'a>>,
        messages ?: Vec<MessageView<'a>>,
        /// There are more: get_messages with unresolved.
        more_messages ?: bool,
        changed ?: Option<bool>,
    }
}

output! {
    /// What `submit_verdict` gives beside the summary.
    pub(super) struct JudgedView {
        approvals: Approvals,
    }
}

output! {
    /// What the round has and needs.
    pub(super) struct Approvals {
        have: u32,
        need: u32,
        /// Whether the person has to approve, too.
        person: bool,
    }
}

output! {
    /// What `post_message` gives beside the summary.
    pub(super) struct SaidView {
        thread_id: Option<ThreadId>,
    }
}

output! {
    /// What `get_messages` gives beside the summary.
    pub(super) struct MessagesView<'a> {
        messages: Vec<MessageView<'a>>,
        /// Those that these messages are in.
        threads: Vec<ThreadView<'a>>,
        next_cursor: Option<String>,
        changed ?: Option<bool>,
    }
}

output! {
    /// What `submit_patch` gives beside the summary.
    pub(super) struct OfferedView {
        patch_id: PatchId,
    }
}

output! {
    /// What `get_patch` gives beside the summary.
    pub(super) struct PatchesView<'a> {
        patches: Vec<PatchView<'a>>,
        next_cursor: Option<String>,
    }
}

output! {
    /// A round, or a patch that was offered.
    pub(super) struct PatchView<'a> {
        /// Of a round its number; of a patch the one that it was offered for.
        round: u32,
        /// Absent for a round that was none.
        patch_id ?: Option<PatchId>,
        /// Absent for a round.
        status ?: Option<PatchStatus>,
        approves ?: bool,
        role: ReviewRole,
        author: &'a str,
        description ?: Option<&'a str>,
        created_at: Timestamp,
        patch_diff: String,
        /// The rest comes with the next page.
        cut ?: bool,
    }
}

output! {
    /// What `close_review` gives beside the summary.
    pub(super) struct ClosedView<'a> {
        /// How what was approved lies in the commit or the work tree, where that was looked at.
        applied: Option<&'a WasApplied>,
    }
}

output! {
    of WasApplied {
        /// Of the result that comes nearest.
        found: AppliedAs,
        round: u32,
        /// Absent for the work tree.
        commit: Option<String>,
        /// The round, then patches beside it.
        results: Vec<ResultApplied>,
    }
}

output! {
    of ResultApplied {
        /// Absent for the round.
        patch_id ?: Option<PatchId>,
        found: AppliedAs,
        /// Otherwise than approved, or not there.
        paths ?: Vec<String>,
        /// Not approved.
        extra ?: Vec<String>,
    }
}

output! {
    /// Nothing beside the summary but what it means.
    pub(super) struct Nothing {
        changed ?: Option<bool>,
    }
}
