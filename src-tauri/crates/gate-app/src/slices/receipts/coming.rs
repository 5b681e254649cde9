//! Replies that are just being stored: in the record, and not yet in the log. Whoever reads one waits until both have
//! it, or neither.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gate_core::RequestId;
use tokio::sync::Notify;

/// Which replies are just being stored.
#[derive(Debug, Default)]
pub(crate) struct Coming {
    /// How many at once: of two answers to one request, the first counts.
    now: Mutex<HashMap<RequestId, usize>>,
    landed: Notify,
}

impl Coming {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, usize>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A reply is being stored until the result is dropped.
    pub(super) fn mark(&self, request: RequestId) -> Mark<'_> {
        *self.lock().entry(request).or_default() += 1;
        Mark { coming: self, request }
    }

    /// Whether one is being stored for a request.
    pub(super) fn is_marked(&self, request: RequestId) -> bool {
        self.lock().contains_key(&request)
    }

    /// Resolves when none is being stored for a request.
    pub(super) async fn landed(&self, request: RequestId) {
        loop {
            let landed = self.landed.notified();
            tokio::pin!(landed);
            // Before it is looked: what lands in between is heard.
            landed.as_mut().enable();
            if !self.is_marked(request) {
                return;
            }
            landed.await;
        }
    }
}

/// That a reply is being stored.
#[derive(Debug)]
pub(crate) struct Mark<'a> {
    coming: &'a Coming,
    request: RequestId,
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        let mut now = self.coming.lock();
        if let Some(count) = now.get_mut(&self.request) {
            *count -= 1;
            if *count == 0 {
                now.remove(&self.request);
            }
        }
        drop(now);
        self.coming.landed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn whoever_reads_waits_until_a_reply_has_landed() {
        let (coming, request) = (Coming::default(), RequestId(Uuid::from_u128(1)));
        coming.landed(request).await;
        let (first, second) = (coming.mark(request), coming.mark(request));
        drop(second);
        let mut waits = std::pin::pin!(coming.landed(request));
        tokio::select! {
            biased;
            () = &mut waits => panic!("the first one is still being stored"),
            () = std::future::ready(()) => {}
        }
        drop(first);
        waits.await;
    }
}
