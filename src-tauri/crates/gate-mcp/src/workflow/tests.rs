//! The workflow's tools over a relay's connection, with jobs in memory that go by gate-core's table.

mod codes;
mod flows;
mod listing;
mod publishing;
mod reading;

use std::sync::Arc;

use gate_core::workflow::JobId;
use serde_json::{Value, json};

use crate::answer::testing;
use crate::connection::relayed::Relay;
use crate::fake_gate::FakeGate;
use crate::fake_gate::workflow::FakeWorkflow;
use crate::toolset::Served;
use crate::toolsets::WORKFLOW;

const URL: &str = "https://github.com/owner/repo/pull/42";
/// The audits of a review.
const AGENTS: [&str; 8] =
    ["clean-architecture", "ddd", "react-best-practices", "solid", "testing", "code-quality", "threads", "report"];

/// A gate with the workflow.
struct House {
    gate: Arc<FakeGate>,
    workflow: Arc<FakeWorkflow>,
    served: Arc<Served>,
}

impl House {
    fn new() -> Self {
        let gate = Arc::new(FakeGate::default());
        let workflow = FakeWorkflow::new(&gate);
        let served = workflow.served();
        Self { gate, workflow, served }
    }

    /// An agent that the kernel names.
    async fn agent(&self, pid: u32) -> Relay {
        let relay = Relay::of_client(&self.gate, Arc::clone(&self.served), &format!("relay {pid}"), pid);
        relay.initialize().await
    }

    /// One that was started for one job.
    async fn runner(&self, pid: u32, job: JobId) -> Relay {
        Relay::for_job(&self.gate, Arc::clone(&self.served), pid, job).initialize().await
    }
}

/// A house with an agent that has begun a review.
async fn begun() -> (House, Relay, JobId) {
    let house = House::new();
    let mut agent = house.agent(10).await;
    let job = create(&mut agent).await;
    (house, agent, job)
}

async fn create(relay: &mut Relay) -> JobId {
    let created = call(relay, "create_job", json!({ "url": URL })).await;
    created["jobId"].as_str().expect("it is named").parse().expect("it is an id")
}

/// Calls a tool.
async fn call(relay: &mut Relay, tool: &str, arguments: Value) -> Value {
    given(tool, &relay.call(tool, arguments).await)
}

/// What a call gave.
fn given(tool: &str, result: &Value) -> Value {
    testing::given(&WORKFLOW.listed(), tool, result)
}

/// The code of the refusal of a call.
async fn code(relay: &mut Relay, tool: &str, arguments: Value) -> String {
    testing::refused(relay, tool, arguments).await.0
}

async fn phase(relay: &mut Relay, job: JobId, phase: &str) -> Value {
    call(relay, "set_phase", json!({"jobId": job, "phase": phase})).await
}

/// Does an audit.
async fn audit(relay: &mut Relay, job: JobId, name: &str, status: &str) -> Value {
    call(relay, "start_agent", json!({"jobId": job, "agentName": name})).await;
    call(relay, "complete_agent", json!({"jobId": job, "agentName": name, "status": status})).await
}

/// Hands in a finding on the second line.
async fn find(relay: &mut Relay, job: JobId) -> Value {
    let finding =
        json!({"title": "Two is odd", "body": "Say why.", "severity": "warning", "file": "src/a.rs", "line": 2});
    call(relay, "add_findings", json!({"jobId": job, "findings": [finding]})).await
}
