//! Acts that wait for the writer. Whoever has it next takes all of them into one transaction, so that many agents share
//! the wait for the disk. Each is a savepoint of its own: one that is refused or fails leaves nothing, and the others
//! stay.

use std::sync::{Arc, Mutex, PoisonError};

use gate_core::Fault;
use gate_core::proposal::{Acted, Acting, NextReview};
use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::oneshot;

use super::submitting::Submitting;
use super::{acting, claiming, submitting};
use crate::error::StoreError;
use crate::store::Store;

/// Acts that are taken into one transaction.
const TOGETHER: usize = 128;

/// What becomes of an act: absent where there was nothing to claim.
pub(super) type Done = Result<Option<Acted>, Fault>;

/// One act.
#[derive(Debug)]
pub(super) enum Job {
    Submit(Box<Submitting>),
    Act(Box<Acting>),
    Next(Box<(Acting, NextReview)>),
}

/// Those that wait.
#[derive(Debug, Clone, Default)]
pub(crate) struct Acts(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    jobs: Vec<(Job, oneshot::Sender<Done>)>,
    /// Whether a task takes them.
    is_taken: bool,
}

impl Acts {
    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one. True where nobody takes them yet.
    fn add(&self, job: Job) -> (oneshot::Receiver<Done>, bool) {
        let (done, outcome) = oneshot::channel();
        let mut waiting = self.lock();
        waiting.jobs.push((job, done));
        (outcome, !std::mem::replace(&mut waiting.is_taken, true))
    }

    /// The next ones that somebody still waits for; nothing where there are none, and then nobody takes them any more.
    fn take(&self) -> Option<Vec<(Job, oneshot::Sender<Done>)>> {
        let mut waiting = self.lock();
        waiting.jobs.retain(|(_, done)| !done.is_closed());
        if waiting.jobs.is_empty() {
            waiting.is_taken = false;
            return None;
        }
        let count = waiting.jobs.len().min(TOGETHER);
        Some(waiting.jobs.drain(..count).collect())
    }
}

impl Store {
    /// Does one act, together with others that come at the same time. It is committed when this returns. Whoever stops
    /// waiting before it is its turn has done nothing; later, it is done.
    pub(super) async fn together(&self, job: Job) -> Done {
        let (outcome, is_first) = self.acts.add(job);
        if is_first {
            let store = self.clone();
            // A task of its own: whoever happened to come first may go away in the middle.
            tokio::spawn(async move {
                while let Some(jobs) = store.acts.take() {
                    store.do_all(jobs).await;
                }
            });
        }
        outcome.await.unwrap_or_else(|_| Err(Fault::internal("the record was closed")))
    }

    async fn do_all(&self, jobs: Vec<(Job, oneshot::Sender<Done>)>) {
        let mut outcomes = Vec::new();
        let mut waiting = Vec::new();
        let written: Result<(), StoreError> = async {
            let mut writer = self.writer.acquire().await?;
            let mut tx = writer.begin_with("BEGIN IMMEDIATE").await?;
            for (job, done) in jobs {
                waiting.push(done);
                outcomes.push(do_one(&mut tx, &job).await);
            }
            tx.commit().await?;
            Ok(())
        }
        .await;
        match written {
            Ok(()) => waiting.into_iter().zip(outcomes).for_each(|(done, outcome)| drop(done.send(outcome))),
            Err(error) => {
                let fault = Fault::from(error);
                waiting.into_iter().for_each(|done| drop(done.send(Err(fault.clone()))));
            }
        }
    }
}

async fn do_one(connection: &mut SqliteConnection, job: &Job) -> Done {
    let attempt = async {
        let mut savepoint = connection.begin().await?;
        let done = match job {
            Job::Submit(new) => submitting::submit(&mut savepoint, new).await.map(|done| done.map(Some)),
            Job::Act(acting) => acting::act(&mut savepoint, acting).await.map(|done| done.map(Some)),
            Job::Next(next) => claiming::claim_next(&mut savepoint, &next.0, &next.1).await,
        }?;
        // What was refused may leave an event.
        savepoint.commit().await?;
        Ok::<_, StoreError>(done)
    };
    attempt.await.unwrap_or_else(|error| Err(Fault::from(error)))
}
