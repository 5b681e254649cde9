//! Where a review stands: all that its rules look at, and nothing that they don't.

use serde::{Deserialize, Serialize};

use super::lease;
use super::need::Need;
use super::words::{AppliedAs, ApprovedBy, Ending, ReviewRole, ReviewStatus, Turn};
use crate::assurance::Assurance;
use crate::timestamp::Timestamp;

/// A review's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Where it stands.
    pub status: ReviewStatus,
    /// How it ended; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// What became of what was approved, where it ended as applied and that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<AppliedAs>,
    /// The number of its newest round, from 1.
    pub round: u32,
    /// What the rules ask for, for this round.
    pub need: Need,
    /// Whether the person is needed whatever the rules say, since they were once and haven't approved since.
    #[serde(default)]
    pub sticky: bool,
    /// Parties that have approved this round.
    #[serde(default)]
    pub approvals: u32,
    /// Who made it approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<ApprovedBy>,
    /// Who has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The claim token: it grows whenever a claim is given, lost or taken.
    pub token: u64,
    /// Who of the proposer, the holder and the person spoke last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoke: Option<ReviewRole>,
    /// Whether the person is asked, and what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// How sure it is that the person took it; absent where they haven't, or have given it back or decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<Assurance>,
    /// The person's decision, while it may be taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// The party that rejected the round before, and until when this one is kept for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Reserved>,
    /// The party that rejected this round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected_by: Option<String>,
    /// The last round of which the person was told that nobody reviews it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreviewed: Option<u32>,
}

/// A claim that holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The holder's party.
    pub holder: String,
    /// The round that the holder was given.
    pub given_round: u32,
    /// The holder's last act.
    pub acted_at: Timestamp,
}

/// What the person is asked of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// To decide on its round.
    Decision,
    /// The same; they have replied without a decision, and the proposer is to say something.
    Replied,
    /// What is to become of it, since nobody reviewed it. It stays in the queue.
    Unreviewed,
}

/// The person's decision on a round, which isn't good yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Whether they approved it; otherwise they rejected it.
    pub approved: bool,
    /// When it becomes good.
    pub until: Timestamp,
}

/// A party for which a round is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    /// The party.
    pub party: String,
    /// Until when.
    pub until: Timestamp,
}

impl Review {
    /// A review that was just submitted with a round that needs this.
    #[must_use]
    pub fn new(need: Need) -> Self {
        Self {
            status: ReviewStatus::Created,
            ending: None,
            found: None,
            round: 1,
            need,
            sticky: false,
            approvals: 0,
            approved_by: None,
            claim: None,
            token: 0,
            spoke: None,
            asked: None,
            taken: None,
            held: None,
            reserved: None,
            rejected_by: None,
            unreviewed: None,
        }
    }

    /// Whether it isn't over.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.status != ReviewStatus::Closed
    }

    /// What its round needs in all: never nobody.
    #[must_use]
    pub fn needs(&self) -> Need {
        let person = self.need.person || self.sticky;
        Need { person, agents: self.need.agents.max(u32::from(!person)) }
    }

    /// Whether the person was told of this round that nobody reviews it: they are once.
    #[must_use]
    pub fn is_told_unreviewed(&self) -> bool {
        self.unreviewed == Some(self.round)
    }

    /// Who has to do the next thing.
    #[must_use]
    pub fn turn(&self) -> Turn {
        match self.status {
            ReviewStatus::Created | ReviewStatus::Claimed => Turn::Reviewer,
            ReviewStatus::InDiscussion => match self.spoke {
                Some(ReviewRole::Proposer) => Turn::Reviewer,
                Some(ReviewRole::Reviewer | ReviewRole::Person) | None => Turn::Proposer,
            },
            ReviewStatus::AwaitingPerson => match self.asked {
                Some(Asked::Replied) => Turn::Proposer,
                Some(Asked::Decision | Asked::Unreviewed) | None => Turn::Person,
            },
            ReviewStatus::Approved | ReviewStatus::Rejected => Turn::Proposer,
            ReviewStatus::Closed => Turn::Nobody,
        }
    }

    /// Until when its claim holds without another act of its holder; absent where nobody has it.
    #[must_use]
    pub fn lease_until(&self) -> Option<Timestamp> {
        self.claim.as_ref().map(|claim| lease::until(claim.acted_at, false))
    }
}
