//! What the uses of prompts leave behind, on a real store.

use std::collections::BTreeMap;

use gate_api::Event;
use gate_api::subjects::prompts;
use gate_core::Fault;

use crate::slices::Gate;
use crate::tests::{Outcome, call, gate, open};

/// A prompt that needs no argument.
const PROMPT: &str = "code_review";

/// An agent gets a prompt this often.
async fn gets(gate: &Gate, times: usize) -> Result<(), Fault> {
    let caller = call("relay:1", "").caller;
    let arguments = BTreeMap::from([("severity_level".to_owned(), "error".to_owned())]);
    for _ in 0..times {
        gate.inner.prompts.render_prompt(&caller, PROMPT, &arguments).await?;
    }
    Ok(())
}

async fn uses(gate: &Gate) -> Result<Option<u32>, Fault> {
    Ok(gate.inner.prompts.prompt_view(PROMPT).await?.entry.map(|entry| entry.uses))
}

#[tokio::test]
async fn a_use_is_seen_at_once_and_pages_hear_of_many_together() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let mut events = gate.events();
    gets(&gate, 3).await?;
    assert_eq!(uses(&gate).await?, Some(3), "whoever looks misses none");
    gets(&gate, 2).await?;
    let view = gate.inner.prompts.prompt_view(PROMPT).await?;
    assert_eq!(view.used_by.len(), 5, "each is shown");
    assert_eq!(view.used_by[0].arguments[0].value.as_deref(), Some("error"), "with what it was given");
    for _ in 0..3 {
        gate.inner.prompts.pass_time().await;
    }
    let mut told = 0;
    while let Ok(event) = events.try_recv() {
        told += usize::from(matches!(event, Event::Prompts(prompts::Event::PromptsChanged)));
    }
    assert_eq!(told, 1, "pages look again once");
    Ok(())
}

#[tokio::test]
async fn a_gate_that_stops_keeps_every_use() -> Outcome {
    let (folder, before) = gate(true).await?;
    gets(&before, 2).await?;
    before.inner.receipts.close().await;
    before.inner.store.close().await;
    assert_eq!(uses(&open(&folder, true).await?).await?, Some(2), "those of the last moment, too");
    Ok(())
}
