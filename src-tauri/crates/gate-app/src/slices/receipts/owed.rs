//! Lines that make something safer and couldn't be written: what they say holds all the same while the gate runs, and they
//! are written as soon as that can be done.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gate_core::{AnsweredFrom, Digest, Fault, Timestamp};
use gate_receipts::{Does, Guard, Said, SignIn};

use super::{Receipts, told};

/// What isn't written yet, in its order.
#[derive(Debug, Default)]
pub(super) struct Owed {
    lines: Mutex<VecDeque<Said>>,
    /// Held while they are written, so that each is written once.
    writing: tokio::sync::Mutex<()>,
}

impl Owed {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Said>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn first(&self) -> Option<Said> {
        self.lock().front().cloned()
    }

    fn all(&self) -> Vec<Said> {
        self.lock().iter().cloned().collect()
    }
}

impl Receipts {
    /// Notes that a guard was made safer, both values as JSON; absent for the default. It holds whatever becomes of the
    /// line.
    pub(crate) async fn guard_is_safer(
        &self,
        setting: &str,
        was: Option<String>,
        now: Option<String>,
        given: AnsweredFrom,
    ) {
        self.write_surely(Said::Guard(Guard { setting: setting.to_owned(), was, now, given })).await;
    }

    /// Notes that a browser was signed out. It is, whatever becomes of the line.
    pub(crate) async fn signed_out(&self, browser: Digest, given: AnsweredFrom) {
        self.write_surely(Said::SignIn(SignIn { browser, does: Does::Ends, given })).await;
    }

    async fn write_surely(&self, said: Said) {
        self.owed.lock().push_back(said);
        if let Err(fault) = self.write_owed().await {
            tracing::warn!(%fault, "a line that makes something safer can't be written yet");
        }
    }

    /// Writes what couldn't be written before.
    ///
    /// # Errors
    /// When it still can't. Nothing that makes anything weaker may be written then: it would stand before it.
    pub(crate) async fn write_owed(&self) -> Result<(), Fault> {
        let _alone = self.owed.writing.lock().await;
        while let Some(said) = self.owed.first() {
            if let Err(fault) = self.append(said).await {
                self.bus.warn(told::owed());
                return Err(fault);
            }
            self.owed.lock().pop_front();
        }
        self.bus.take_back_warnings(&[&told::owed()]);
        Ok(())
    }

    /// The last that was said of each guard since the last break.
    ///
    /// # Errors
    /// When the log can't be read.
    pub(crate) async fn guards(&self) -> Result<BTreeMap<String, Guard>, Fault> {
        let mut guards = self.chain(|chain| Ok(chain.guards().clone())).await?;
        for said in self.owed.all() {
            if let Said::Guard(guard) = said {
                guards.insert(guard.setting.clone(), guard);
            }
        }
        Ok(guards)
    }

    /// The browsers that signed in since the last break and not out again, and when that was.
    ///
    /// # Errors
    /// When the log can't be read.
    pub(crate) async fn browsers(&self) -> Result<HashMap<Digest, Timestamp>, Fault> {
        let mut browsers = self.chain(|chain| Ok(chain.browsers().clone())).await?;
        for said in self.owed.all() {
            if let Said::SignIn(said) = said {
                browsers.remove(&said.browser);
            }
        }
        Ok(browsers)
    }
}
