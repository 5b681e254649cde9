//! The words of the review workflow as they stand on the wire and in the record.

use crate::wire::wire;

wire!(
    /// A phase of a job. All of them, in their order, always.
    Phase {
        /// The reviewer makes itself ready.
        Initializing = "initializing",
        /// The audits run.
        AgentsRunning = "agents-running",
        /// Their results become one report.
        Synthesizing = "synthesizing",
        /// It is put before the person.
        Publishing = "publishing",
        /// The reviewer has ended.
        Completed = "completed",
    }
);
wire!(
    /// Where an audit stands.
    AgentStatus {
        /// Nobody has started it.
        Pending = "pending",
        /// The run is at it.
        Running = "running",
        /// It ended well.
        Completed = "completed",
        /// It didn't.
        Failed = "failed",
    }
);
wire!(
    /// How an audit ended, as the run says.
    AgentEnd {
        /// Well.
        Success = "success",
        /// Not well.
        Failed = "failed",
    }
);
wire!(
    /// Where a job stands.
    JobStatus {
        /// A runner needs the person's go.
        Parked = "parked",
        /// It waits for a run.
        Queued = "queued",
        /// A run is at it.
        Running = "running",
        /// Its run is gone.
        Interrupted = "interrupted",
        /// Its run has ended it.
        Completed = "completed",
        /// Its time was over, or it couldn't be run.
        Failed = "failed",
        /// The person has ended it.
        Cancelled = "cancelled",
        /// A job of a newer head took its place.
        Superseded = "superseded",
    }
);
wire!(
    /// What a job is for.
    JobType {
        /// A first look.
        Review = "review",
        /// A look at what became of an earlier one.
        Followup = "followup",
    }
);
wire!(
    /// Where pull requests are. GitLab calls them merge requests.
    Platform {
        /// GitHub, also one's own.
        Github = "github",
        /// GitLab, also one's own.
        Gitlab = "gitlab",
    }
);
wire!(
    /// How grave a finding is.
    Severity {
        /// It shouldn't be merged so.
        Blocking = "blocking",
        /// It should be looked at.
        Warning = "warning",
        /// It could be better.
        Suggestion = "suggestion",
    }
);
wire!(
    /// What becomes of a job whose audit failed.
    OnFailure {
        /// It goes on.
        Continue = "continue",
        /// It isn't published.
        Block = "block",
    }
);
wire!(
    /// Whether a finding was there before.
    FindingState {
        /// It wasn't.
        New = "new",
        /// It was found before.
        Known = "known",
        /// It was, and the person did without it.
        Dismissed = "dismissed",
    }
);
wire!(
    /// What a finding can be put at.
    AnchorKind {
        /// Lines of the diff.
        Line = "line",
        /// A file of the diff.
        File = "file",
        /// The pull request as a whole.
        Report = "report",
    }
);
wire!(
    /// Whether a thread on the platform is settled.
    ThreadStatus {
        /// It isn't.
        Open = "open",
        /// It is.
        Resolved = "resolved",
    }
);
wire!(
    /// Where what would be posted stands.
    PublicationState {
        /// It is with the person.
        Open = "open",
        /// They said yes, and may yet take it back.
        Approved = "approved",
        /// Its items leave, in their order.
        Sending = "sending",
        /// They don't for now.
        Held = "held",
        /// They have left, but for what the platform refused.
        Posted = "posted",
        /// The person wants changes.
        Returned = "returned",
        /// It was replaced, cancelled or given up.
        Dropped = "dropped",
    }
);
wire!(
    /// Why what was approved doesn't leave.
    HeldFor {
        /// The pull request has another head than the one that was reviewed.
        HeadMoved = "head_moved",
        /// There is a pending review that isn't the gate's.
        PendingReviewOpen = "pending_review_open",
        /// The platform doesn't take the token, or there is none.
        Token = "token",
        /// The platform can't be reached.
        Network = "network",
    }
);
wire!(
    /// What an item is.
    ItemKind {
        /// The report.
        Report = "report",
        /// A finding.
        Finding = "finding",
        /// A reply in a thread.
        Reply = "reply",
        /// Settling a thread, perhaps after a reply.
        Resolve = "resolve",
        /// A comment on the pull request.
        Comment = "comment",
        /// A comment on a line.
        InlineComment = "inline_comment",
        /// A label.
        Label = "label",
    }
);
wire!(
    /// What became of an item.
    ItemState {
        /// Nothing yet.
        Open = "open",
        /// The person did without it.
        Dropped = "dropped",
        /// It stands on the platform.
        Posted = "posted",
        /// Its fallback does.
        FellBack = "fell_back",
        /// The platform refused it.
        Refused = "refused",
    }
);
wire!(
    /// What a review says as a whole.
    PublishEvent {
        /// It comments.
        Comment = "comment",
        /// It asks for changes.
        RequestChanges = "request_changes",
    }
);
wire!(
    /// What the reviewer thinks of the pull request.
    Readiness {
        /// It can be merged.
        ReadyToMerge = "ready_to_merge",
        /// Something has to be mended first.
        NeedsFixes = "needs_fixes",
        /// Something has to be talked about first.
        NeedsDiscussion = "needs_discussion",
    }
);

impl Phase {
    /// The one after it; absent after the last one.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        Self::ALL.iter().copied().find(|phase| *phase > self)
    }
}

impl AgentStatus {
    /// Whether it has ended, one way or the other.
    #[must_use]
    pub fn is_finished(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

impl AgentEnd {
    /// Where an audit stands that ended so.
    #[must_use]
    pub fn status(self) -> AgentStatus {
        match self {
            Self::Success => AgentStatus::Completed,
            Self::Failed => AgentStatus::Failed,
        }
    }
}

impl JobStatus {
    /// Whether nothing more becomes of it.
    #[must_use]
    pub fn is_finished(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::Superseded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_seed_s_and_the_same_in_json() {
        let phases: Vec<_> = Phase::ALL.iter().map(|phase| phase.as_str()).collect();
        assert_eq!(phases, ["initializing", "agents-running", "synthesizing", "publishing", "completed"]);
        for phase in Phase::ALL {
            assert_eq!(serde_json::to_value(phase).ok(), Some(phase.as_str().into()), "one spelling");
            assert_eq!(Phase::parse(phase.as_str()), Some(*phase));
        }
        for state in ItemState::ALL {
            assert_eq!(serde_json::to_value(state).ok(), Some(state.as_str().into()), "one spelling");
        }
        assert_eq!(AgentStatus::parse("done"), None, "no other word is taken for one");
    }

    #[test]
    fn the_next_phase_is_the_one_after_it() {
        assert_eq!(Phase::Initializing.next(), Some(Phase::AgentsRunning));
        assert_eq!(Phase::Publishing.next(), Some(Phase::Completed));
        assert_eq!(Phase::Completed.next(), None);
    }
}
