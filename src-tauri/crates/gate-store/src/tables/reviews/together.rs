//! Acts on reviews as they wait for the writer.

use gate_core::proposal::{Acted, Acting, NextReview};
use sqlx::SqliteConnection;

use super::submitting::Submitting;
use super::{acting, claiming, submitting};
use crate::error::StoreError;
use crate::tables::acts::{self, Done};

/// One act.
#[derive(Debug)]
pub(super) enum Job {
    Submit(Box<Submitting>),
    Act(Box<Acting>),
    Next(Box<(Acting, NextReview)>),
}

impl acts::Job for Job {
    /// Absent where there was nothing to claim.
    type Given = Option<Acted>;

    async fn run(&self, connection: &mut SqliteConnection) -> Result<Done<Self::Given>, StoreError> {
        match self {
            Self::Submit(new) => submitting::submit(connection, new).await.map(|done| done.map(Some)),
            Self::Act(acting) => acting::act(connection, acting).await.map(|done| done.map(Some)),
            Self::Next(next) => claiming::claim_next(connection, &next.0, &next.1).await,
        }
    }
}
