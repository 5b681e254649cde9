//! The review broker's tools and resources: an agent proposes a change, others review it, the person outranks all of
//! them. What a call means is behind the port.
//!
//! | file | owns |
//! |---|---|
//! | `input.rs` | what the tools take, within its bounds |
//! | `views.rs` | what they give |
//! | `answer.rs` | what its results begin with |
//! | `advice.rs` | what the caller is told to do next |
//! | `propose.rs`, `look.rs`, `review.rs`, `discuss.rs` | the bodies |
//! | `tasks.rs` | a task in the place of a result that would be waited for |
//! | `pages.rs` | diffs in pages |
//! | `resources.rs` | the resources |
//! | `gsd.rs` | the same broker with another one's names and results |

mod advice;
mod answer;
mod discuss;
mod gsd;
mod input;
mod look;
mod pages;
mod port;
mod propose;
mod resources;
mod review;
mod tasks;
#[cfg(test)]
mod tests;
mod views;

use std::sync::Arc;

use crate::answer::{Alone, Both, Perhaps, act};
use crate::tool::Tool;
use crate::toolset::Subject;
use answer::{MaySum, Summed};
use resources::Reviews;
use views::{
    ClaimView, ClosedView, JudgedView, ListView, MessagesView, Nothing, OfferedView, PatchesView, ProposalView,
    RoundPage, SaidView, StatusView, SubmittedView,
};

pub(crate) use gsd::GSD;
pub use port::{
    BrokerPort, ClaimGiven, ClaimWish, Closing, GivenVerdict, OfferedPatch, ProposedChange, ReviewLook, ReviewRead,
    Said, SaidAt, Submission, SubmittedProposal,
};

/// What other brokers call the list of what waits for a reviewer.
const LIST_PENDING: &str = "list_pending";
/// Bytes of a page of what isn't a diff.
const PAGE_BYTES: usize = 48 * 1024;

/// All of it.
pub(crate) static SUBJECT: Subject<dyn BrokerPort> =
    Subject { tools: TOOLS, resources: &[|port| Arc::new(Reviews(port))] };

/// The tools. Their names are those that other brokers have; what is told of all of them together is short, since every
/// agent reads it.
const TOOLS: &[Tool<dyn BrokerPort>] = &[
    act!(
        "submit_proposal", tasks tasks::get, "proposal", "Propose a change",
        "Propose a change (or a plan, without a diff) for review by other agents or the person. With review_id: the next \
         round of yours.",
        WRITES, Decides, input::Proposing => Summed<SubmittedView<'static>>, propose::submit
    ),
    act!(
        "get_proposal", "proposal", "Read a proposal",
        "Read a proposal: what it does, its files, its diff in pages, verdicts.",
        READS, Reads, input::Reading => Summed<Both<ProposalView<'static>, RoundPage<'static>>>, propose::get
    ),
    act!(
        "list_reviews", also LIST_PENDING, "status", "List reviews",
        "List reviews that you see, the latest changed first.",
        READS, Reads, input::Listing => Alone<ListView<'static>>, look::list
    ),
    act!(
        "get_review_status", "status", "See where a review stands",
        "Where a review stands, whose turn it is, and what happened since. wait: until something does.",
        READS, Reads, input::Looking => Summed<StatusView<'static>>, look::status
    ),
    act!(
        "claim_review", "review", "Claim a review",
        "Take a review to decide it: gives the diff and a claim_token. Never your own.",
        SETS, Decides, input::Claiming => MaySum<Both<ClaimView<'static>, Perhaps<RoundPage<'static>>>>, review::claim
    ),
    act!(
        "release_review", "review", "Give a claim back",
        "Give a claim back undecided.",
        SETS, Decides, input::Releasing => Summed<Nothing>, review::release
    ),
    act!(
        "submit_verdict", "review", "Give a verdict",
        "Decide on the round that you claimed. comment: talk first. escalate: the person decides.",
        SETS, Decides, input::Judging => Summed<JudgedView>, review::judge
    ),
    act!(
        "post_message", "discussion", "Say something",
        "Say something in a review, in a thread or on lines.",
        WRITES, Comments, input::Posting => Summed<SaidView>, discuss::post
    ),
    act!(
        "get_messages", "discussion", "Read messages",
        "Read what was said in a review. wait: until something new comes.",
        READS, Reads, input::Messages => Summed<MessagesView<'static>>, discuss::messages
    ),
    act!(
        "submit_patch", "discussion", "Offer a patch",
        "Offer another diff in place of the round that you claimed.",
        WRITES, Decides, input::Offering => Summed<OfferedView>, discuss::offer
    ),
    act!(
        "get_patch", "discussion", "Read rounds and patches",
        "Read all rounds and patches in order, with their diffs.",
        READS, Reads, input::Patching => Summed<PatchesView<'static>>, discuss::patches
    ),
    act!(
        "accept_counter_patch", "discussion", "Accept a patch",
        "Make a reviewer's patch your next round.",
        SETS, Decides, input::Answering => Summed<Nothing>, discuss::accept
    ),
    act!(
        "reject_counter_patch", "discussion", "Turn a patch down",
        "Turn a reviewer's patch down.",
        SETS, Decides, input::Answering => Summed<Nothing>, discuss::reject
    ),
    act!(
        "close_review", "review", "Close a review",
        "End a review of yours, once it is applied or given up.",
        SETS, Decides, input::Closing => Summed<ClosedView<'static>>, propose::close
    ),
];
