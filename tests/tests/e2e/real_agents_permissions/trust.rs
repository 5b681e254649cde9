//! Codex runs a hook once its person trusts it, and that is the person's act, at its own terminal.

use std::fs;

use anyhow::Result;
use gate_tests::{NoNetwork, Program, Turn};
use serde_json::json;

use super::scene::{Scene, at, own_prompt, presses, runs, times};

/// Codex as people start it, but for its daemon, which would copy 400 MB first (docs/permissions.md).
const WORDS: [&str; 3] = ["-c", "features.daemon_auto_start=false", "go"];
const ASKS: &str = "Hooks need review";

#[tokio::test]
async fn codex_asks_at_the_gate_once_its_person_trusts_the_hook() -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let turns = vec![runs(Program::Codex, "echo hi > made.txt"), Turn::Say("Done.")];
    let Some(scene) = Scene::new(Program::Codex, turns).await? else { return Ok(()) };
    let told = scene.agent.install(&["--permissions", "--no-allow"]).await?;
    assert!(told.stdout.contains("trust the hook when it asks"), "who installs it is told: {told:?}");

    let terminal = scene.agent.at_a_terminal_with(&WORDS)?;
    let skipped = async {
        terminal.draws(ASKS).await?;
        let own = own_prompt(Program::Codex).shows;
        presses(&terminal, "\u{1b}", "Codex's own prompt", async || Ok(times(&terminal, own) > 0)).await
    };
    skipped.await.map_err(|error| at(&terminal, error))?;
    let asked = scene.agent.home.rows("SELECT count(*) AS asked FROM review_requests").await?;
    assert_eq!(asked, [json!({"asked": 0})], "a hook that isn't trusted doesn't run, and Codex asks itself");
    assert!(!scene.file("made.txt").exists(), "and does nothing before");
    terminal.close().await?;

    let terminal = scene.agent.at_a_terminal_with(&WORDS)?;
    let trusted = async {
        terminal.draws(ASKS).await?;
        // What comes at once is pasted, to Codex, and no key.
        let chosen = "› 2. Trust all and continue";
        presses(&terminal, "2", "that the second is chosen", async || Ok(times(&terminal, chosen) > 0)).await?;
        terminal.types("\r")?;
        let request = scene.asked("made.txt", "made.txt").await?;
        scene.answers(&request, json!({"answer": "once"})).await?;
        scene.is_made("made.txt").await
    };
    trusted.await.map_err(|error| at(&terminal, error))?;
    let settings = fs::read_to_string(scene.agent.home.folder().join("person/.codex/config.toml"))?;
    let place = "hooks.json:permission_request:0:0\"]\ntrusted_hash";
    assert!(settings.contains(place), "where Codex keeps it is where doctor looks for it: {settings}");
    Ok(())
}
