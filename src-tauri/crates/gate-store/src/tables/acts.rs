//! Acts on reviews and on jobs as they wait for the writer, and share its commit. Each is a savepoint of its own, or alone in
//! its transaction: one that is refused or fails leaves nothing, and the others stay.

use std::fmt::Debug;
use std::pin::Pin;

use gate_core::Fault;
use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::oneshot;

use crate::error::StoreError;
use crate::store::Store;
use crate::writer::Together;

/// What becomes of an act.
pub(super) type Done<T> = Result<T, Fault>;

/// One act.
pub(super) trait Job: Debug + Send + Sync + 'static {
    /// What it gives.
    type Given: Debug + Send + 'static;

    /// Does it within a transaction. What it refuses it refuses before it writes, but for what is told of that.
    fn run(
        &self,
        connection: &mut SqliteConnection,
    ) -> impl Future<Output = Result<Done<Self::Given>, StoreError>> + Send;
}

/// An act, and who waits for it.
#[derive(Debug)]
struct Waiting<J: Job> {
    job: J,
    outcome: Option<Done<J::Given>>,
    done: oneshot::Sender<Done<J::Given>>,
}

impl Store {
    /// Does one act, together with others that come at the same time. It is committed when this returns. Whoever stops
    /// waiting before it is its turn has done nothing; later, it is done.
    pub(super) async fn together<J: Job>(&self, job: J) -> Done<J::Given> {
        let (done, outcome) = oneshot::channel();
        if self.acts.add(Box::new(Waiting { job, outcome: None, done })) {
            let store = self.clone();
            // A task of its own: whoever happened to come first may go away in the middle.
            tokio::spawn(async move { store.acts.do_all(&store.writer).await });
        }
        outcome.await.unwrap_or_else(|_| Err(Fault::internal("the record was closed")))
    }
}

impl<J: Job> Together for Waiting<J> {
    fn is_wanted(&self) -> bool {
        !self.done.is_closed()
    }

    fn done_in<'c>(
        &'c mut self,
        connection: &'c mut SqliteConnection,
        alone: bool,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'c>> {
        Box::pin(async move {
            let done = if alone { self.job.run(connection).await } else { apart(connection, &self.job).await };
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
async fn apart<J: Job>(connection: &mut SqliteConnection, job: &J) -> Result<Done<J::Given>, StoreError> {
    let mut savepoint = connection.begin().await?;
    let done = job.run(&mut savepoint).await?;
    // What was refused may leave an event.
    savepoint.commit().await?;
    Ok(done)
}
