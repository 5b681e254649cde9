//! The review broker's domain: a proposal, its rounds and what becomes of them. One agent proposes a change, others
//! review it, the person outranks all of them.
//!
//! | file | owns |
//! |---|---|
//! | `words.rs` | the words for states, verdicts and ends, as they stand on the wire |
//! | `party.rs` | which acts count as one party's, and how a caller stands to a review |
//! | `need.rs` | what an approval takes, and the person's rules for it |
//! | `review.rs` | where a review stands, and whose turn it is |
//! | `act.rs`, `step.rs` | what may be done to a review, and what it leads to: the table of transitions |
//! | `event.rs` | what is told of it afterwards |
//! | `anchor.rs` | where in a round something is said |
//! | `follow.rs` | where a thread of an earlier round stands in a later one |
//! | `lease.rs` | for how long a claim holds |
//! | `asked.rs` | what the person is asked of it |
//! | `record.rs`, `port.rs` | what is kept of it, and what the broker needs of whatever keeps it |
//! | `bounds.rs` | its bounds |

pub mod act;
mod anchor;
pub mod asked;
pub mod bounds;
pub mod event;
mod follow;
pub mod lease;
pub mod need;
pub mod party;
pub mod port;
pub mod record;
mod refusal;
pub mod review;
mod step;
#[cfg(test)]
mod tests;
pub mod words;

pub use crate::ids::ReviewId;
pub use crate::round::AskedRound;
pub use act::{Act, By, Claimed, Refusal};
pub use anchor::Anchor;
pub use asked::Manifest;
pub use event::{EventKind, ReviewEvent};
pub use follow::{Followed, follow};
pub use need::{Need, ReviewRule, Rounded};
pub use party::{May, POOL, Party, Standing, add_party};
pub use port::ReviewStore;
pub use record::*;
pub use review::{Asked, Claim, Held, Review};
pub use step::Step;
pub use words::{AppliedAs, ApprovedBy, Ending, PatchStatus, Priority, ReviewRole, ReviewStatus, Turn, Verdict};

use crate::ids::id;

id!(
    /// One patch that a reviewer offers in place of a round.
    PatchId,
    "patch_id"
);
id!(
    /// One thread of messages.
    ThreadId,
    "thread_id"
);
id!(
    /// One message of a review.
    ThreadMessageId,
    "message_id"
);

/// The fault of an identifier that no review has, or whose review the caller may not see.
#[must_use]
pub fn unknown_review(review: ReviewId) -> crate::Fault {
    crate::Fault::new(
        crate::Code::UnknownReview,
        format!("No review has the id {review}, or it isn't yours to see."),
        "Pass a review_id as an earlier result gave it; list_reviews lists those that you may see.",
    )
}
