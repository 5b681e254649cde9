//! Whoever asks the person: polkit, or a double of it in tests.
//!
//! Knows neither receipts nor connections.

use crate::refused::Refused;
use crate::shown::Shown;

/// A process that wants something confirmed, as the kernel says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Its process.
    pub(crate) pid: u32,
    /// When that began, in ticks since the machine did: another process may get its number later.
    pub(crate) start: u64,
    /// Its user.
    pub(crate) user: u32,
}

/// What asks a person.
pub(crate) trait Prompt: Send + Sync + 'static {
    /// Whether it would ask, without asking.
    ///
    /// # Errors
    /// Where it wouldn't, and why.
    fn would_ask(&self, peer: Peer) -> impl Future<Output = Result<(), Refused>> + Send;

    /// Asks, until `over` is done: the prompt is closed then, and so it is waited for.
    ///
    /// # Errors
    /// Where the person didn't confirm it.
    fn ask(
        &self,
        peer: Peer,
        shown: &Shown,
        digits: &str,
        over: impl Future<Output = Refused> + Send,
    ) -> impl Future<Output = Result<(), Refused>> + Send;
}
