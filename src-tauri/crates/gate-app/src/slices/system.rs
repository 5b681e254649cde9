//! `review-gated`, as this gate knows it: the service by which a person confirms an approval to the system. Which key is
//! its own is asked of it, over a socket that root alone can put there: no line of the receipts says that. What it
//! remembers of this home's log is an anchor of that.
//!
//! Knows receipts and the service; no queue, no window and no setting.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use gate_receipts::{Anchor, Head, HomeId, Line, PublicKey};
use gate_service::{Client, Confirmed, Reached, Refused, Why};
use tokio::sync::Notify;
use tokio::time::Instant;

/// How long the service may take over what nobody is asked for.
const LIMIT: Duration = Duration::from_secs(2);
/// For how long what was found out of it counts.
const FRESH: Duration = Duration::from_secs(2);
/// Longest pause before it is asked again what it remembers.
const LAST_PAUSE: Duration = Duration::from_secs(60);
/// How many lines before the last that the record knows the service still vouches for: a start reads a log's end only, and
/// what lies before is the record's to vouch for.
const NEAR: u64 = 200;
/// How many of its lines are known, as it remembers them.
const HEADS: usize = 3;

/// Whoever shows the digits of a prompt.
pub(crate) type Shows<'a> = dyn Fn(&str) + Send + Sync + 'a;

/// The service, or a double of it in tests.
#[async_trait]
pub(crate) trait Service: Debug + Send + Sync {
    /// As [`Client::known`].
    async fn known(&self, home: HomeId) -> Result<Reached, Refused>;

    /// As [`Client::reachable`].
    async fn reachable(&self, home: HomeId) -> Result<Reached, Refused>;

    /// As [`Client::confirm`].
    async fn confirm(
        &self,
        line: &Line,
        question: &str,
        on_digits: &Shows<'_>,
    ) -> Result<Box<dyn Confirmation>, Refused>;
}

/// What a person has confirmed, as [`Confirmed`].
#[async_trait]
pub(crate) trait Confirmation: Debug + Send {
    /// The line with its proof.
    fn line(&self) -> &Line;

    /// As [`Confirmed::again`].
    async fn again(&mut self, line: &Line) -> Result<(), Refused>;

    /// As [`Confirmed::kept`].
    async fn kept(self: Box<Self>) -> Result<(), Refused>;
}

#[async_trait]
impl Service for Client {
    async fn known(&self, home: HomeId) -> Result<Reached, Refused> {
        Client::known(self, Some(home)).await
    }

    async fn reachable(&self, home: HomeId) -> Result<Reached, Refused> {
        Client::reachable(self, Some(home)).await
    }

    async fn confirm(
        &self,
        line: &Line,
        question: &str,
        on_digits: &Shows<'_>,
    ) -> Result<Box<dyn Confirmation>, Refused> {
        let confirmed = Client::confirm(self, line, question, on_digits).await?;
        Ok(Box::new(confirmed))
    }
}

#[async_trait]
impl Confirmation for Confirmed {
    fn line(&self) -> &Line {
        Confirmed::line(self)
    }

    async fn again(&mut self, line: &Line) -> Result<(), Refused> {
        Confirmed::again(self, line).await
    }

    async fn kept(self: Box<Self>) -> Result<(), Refused> {
        Confirmed::kept(*self).await
    }
}

/// The service of this machine, and what is known of it.
#[derive(Debug)]
pub(crate) struct System {
    service: Option<Arc<dyn Service>>,
    home: HomeId,
    known: Mutex<Known>,
    /// What it remembers was told.
    heard: Notify,
}

#[derive(Debug, Default)]
struct Known {
    /// Its own key, as it was last told.
    key: Option<PublicKey>,
    /// Why that couldn't be asked for, where it never was.
    silent: Option<Refused>,
    /// What it remembers of this home, newest first.
    heads: Vec<Head>,
    /// When its key was last asked for in vain.
    in_vain: Option<Instant>,
    /// Whether it could be asked, and when that was found out.
    reached: Option<(Instant, Result<(), Refused>)>,
}

impl System {
    /// The service of a home; absent where this system has none.
    pub(crate) fn new(service: Option<Arc<dyn Service>>, home: HomeId) -> Self {
        Self { service, home, known: Mutex::default(), heard: Notify::new() }
    }

