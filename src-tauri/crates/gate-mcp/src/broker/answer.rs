//! What the broker's results begin with: the review in a few words.

use std::marker::PhantomData;

use gate_core::Fault;
use gate_core::proposal::ReviewSummary;
use serde::Serialize;
use serde_json::{Value, json};

use super::port::BrokerPort;
use super::views::Summary;
use crate::answer::{Results, joined, said};
use crate::output::Shape;

pub(super) use crate::answer::{Does, News, Told};

/// One call of a tool of the broker.
pub(super) type Call<'a> = crate::answer::Call<'a, dyn BrokerPort>;

impl Results for dyn BrokerPort {
    const FIRST: &'static [&'static str] = FIRST;
    const WITHOUT: &'static str = "Reading and post_message work";
}

impl Told {
    /// A review in a few words, and more.
    pub(crate) fn of(review: &ReviewSummary, more: &impl Serialize) -> Result<Self, Fault> {
        Self::alone(&Summary::of(review))?.with(more)
    }
}

/// The fields of the summary, in their order.
pub(super) const FIRST: &[&str] = &[
    "review_id",
    "status",
    "outcome",
    "turn",
    "round",
    "intent",
    "category",
    "priority",
    "workspace",
    "proposer",
    "holder",
    "lease_until",
    "need",
    "approved_by",
    "diff_sha256",
    "base",
    "stale",
    "created_at",
    "updated_at",
    "event",
];

/// The shape of a result that begins with a review in a few words.
pub(super) struct Summed<T>(PhantomData<fn() -> T>);

/// The shape of one that begins so where there is a review.
pub(super) struct MaySum<T>(PhantomData<fn() -> T>);

impl<T: Shape> Shape for Summed<T> {
    fn schema() -> Value {
        said(joined(Summary::schema(), T::schema()))
    }
}

impl<T: Shape> Shape for MaySum<T> {
    fn schema() -> Value {
        let mut summary = Summary::schema();
        summary["required"] = json!([]);
        said(joined(summary, T::schema()))
    }
}
