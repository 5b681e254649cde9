//! The one connection that writes, and what waits to be written together.

use std::pin::Pin;
use std::sync::{Arc, PoisonError};

use gate_core::{Fault, Progress, SessionUuid, Timestamp};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard, oneshot};

use crate::error::StoreError;

/// Who writes waits for its turn. A pool of one connection would ask it after each turn whether it still
/// answers, and keep the next writer waiting for that.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    connection: Arc<Mutex<Option<SqliteConnection>>>,
    options: SqliteConnectOptions,
}

impl Writer {
    /// Opens the connection.
    pub(crate) async fn open(options: &SqliteConnectOptions) -> Result<Self, StoreError> {
        Ok(Self { connection: Arc::new(Mutex::new(Some(options.connect().await?))), options: options.clone() })
    }

    /// The connection, for one turn, in no transaction.
    ///
    /// # Errors
    /// When it is closed, or has to be opened anew and can't.
    pub(crate) async fn acquire(&self) -> Result<MappedMutexGuard<'_, SqliteConnection>, StoreError> {
        let mut turn = self.connection.lock().await;
        if let Some(connection) = turn.as_mut().filter(|connection| connection.is_in_transaction()) {
            // The rollback of one that was dropped may still be on its way.
            connection.ping().await?;
            if connection.is_in_transaction() {
                self.begin_anew(&mut turn).await?;
            }
        }
        MutexGuard::try_map(turn, Option::as_mut).map_err(|_| sqlx::Error::PoolClosed.into())
    }

    /// Takes another connection. On a full disk SQLite rolls back by itself, of which sqlx doesn't know: it would count
    /// every later transaction as a part of that one, and after a second fault none of them would ever be committed.
    async fn begin_anew(&self, turn: &mut MutexGuard<'_, Option<SqliteConnection>>) -> Result<(), StoreError> {
        let anew = self.options.connect().await?;
        if let Some(stuck) = turn.replace(anew)
            && let Err(error) = stuck.close().await
        {
            tracing::warn!(%error, "the connection before was not closed well");
        }
        Ok(())
    }

    /// Closes it after the turns under way.
    pub(crate) async fn close(&self) {
        if let Some(connection) = self.connection.lock().await.take()
            && let Err(error) = connection.close().await
        {
            tracing::warn!(%error, "the record was not closed well");
        }
    }
}

/// Reports that wait for the writer. Whoever has it next writes all of them in one transaction, so that
/// many agents share the wait for the disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reports(Arc<std::sync::Mutex<Vec<Report>>>);

/// A session's progress, and who waits for it to be stored.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) session: SessionUuid,
    pub(crate) progress: Progress,
    pub(crate) written: oneshot::Sender<Result<(), StoreError>>,
}

impl Reports {
    /// Adds one. What becomes of it is sent when it was written.
    pub(crate) fn add(&self, session: SessionUuid, progress: Progress) -> oneshot::Receiver<Result<(), StoreError>> {
        let (written, outcome) = oneshot::channel();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(Report { session, progress, written });
        outcome
    }

    /// Those that somebody still waits for, in their order.
    pub(crate) fn take(&self) -> Vec<Report> {
        let mut waiting = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.retain(|report| !report.written.is_closed());
        waiting
    }
}

/// Something that waits for the writer, to be done in one transaction with others.
pub(crate) trait Together: std::fmt::Debug + Send {
    /// Whether somebody still waits for it.
    fn is_wanted(&self) -> bool;

    /// Does it: where it isn't alone in the transaction, in a savepoint of its own. False where it failed in the middle: of
    /// one that is alone nothing may be committed then.
    fn done_in<'c>(
        &'c mut self,
        connection: &'c mut SqliteConnection,
        alone: bool,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'c>>;

    /// The transaction is committed, or failed as a whole: whoever waits is told.
    fn committed(self: Box<Self>, written: Result<(), &Fault>);
}

/// Acts that wait for the writer. Whoever has it next takes all of them into one transaction, so that many agents share
/// the wait for the disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Acts(Arc<std::sync::Mutex<WaitingActs>>);

#[derive(Debug, Default)]
struct WaitingActs {
    acts: Vec<Box<dyn Together>>,
    /// Whether a task takes them.
    is_taken: bool,
}

/// Acts that are taken into one transaction.
const TOGETHER: usize = 128;

impl Acts {
    fn lock(&self) -> std::sync::MutexGuard<'_, WaitingActs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one. True where nobody takes them yet.
    pub(crate) fn add(&self, act: Box<dyn Together>) -> bool {
        let mut waiting = self.lock();
        waiting.acts.push(act);
        !std::mem::replace(&mut waiting.is_taken, true)
    }

    /// The next ones that somebody still waits for; nothing where there are none, and then nobody takes them any more.
    fn take(&self) -> Option<Vec<Box<dyn Together>>> {
        let mut waiting = self.lock();
        waiting.acts.retain(|act| act.is_wanted());
        if waiting.acts.is_empty() {
            waiting.is_taken = false;
            return None;
        }
        let count = waiting.acts.len().min(TOGETHER);
        Some(waiting.acts.drain(..count).collect())
    }

    /// Does all that wait, and those that come meanwhile.
    pub(crate) async fn do_all(&self, writer: &Writer) {
        while let Some(mut acts) = self.take() {
            let written = in_one(writer, &mut acts).await.map_err(Fault::from);
            acts.into_iter().for_each(|act| act.committed(written.as_ref().copied()));
        }
    }
}

async fn in_one(writer: &Writer, acts: &mut [Box<dyn Together>]) -> Result<(), StoreError> {
    let mut writer = writer.acquire().await?;
    let mut tx = writer.begin_with("BEGIN IMMEDIATE").await?;
    if let [only] = acts {
        if only.done_in(&mut tx, true).await {
            tx.commit().await?;
        } else if let Err(error) = tx.rollback().await {
            // On a full disk SQLite has done so by itself.
            tracing::debug!(%error, "nothing was left to be rolled back");
        }
        return Ok(());
    }
    for act in acts {
        act.done_in(&mut tx, false).await;
    }
    tx.commit().await?;
    Ok(())
}

/// Uses of prompts that wait to be written together. Nobody waits for them, and a kill loses them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Uses(Arc<std::sync::Mutex<Vec<Use>>>);

/// A time that a prompt was asked for.
#[derive(Debug, Clone)]
pub(crate) struct Use {
    pub(crate) use_id: String,
    pub(crate) prompt_id: String,
    pub(crate) client: String,
    pub(crate) workspace: String,
    pub(crate) used_at: Timestamp,
    /// As JSON.
    pub(crate) arguments: String,
}

impl Uses {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Use>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one. Returns how many wait.
    pub(crate) fn add(&self, used: Use) -> usize {
        let mut waiting = self.lock();
        waiting.push(used);
        waiting.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Those that wait, in their order. They do until they are dropped, so that nobody takes them for written before.
    pub(crate) fn waiting(&self) -> Vec<Use> {
        self.lock().clone()
    }

    /// Drops the first ones. Only whoever has the writer does so.
    pub(crate) fn drop_first(&self, count: usize) {
        let mut waiting = self.lock();
        let count = count.min(waiting.len());
        waiting.drain(..count);
    }
}
