//! MCP itself: what the server says of its tool, results that keep to their schema, and the
//! revision without `initialize`, over the real relay.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, LIMIT, SCRIPTS_ANSWER, eventually, stateless_meta};
use serde_json::{Value, json};

/// Fails with every rule of the schema that the value breaks.
fn keeps_to(schema: &Value, value: &Value) -> Result<()> {
    let broken = gate_tests::schemas::broken(schema, value)?;
    assert!(broken.is_empty(), "a client may refuse what breaks the tool's own schema: {broken:#?} in {value}");
    Ok(())
}

#[tokio::test]
async fn the_server_introduces_itself_in_every_revision() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let agent = Agent::spawn(&home)?;
        let params =
            json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        let id = agent.request("initialize", params).await?;
        let said = agent.result(id).await?;
        assert_eq!(said["protocolVersion"], revision, "clients of that age give up on another revision");
        assert_eq!(said["serverInfo"]["name"], "review-gate", "the server has a name");
        let icon = said["serverInfo"]["icons"][0]["src"].as_str().unwrap_or_default();
        assert!(icon.starts_with("data:image/svg+xml;base64,"), "and an icon that needs no network: {icon}");
        assert!(said["capabilities"]["tools"].is_object(), "and a tool");
        let instructions = said["instructions"].as_str().unwrap_or_default();
        assert!(instructions.contains("review_gate_chat"), "a model is told what to use: {instructions}");
    }
    Ok(())
}

#[tokio::test]
async fn the_tool_is_described_for_models_and_for_programs() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let list = agent.request("tools/list", json!({})).await?;
    let tools = agent.result(list).await?["tools"].take();
    let tools = tools.as_array().context("a list of tools")?;
    assert_eq!(tools.iter().map(|tool| &tool["name"]).collect::<Vec<_>>(), gate_tests::TOOLS, "the toolset's tools");
    for tool in tools {
        for schema in ["inputSchema", "outputSchema"] {
            let unsound = gate_tests::schemas::unsound(&tool[schema])?;
            assert!(unsound.is_empty(), "{schema} of {}: {unsound:?}", tool["name"]);
        }
    }
    let tool = &tools[0];
    let fields: Vec<_> = tool["inputSchema"]["properties"].as_object().context("fields")?.keys().collect();
    let mut wanted = [
        "message",
        "title",
        "context",
        "urgent",
        "session_uuid",
        "request_id",
        "options",
        "allow_multiple",
        "approval",
        "require",
        "diff",
        "repository",
    ];
    wanted.sort_unstable();
    let mut found: Vec<&str> = fields.iter().map(|field| field.as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, wanted, "the contract's fields, and no time-out: models pass 1 or 30 where one is offered");
    assert_eq!(
        (&tool["annotations"]["readOnlyHint"], &tool["annotations"]["destructiveHint"]),
        (&json!(true), &json!(false)),
        "clients ask their user before they call what may destroy something"
    );
    Ok(())
}

#[tokio::test]
async fn every_kind_of_result_keeps_to_the_output_schema() -> Result<()> {
    let home = Home::with_config(&format!("waiting:\n  clients:\n    slow: 5\n{SCRIPTS_ANSWER}"))?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "slow").await?;
    let list = agent.request("tools/list", json!({})).await?;
    let schema = agent.result(list).await?["tools"][0]["outputSchema"].take();

    let diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
    let input = json!({"message": "m", "title": "full", "options": ["a", "b"], "approval": true, "diff": diff});
    let call = agent.call(input).await?;
    let id = home.waiting("full").await?;
    let mut control = Control::open(&home).await?;
    let attach = json!({"command": "attach", "request_id": id, "name": "a.txt", "data": "aGVsbG8="});
    let attached = control.command(attach).await?.map_err(|fault| anyhow::anyhow!("not attached: {fault}"))?;
    let draft = json!({
        "text": "t", "selected": ["a"], "remarks": [{"quote": "m", "body": "b"}],
        "comments": [
            {"file": "a", "line": 1, "side": "old", "body": "b"},
            {"file": "a", "start_line": 1, "line": 2, "side": "new", "body": "b"},
        ],
        "attachments": [attached["attachment"]["attachment_id"]],
    });
    let sent = control.reply(&id, Some("changes_requested"), draft).await?;
    assert!(sent.is_ok(), "the fullest reply is accepted: {sent:?}");
    keeps_to(&schema, &agent.outcome(call).await?)?;

    let call = agent.call(json!({"message": "m", "title": "closed"})).await?;
    let dismiss = json!({"command": "dismiss", "request_id": home.waiting("closed").await?});
    assert!(control.command(dismiss).await?.is_ok(), "a person may close a request");
    keeps_to(&schema, &agent.outcome(call).await?)?;

    let pending = agent.chat(json!({"message": "m", "title": "pending"})).await?;
    assert_eq!(pending["status"], "pending", "nobody answered");
    keeps_to(&schema, &pending)
}

