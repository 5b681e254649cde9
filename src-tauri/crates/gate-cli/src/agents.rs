//! Whether an agent stands above this process, by its name or because its relay is connected.

use std::cell::RefCell;

use gate_api::subjects::receipts::{AskBelowAgent, AskedProcess};
use gate_link::Home;

use crate::client::Client;

/// Whether one does. What can't be seen shows nothing, so a person is never taken for one.
pub(crate) async fn is_above(home: &Home) -> bool {
    let Some(lineage) = gate_link::this_process() else { return false };
    // Those whose name says nothing: neither editors, which have a person's terminals below them, too, nor shells.
    let unknown = RefCell::new(Vec::new());
    let is_known = lineage.is_below_an_agent(|process| {
        unknown.borrow_mut().push(AskedProcess { pid: process.pid, began: process.began.clone() });
        false
    });
    is_known || is_connected(home, unknown.into_inner()).await
}

/// Whether the gate that runs, if one does, knows one of them by its relay.
async fn is_connected(home: &Home, processes: Vec<AskedProcess>) -> bool {
    if processes.is_empty() {
        return false;
    }
    let Ok(Some(mut client)) = Client::running(home).await else { return false };
    client.ask(AskBelowAgent { processes }).await.is_ok_and(|answer| answer.below)
}
