//! Acts on reviews as they wait for the writer, and share its commit. Each is a savepoint of its own, or alone in its
//! transaction: one that is refused or fails leaves nothing, and the others stay.

use std::pin::Pin;

use gate_core::Fault;
use gate_core::proposal::{Acted, Acting, NextReview};
use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::oneshot;

use super::submitting::Submitting;
use super::{acting, claiming, submitting};
use crate::error::StoreError;
use crate::store::Store;
use crate::writer::Together;

/// What becomes of an act: absent where there was nothing to claim.
pub(super) type Done = Result<Option<Acted>, Fault>;

/// One act.
#[derive(Debug)]
pub(super) enum Job {
    Submit(Box<Submitting>),
    Act(Box<Acting>),
    Next(Box<(Acting, NextReview)>),
}

/// An act, and who waits for it.
#[derive(Debug)]
struct Waiting {
    job: Job,
    outcome: Option<Done>,
    done: oneshot::Sender<Done>,
}

impl Store {
    /// Does one act, together with others that come at the same time. It is committed when this returns. Whoever stops
    /// waiting before it is its turn has done nothing; later, it is done.
    pub(super) async fn together(&self, job: Job) -> Done {
        let (done, outcome) = oneshot::channel();
        if self.acts.add(Box::new(Waiting { job, outcome: None, done })) {
            let store = self.clone();
            // A task of its own: whoever happened to come first may go away in the middle.
            tokio::spawn(async move { store.acts.do_all(&store.writer).await });
        }
        outcome.await.unwrap_or_else(|_| Err(Fault::internal("the record was closed")))
    }
}

impl Together for Waiting {
    fn is_wanted(&self) -> bool {
        !self.done.is_closed()
    }

    fn done_in<'c>(
        &'c mut self,
        connection: &'c mut SqliteConnection,
        alone: bool,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'c>> {
        Box::pin(async move {
            let done = if alone { do_one(connection, &self.job).await } else { apart(connection, &self.job).await };
            let is_whole = done.is_ok();
            self.outcome = Some(done.unwrap_or_else(|error| Err(Fault::from(error))));
            is_whole
        })
    }

    fn committed(self: Box<Self>, written: Result<(), &Fault>) {
        let outcome = match written {
            Ok(()) => self.outcome.unwrap_or_else(|| Err(Fault::internal("an act was forgotten"))),
            Err(fault) => Err(fault.clone()),
        };
        // Whoever went away meanwhile finds it done.
        let _ = self.done.send(outcome);
    }
}

/// Does an act in a savepoint of its own.
async fn apart(connection: &mut SqliteConnection, job: &Job) -> Result<Done, StoreError> {
    let mut savepoint = connection.begin().await?;
    let done = do_one(&mut savepoint, job).await?;
    // What was refused may leave an event.
    savepoint.commit().await?;
    Ok(done)
}

async fn do_one(connection: &mut SqliteConnection, job: &Job) -> Result<Done, StoreError> {
    match job {
        Job::Submit(new) => submitting::submit(connection, new).await.map(|done| done.map(Some)),
        Job::Act(acting) => acting::act(connection, acting).await.map(|done| done.map(Some)),
        Job::Next(next) => claiming::claim_next(connection, &next.0, &next.1).await,
    }
}
