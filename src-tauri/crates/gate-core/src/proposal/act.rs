//! What may be done to a review, by whom, and why it may be refused.

use serde::{Deserialize, Serialize};

use super::need::Need;
use super::party::Standing;
use super::words::{Ending, ReviewStatus, Verdict};
use crate::assurance::Assurance;
use crate::timestamp::Timestamp;

/// Who acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// An agent: its party, and how it stands to the review.
    Agent(String, Standing),
    /// The person, and how sure it is that it is them.
    Person(Assurance),
    /// The gate itself: its clock, what it sees of connections and of git.
    Gate,
}

/// What a call says of the claim that it acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Claimed {
    /// The claim token that it was given; absent where it doesn't say.
    pub token: Option<u64>,
    /// The round that it is about; absent where it doesn't say.
    pub round: Option<u32>,
}

/// A claim as whoever ends it has seen it: no other is ended in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenClaim {
    /// Its claim token.
    pub token: u64,
    /// The holder's last act; absent where it ends whatever the holder does meanwhile.
    pub acted_at: Option<Timestamp>,
}

/// How a claim was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lost {
    /// Its time is over.
    Lease,
    /// The holder's connection is gone.
    Gone,
    /// The run that held it failed.
    Run,
}

/// Something that is done to a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Taking it for review, or going on with one's claim.
    Claim,
    /// Giving the claim back.
    Release(Claimed),
    /// Saying something of its round.
    Verdict(Verdict, Claimed),
    /// Saying something in it.
    Message,
    /// Offering another diff in place of the round.
    OfferPatch(Claimed),
    /// A new round.
    Round {
        /// The round that it replaces, where the call says so.
        replaces: Option<u32>,
        /// What the rules ask for it.
        need: Need,
        /// The round of which it is the same patch on another base: what agents have approved of that, while it is the
        /// newest, they have of this one.
        carries: Option<u32>,
    },
    /// Making a patch that was offered the next round.
    AcceptPatch {
        /// What the rules ask for it.
        need: Need,
        /// Whether accepting it is its author's approval.
        approves: bool,
    },
    /// Doing without a patch that was offered.
    RejectPatch,
    /// Ending it. `None` is the end that follows from where it stands.
    Close(Option<Ending>),
    /// Another review of the same proposer takes its place.
    Supersede,
    /// The claim is lost: this one, else whichever there is.
    Lose(Lost, Option<SeenClaim>),
    /// What it proposes doesn't apply any more.
    Unfit,
    /// Nobody has claimed its round for a while.
    Unreviewed,
    /// Nothing has happened in it for long.
    Expire,
    /// The rules ask for more than before.
    Raise(Need),
    /// The person takes it.
    Take,
    /// The person gives it back.
    GiveBack,
    /// The person decides; it is good from then on.
    Decide {
        /// Whether they approve it; otherwise they reject it.
        approved: bool,
        /// When it becomes good.
        until: Timestamp,
    },
    /// The person's decision is good now.
    Settle,
    /// The person takes their decision back.
    Undo,
    /// The person answers without deciding.
    Reply,
}

/// Why an act is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is the caller's own proposal.
    OwnProposal,
    /// It isn't the caller's proposal.
    NotProposer,
    /// Somebody else has the claim.
    AlreadyClaimed,
    /// It is kept for whoever rejected the round before.
    Reserved(Timestamp),
    /// The caller has approved this round.
    AlreadyApproved,
    /// The caller has lost the claim on this round too often.
    LostTooOften,
    /// The caller holds too many claims.
    TooManyClaims,
    /// The caller doesn't have the claim.
    NotHolder,
    /// The caller had the claim, and lost it.
    ClaimLost,
    /// The act is about another round than the newest.
    StaleRound(u32),
    /// The person is deciding.
    PersonDeciding(Timestamp),
    /// It can't be done where the review stands.
    WrongState(ReviewStatus),
    /// The caller may only comment.
    CommentsOnly,
    /// There are as many rounds as there may be.
    TooManyRounds,
    /// Only the person or the gate does this.
    NotYours,
    /// The person took it more surely than this is theirs.
    TakenSurer(Assurance),
}
