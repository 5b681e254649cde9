//! Requests that the person puts off and takes up again. Agents notice nothing of it.

use gate_api::subjects::requests::Event;
use gate_core::presence::checked_until;
use gate_core::{Code, Fault, RequestId, Snooze, Timestamp};

use super::Requests;
use crate::unknown::unknown_request;

impl Requests {
    /// Puts a pending request off.
    pub(crate) async fn snooze(&self, request: RequestId, until: Option<Timestamp>) -> Result<(), Fault> {
        let at = self.bus.now();
        checked_until(until, at)?;
        let snooze = Snooze { until };
        if self.store.snooze(request, snooze, at).await? {
            return self.tell_put_off(request, Some(snooze));
        }
        match self.store.status(request).await? {
            None => Err(unknown_request(request)),
            Some(status) => Err(Fault::new(
                Code::NotPending,
                format!("Request {request} is {} and waits for nothing.", status.as_str()),
                "Nothing was changed.",
            )),
        }
    }

    /// Takes a request up again. One that isn't put off stays as it is.
    pub(crate) async fn wake(&self, request: RequestId) -> Result<(), Fault> {
        let Some(summary) = self.summary(request) else { return Err(unknown_request(request)) };
        if summary.snoozed.is_none() {
            return Ok(());
        }
        self.store.wake(request).await?;
        self.tell_put_off(request, None)
    }

    /// Takes up again the requests whose time has come.
    pub(crate) async fn wake_due(&self, now: Timestamp) {
        for request in self.queue.board.due(now) {
            match self.wake(request).await {
                Ok(()) => self.bus.emit(Event::RequestDue { request_id: request }),
                Err(fault) => tracing::warn!(%fault, %request, "a request that was put off could not be taken up"),
            }
        }
    }

    fn tell_put_off(&self, request: RequestId, snooze: Option<Snooze>) -> Result<(), Fault> {
        // One that was answered at the same moment has been told of.
        if let Some(request) = self.queue.board.snooze(request, snooze) {
            self.bus.emit(Event::RequestChanged { request });
        }
        Ok(())
    }
}
