//! Whoever asks the person: polkit, or a double of it in tests.
//!
//! Knows neither receipts nor connections.

use tokio_util::sync::CancellationToken;

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

/// What asks a person. It may hang: whoever calls bounds each of these, and drops what takes too long.
pub(crate) trait Prompt: Send + Sync + 'static {
    /// Whether it would ask, without asking.
    ///
    /// # Errors
    /// Where it wouldn't, and why.
    fn would_ask(&self, peer: Peer) -> impl Future<Output = Result<(), Refused>> + Send;

    /// Asks, until `over` is cancelled: then its prompt is closed before this returns. Where it is dropped, it goes with the
    /// connection that it was asked for on.
    ///
    /// # Errors
    /// Where the person didn't confirm it.
    fn ask(
        &self,
        peer: Peer,
        shown: &Shown,
        digits: &str,
        over: &CancellationToken,
    ) -> impl Future<Output = Result<(), Refused>> + Send;
}
