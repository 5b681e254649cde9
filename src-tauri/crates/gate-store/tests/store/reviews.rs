//! Reviews of proposals on real files: what is done is found again, twice is once, one of many has a claim, and nobody
//! decides their own.

mod again;
mod approved;
mod asked;
mod bounds;
mod claims;
mod damage;
mod due;
mod flow;
mod following;
mod heirs;
mod lists;
mod plans;
mod random;
mod retention;
mod scene;
mod speed;
#[path = "../../../../../tests/corpus/reviews.rs"]
mod tables;
