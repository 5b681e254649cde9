//! Repositories of others against real git: what they hold is what is shown, nothing of theirs runs, nothing in them
//! changes.

#![expect(clippy::expect_used, reason = "in a test, what is missing ends it")]

mod applied;
mod apply;
mod apply_random;
mod apply_unfit;
mod bounds;
#[path = "../../../../../tests/corpus/campaign.rs"]
mod campaign;
mod commits;
mod history;
mod hostile;
mod kept;
mod lies;
mod moment;
mod notes;
mod opening;
mod random;
mod scene;
mod staged;
mod worktree;
