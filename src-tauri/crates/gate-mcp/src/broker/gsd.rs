//! The tools of gsd-review-broker 0.1.0 over this broker: its names, what they take, and what they give, flat and with
//! `error` where something can't be done. Nothing is decided here: each tool is calls of the port. What is as it is there,
//! what isn't and why, is the table in `docs/gsd.md`.
//!
//! | file | owns |
//! |---|---|
//! | `input.rs` | what the tools take, within its bounds |
//! | `views.rs` | what they give |
//! | `words.rs` | its words for where a review stands, for priorities and for what happened |
//! | `refused.rs` | what can't be done, in its words |
//! | `propose.rs`, `review.rs`, `look.rs`, `talk.rs`, `pool.rs` | the bodies |

mod input;
mod look;
mod pool;
mod propose;
mod refused;
mod review;
mod talk;
#[cfg(test)]
mod tests;
mod views;
mod words;

use serde_json::{Value, json};

use super::answer::{Call, Does};
use super::port::BrokerPort;
use crate::output::Shape;
use crate::tool::{Body, Manners, Tool};
use crate::toolset::Subject;

/// All of it.
pub(crate) static GSD: Subject<dyn BrokerPort> = Subject { tools: TOOLS, resources: &[] };

/// The shape of every result: any object, as it is told there.
struct Flat;

impl Shape for Flat {
    fn schema() -> Value {
        json!({ "type": "object" })
    }
}

/// Makes a tool whose body is an async function of the call and what it takes, within its bounds.
macro_rules! act {
    ($name:literal, $title:literal, $about:literal, $manners:ident, $does:ident, $input:ident, $body:path) => {
        Tool {
            name: $name,
            other_names: &[],
            title: $title,
            tags: &[],
            about: $about,
            manners: Manners::$manners,
            input: <input::$input as crate::input::Fields>::schema,
            output: <Flat as Shape>::schema,
            tasks: None,
            body: Body::Waits(|port, called, params| {
                Box::pin(async move {
                    let done = async {
                        let (call, input) = Call::begin::<input::$input>(port, called, params, Does::$does).await?;
                        let told = $body(&call, input).await?;
                        call.flat(told).await
                    };
                    Ok(match done.await {
                        Ok(result) => result.into(),
                        Err(fault) => refused::result(called, &fault).into(),
                    })
                })
            }),
        }
    };
}

/// The tools, in the order in which they are used.
const TOOLS: &[Tool<dyn BrokerPort>] = &[
    act!(
        "create_review",
        "Propose a change",
        "Propose a change (or a plan, without a diff) for review. With review_id: the next round of yours.",
        WRITES,
        Decides,
        Creating,
        propose::create
    ),
    act!(
        "list_reviews",
        "List reviews",
        "List reviews, urgent and old ones first. wait (with status pending): up to 25 s for the first one.",
        READS,
        Reads,
        Listing,
        look::list
    ),
    act!(
        "claim_review",
        "Claim a review",
        "Take a pending review to decide it: gives claim_generation. get_proposal has the diff.",
        SETS,
        Decides,
        Claiming,
        review::claim
    ),
    act!(
        "submit_verdict",
        "Give a verdict",
        "Decide on what you claimed. reason: needed unless approved. counter_patch: a whole other diff in its place, not with \
         approved.",
        SETS,
        Decides,
        Judging,
        review::judge
    ),
    act!(
        "close_review",
        "Close a review",
        "End a review of yours, once it is applied or given up.",
        SETS,
        Decides,
        Closing,
        propose::close
    ),
    act!(
        "accept_counter_patch",
        "Accept a counter-patch",
        "Make the counter-patch that get_proposal shows your next round.",
        SETS,
        Decides,
        OfOwn,
        propose::accept
    ),
    act!(
        "reject_counter_patch",
        "Turn a counter-patch down",
        "Turn the counter-patch down.",
        SETS,
        Decides,
        OfOwn,
        propose::reject
    ),
    act!(
        "get_review_status",
        "See where a review stands",
        "Where a review stands. wait: up to 25 s, until somebody else does something.",
        READS,
        Reads,
        Looking,
        look::status
    ),
    act!(
        "get_proposal",
        "Read a proposal",
        "Read a proposal with its whole diff, and the counter-patch where there is one.",
        READS,
        Reads,
        Reading,
        look::proposal
    ),
    act!("add_message", "Say something", "Say something in a review.", WRITES, Comments, Saying, talk::add),
    act!(
        "get_discussion",
        "Read messages",
        "Read what was said in a review, or in one round of it.",
        READS,
        Reads,
        Hearing,
        talk::discussion
    ),
    act!(
        "get_activity_feed",
        "See what is going on",
        "List reviews, the latest changed first, with what was said last.",
        READS,
        Reads,
        Feeding,
        look::feed
    ),
    act!(
        "get_audit_log",
        "Read what happened",
        "Read the events of a review.",
        READS,
        Reads,
        Auditing,
        talk::audit_log
    ),
    act!(
        "get_review_timeline",
        "Read a review's course",
        "Read the events of a review, with what it is.",
        READS,
        Reads,
        Reading,
        talk::timeline
    ),
    act!(
        "get_review_stats",
        "Count reviews",
        "Count reviews by where they stand and by category.",
        READS,
        Reads,
        Counting,
        look::stats
    ),
    act!(
        "spawn_reviewer",
        "Start a reviewer",
        "Not here: the person's pool starts reviewers by itself.",
        READS,
        Reads,
        Spawning,
        pool::none
    ),
    act!(
        "kill_reviewer",
        "End a reviewer",
        "Not here: reviewers of the pool end by themselves.",
        READS,
        Reads,
        Killing,
        pool::none
    ),
    act!("list_reviewers", "List reviewers", "Not here: the pool is the person's.", READS, Reads, Nothing, pool::none),
];