    /// The service.
    ///
    /// # Errors
    /// Where this system has none.
    pub(crate) fn service(&self) -> Result<&Arc<dyn Service>, Refused> {
        self.service.as_ref().ok_or_else(|| Refused::new(Why::Absent, "There is no such service on this system."))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its own key, by its own word; absent where it can't be asked.
    pub(crate) async fn key(&self) -> Option<PublicKey> {
        let service = self.service.as_ref()?;
        {
            let known = self.lock();
            if known.key.is_some() || known.in_vain.is_some_and(|asked| asked.elapsed() < FRESH) {
                return known.key.clone();
            }
        }
        match soon(service.known(self.home)).await {
            Ok(reached) => self.learn(reached),
            Err(refused) => {
                tracing::debug!(%refused, "whose key signs for the system isn't known");
                let mut known = self.lock();
                known.in_vain = Some(Instant::now());
                known.silent = Some(refused);
            }
        }
        self.lock().key.clone()
    }

    /// Why it never said which lines it remembers, though it is here: a log that was put back isn't seen by it then.
    pub(crate) fn unheard(&self) -> Option<Refused> {
        self.service.as_ref()?;
        let known = self.lock();
        let silent = known.silent.as_ref().filter(|_| known.key.is_none());
        silent.filter(|refused| refused.why != Why::Absent).cloned()
    }

    /// Whether nobody could be asked so far, since there is no service.
    pub(crate) fn is_absent(&self) -> bool {
        let known = self.lock();
        known.key.is_none() && known.silent.as_ref().is_some_and(|refused| refused.why == Why::Absent)
    }

    /// Resolves when it has said what it remembers. It is asked again and again.
    pub(crate) async fn heard(&self) {
        let mut pause = FRESH;
        while self.key().await.is_none() {
            // Whoever asks it for something else may hear of it first.
            let _ = tokio::time::timeout(pause, self.heard.notified()).await;
            pause = (pause * 2).min(LAST_PAUSE);
        }
    }

    /// Resolves when it has said what it remembers to whoever asked it for something else. It isn't asked for this.
    pub(crate) async fn learned(&self) {
        while self.lock().key.is_none() {
            self.heard.notified().await;
        }
    }

    fn learn(&self, reached: Reached) {
        let mut known = self.lock();
        known.key = Some(reached.key);
        known.heads = reached.heads;
        drop(known);
        self.heard.notify_one();
    }

    /// Finds out whether a person could be asked now, where that isn't just known.
    pub(crate) async fn look(&self) {
        let Some(service) = &self.service else { return };
        let is_fresh = |(at, _): &(Instant, Result<(), Refused>)| at.elapsed() < FRESH;
        if self.lock().reached.as_ref().is_some_and(is_fresh) {
            return;
        }
        let reached = soon(service.reachable(self.home)).await.map(|reached| self.learn(reached));
        self.lock().reached = Some((Instant::now(), reached));
    }

    /// Whether a person could be asked, as it was last found out.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn reached(&self) -> Result<(), Refused> {
        self.service()?;
        let silent = || Refused::new(Why::Silent, "review-gated wasn't asked yet.");
        self.lock().reached.clone().map_or_else(|| Err(silent()), |(_, reached)| reached)
    }

    /// What was found out doesn't count any more.
    pub(crate) fn forget(&self) {
        self.lock().reached = None;
    }

    /// That the service remembers a line.
    pub(crate) fn kept(&self, head: Head) {
        let mut known = self.lock();
        known.heads.insert(0, head);
        known.heads.truncate(HEADS);
    }
}

/// What the service says, for as long as it may take.
pub(crate) async fn soon(asking: impl Future<Output = Result<Reached, Refused>>) -> Result<Reached, Refused> {
    let late = |_| Err(Refused::new(Why::Silent, "review-gated doesn't answer."));
    tokio::time::timeout(LIMIT, asking).await.unwrap_or_else(late)
}

/// The service as what remembers how far the log went. It is told with each confirmation, and knows no other line.
#[derive(Debug)]
pub(crate) struct OfSystem {
    pub(crate) system: Arc<System>,
    /// The last line that the record knew when the log was opened.
    pub(crate) recorded: u64,
}

impl Anchor for OfSystem {
    fn name(&self) -> &'static str {
        "review-gated"
    }

    fn heads(&self) -> Result<Vec<Head>, String> {
        if let Some(refused) = self.system.unheard() {
            return Err(refused.message);
        }
        let near = self.recorded.saturating_sub(NEAR);
        Ok(self.system.lock().heads.iter().filter(|head| head.seq > near).copied().collect())
    }

    fn keep(&mut self, _: Head) -> Result<(), String> {
        Ok(())
    }
}
