//! The words of the review broker as they stand on the wire and in the record.

use crate::wire::wire;

wire!(
    /// Where a review stands.
    ReviewStatus {
        /// It waits for a reviewer.
        Created = "created",
        /// A reviewer has it.
        Claimed = "claimed",
        /// The reviewer and the proposer talk about it.
        InDiscussion = "in_discussion",
        /// It waits for the person's decision.
        AwaitingPerson = "awaiting_person",
        /// All that its round needs has approved it.
        Approved = "approved",
        /// It was rejected; a next round may follow.
        Rejected = "rejected",
        /// It is over.
        Closed = "closed",
    }
);
wire!(
    /// Who has to do the next thing.
    Turn {
        /// Whoever may review it.
        Reviewer = "reviewer",
        /// Whoever proposed it.
        Proposer = "proposer",
        /// The person.
        Person = "person",
        /// It is over.
        Nobody = "nobody",
    }
);
wire!(
    /// How a review ended.
    Ending {
        /// It was approved, and its proposer says that it is applied.
        Applied = "applied",
        /// It was decided, and isn't applied.
        NotApplied = "not_applied",
        /// It was decided, and its proposer gave it up.
        Abandoned = "abandoned",
        /// It was taken back before it was decided.
        Withdrawn = "withdrawn",
        /// Another review took its place.
        Superseded = "superseded",
        /// Nothing happened in it for a month.
        Expired = "expired",
    }
);
wire!(
    /// What became of a result that was approved, once its proposer says that it is applied. What comes nearest is first.
    AppliedAs {
        /// The same files with the same contents, and nothing beside.
        Exact = "exact",
        /// The same patch on another base, and nothing beside.
        Equivalent = "equivalent",
        /// It can't be said: filters such as LFS's stand between, or it was never held against a repository.
        Unchecked = "unchecked",
        /// Something else: files of it are otherwise, or others came with it.
        Differs = "differs",
        /// Nothing of it is there.
        Missing = "missing",
    }
);
wire!(
    /// What a reviewer says of a round.
    Verdict {
        /// It is good as it is.
        Approved = "approved",
        /// It isn't; it needs a next round.
        Rejected = "rejected",
        /// Something is to be talked about first.
        Comment = "comment",
        /// The person has to decide.
        Escalate = "escalate",
    }
);
wire!(
    /// How soon a proposal wants its review.
    Priority {
        /// After the others.
        Low = "low",
        /// In its turn.
        Normal = "normal",
        /// Before the others.
        High = "high",
        /// Before all others.
        Critical = "critical",
    }
);
wire!(
    /// Who made a round approved. An agent's approval is never the person's.
    ApprovedBy {
        /// Agents alone.
        Agent = "agent",
        /// The person.
        Person = "person",
    }
);
wire!(
    /// What somebody is to a review, by what they are and not by what they say.
    ReviewRole {
        /// The party that proposed it.
        Proposer = "proposer",
        /// Any other party.
        Reviewer = "reviewer",
        /// The person.
        Person = "person",
    }
);
wire!(
    /// What became of a reviewer's patch.
    PatchStatus {
        /// The proposer has not said.
        Open = "open",
        /// It is a round now.
        Accepted = "accepted",
        /// The proposer does without it.
        Rejected = "rejected",
        /// A new round took the place of the one that it was offered for.
        Superseded = "superseded",
    }
);

impl Priority {
    /// By how many milliseconds it is ahead of one that was submitted with it and has the priority below.
    const STEP_MILLIS: i64 = 15 * 60 * 1000;

    /// Its place in the queue, where the smallest is claimed first. It never changes, so nothing waits for ever.
    #[must_use]
    pub fn queue_key(self, submitted: crate::Timestamp) -> i64 {
        submitted.0.saturating_sub(Self::STEP_MILLIS * (self as i64))
    }
}

impl Verdict {
    /// The verdict that this word stands for. Some clients say `changes_requested` for `rejected`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text == "changes_requested" { Some(Self::Rejected) } else { Self::parse(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    #[test]
    fn a_word_is_the_same_on_the_wire_and_in_the_record() {
        for status in ReviewStatus::ALL {
            assert_eq!(serde_json::to_value(status).ok(), Some(status.as_str().into()));
            assert_eq!(ReviewStatus::parse(status.as_str()), Some(*status));
        }
        for ending in Ending::ALL {
            assert_eq!(serde_json::to_value(ending).ok(), Some(ending.as_str().into()));
        }
        assert_eq!(Verdict::read("changes_requested"), Some(Verdict::Rejected));
        assert_eq!(Verdict::read("yes"), None, "what isn't a verdict never becomes one");
    }

    #[test]
    fn a_higher_priority_is_a_quarter_of_an_hour_ahead_and_no_more() {
        let minute = 60 * 1000;
        let key = |priority: Priority, minutes: i64| priority.queue_key(Timestamp(minutes * minute));
        assert!(key(Priority::High, 14) < key(Priority::Normal, 0), "it passes what came before it");
        assert!(key(Priority::High, 16) > key(Priority::Normal, 0), "but not what waits for longer");
        assert!(key(Priority::Critical, 44) < key(Priority::Low, 0));
        assert!(key(Priority::Critical, 46) > key(Priority::Low, 0));
    }
}