#[tokio::test]
async fn the_revision_without_initialize_is_served_as_well() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::spawn(&home)?;
    let meta = stateless_meta("claude-code");
    let id = agent.request("server/discover", json!({"_meta": meta})).await?;
    let found = agent.result(id).await?;
    let versions = found["supportedVersions"].as_array().context("discovery lists revisions")?;
    assert!(versions.contains(&json!("2026-07-28")), "the newest revision is offered: {found}");
    assert!(found["capabilities"]["tools"].is_object(), "with its tool: {found}");

    let id = agent.request("tools/list", json!({"_meta": meta})).await?;
    assert_eq!(agent.result(id).await?["tools"][0]["name"], "review_gate_chat", "listed without a session");

    let mut with_token = meta.clone();
    with_token["progressToken"] = json!(7);
    let call = agent.call_with(json!({"message": "m", "title": "stateless"}), with_token).await?;
    let request = home.waiting("stateless").await?;
    let shown = home.pending().await?.pop().context("one waits")?;
    assert_eq!(shown["client"], "claude-code", "the request itself says who asks");
    let note = agent.notification("notifications/progress").await?;
    assert_eq!(note["params"]["progressToken"], 7, "progress needs no session either");
    home.answer(&request, ["--approve"]).await?;
    let result = agent.result(call).await?;
    assert_eq!(result["resultType"], "complete", "2026-07-28 says of each result whether it is one");
    assert_eq!(result["structuredContent"]["decision"], "approved", "and carries the same outcome");

    let call = agent.request("tools/call", json!({"name": "review_gate_chat", "arguments": {"message": "m"}})).await?;
    let refused = agent.wait(call).await?;
    assert_eq!(refused["error"]["code"], -32602, "without a session each request has to say who speaks: {refused}");
    Ok(())
}

#[tokio::test]
async fn what_is_no_tool_is_a_protocol_error() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.request("tools/call", json!({"name": "review_gate_guess", "arguments": {}})).await?;
    let refused = agent.wait(call).await?;
    assert_eq!(refused["error"]["code"], -32602, "an unknown tool is the client's fault: {refused}");
    let other = agent.request("review_gate/guess", json!({})).await?;
    assert_eq!(agent.wait(other).await?["error"]["code"], -32601, "and so is an unknown method");
    Ok(())
}

/// The next entry of the gate's log with this code.
async fn logged(agent: &Agent, code: &str) -> Result<Value> {
    loop {
        let mut message = agent.notification("notifications/message").await?;
        if message["params"]["data"]["code"] == code {
            return Ok(message["params"].take());
        }
    }
}

#[tokio::test]
async fn a_client_of_the_initialize_era_hears_of_the_gates_own_course() -> Result<()> {
    let home =
        Home::with_config(&format!("window:\n  theme: mauve\nwaiting:\n  clients:\n    slow: 5\n{SCRIPTS_ANSWER}"))?;
    let mut gate = home.serve().await?;
    let agent = Agent::spawn(&home)?;
    let server = agent.initialize("slow").await?;
    assert_eq!(server["capabilities"]["logging"], json!({}), "it is promised: {server}");
    let broken = logged(&agent, "invalid_setting").await?;
    assert_eq!((&broken["level"], &broken["logger"]), (&json!("warning"), &json!("review-gate")), "{broken}");
    assert!(!broken.to_string().contains("mauve"), "what the person wrote stays with them: {broken}");

    let set = agent.request("logging/setLevel", json!({"level": "notice"})).await?;
    assert_eq!(agent.result(set).await?, json!({}), "the level is taken");
    let window = logged(&agent, "no_window").await?;
    assert!(window.to_string().contains("review-gate requests"), "how the person sees requests then: {window}");
    let bad = agent.request("logging/setLevel", json!({"level": "loud"})).await?;
    assert_eq!(agent.wait(bad).await?["error"]["code"], -32602, "there is no such level");

    let call = agent.call(json!({"message": "a private question", "title": "late"})).await?;
    let id = home.waiting("late").await?;
    assert_eq!(agent.outcome(call).await?["status"], "pending");
    let gone = || async { Ok(home.pending().await?.iter().any(|row| row["agent"] == "gone").then_some(())) };
    eventually("the end of the call that waited", LIMIT, gone).await?;
    home.answer(&id, ["--text", "a private reply"]).await?;
    let answered = logged(&agent, "request_answered").await?;
    let said = answered["data"]["message"].as_str().unwrap_or_default();
    assert!(said.contains(&id) && !said.contains("private"), "which one, and nobody's words: {answered}");

    gate.kill().await?;
    let list = agent.request("tools/list", json!({})).await?;
    agent.result(list).await?;
    let back = logged(&agent, "reconnected").await?;
    assert_eq!(back["level"], "notice", "the next gate knows the level: {back}");
    Ok(())
}
