//! What the page in a browser may do.

use gate_api::Origin;
use gate_door::port::DoorPort;

use super::{Outcome, gate};

#[tokio::test]
async fn a_page_that_a_script_has_signed_in_may_do_no_more_than_a_page() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    for signed_in_by in [Origin::Browser, Origin::Script] {
        let command = |name: &str| serde_json::from_value(serde_json::json!({ "command": name }));
        let refused = DoorPort::carry_out(&gate, command("stop")?, signed_in_by).await;
        let fault = refused.err().ok_or("stopping is for this machine's own front ends")?;
        assert!(fault.message.contains("browser"), "and it says why: {fault}");
        DoorPort::carry_out(&gate, command("snippets")?, signed_in_by).await?;
    }
    Ok(())
}
