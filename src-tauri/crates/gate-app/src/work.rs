//! Work that nobody's going away breaks off, and work that would hold up an async thread.

use gate_core::Fault;

/// Does something to its end, even when whoever waits for it goes away: what is committed must also
/// be told to those who wait.
pub(crate) async fn whole<T: Send + 'static>(
    work: impl Future<Output = Result<T, Fault>> + Send + 'static,
) -> Result<T, Fault> {
    tokio::spawn(work).await.map_err(|error| Fault::internal(error.to_string()))?
}

/// Does something that waits for a disk, or takes its time, off the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Fault::internal(error.to_string()))?
}
