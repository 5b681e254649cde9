//! Speech without a window: a recording becomes text, on this machine alone.

use anyhow::Result;
use gate_tests::{Agent, Home, NoNetwork, install_models, watched};

/// Eleven seconds, and what is said in them.
pub(super) const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sound/jfk.wav");
const SAID: &str = "what your country can do for you";

#[tokio::test]
async fn a_recording_is_understood_and_nobody_else_is_spoken_to() -> Result<()> {
    let Some(no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let home = Home::with_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    if !install_models(home.path())? {
        return Ok(());
    }
    let _gate = home.serve().await?;
    let _agent = Agent::start(&home, "claude-code").await?;
    let work = home.run(["transcribe", RECORDING, "--language", "en"]);
    let (ran, seen) = watched(&home, work).await?;
    let text = ran.succeeded()?.stdout.to_lowercase();
    assert!(text.contains(SAID), "a real model hears it: {text}");
    for program in
        ["review-gate serve", "review-gate-relay mcp", "review-gate transcribe", "review-gate-voice recognise"]
    {
        assert!(seen.ran(program), "{program} was looked at: {:?}", seen.programs);
    }
    for socket in &seen.sockets {
        assert!(socket.program.starts_with("review-gate serve"), "only the gate listens: {socket:?}");
        assert!(socket.stays_here(), "and only for this machine: {socket:?}");
    }
    assert_eq!(no_network.attempts()?, 0, "nothing tried to go out in between");
    Ok(())
}
