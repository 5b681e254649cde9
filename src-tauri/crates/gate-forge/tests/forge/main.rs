//! The crate from outside, against a GitHub and a GitLab on loopback that refuse what the real ones refuse.

#![expect(clippy::expect_used, reason = "a test that can't go on should stop where it is")]

mod failures;
mod github;
mod gitlab;
mod once;
mod places;
mod scene;
mod secrets;
