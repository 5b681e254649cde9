//! Clients that this project did not write, of four kinds, at one gate at the same time: two over
//! HTTP, two over stdio.

use std::process::Stdio;

use anyhow::{Context as _, Result};
use gate_tests::{Client, Home, Official, inspector};
use rmcp::model::CallToolRequestParams;
use rmcp::serve_client;
use serde_json::{Value, json};

fn question(title: &str) -> Value {
    json!({"message": title, "title": title})
}

async fn answer(home: &Home, title: &str) -> Result<()> {
    let id = home.waiting(title).await?;
    home.answer(&id, ["--text", &format!("reply to {title}")]).await
}

/// The SDK that the gate is built on, as a client of the relay.
async fn over_rmcp(home: &Home, title: &str) -> Result<Value> {
    let mut relay = home.command(["mcp"])?.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let pipes = (relay.stdout.take().context("a stdout")?, relay.stdin.take().context("a stdin")?);
    let client = serve_client((), pipes).await?;
    let arguments = question(title).as_object().cloned().context("an object")?;
    let result = client.call_tool(CallToolRequestParams::new("review_gate_chat").with_arguments(arguments)).await?;
    client.cancel().await?;
    result.structured_content.context("a structured result")
}

/// The inspector's command line, which starts the relay itself.
async fn over_inspector(home: &Home, title: &str) -> Result<Option<Value>> {
    let Some(mut command) = inspector()? else { return Ok(None) };
    home.dress(&mut command);
    command.arg("--cli").arg(gate_tests::bin("review-gate")?).arg("mcp");
    command.args(["--method", "tools/call", "--tool-name", "review_gate_chat"]);
    command.args(["--tool-arg", &format!("message={title}"), &format!("title={title}")]);
    for (name, value) in home.env() {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        command.arg("-e").arg(format!("{name}={value}"));
    }
    let mut result = gate_tests::Ran::of(command).await?.json()?;
    Ok(Some(result["structuredContent"].take()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_kinds_of_clients_over_both_transports_each_get_their_own_reply() -> Result<()> {
    let home = Home::with_scripts_and_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    let _gate = home.serve().await?;
    let Some(mut python) = Client::start_over_http(Official::Python, &home).await? else { return Ok(()) };
    let Some(mut typescript) = Client::start_over_http(Official::TypeScript, &home).await? else { return Ok(()) };
    python.call(&question("python")).await?;
    typescript.call(&question("typescript")).await?;
    let (rmcp_home, inspector_home) = (home.clone(), home.clone());
    let rmcp = tokio::spawn(async move { over_rmcp(&rmcp_home, "rmcp").await });
    let inspector = tokio::spawn(async move { over_inspector(&inspector_home, "inspector").await });
    for title in ["inspector", "typescript", "rmcp", "python"] {
        answer(&home, title).await?;
    }
    for (client, title) in [(&mut python, "python"), (&mut typescript, "typescript")] {
        let result = client.result().await?;
        assert_eq!(result["structured"]["text"], format!("reply to {title}"), "{result}");
    }
    assert_eq!(rmcp.await??["text"], "reply to rmcp");
    assert_eq!(inspector.await??.context("the inspector is there")?["text"], "reply to inspector");
    let seen = home.rows("SELECT transport, count(*) AS n FROM conversations GROUP BY 1 ORDER BY 1").await?;
    assert_eq!(seen, [json!({"transport": "http", "n": 2}), json!({"transport": "stdio", "n": 2})], "two over each");
    Ok(())
}

#[tokio::test]
async fn both_eras_of_the_official_clients_come_over_http() -> Result<()> {
    let home = Home::with_scripts_and_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    let _gate = home.serve().await?;
    for (official, protocol) in [(Official::Python, "2026-07-28"), (Official::PythonInitialize, "2025-11-25")] {
        let Some(mut client) = Client::start_over_http(official, &home).await? else { return Ok(()) };
        assert_eq!(client.connected["protocol"], protocol, "{official:?}: {}", client.connected);
        let title = format!("{official:?}");
        client.call(&question(&title)).await?;
        answer(&home, &title).await?;
        assert_eq!(client.result().await?["structured"]["text"], format!("reply to {title}"));
    }
    Ok(())
}
