//! Jobs of the review workflow on real files: what is done is found again, twice is once, and what the person didn't see isn't
//! approved.

mod again;
mod due;
mod findings;
mod flow;
mod kept;
mod lists;
mod publications;
mod random;
pub(crate) mod scene;
#[path = "../../../../../tests/corpus/jobs.rs"]
mod tables;
