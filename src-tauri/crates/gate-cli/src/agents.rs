//! Whether an agent stands above this process, by its name or because its relay is connected.

use gate_api::subjects::receipts::{AskBelowAgent, AskedProcess};
use gate_core::Lineage;
use gate_link::Home;

use crate::client::Client;

/// Whether one does. What can't be seen shows nothing, so a person is never taken for one.
pub(crate) async fn is_above(home: &Home) -> bool {
    let Some(lineage) = gate_link::this_process() else { return false };
    lineage.is_below_an_agent(|_| false) || is_connected(home, &lineage).await
}

/// Whether the gate that runs, if one does, knows one of those above by its relay.
async fn is_connected(home: &Home, lineage: &Lineage) -> bool {
    let Ok(Some(mut client)) = Client::running(home).await else { return false };
    let process = |process: &gate_core::Process| AskedProcess { pid: process.pid, began: process.began.clone() };
    let processes = lineage.ancestors.iter().map(|seen| process(&seen.process)).collect();
    client.ask(AskBelowAgent { processes }).await.is_ok_and(|answer| answer.below)
}
