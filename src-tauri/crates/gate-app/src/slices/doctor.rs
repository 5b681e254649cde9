//! What the page about what is wrong shows: doctor's look at everything, and a request that tells whether
//! the person sees requests.

mod commands;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gate_api::{DoctorReport, Finding};
use gate_core::{Caller, Code, Declared, Fault, OwnerId, RequestStatus, SessionUuid, bounds};
use gate_doctor::{Environment, Seen};
use gate_mcp::Call;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::bus::Bus;
use crate::host::Host;
use crate::slices::conversations::Conversations;
use crate::slices::requests::Requests;
use crate::work::{blocking, whole};

/// How long the test request waits.
const TEST_REQUEST: Duration = Duration::from_secs(bounds::TEST_REQUEST_SECONDS);

/// What looks for what is wrong.
#[derive(Debug)]
pub(crate) struct Doctor {
    bus: Bus,
    host: Arc<Host>,
    conversations: Arc<Conversations>,
    requests: Arc<Requests>,
    /// One look at a time: each starts what the clients start.
    looks: Arc<Semaphore>,
    /// One test request at a time.
    test_requests: Semaphore,
}

impl Doctor {
    /// One that looks at nothing yet.
    pub(crate) fn new(bus: Bus, host: Arc<Host>, conversations: Arc<Conversations>, requests: Arc<Requests>) -> Self {
        let (looks, test_requests) = (Arc::new(Semaphore::new(1)), Semaphore::new(1));
        Self { bus, host, conversations, requests, looks, test_requests }
    }

    /// Looks at everything. Dropping it ends what it has started.
    ///
    /// # Errors
    /// `too_many` while another look goes on.
    pub(crate) async fn report(self: &Arc<Self>, popup: bool) -> Result<DoctorReport, Fault> {
        let mut report = self.examined().await?;
        if popup {
            report.findings.push(self.test_request().await?);
            report.findings.sort_by_key(|finding| finding.level);
        }
        Ok(report)
    }

    async fn examined(&self) -> Result<DoctorReport, Fault> {
        let alone = Arc::clone(&self.looks).try_acquire_owned().map_err(|_| busy())?;
        let mut environment = Environment::of_process(self.host.home.clone())?;
        // The window's process is another program than clients start.
        environment.program = PathBuf::from(&self.host.command_path);
        let gone = CancellationToken::new();
        let _goes_with_its_caller = gone.clone().drop_guard();
        let stop = self.bus.stop().clone();
        // It looks at disks: on a thread where that holds up nobody.
        let looking = blocking(move || {
            let _alone = alone;
            Handle::current().block_on(async {
                tokio::select! {
                    report = gate_doctor::examine(&environment, |_| {}) => Ok(report),
                    () = gone.cancelled() => Err(stopping()),
                    () = stop.cancelled() => Err(stopping()),
                }
            })
        });
        looking.await
    }

    /// Shows the person a request that no agent waits for, and says whether they saw it. Leaves nothing in
    /// the record.
    ///
    /// # Errors
    /// `too_many` while there is one already; else when it can't be stored.
    pub(crate) async fn test_request(self: &Arc<Self>) -> Result<Finding, Fault> {
        let doctor = Arc::clone(self);
        // To its end, or it would stay in the record.
        whole(async move { doctor.shown().await }).await
    }

    async fn shown(&self) -> Result<Finding, Fault> {
        let _alone = self.test_requests.try_acquire().map_err(|_| waits())?;
        let begin = Instant::now();
        let asked = self
            .requests
            .ask(Call {
                ask: gate_doctor::test_request(),
                session_uuid: None,
                request_id: None,
                caller: Caller {
                    client: "Review Gate".to_owned(),
                    client_version: env!("CARGO_PKG_VERSION").to_owned(),
                    workspace: String::new(),
                },
                declared: Declared::default(),
                call_key: format!("doctor:{}", self.bus.new_id()),
                agent: None,
                owner: OwnerId::Holder.into(),
                patience_millis: u64::try_from(TEST_REQUEST.as_millis()).unwrap_or(u64::MAX),
            })
            .await?;
        let (request, session) = (asked.request_id, asked.session_uuid);
        let closed = tokio::select! {
            closed = tokio::time::timeout(TEST_REQUEST, self.requests.closed(request)) => closed.ok().transpose()?,
            () = self.bus.stop().cancelled() => None,
        };
        drop(asked);
        let after = begin.elapsed();
        let seen = match closed {
            None => {
                // It may have been answered at the last moment; then that counts as too late.
                let _ = self.requests.cancel(request).await;
                Seen::No
            }
            Some(outcome) => match (outcome.status, outcome.answered_from) {
                (RequestStatus::Answered, Some(from)) => Seen::Answered { from, after },
                _ => Seen::Closed { after },
            },
        };
        self.leave_no_trace(session).await;
        Ok(seen.finding(self.host.window))
    }

    async fn leave_no_trace(&self, session: SessionUuid) {
        if let Err(fault) = self.conversations.delete_conversation(session).await {
            tracing::warn!(%fault, "a test request stays in the record");
        }
    }
}

fn busy() -> Fault {
    Fault::new(Code::TooMany, "Doctor is looking already.", "Wait until it has finished, then look again.")
}

fn waits() -> Fault {
    Fault::new(Code::TooMany, "A test request is waiting already.", "Answer it, or close it.")
}

fn stopping() -> Fault {
    Fault::new(Code::ShuttingDown, "The gate stops, or nobody waits for doctor any more.", "Look again.")
}
