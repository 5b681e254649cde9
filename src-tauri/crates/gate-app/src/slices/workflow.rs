//! Reviews of pull requests in phases. The rules are gate-core's (`workflow`), the record is gate-store's; here is who calls,
//! what they may see, whether a run is there, what the clock does, and review-flow's file.
//!
//! | file | owns |
//! |---|---|
//! | `seeing.rs` | whose a job is, and which run calls |
//! | `creating.rs` | a new job: its workflow, its pull request, its folder |
//! | `running.rs` | what runs do and hand in |
//! | `clock.rs` | time-outs, runs that are gone, time that doesn't count |
//! | `flow_file.rs` | review-flow's file of a job, after each change |
//! | `port.rs` | all of that as the tools call it |

mod clock;
mod creating;
mod flow_file;
mod port;
mod running;
mod seeing;

use std::sync::Arc;

use gate_core::Fault;
use gate_core::workflow::record::{Acted, Acting};
use gate_core::workflow::{JobId, WorkflowStore as _};
use gate_mcp::Change;
use gate_store::Store;

use crate::bus::Bus;
use crate::slices::prompts::Prompts;
use crate::slices::queue::Queue;
use crate::slices::reviews::Reviews;
use crate::work::whole;
use clock::Clock;
use flow_file::FlowFiles;

/// The jobs of a running gate.
#[derive(Debug)]
pub(crate) struct Workflow {
    store: Store,
    bus: Bus,
    queue: Arc<Queue>,
    prompts: Arc<Prompts>,
    reviews: Arc<Reviews>,
    clock: Clock,
    files: FlowFiles,
}

impl Workflow {
    /// The jobs of the record.
    pub(crate) async fn open(
        store: Store,
        bus: Bus,
        queue: Arc<Queue>,
        prompts: Arc<Prompts>,
        reviews: Arc<Reviews>,
    ) -> Result<Self, Fault> {
        let clock = Clock::starting(bus.now());
        let workflow = Self { store, bus, queue, prompts, reviews, clock, files: FlowFiles::default() };
        workflow.take_up().await?;
        Ok(workflow)
    }

    /// The client has the result of this call, which can't come again: what it led to needn't be remembered.
    pub(crate) async fn note_delivery(&self, call_key: &str) {
        if let Err(fault) = self.store.job_call_delivered(call_key).await {
            tracing::warn!(%fault, "what a call did to a job could not be forgotten");
        }
    }

    /// Does it, once it has begun to its end.
    async fn done(self: &Arc<Self>, acting: Acting) -> Result<Acted, Fault> {
        let workflow = Arc::clone(self);
        whole(async move {
            let acted = workflow.store.act_on_job(acting).await?;
            if acted.happened {
                workflow.told(acted.job.job_id);
            }
            Ok(acted)
        })
        .await
    }

    /// Something happened to a job, and is committed.
    fn told(self: &Arc<Self>, job: JobId) {
        for uri in gate_mcp::job_uris(job) {
            self.bus.change(Change::Resource(uri));
        }
        self.clock.changed();
        self.write_file(job);
    }
}
